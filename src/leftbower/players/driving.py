"""Driving a hand or a game: whoever is asked is shown a view and answers, until it is over."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Final, Protocol, TypeGuard

from leftbower.engine import (
    Action,
    CallOut,
    Claim,
    Correct,
    GameOver,
    InHand,
    Open,
    Playing,
    Scored,
    State,
    ThrowIn,
    ToDeal,
    View,
    advance,
    apply,
    asked,
    deal_hand,
    talk,
    view,
)
from leftbower.errors import IllegalAnswer
from leftbower.players.player import Player
from leftbower.rules.cards import Card
from leftbower.rules.choices import Supervision
from leftbower.rules.seats import Seat

Players = Mapping[Seat, Player]
"""Who sits where."""
Chances = Mapping[Seat, Random]
"""What each seat leaves to chance; never what the deck was shuffled with."""

LONGEST: Final = 1000
"""No hand has so many acts and words; a player who talks on is stopped here."""


class Seer(Player, Protocol):
    """A player whose class says `sees_all = True`: a measure in the arena, never a guest at a table."""

    def act_seeing(self, state: Open, view: View, chance: Random) -> Action:
        """One of the viewer's legal actions, from someone who is shown the cards of all."""


def drive(state: State, players: Players, chance: Chances) -> Scored:
    """Play one hand from this state to its end."""
    last: Seat | None = None
    while not isinstance(state, Scored):
        action = next_action(state, players, chance, last=last)
        state, last = apply(state, action), action.seat
    return state


def drive_game(
    game: ToDeal,
    players: Players,
    chance: Chances,
    decks: Callable[[ToDeal], Sequence[Card]],
    *,
    scored: Callable[[Scored], object] = lambda hand: None,
) -> GameOver:
    """Play a game to its end. `decks` gives the deck for the next hand; `scored` is told of every hand."""
    here: ToDeal | InHand = game
    last: Seat | None = None
    while True:
        if isinstance(here, ToDeal):
            after = advance(here, deal_hand(here.rules, dealer=here.dealer, deck=decks(here)))
            last = None
        else:
            action = next_action(here.hand, players, chance, last=last)
            after, last = advance(here, action), action.seat
            if isinstance(after, ToDeal | GameOver) and after.last is not None:
                scored(after.last)
        if isinstance(after, GameOver):
            return after
        here = after


def next_action(state: Open, players: Players, chance: Chances, *, last: Seat | None = None) -> Action:
    """What is done next: a remark of somebody other than the one who acted `last`, else the answer of who is asked."""
    for seat in _speakers(state, players, last):
        seen = view(state, seat)
        remark = players[seat].remark(seen, chance[seat])
        if remark is not None:
            return _checked(state, seat, players[seat], remark, seen.legal)
    seat = asked(state)
    seen = view(state, seat)
    return _checked(state, seat, players[seat], ask(players[seat], state, seen, chance[seat]), seen.legal)


def ask(player: Player, state: Open, view: View, chance: Random) -> Action:
    """The player's answer. The only place where a state is handed to a player, and only to one who sees all."""
    return player.act_seeing(state, view, chance) if sees_all(player) else player.act(view, chance)


def sees_all(player: Player) -> TypeGuard[Seer]:
    """Is this player shown every card?"""
    return getattr(player, "sees_all", False) is True


def talks(player: Player) -> bool:
    """Does this player ever make a remark? One whose class says `talks = False` is never offered the word."""
    return bool(getattr(player, "talks", True))


def calls_only(player: Player) -> bool:
    """Does this player never claim or propose anything, so that it has nothing to say at a strict table?"""
    return bool(getattr(player, "calls_only", False))


def _speakers(state: Open, players: Players, last: Seat | None) -> Iterator[Seat]:
    """Who is offered a word, in the order of the seats: whoever has something to say and is not known for silence.

    Looking for it costs more than the act itself, so what can be ruled out at once is ruled out first.
    """
    rules = state.hand.rules
    seats = [seat for seat in rules.places if seat is not last and talks(players[seat])]
    if rules.supervision is Supervision.STRICT:
        seats = [seat for seat in seats if isinstance(state, Playing) and not calls_only(players[seat])]
    if not seats:
        return
    can_call = {action.seat for action in talk(state) if isinstance(action, CallOut | Correct)}
    can_speak = can_call | {action.seat for action in talk(state) if isinstance(action, Claim | ThrowIn)}
    yield from (seat for seat in seats if seat in (can_call if calls_only(players[seat]) else can_speak))


def _checked(state: Open, seat: Seat, player: Player, action: Action, legal: tuple[Action, ...]) -> Action:
    """The action, if the player may do it; a bot that errs is named, and nothing is mended silently."""
    if action not in legal:
        raise IllegalAnswer(f"the player {player.name} at {seat} answers {action!r}, which is not legal", state=state)
    if len(state.actions) >= LONGEST:
        raise IllegalAnswer(f"the player {player.name} at {seat} talks on after {LONGEST:,} acts", state=state)
    return action
