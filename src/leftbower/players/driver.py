"""Plays a hand or a game: gets actions from the players until it is over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, Protocol, TypeGuard

from leftbower.engine.actions import Action, CallOut, Claim, Correct, ThrowIn
from leftbower.engine.deal import deal_hand
from leftbower.engine.game import GameOver, InHand, ToDeal, advance_game
from leftbower.engine.hand import apply, talk, whose_turn
from leftbower.engine.legal_view import view
from leftbower.engine.states import OpenState, Playing, Scored, State
from leftbower.engine.view import View
from leftbower.errors import IllegalAnswer
from leftbower.players.player import Player
from leftbower.rules import Card, Seat
from leftbower.rules.choices import Supervision

Players = Mapping[Seat, Player]
"""The player in each seat."""
SeatRngs = Mapping[Seat, Random]
"""An RNG for each seat; never the one that shuffled the deck."""

MAX_ACTIONS_PER_HAND: Final = 1000
"""Limit on actions and remarks in one hand, to stop a player that talks forever."""


class OpenCardPlayer(Player, Protocol):
    """A player with `sees_all = True`: an upper bound for the arena, never seated at a live table."""

    def act_seeing(self, state: OpenState, view: View, rng: Random) -> Action:
        """One of the viewer's legal actions, chosen with all cards face up."""


def play_hand(state: State, players: Players, rng: SeatRngs) -> Scored:
    """Play one hand to its end."""
    last: Seat | None = None
    while not isinstance(state, Scored):
        action = next_action(state, players, rng, last=last)
        state, last = apply(state, action), action.seat
    return state


def play_game(
    game: ToDeal,
    players: Players,
    rng: SeatRngs,
    decks: Callable[[ToDeal], Sequence[Card]],
    *,
    scored: Callable[[Scored], object] = lambda hand: None,
) -> GameOver:
    """Play a game to its end. `decks` returns the deck for the next hand; `scored` is called after every hand."""
    state: ToDeal | InHand = game
    last: Seat | None = None
    while True:
        if isinstance(state, ToDeal):
            following = advance_game(state, deal_hand(state.rules, dealer=state.dealer, deck=decks(state)))
            last = None
        else:
            action = next_action(state.hand, players, rng, last=last)
            following, last = advance_game(state, action), action.seat
            if isinstance(following, ToDeal | GameOver) and following.last is not None:
                scored(following.last)
        if isinstance(following, GameOver):
            return following
        state = following


def next_action(state: OpenState, players: Players, rng: SeatRngs, *, last: Seat | None = None) -> Action:
    """The next action: a remark from a seat other than `last`, otherwise the action of the seat to act."""
    for seat in _speakers(state, players, last):
        seat_view = view(state, seat)
        remark = players[seat].remark(seat_view, rng[seat])
        if remark is not None:
            return _checked(state, seat, players[seat], remark, seat_view.legal)
    seat = whose_turn(state)
    seat_view = view(state, seat)
    return _checked(state, seat, players[seat], ask_player(players[seat], state, seat_view, rng[seat]), seat_view.legal)


def ask_player(player: Player, state: OpenState, view: View, rng: Random) -> Action:
    """Ask a player. This is the only place that passes a state to a player, and only to one that sees all cards."""
    return player.act_seeing(state, view, rng) if sees_all(player) else player.act(view, rng)


def sees_all(player: Player) -> TypeGuard[OpenCardPlayer]:
    """Does this player get to see every card?"""
    return getattr(player, "sees_all", False) is True


def talks(player: Player) -> bool:
    """Does this player ever make remarks? One with `talks = False` is never asked for them."""
    return bool(getattr(player, "talks", True))


def calls_only(player: Player) -> bool:
    """Does this player only make calls, never claims or throw-ins? Then it has no remarks at a strict table."""
    return bool(getattr(player, "calls_only", False))


def _speakers(state: OpenState, players: Players, last: Seat | None) -> Iterator[Seat]:
    """Seats that may make a remark now, in seat order.

    Listing remarks costs more than the action itself, so the cheap checks come first.
    """
    rules = state.hand.rules
    seats = [seat for seat in rules.seats if seat is not last and talks(players[seat])]
    if rules.supervision is Supervision.STRICT:
        seats = [seat for seat in seats if isinstance(state, Playing) and not calls_only(players[seat])]
    if not seats:
        return
    can_call = {action.seat for action in talk(state) if isinstance(action, CallOut | Correct)}
    can_speak = can_call | {action.seat for action in talk(state) if isinstance(action, Claim | ThrowIn)}
    yield from (seat for seat in seats if seat in (can_call if calls_only(players[seat]) else can_speak))


def _checked(state: OpenState, seat: Seat, player: Player, action: Action, legal: tuple[Action, ...]) -> Action:
    """Return a legal action; an illegal one raises an error with the player's name."""
    if action not in legal:
        raise IllegalAnswer(
            "%(name)s at %(seat)s answered %(action)s, which is not legal",
            state=state,
            name=player.name,
            seat=seat,
            action=repr(action),
        )
    if len(state.actions) >= MAX_ACTIONS_PER_HAND:
        raise IllegalAnswer(
            "%(name)s at %(seat)s didn't stop after %(limit)s actions",
            state=state,
            name=player.name,
            seat=seat,
            limit=f"{MAX_ACTIONS_PER_HAND:,}",
        )
    return action
