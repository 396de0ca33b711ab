"""Match equity: each side's chance to win the game and the match, from the score and the next dealer.

A hand is modeled as a draw from `Frequencies`, independent of the score. Everything is computed from the dealer's point
of view, the dealer's side first and then clockwise, so one table of chances serves every dealer. The engine decides
when a game is over and who won.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import fsum
from operator import add, mul
from typing import Final, Self, TypeVar

from leftbower.engine import Scores, add_points, is_match_decided, may_end_tied, winner
from leftbower.errors import BadJson
from leftbower.rules import HouseRules, Outcome, Points, Seat, Side, points
from leftbower.rules.choices import TieAtTarget
from leftbower.rules.scoring import TRICKS_NEEDED, TRICKS_PER_HAND

T = TypeVar("T")
Chances = tuple[float, ...]
"""The chance of each side, in the order of `HouseRules.sides`; they add up to 1."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often a hand brings which points, seen by its dealer. Redeals don't count; a passed-out hand brings 0."""

    counts: tuple[tuple[Scores, float], ...]
    """The points of each side, the dealer's first and then clockwise, with the number or share of hands."""

    def __post_init__(self) -> None:
        reason = _unfit(self.counts)
        if reason:
            raise ValueError(reason)

    @classmethod
    def of(cls, counts: Mapping[Scores, float]) -> Self:
        """Frequencies by the points of a hand; the order of the mapping doesn't matter."""
        return cls(tuple(sorted((scored, often) for scored, often in counts.items() if often)))

    @classmethod
    def counted(cls, rules: HouseRules, hands: Iterable[tuple[Seat, Points]]) -> Self:
        """Count these hands, each given by its dealer and the engine's `Scored.points`."""
        return cls.of(Counter(points_from_dealer(rules, dealer, scored) for dealer, scored in hands))

    @classmethod
    def from_json(cls, found: object) -> Self:
        """Parse the output of `as_json`; raises BadJson."""
        if not isinstance(found, dict):
            raise BadJson("the frequencies must be a JSON object")
        try:
            return cls.of({_read(key): _number(often) for key, often in found.items()})
        except ValueError as wrong:
            raise BadJson(str(wrong), path="frequencies") from None

    def as_json(self) -> dict[str, float]:
        """The counts by points, the dealer's side first: `{"1-0": 0.45, …}`."""
        return {"-".join(map(str, scored)): often for scored, often in self.counts}

    @property
    def shares(self) -> dict[Scores, float]:
        """The share of all hands that brings these points; the shares add up to 1."""
        every = fsum(often for _, often in self.counts)
        return {scored: often / every for scored, often in self.counts}

    @property
    def sides(self) -> int:
        """The number of sides."""
        return len(self.counts[0][0])

    @property
    def most(self) -> int:
        """The most points a side can score in one hand."""
        return max(max(scored) for scored, _ in self.counts)


def points_from_dealer(rules: HouseRules, dealer: Seat, scored: Points) -> Scores:
    """The points of a hand by side, the dealer's first and then clockwise: the key of `Frequencies`."""
    return _turned(add_points(rules, (0,) * len(rules.sides), scored), _side_at(rules, dealer))


@lru_cache(64)
def default_frequencies(rules: HouseRules) -> Frequencies:
    """Frequencies to use if none were measured, with the points of these rules.

    With four players they are Benjamin's published count (dealer's side 1, 2, 4 points: 45, 16, 5 %; the others 17, 12,
    5 %). The shares of lone hands and euchres in it, and everything for three and two players, are our estimate. It has
    no passed-out hands and no lone defenders.
    """
    counts: defaultdict[Scores, float] = defaultdict(float)
    for index, hundredths in _ESTIMATED_ENDINGS[rules.players].items():
        for (tricks, alone), share in zip(_ENDINGS, hundredths, strict=True):
            outcome = Outcome(maker=rules.seats[index], makers_tricks=tricks, alone=alone)
            counts[points_from_dealer(rules, rules.seats[0], points(rules, outcome))] += share
    return Frequencies.of(counts)


