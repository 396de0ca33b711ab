"""Speed of our engine and OpenSpiel's euchre: random hands in both, in one run.

Both are driven from Python the same way: get the legal actions, choose one at random, apply it. OpenSpiel deals at its
chance nodes, card by card; our engine gets a shuffled deck. A second measurement gives OpenSpiel a shuffled deck too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from time import perf_counter
from typing import Final

from leftbower.engine.deal import Deal, deal_hand
from leftbower.engine.game import Game, InHand, advance_game, new_game
from leftbower.engine.hand import acts, apply, start
from leftbower.engine.states import Scored, State
from leftbower.rules.cards import DECK
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from proofs.openspiel import play_hand, play_hand_from_deck, variant

Playout = Callable[[], int]
"""Plays one hand and returns the number of actions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Speed of one engine; the median of all rounds."""

    hands_per_second: float
    acts_per_hand: float
    microseconds_per_act: float
    """The total time, including dealing, divided by the actions of players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The cost of an action early and late in one long game."""

    hands: int
    first: float
    """Microseconds per action in its first hand."""
    last: float
    """Microseconds per action in its last hand."""
    ratio: float
    """`last` divided by `first`: 1 if nothing grows with the length of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSpeed:
    """The result of a benchmark."""

    rounds: int
    hands: int
    """Hands per engine and round."""
    ours: Pace
    openspiel: Pace
    openspiel_with_deck: Pace
    """OpenSpiel with a shuffled deck, like our engine."""
    ratio: float
    """Our hands per second divided by OpenSpiel's; the median of all rounds."""
    ratio_with_deck: float
    growth: Growth


def measure(*, hands: int, rounds: int, seed: int) -> EngineSpeed:
    """Let the engines take turns with batches of `hands` hands, for `rounds` rounds."""
    rng, same = Random(seed), variant(stuck=True, lone_defenders=True)
    playouts: tuple[Playout, ...] = (
        lambda: _ours(same.rules, rng),
        lambda: play_hand(same.game, rng),
        lambda: play_hand_from_deck(same.game, rng),
    )
    batches = [[_batch(playout, hands) for playout in playouts] for _ in range(rounds)]
    ours, openspiel, with_deck = (_pace(hands, column) for column in zip(*batches, strict=True))
    return EngineSpeed(
        rounds=rounds,
        hands=hands,
        ours=ours,
        openspiel=openspiel,
        openspiel_with_deck=with_deck,
        ratio=median(theirs / mine for (mine, _), (theirs, _), _ in batches),
        ratio_with_deck=median(theirs / mine for (mine, _), _, (theirs, _) in batches),
        growth=_growth(same.rules, rng),
    )


LONG_GAME_HANDS: Final = 400
"""Hands of the long game, about twenty times an ordinary one."""
MAX_POINTS_PER_HAND: Final = 4
_SEATS: Final = tuple(Seat)


def _batch(playout: Playout, hands: int) -> tuple[float, int]:
    """Seconds and actions of `hands` hands."""
    begin = perf_counter()
    acts = sum(playout() for _ in range(hands))
    return perf_counter() - begin, acts


def _pace(hands: int, batches: Sequence[tuple[float, int]]) -> Pace:
    return Pace(
        hands_per_second=median(hands / seconds for seconds, _ in batches),
        acts_per_hand=sum(acts for _, acts in batches) / hands / len(batches),
        microseconds_per_act=median(1e6 * seconds / acts for seconds, acts in batches),
    )


def _ours(rules: HouseRules, rng: Random) -> int:
    random, done = rng.random, 0
    state: State = start(rules, _dealt(rules, _SEATS[int(random() * 4)], rng))
    while not isinstance(state, Scored):
        legal = acts(state)
        state = apply(state, legal[int(random() * len(legal))])
        done += 1
    return done


def _growth(rules: HouseRules, rng: Random) -> Growth:
    """Play a long game, then hands from its start and from its end in turn.

    Scores start so far below zero that no side can win before the end.
    """
    early: Game = new_game(rules, Seat.N, (-MAX_POINTS_PER_HAND * LONG_GAME_HANDS,) * len(rules.sides))
    late = early
    for _ in range(LONG_GAME_HANDS - 1):
        late, _ = _one_hand(late, rng)
    costs = [(_cost(early, rng), _cost(late, rng)) for _ in range(LONG_GAME_HANDS)]
    first, last = (median(column) for column in zip(*costs, strict=True))
    return Growth(hands=LONG_GAME_HANDS, first=first, last=last, ratio=last / first)


def _cost(game: Game, rng: Random) -> float:
    begin = perf_counter()
    _, acts = _one_hand(game, rng)
    return 1e6 * (perf_counter() - begin) / acts


def _one_hand(game: Game, rng: Random) -> tuple[Game, int]:
    done = 0
    game = advance_game(game, _dealt(game.rules, game.dealer, rng))
    while isinstance(game, InHand):
        legal = acts(game.hand)
        game = advance_game(game, legal[int(rng.random() * len(legal))])
        done += 1
    return game, done


def _dealt(rules: HouseRules, dealer: Seat, rng: Random) -> Deal:
    deck = list(DECK)
    rng.shuffle(deck)
    return deal_hand(rules, dealer=dealer, deck=deck)
