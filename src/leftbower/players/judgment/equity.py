"""Match equity: each side's chance of the game, and of the match, from the score and who deals next.

A hand is modeled as a draw from `Frequencies`, independent of the score. Everything is computed from the dealer's point
of view, the dealer's side first and then clockwise, so one table of chances serves every dealer. The engine says when a
game is over, and who has won it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import fsum
from operator import add, mul
from typing import Final, Self, TypeVar

from leftbower.engine.game import Scores, add_points, may_end_tied, winner
from leftbower.engine.match import is_match_decided
from leftbower.errors import BadJson
from leftbower.rules.choices import TieAtTarget
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.scoring import TRICKS_NEEDED, TRICKS_PER_HAND, Outcome, Points, points
from leftbower.rules.seats import Seat

T = TypeVar("T")
Chances = tuple[float, ...]
"""The chance of each side, in the order of `HouseRules.sides`; together they are 1."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often a hand brings which points, seen from its dealer. Redeals are no hands; a passed-out hand brings 0."""

    counts: tuple[tuple[Scores, float], ...]
    """The points of each side, the dealer's first and then clockwise, and how often: hands counted, or shares."""

    def __post_init__(self) -> None:
        reason = _unfit(self.counts)
        if reason:
            raise ValueError(reason)

    @classmethod
    def of(cls, counts: Mapping[Scores, float]) -> Self:
        """Frequencies by the points of a hand; equal mappings give equal frequencies in any order."""
        return cls(tuple(sorted((scored, often) for scored, often in counts.items() if often)))

    @classmethod
    def counted(cls, rules: HouseRules, hands: Iterable[tuple[Seat, Points]]) -> Self:
        """The frequencies met in these hands, each given by its dealer and the engine's `Scored.points`."""
        return cls.of(Counter(points_from_dealer(rules, dealer, scored) for dealer, scored in hands))

    @classmethod
    def from_json(cls, found: object) -> Self:
        """What `as_json` wrote, or a BadJson that says what is wrong with it."""
        if not isinstance(found, dict):
            raise BadJson("frequencies are an object in braces")
        try:
            return cls.of({_read(key): _number(often) for key, often in found.items()})
        except ValueError as wrong:
            raise BadJson(str(wrong), path="frequencies") from None

    def as_json(self) -> dict[str, float]:
        """The counts by points as they are spoken, the dealer's side first: `{"1-0": 0.45, …}`."""
        return {"-".join(map(str, scored)): often for scored, often in self.counts}

    @property
    def shares(self) -> dict[Scores, float]:
        """Which part of all hands brings these points; the parts are 1 together."""
        every = fsum(often for _, often in self.counts)
        return {scored: often / every for scored, often in self.counts}

    @property
    def sides(self) -> int:
        """For how many sides they were counted."""
        return len(self.counts[0][0])

    @property
    def most(self) -> int:
        """The most a side can score in one hand."""
        return max(max(scored) for scored, _ in self.counts)


def points_from_dealer(rules: HouseRules, dealer: Seat, scored: Points) -> Scores:
    """The points of a hand for each side, the dealer's first and then clockwise: the key of `Frequencies`."""
    return _turned(add_points(rules, (0,) * len(rules.sides), scored), _side_at(rules, dealer))


@lru_cache(64)
def default_frequencies(rules: HouseRules) -> Frequencies:
    """Default frequencies where none were measured, at the points of these rules.

    Four-handed it is Benjamin's published count (dealer's side 1, 2, 4 points: 45, 16, 5 %; the others 17, 12, 5 %);
    how many of them were alone, or euchres, and everything three- and two-handed, is our estimate. No hand is
    passed out in it, and no one defends alone.
    """
    counts: defaultdict[Scores, float] = defaultdict(float)
    for index, hundredths in _ESTIMATED_ENDINGS[rules.players].items():
        for (tricks, alone), share in zip(_ENDINGS, hundredths, strict=True):
            outcome = Outcome(maker=rules.seats[index], makers_tricks=tricks, alone=alone)
            counts[points_from_dealer(rules, rules.seats[0], points(rules, outcome))] += share
    return Frequencies.of(counts)


