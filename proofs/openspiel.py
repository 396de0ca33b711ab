"""OpenSpiel's euchre, as far as we use it, and our rule sets for the same game."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Protocol

from leftbower.errors import MissingExtra
from leftbower.rules.choices import GoingAlone, LoneDefense, NobodyCalls
from leftbower.rules.house import HouseRules


class SpielTrick(Protocol):
    """A complete trick of OpenSpiel."""

    def leader(self) -> int: ...
    def cards(self) -> Sequence[int]: ...
    def winner(self) -> int: ...


class SpielState(Protocol):
    """A mutable hand of OpenSpiel's euchre. Players have the numbers of our seats."""

    def is_chance_node(self) -> bool: ...
    def is_terminal(self) -> bool: ...
    def current_player(self) -> int: ...
    def legal_actions(self) -> Sequence[int]: ...
    def apply_action(self, action: int) -> None: ...
    def action_to_string(self, action: int) -> str: ...
    def history(self) -> Sequence[int]: ...
    def declarer(self) -> int: ...
    def declarer_go_alone(self) -> bool | None: ...
    def lone_defender(self) -> int: ...
    def discard(self) -> int: ...
    def tricks(self) -> Sequence[SpielTrick]: ...
    def returns(self) -> Sequence[float]: ...


class SpielGame(Protocol):
    """OpenSpiel's euchre with its parameters."""

    def new_initial_state(self) -> SpielState: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One game in both engines: OpenSpiel's parameters, and our matching rule set."""

    name: str
    game: SpielGame
    rules: HouseRules


def variants() -> tuple[Variant, ...]:
    """The four variants of OpenSpiel's euchre: with and without stick the dealer and lone defenders."""
    return tuple(variant(stuck=stuck, lone_defenders=lone) for lone in (True, False) for stuck in (True, False))


def variant(*, stuck: bool, lone_defenders: bool) -> Variant:
    """OpenSpiel asks "alone?" after the discard, keeps the up-card in the dealer's hand and scores a lone maker's
    euchre 2 points, or 4 for a lone defender."""
    name = f"euchre(allow_lone_defender={str(lone_defenders).lower()},stick_the_dealer={str(stuck).lower()})"
    rules = HouseRules(
        nobody_calls=NobodyCalls.STICK_THE_DEALER if stuck else NobodyCalls.PASS_OUT,
        defend_alone=LoneDefense.ALWAYS if lone_defenders else LoneDefense.OFF,
        going_alone=GoingAlone.BEFORE_THE_LEAD,
        may_bury_up_card=False,
        euchre_points_alone=2,
    )
    return Variant(name=name, game=_load(name), rules=rules)


def play_hand(game: SpielGame, rng: Random) -> int:
    """Play one random hand, dealt card by card at OpenSpiel's chance nodes; returns the number of players' actions."""
    random, state = rng.random, game.new_initial_state()
    while state.is_chance_node():
        dealt = state.legal_actions()
        state.apply_action(dealt[int(random() * len(dealt))])
    return _play_out(state, rng)


def play_hand_from_deck(game: SpielGame, rng: Random) -> int:
    """Play one random hand, dealt from a shuffled deck; returns the number of players' actions."""
    state = game.new_initial_state()
    deck = list(range(24))
    rng.shuffle(deck)
    state.apply_action(int(rng.random() * 4))
    for card in deck[:21]:
        state.apply_action(card)
    return _play_out(state, rng)


def _play_out(state: SpielState, rng: Random) -> int:
    random, done = rng.random, 0
    while not state.is_terminal():
        legal = state.legal_actions()
        state.apply_action(legal[int(random() * len(legal))])
        done += 1
    return done


def _load(name: str) -> SpielGame:
    try:
        pyspiel = import_module("pyspiel")
    except ImportError:
        raise MissingExtra("test") from None
    game: SpielGame = pyspiel.load_game(name)
    return game
