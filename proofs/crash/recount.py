"""Independent recount of scores, small enough to check by eye.

Imports nothing from leftbower. Points are those of the prize night, by the words that phones send.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

POINTS: Final[Mapping[str, int]] = {
    "3": 1,  # made it
    "5": 2,  # all five
    "3!": 1,  # alone, made it
    "5!": 4,  # alone, all five
    "2": -2,  # euchred: the others score
    "2!": -2,  # euchred alone
}
"""By the part of a hand's word after the maker."""
SIDE: Final = {"N": 0, "S": 0, "E": 1, "W": 1}
TARGET: Final = 10

Teams = tuple[str, str]
"""North and South, East and West."""


@dataclass(slots=True)
class TeamTotals:
    """The standings line of a team."""

    matches: int = 0
    played: int = 0
    points: int = 0
    conceded: int = 0


def game_score(hands: Iterable[str]) -> tuple[int, int]:
    """The score of a game."""
    score = [0, 0]
    for word in hands:
        if word != "p":
            side, points = SIDE[word[0]], POINTS[word[1:]]
            score[side if points > 0 else 1 - side] += abs(points)
    return score[0], score[1]


def team_totals(matches: Iterable[tuple[Teams, tuple[int, int]]]) -> dict[str, TeamTotals]:
    """Totals of every team from confirmed matches."""
    totals: dict[str, TeamTotals] = defaultdict(TeamTotals)
    for teams, score in matches:
        for team, ours, theirs in zip(teams, score, reversed(score), strict=True):
            line = totals[team]
            line.played += 1
            line.matches += ours > theirs
            line.points += ours
            line.conceded += theirs
    return dict(totals)


def is_ordered(order: Sequence[str], meetings: Iterable[Teams], totals: Mapping[str, TeamTotals]) -> bool:
    """Are teams listed by matches won, then by the matches won of their opponents?"""
    known_totals = defaultdict(TeamTotals, totals)
    opponents: dict[str, int] = defaultdict(int)
    for first, second in meetings:
        opponents[first] += known_totals[second].matches
        opponents[second] += known_totals[first].matches
    keys = [(known_totals[team].matches, opponents[team]) for team in order]
    return keys == sorted(keys, reverse=True)
