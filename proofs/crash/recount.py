"""A second reading of scores, small enough to check by eye: what the organizer of an evening does with a pencil.

Nothing of ours is used here. Points are those of the prize night, by the words that phones send.
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
"""By what follows the maker in the word of a hand."""
SIDE: Final = {"N": 0, "S": 0, "E": 1, "W": 1}
TARGET: Final = 10

Teams = tuple[str, str]
"""North and South, East and West."""


@dataclass(slots=True)
class TeamTotals:
    """What a team has."""

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
    """What every team has from matches whose scores stand."""
    found: dict[str, TeamTotals] = defaultdict(TeamTotals)
    for teams, score in matches:
        for team, ours, theirs in zip(teams, score, reversed(score), strict=True):
            line = found[team]
            line.played += 1
            line.matches += ours > theirs
            line.points += ours
            line.conceded += theirs
    return dict(found)


def is_ordered(order: Sequence[str], met: Iterable[Teams], found: Mapping[str, TeamTotals]) -> bool:
    """Are teams listed by matches won, then by those of whom they met?"""
    known = defaultdict(TeamTotals, found)
    opponents: dict[str, int] = defaultdict(int)
    for one, other in met:
        opponents[one] += known[other].matches
        opponents[other] += known[one].matches
    keys = [(known[team].matches, opponents[team]) for team in order]
    return keys == sorted(keys, reverse=True)