class Equity:
    """The chances of each side under one rule set, given the frequencies of hands."""

    __slots__ = ("_chain", "frequencies", "rules")

    def __init__(self, rules: HouseRules, frequencies: Frequencies | None = None) -> None:
        self.rules: Final = rules
        self.frequencies: Final = frequencies or default_frequencies(rules)
        if self.frequencies.sides != len(rules.sides):
            raise ValueError(f"these frequencies are for {self.frequencies.sides} sides, not {len(rules.sides)}")
        self._chain: Final = _chain(rules, self.frequencies)

    def chance(self, scores: Scores, dealer: Seat, side: Side, *, hands: int = 0) -> float:
        """The side's chance to win the game when `dealer` deals next; a tie counts as a share of a win.

        `hands` is the number of hands counted so far. It only matters if a game is a fixed number of hands.
        """
        return self.chances(scores, dealer, hands=hands)[_side_at(self.rules, side[0])]

    def chances(self, scores: Scores, dealer: Seat, *, hands: int = 0) -> Chances:
        """Every side's chance to win the game when `dealer` deals next."""
        index = _side_at(self.rules, dealer)
        return _turned(self._chain.chances((hands, _turned(scores, index))), -index)

    def after(self, scores: Scores, points: Points, dealer: Seat, *, hands: int = 0) -> Chances:
        """Every side's chance after a hand by `dealer` at this score brought these points."""
        left = self.rules.left_of(dealer)
        return self.chances(add_points(self.rules, scores, points), left, hands=hands + 1)

    def match_chance(self, wins: tuple[int, ...], side: Side, game: Chances | None = None) -> float:
        """The side's chance to win the match; see `match_chances`."""
        return self.match_chances(wins, game)[_side_at(self.rules, side[0])]

    def match_chances(self, wins: tuple[int, ...], game: Chances | None = None) -> Chances:
        """Every side's chance to win the match, from the games won and its chance in the current game, if there is one.

        Later games count as even: they are if each has its own draw, and almost if the deal just goes on.
        """
        best_of, sides = self.rules.best_of, range(len(wins))
        if game is None or is_match_decided(best_of, wins):
            return _later(best_of, wins)
        return _mixed(game, [_later(best_of, _won_by(wins, side)) for side in sides])


_MIN_FREQUENCY: Final = 1e-12
"""Less than the frequency of any hand ever counted."""


def _unfit(counts: tuple[tuple[Scores, float], ...]) -> str | None:
    """Why these aren't valid frequencies, or None."""
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
"""Made, march and euchred, with partner or dummy and then alone: the makers' tricks, and whether alone."""
_ESTIMATED_ENDINGS: Final[dict[int, dict[int, tuple[float, ...]]]] = {
    4: {0: (40, 10, 7.5, 5, 5, 0.5), 1: (13, 4, 5.5, 4, 5, 0.5)},
    3: {0: (24, 8, 7, 3, 2, 1), 1: (16, 5, 5, 2, 1, 1), 2: (13, 4, 5, 1, 1, 1)},
    2: {0: (32, 13, 9, 2, 3, 1), 1: (20, 8, 7, 2, 2, 1)},
}
"""By players and by the maker's position from the dealer: how many of a hundred hands end in each of `_ENDINGS`."""


def _side_at(rules: HouseRules, seat: Seat) -> int:
    """The index of this seat's side in `rules.sides`."""
    return rules.sides.index(rules.side_of(seat))


def _turned(row: tuple[T, ...], by: int) -> tuple[T, ...]:
    return row[by:] + row[:by]


def _mixed(weights: Iterable[float], every: Iterable[Chances]) -> Chances:
    """The weighted mean of these chances."""
    return tuple(sum(map(mul, weights, one_side)) for one_side in zip(*every, strict=True))


def _shared(scores: Scores) -> Chances:
    """One win, shared by those with the highest score."""
    best = max(scores)
    return tuple((score == best) / scores.count(best) for score in scores)


# The match


@cache
def _later(best_of: int, wins: tuple[int, ...]) -> Chances:
    """Match chances between two games, if every later game is even."""
    if is_match_decided(best_of, wins):
        return _shared(wins)
    return _mixed(_even(len(wins)), [_later(best_of, _won_by(wins, side)) for side in range(len(wins))])


def _won_by(wins: tuple[int, ...], side: int) -> tuple[int, ...]:
    return tuple(won + (index == side) for index, won in enumerate(wins))


def _even(sides: int) -> Chances:
    return (1 / sides,) * sides


# The game, from the dealer's point of view

_Spot = tuple[int, Scores]
"""Hands counted so far, if they matter, and the scores, with the next dealer's side first."""


