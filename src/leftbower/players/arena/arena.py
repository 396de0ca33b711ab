"""The arena: two players play the same cards with the seats exchanged, so that only skill is left.

A pair is one deck and one dealer, played once for every seating:

    four seats   A sits N and S, then E and W                                         2 hands
    two seats    A sits N, then S                                                     2 hands
    three seats  A sits alone against two B at each seat, then B alone against two A  6 hands

So in every pair A and B sit in each seat equally often, with the same cards. The result of a pair is all points of A
minus all points of B, an exact integer. It is 0 whenever both play the same way, whatever they leave to chance. A
difference is given per hand and side, which is per hand with four and two players. Pairs are independent of each other,
but the hands of one pair aren't, so confidence intervals come from the spread of the pairs.

The number of pairs is fixed in advance. Watching the interval and stopping when it looks good would make it wrong.

With whole games, a pair is a game instead of a hand. The decks are the same, hand by hand, as long as both games last.
"""

import math
from dataclasses import dataclass, field, fields
from itertools import takewhile
from random import Random
from statistics import NormalDist
from typing import Final, NamedTuple, Self

from leftbower.codec import Codec
from leftbower.engine import Reason, Scored, ToDeal, deal_hand, new_game, start
from leftbower.errors import BadRecord
from leftbower.players.driver import Players, SeatRngs, play_game, play_hand
from leftbower.players.player import Player
from leftbower.players.roster import player
from leftbower.rules import Card, HouseRules, Seat, Side

REDEALT: Final = frozenset({Reason.FARMERS_REDEAL, Reason.MISDEAL})
"""After these the same dealer deals again, from another deck of the same pair."""
_Z: Final = NormalDist().inv_cdf(0.975)


class Interval(NamedTuple):
    """An estimate with its 95% confidence interval; without bounds for fewer than three pairs."""

    mean: float
    low: float | None
    high: float | None