class Equity:
    """The chances of the sides under one rule set, if hands come as often as `frequencies` say."""

    __slots__ = ("_chain", "frequencies", "rules")

    def __init__(self, rules: HouseRules, frequencies: Frequencies | None = None) -> None:
        self.rules: Final = rules
        self.frequencies: Final = frequencies or default_frequencies(rules)
        if self.frequencies.sides != len(rules.sides):
            raise ValueError(f"these frequencies are for {self.frequencies.sides} sides, not {len(rules.sides)}")
        self._chain: Final = _chain(rules, self.frequencies)

    def chance(self, scores: Scores, dealer: Seat, side: Side, *, hands: int = 0) -> float:
        """The side's chance of the game when `dealer` is about to deal; a tie is worth its share of a game.

        `hands` is how many have been counted so far, which matters only where a game lasts a number of hands.
        """
        return self.chances(scores, dealer, hands=hands)[_side_at(self.rules, side[0])]

    def chances(self, scores: Scores, dealer: Seat, *, hands: int = 0) -> Chances:
        """Every side's chance of the game when `dealer` is about to deal."""
        index = _side_at(self.rules, dealer)
        return _turned(self._chain.chances((hands, _turned(scores, index))), -index)

    def after(self, scores: Scores, points: Points, dealer: Seat, *, hands: int = 0) -> Chances:
        """Every side's chance after a hand dealt by `dealer` at this score has brought these points."""
        left = self.rules.left_of(dealer)
        return self.chances(add_points(self.rules, scores, points), left, hands=hands + 1)

    def match_chance(self, wins: tuple[int, ...], side: Side, game: Chances | None = None) -> float:
        """The side's chance of the match; see `match_chances`."""
        return self.match_chances(wins, game)[_side_at(self.rules, side[0])]

    def match_chances(self, wins: tuple[int, ...], game: Chances | None = None) -> Chances:
        """Every side's chance of the match, from the games won and its chance of the game now played, if there is one.

        Later games are even: so they are where each has its own draw, and nearly so where the deal just goes on.
        """
        best_of, sides = self.rules.best_of, range(len(wins))
        if game is None or is_match_decided(best_of, wins):
            return _later(best_of, wins)
        return _mixed(game, [_later(best_of, _won_by(wins, side)) for side in sides])


_MIN_FREQUENCY: Final = 1e-12
"""Rarer than any hand that was ever counted."""


def _unfit(counts: tuple[tuple[Scores, float], ...]) -> str | None:
    """Why these are no frequencies, or None."""
    if len({len(scored) for scored, _ in counts}) != 1 or len(counts[0][0]) < 2:
        return "frequencies need the points of every side, for at least one kind of hand"
    if any(score < 0 for scored, _ in counts for score in scored):
        return "no hand takes points away"
    if not all(_MIN_FREQUENCY <= often <= 1 / _MIN_FREQUENCY for _, often in counts):
        return "a frequency must be a positive count or share"
    if not any(any(scored) for scored, _ in counts):
        return "at least one kind of hand must score"
    return None


def _read(key: object) -> Scores:
    if not isinstance(key, str) or not re.fullmatch(r"[0-9]{1,3}(-[0-9]{1,3}){1,2}", key):
        raise ValueError("a kind of hand is the points of every side, as in 2-0")
    return tuple(map(int, key.split("-")))


def _number(often: object) -> float:
    if isinstance(often, bool) or not isinstance(often, int | float):
        raise ValueError("how often a hand comes is a number")
    return often


_ENDINGS: Final = tuple((tricks, alone) for alone in (False, True) for tricks in (TRICKS_NEEDED, TRICKS_PER_HAND, 0))
"""Made, march and euchred, with partner or dummy and then alone: tricks of the makers, and whether alone."""
_ESTIMATED_ENDINGS: Final[dict[int, dict[int, tuple[float, ...]]]] = {
    4: {0: (40, 10, 7.5, 5, 5, 0.5), 1: (13, 4, 5.5, 4, 5, 0.5)},
    3: {0: (24, 8, 7, 3, 2, 1), 1: (16, 5, 5, 2, 1, 1), 2: (13, 4, 5, 1, 1, 1)},
    2: {0: (32, 13, 9, 2, 3, 1), 1: (20, 8, 7, 2, 2, 1)},
}
"""By players and by the maker's position from the dealer: of a hundred hands, how many end in each of `_ENDINGS`."""