@dataclass(frozen=True, slots=True)
class _Turns:
    """What a hand can bring if the deal then moves `by` sides further."""

    by: int
    weights: tuple[float, ...]
    points: tuple[Scores, ...]
    """From the next dealer's point of view."""


@dataclass(frozen=True, slots=True)
class _Ways:
    """The states that one of `_Turns` can lead to."""

    turns: _Turns
    spots: list[_Spot]


_CONVERGENCE_THRESHOLD: Final = 1e-12
"""Iteration stops when no chance changes by more."""
_MAX_ITERATIONS: Final = 5_000
_HANDS_BEHIND: Final = 8
"""In a play-off, a side further behind than this many best-possible hands counts as this far behind."""


@lru_cache(16)
def _chain(rules: HouseRules, frequencies: Frequencies) -> "_Chain":
    return _Chain(rules, frequencies)


class _Chain:
    """A cache of the chances at every state, computed on first use."""

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
        """The chances at a state, with the next dealer's side first."""
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
        """The canonical state of all that have the same chances.

        In a game to a target no score is below 0. Beyond the target, and in a game of fixed length, only the gaps
        matter, and only as far as they can still be made up: a third side can do so while two play off a tie. If all
        who reach the target together win, nothing beyond it matters.
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
        """Can the game return to an equivalent state? It can once only a lead is missing."""
        hands, scores = spot
        return max(scores) >= self.rules.target if self.fixed is None else hands >= self.fixed

    def _ways(self, spot: _Spot) -> Iterator[_Ways]:
        """The states that can follow."""
        hands, scores = spot
        counts = self.fixed is not None and hands < self.fixed
        then = hands + 1 if counts else hands
        for turns in self.every_hand if counts else self.hands_that_score:
            rotated = _turned(scores, turns.by)
            yield _Ways(turns, [(then, tuple(map(add, rotated, scored))) for scored in turns.points])

    def _played_off(self, start: _Spot) -> dict[_Spot, Chances]:
        """The chances at every reachable state of the play-off, by value iteration until they converge."""
        ways = self._ways_of_the_play_off(start)
        ends = {spot for every in ways.values() for way in every for spot in way.spots} - ways.keys()
        settled = {spot: self.chances(spot) for spot in ends} | dict.fromkeys(ways, _even(len(start[1])))
        # States of sides far behind go last, because their chances depend on those closer to a win.
        order = sorted(ways, key=lambda spot: sum(spot[1]), reverse=True)
        for _ in range(_MAX_ITERATIONS):
            if max([_iterate(settled, spot, ways[spot]) for spot in order]) < _CONVERGENCE_THRESHOLD:
                break
        return settled

    def _ways_of_the_play_off(self, start: _Spot) -> dict[_Spot, list[_Ways]]:
        """The successors of every reachable state that is neither decided nor known."""
        found: dict[_Spot, list[_Ways]] = {}
        pending = [start]
        while pending:
            spot = pending.pop()
            if spot not in found and spot not in self.known and not _result(self.rules, spot):
                found[spot] = [_Ways(way.turns, list(map(self._alike, way.spots))) for way in self._ways(spot)]
                pending += [then for way in found[spot] for then in way.spots]
        return found


def _turns(by: int, shares: Mapping[Scores, float]) -> _Turns:
    """Shares are in the order of the hand's dealer, who sits one seat before the next."""
    return _Turns(by, tuple(shares.values()), tuple(_turned(scored, 1) for scored in shares))


def _hands_that_score(frequencies: Frequencies) -> list[_Turns]:
    """What the next hand that isn't passed out brings, by how far the deal has moved."""
    shares, sides = frequencies.shares, frequencies.sides
    passed = shares.pop((0,) * sides, 0.0)
    likely = [passed**before for before in range(sides if passed else 1)]
    every = fsum(shares.values()) * sum(likely)
    return [
        _turns((before + 1) % sides, {scored: share * so / every for scored, share in shares.items()})
        for before, so in enumerate(likely)
    ]


def _result(rules: HouseRules, spot: _Spot) -> Chances | None:
    """One win, shared by those who won together or tied; None while the game goes on."""
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
    """Recompute a state from its successors; return the largest change of a chance."""
    before = settled[spot]
    settled[spot] = _outlook((way.turns, map(settled.__getitem__, way.spots)) for way in ways)
    return max(abs(new - old) for new, old in zip(settled[spot], before, strict=True))