class _Sums:
    """Base of dataclasses of counts that can be added field by field."""

    __slots__ = ()

    def __add__(self, other: Self) -> Self:
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return type(self)(**{name: getattr(self, name) + getattr(other, name) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStats(_Sums):
    """Counts of what one player did and scored."""

    sides: int = 0
    """Number of sides it played for, over all hands."""
    points: int = 0
    called: int = 0
    """Its contracts."""
    first_round: int = 0
    """Contracts made in the first round."""
    made_it: int = 0
    """Contracts with three or four tricks."""
    marches: int = 0
    """Contracts with all five, including lone sweeps."""
    euchred: int = 0
    alone: int = 0
    sweeps: int = 0
    """All five tricks alone."""
    alone_euchred: int = 0
    games: int = 0
    """Games won, in bouts of games."""

    @property
    def points_a_hand(self) -> float:
        """Points per hand and side."""
        return self.points / self.sides if self.sides else 0.0

    def share(self, count: int) -> float:
        """`count` as a share of its contracts."""
        return count / self.called if self.called else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoutTally(_Sums):
    """Counts over the pairs of a bout. Tallies can be added."""

    pairs: int = 0
    stints: int = 0
    """How many sides each of the two played, over hands or games."""
    total: int = 0
    """The sum over all pairs of A's lead over B, in points or games."""
    squares: int = 0
    """The sum of the squares of those."""
    hands: int = 0
    redeals: int = 0
    passed_out: int = 0
    deals_lost: int = 0
    games: int = 0
    ties: int = 0
    """Games without a winner."""
    a: PlayerStats = field(default_factory=PlayerStats)
    b: PlayerStats = field(default_factory=PlayerStats)

    @property
    def difference(self) -> Interval:
        """A's lead over B per hand and side (or per game and side), from the spread of the pairs."""
        mean = self.total / self.stints if self.stints else 0.0
        if self.pairs < 3:
            return Interval(mean, None, None)
        # All integers up to here, so that the variance of equal pairs is exactly 0.
        spread = self.pairs * self.squares - self.total**2
        error = math.sqrt(spread / (self.pairs - 1)) / self.stints
        away = student_quantile(self.pairs - 1) * error
        return Interval(mean, mean - away, mean + away)

    @property
    def won(self) -> Interval:
        """The share of decided games that A won, with its Wilson interval."""
        return wilson_interval(self.a.games, self.a.games + self.b.games)


_TALLIES: Final = Codec[BoutTally](BadRecord, complete=True)
tally_to_json = _TALLIES.writer(BoutTally)
tally_from_json = _TALLIES.reader(BoutTally)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bout:
    """A comparison to run. Equal bouts give equal results, however the work is split."""

    a: str
    """The first player, in the form the roster reads."""
    b: str
    """The second."""
    rules: HouseRules
    seed: int = 1
    pairs: int = 1000
    """Number of pairs, fixed in advance."""
    games: bool = False
    """Play whole games instead of single hands?"""


def play_pairs(bout: Bout, numbers: range) -> BoutTally:
    """The tally of these pairs of a bout; a pair depends only on the bout's seed and its number."""
    a, b = player(bout.a), player(bout.b)
    play = play_game_pair if bout.games else play_pair
    return sum((play(bout.rules, a, b, seed=bout.seed, pair=pair) for pair in numbers), BoutTally())


def play_pair(rules: HouseRules, a: Player, b: Player, *, seed: int, pair: int) -> BoutTally:
    """One deal, played once for every seating."""
    tally = BoutTally()
    for seats in seatings(rules):
        players = {seat: a if seat in seats else b for seat in rules.seats}
        tally += _count(play_deal(rules, players, seed=seed, number=pair), seats)
    return _compared(tally, tally.a.points - tally.b.points, tally.a.sides)


def play_game_pair(rules: HouseRules, a: Player, b: Player, *, seed: int, pair: int) -> BoutTally:
    """One game, played once for every seating; hands of the same number have the same deck."""
    tally = BoutTally()
    stints = 0
    for seats in seatings(rules):
        players = {seat: a if seat in seats else b for seat in rules.seats}
        dealt: list[Scored] = []

        def deck(game: ToDeal, dealt: list[Scored] = dealt) -> list[Card]:
            return numbered_deck(rules, seed=seed, number=pair, hand=game.hands, again=_just_redealt(dealt))

        game = new_game(rules, _dealer(rules, pair))
        over = play_game(game, players, seat_rngs(players, seed=seed, number=pair), deck, scored=dealt.append)
        for hand in dealt:
            tally += _count([hand], seats)
        tally += _result(over.winner, seats)
        stints += _sides_of(rules, seats)
    return _compared(tally, tally.a.games - tally.b.games, stints)


def seatings(rules: HouseRules) -> tuple[Side, ...]:
    """The seats of A in each hand of a pair: every side once; with three players, also every two of them once."""
    if len(rules.sides) == 2:
        return rules.sides
    return *rules.sides, *(tuple(seat for seat in rules.seats if seat not in side) for side in rules.sides)


def play_deal(rules: HouseRules, players: Players, *, seed: int, number: int) -> list[Scored]:
    """Play a numbered deal of a seed: the hand that counts is last, after those that were redealt."""
    rngs, dealer = seat_rngs(players, seed=seed, number=number), _dealer(rules, number)
    played: list[Scored] = []
    while not played or played[-1].reason in REDEALT:
        deck = numbered_deck(rules, seed=seed, number=number, again=len(played))
        played.append(play_hand(start(rules, deal_hand(rules, dealer=dealer, deck=deck)), players, rngs))
    return played


def numbered_deck(rules: HouseRules, *, seed: int, number: int, hand: int = 0, again: int = 0) -> list[Card]:
    """The deck of a numbered pair: one for every hand of a game, another for every redeal."""
    deck = list(rules.deck)
    Random(f"deck:{seed}:{number}:{hand}:{again}").shuffle(deck)
    return deck


def seat_rngs(players: Players, *, seed: int, number: int) -> SeatRngs:
    """An RNG per seat, seeded by seed, pair and player name, never by the deck."""
    return {seat: Random(f"player:{seed}:{number}:{seat}:{who.name}") for seat, who in players.items()}


def wilson_interval(won: int, games: int) -> Interval:
    """The share of games won, with Wilson's interval, which is good for few games and for shares near 0 and 1."""
    if not games:
        return Interval(0.5, None, None)
    share, square = won / games, _Z**2
    middle = (share + square / (2 * games)) / (1 + square / games)
    away = _Z * math.sqrt(share * (1 - share) / games + square / (4 * games**2)) / (1 + square / games)
    return Interval(share, max(0.0, middle - away), min(1.0, middle + away))


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t distribution, by its asymptotic expansion."""
    z = _Z
    terms: tuple[float, ...] = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


def _dealer(rules: HouseRules, number: int) -> Seat:
    return rules.seats[number % rules.players]


def _just_redealt(dealt: list[Scored]) -> int:
    """How many hands in a row were just redealt."""
    return sum(1 for _ in takewhile(lambda hand: hand.reason in REDEALT, reversed(dealt)))


def _sides_of(rules: HouseRules, seats: Side) -> int:
    return sum(side[0] in seats for side in rules.sides)


def _compared(tally: BoutTally, difference: int, stints: int) -> BoutTally:
    return tally + BoutTally(pairs=1, stints=stints, total=difference, squares=difference**2)


def _count(played: list[Scored], seats: Side) -> BoutTally:
    """Count a hand, which is last, after those that were redealt; A sits in these seats."""
    hand, again = played[-1], len(played) - 1
    if hand.reason in REDEALT:
        return BoutTally(redeals=again + 1)
    a, b = (_stats(hand, of_a=of_a, seats=seats) for of_a in (True, False))
    return BoutTally(
        hands=1,
        redeals=again,
        passed_out=int(hand.reason is Reason.PASSED_OUT),
        deals_lost=int(hand.reason is Reason.DEAL_LOST),
        a=a,
        b=b,
    )


def _stats(hand: Scored, *, of_a: bool, seats: Side) -> PlayerStats:
    """The stats of A (seated in `seats`) or of B for one hand."""
    own = [side[0] for side in hand.hand.rules.sides if (side[0] in seats) is of_a]
    line = PlayerStats(sides=len(own), points=sum(hand.points.get(seat, 0) for seat in own))
    contract = hand.contract
    if contract is None or (contract.maker in seats) is not of_a:
        return line
    reason, alone = hand.reason, contract.alone
    return line + PlayerStats(
        called=1,
        first_round=int(contract.ordered),
        made_it=int(reason is Reason.MADE_IT),
        marches=int(reason is Reason.MARCH),
        euchred=int(reason is Reason.EUCHRE),
        alone=int(alone),
        sweeps=int(alone and reason is Reason.MARCH),
        alone_euchred=int(alone and reason is Reason.EUCHRE),
    )


def _result(winner: Side | None, seats: Side) -> BoutTally:
    if winner is None:
        return BoutTally(games=1, ties=1)
    won = PlayerStats(games=1)
    return BoutTally(games=1, a=won) if winner[0] in seats else BoutTally(games=1, b=won)
