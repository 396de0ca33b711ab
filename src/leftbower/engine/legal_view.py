"""A view with what its viewer may do: legal actions, and why each other card is refused."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from leftbower.engine.actions import Action, Bury, Play
from leftbower.engine.hand import apply, legal_actions
from leftbower.engine.states import Discarding, Playing, State
from leftbower.engine.view import NONE_REFUSED, PrivateView, View, private_fields, shared_fields
from leftbower.errors import RuleViolation
from leftbower.rules.cards import UNKNOWN, Card
from leftbower.rules.seats import Seat


def view(state: State, seat: Seat | None) -> View:
    """The hand as `seat` may see it; None stands for a spectator."""
    return View(**shared_fields(state), **_private_fields_with_legal(state)(seat))


def views_for_all(state: State, seats: Iterable[Seat]) -> tuple[View, dict[Seat, PrivateView]]:
    """The hand as a spectator may see it, and each seat's private fields; shared fields are computed once."""
    look = _private_fields_with_legal(state)
    return View(**shared_fields(state), **look(None)), {seat: PrivateView(**look(seat)) for seat in seats}


def _private_fields_with_legal(state: State) -> Callable[[Seat | None], dict[str, Any]]:
    """The fields that differ by viewer, as a function of the seat."""
    legal: dict[Seat | None, list[Action]] = {}
    for action in legal_actions(state):
        legal.setdefault(action.seat, []).append(action)
    own = private_fields(state)

    def look(seat: Seat | None) -> dict[str, Any]:
        may = tuple(legal.get(seat, ()))
        return {**own(seat), "legal": may, "refused": _refused(state, seat, may)}

    return look


def _refused(state: State, seat: Seat | None, legal: tuple[Action, ...]) -> Mapping[Card, str]:
    """Why each card the viewer holds and might want to use now may not be used, by the engine's own word."""
    if seat is None or not isinstance(state, (Playing, Discarding)) or state.to_act is not seat:
        return NONE_REFUSED
    use = Play if isinstance(state, Playing) else Bury
    usable = {action.card for action in legal if isinstance(action, use)}
    held = (card for card in state.cards[seat.index] if card is not UNKNOWN and card not in usable)
    return MappingProxyType({card: code for card in held if (code := _why_not(state, use(seat, card)))})


def _why_not(state: State, action: Action) -> str:
    """The code of the violation an action would be; nothing for a legal one."""
    code = ""
    try:
        apply(state, action)
    except RuleViolation as why:
        code = why.code
    return code