def _side_at(rules: HouseRules, seat: Seat) -> int:
    """Where the side of this seat stands in `rules.sides`."""
    return rules.sides.index(rules.side_of(seat))


def _turned(row: tuple[T, ...], by: int) -> tuple[T, ...]:
    """A row of sides, rotated by `by` sides."""
    return row[by:] + row[:by]


def _mixed(weights: Iterable[float], every: Iterable[Chances]) -> Chances:
    """The mean of these chances, each with its weight."""
    return tuple(sum(map(mul, weights, one_side)) for one_side in zip(*every, strict=True))


def _shared(scores: Scores) -> Chances:
    """One win, shared among those with the highest score."""
    best = max(scores)
    return tuple((score == best) / scores.count(best) for score in scores)


# The match


@cache
def _later(best_of: int, wins: tuple[int, ...]) -> Chances:
    """The chances of a match between two games, if every later game is even."""
    if is_match_decided(best_of, wins):
        return _shared(wins)
    return _mixed(_even(len(wins)), [_later(best_of, _won_by(wins, side)) for side in range(len(wins))])


def _won_by(wins: tuple[int, ...], side: int) -> tuple[int, ...]:
    return tuple(won + (index == side) for index, won in enumerate(wins))


def _even(sides: int) -> Chances:
    return (1 / sides,) * sides


# The game, as the dealer sees it

_Spot = tuple[int, Scores]
"""Hands counted so far, where they matter, and the scores, those of the next dealer's side first."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """What a hand can bring after which the deal is with the side `by` seats further on."""

    by: int
    weights: tuple[float, ...]
    points: tuple[Scores, ...]
    """As the next dealer sees them."""


@dataclass(frozen=True, slots=True)
class _Ways:
    """Where the game can go by one of `_Turns`."""

    turns: _Turns
    spots: list[_Spot]


_CONVERGENCE_THRESHOLD: Final = 1e-12
"""Iteration stops when no chance changes by more."""
_MAX_ITERATIONS: Final = 5_000
"""Upper limit on iterations."""
_HANDS_BEHIND: Final = 8
"""Beyond this many best-possible hands behind in a play-off, the gap makes no difference."""


@lru_cache(16)
def _chain(rules: HouseRules, frequencies: Frequencies) -> "_Chain":
    return _Chain(rules, frequencies)


class _Chain:
    """The chances at every spot met so far. A spot is computed on first use."""

    def __init__(self, rules: HouseRules, frequencies: Frequencies) -> None:
        self.rules = rules
        self.fixed = rules.fixed_hands
        self.most = frequencies.most
        self.reach = max(rules.target, _HANDS_BEHIND * self.most)
        self.beyond = self.reach if frequencies.sides > 2 and rules.best_of > 1 else 1
        self.every_hand = [_turns(1, frequencies.shares)]
        self.hands_that_score = _hands_that_score(frequencies)
        self.known: dict[_Spot, Chances] = {}

    def chances(self, spot: _Spot) -> Chances:
        """The chances at a spot, the next dealer's side first."""
        found = self.known.get(spot)
        if found is not None:
            return found
        alike = self._alike(spot)
        if alike not in self.known:
            self.known[alike] = self._worked_out(alike)
        return self.known[alike]

    def _worked_out(self, spot: _Spot) -> Chances:
        over = _result(self.rules, spot)
        if over:
            return over
        if self._is_play_off(spot):
            self.known |= self._played_off(spot)
            return self.known[spot]
        return _outlook((ways.turns, map(self.chances, ways.spots)) for ways in self._ways(spot))

    def _alike(self, spot: _Spot) -> _Spot:
        """The one spot that stands for all whose chances are the same.

        In a game to a target no side is below 0. Beyond the target, and in a game of fixed length, only the gaps
        matter, and of them only as much as can still be made good: a third side may do so while two play off a tie.
        Where all win who reach the target together, nothing beyond it matters.
        """
        hands, scores = spot
        best, target = max(scores), self.rules.target
        if self.fixed is not None:
            hands = min(max(hands, 0), self.fixed)
            hopeless = best - self.most * (self.fixed - hands) - self.beyond
            return hands, tuple([max(score, hopeless) - best for score in scores])
        if best < target:
            return 0, tuple([max(score, 0) for score in scores])
        if self.rules.tie_at_target is TieAtTarget.ALL_WIN and sum(score >= target for score in scores) > 1:
            return 0, tuple([min(max(score, 0), target) for score in scores])
        return 0, tuple([max(score, best - self.reach) - best + target for score in scores])

    def _is_play_off(self, spot: _Spot) -> bool:
        """Can the game come back to a spot alike? So it can once only a lead is missing."""
        hands, scores = spot
        return max(scores) >= self.rules.target if self.fixed is None else hands >= self.fixed

    def _ways(self, spot: _Spot) -> Iterator[_Ways]:
        """Where the game can go from here."""
        hands, scores = spot
        counts = self.fixed is not None and hands < self.fixed
        then = hands + 1 if counts else hands
        for turns in self.every_hand if counts else self.hands_that_score:
            rotated = _turned(scores, turns.by)
            yield _Ways(turns, [(then, tuple(map(add, rotated, scored))) for scored in turns.points])

    def _played_off(self, start: _Spot) -> dict[_Spot, Chances]:
        """The chances at every reachable spot of the play-off, by value iteration until they converge."""
        ways = self._ways_of_the_play_off(start)
        ends = {spot for every in ways.values() for way in every for spot in way.spots} - ways.keys()
        settled = {spot: self.chances(spot) for spot in ends} | dict.fromkeys(ways, _even(len(start[1])))
        # Those who are far behind go last, because what they hope for is to come nearer.
        order = sorted(ways, key=lambda spot: sum(spot[1]), reverse=True)
        for _ in range(_MAX_ITERATIONS):
            if max([_iterate(settled, spot, ways[spot]) for spot in order]) < _CONVERGENCE_THRESHOLD:
                break
        return settled

    def _ways_of_the_play_off(self, start: _Spot) -> dict[_Spot, list[_Ways]]:
        """Where the game can go from every spot that can follow and is neither decided nor known."""
        found: dict[_Spot, list[_Ways]] = {}
        pending = [start]
        while pending:
            spot = pending.pop()
            if spot not in found and spot not in self.known and not _result(self.rules, spot):
                found[spot] = [_Ways(way.turns, list(map(self._alike, way.spots))) for way in self._ways(spot)]
                pending += [then for way in found[spot] for then in way.spots]
        return found


def _turns(by: int, shares: Mapping[Scores, float]) -> _Turns:
    """Shares are in the order of the dealer of that hand, who sits one seat before the next."""
    return _Turns(by, tuple(shares.values()), tuple(_turned(scored, 1) for scored in shares))


def _hands_that_score(frequencies: Frequencies) -> list[_Turns]:
    """What the next hand that is not passed out brings, by where the deal has moved then."""
    shares, sides = frequencies.shares, frequencies.sides
    passed = shares.pop((0,) * sides, 0.0)
    likely = [passed**before for before in range(sides if passed else 1)]
    every = fsum(shares.values()) * sum(likely)
    return [
        _turns((before + 1) % sides, {scored: share * so / every for scored, share in shares.items()})
        for before, so in enumerate(likely)
    ]


def _result(rules: HouseRules, spot: _Spot) -> Chances | None:
    """One win, shared among those who have won together or tied; None while the game goes on."""
    hands, scores = spot
    won = winner(rules, scores, hands)
    if won is None:
        return _shared(scores) if may_end_tied(rules, hands) else None
    joint = [side[0] in won for side in rules.sides]
    return tuple(has_won / sum(joint) for has_won in joint)


def _outlook(ways: Iterable[tuple[_Turns, Iterable[Chances]]]) -> Chances:
    """The chances before a hand, from those after it."""
    parts = [_turned(_mixed(turns.weights, after), -turns.by) for turns, after in ways]
    return parts[0] if len(parts) == 1 else tuple(map(sum, zip(*parts, strict=True)))


def _iterate(settled: dict[_Spot, Chances], spot: _Spot, ways: list[_Ways]) -> float:
    """Reckon a spot from those that can follow it; return by how much its chances moved."""
    before = settled[spot]
    settled[spot] = _outlook((way.turns, map(settled.__getitem__, way.spots)) for way in ways)
    return max(abs(new - old) for new, old in zip(settled[spot], before, strict=True))
