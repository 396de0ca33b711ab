"""Views with legal actions, and the reason why each other card is refused."""

from collections.abc import Mapping
from types import MappingProxyType

from leftbower.engine.actions import Action, Bury, Play
from leftbower.engine.hand import apply, legal_actions
from leftbower.engine.states import Discarding, Playing, State
from leftbower.engine.view import NONE_REFUSED, View, private_fields, shared_fields
from leftbower.errors import RuleViolation
from leftbower.rules import UNKNOWN, Card, Seat


class HandViews:
    """All views of one state: legality is computed once, and each seat's view on first use."""

    __slots__ = ("_shared", "_views", "legal", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.legal: dict[Seat | None, list[Action]] = {}
        """Legal actions by seat."""
        for action in legal_actions(state):
            self.legal.setdefault(action.seat, []).append(action)
        self._shared = shared_fields(state)
        self._views: dict[Seat | None, View] = {}

    def of(self, seat: Seat | None) -> View:
        """The hand as `seat` sees it; None is a spectator."""
        if seat not in self._views:
            legal = tuple(self.legal.get(seat, ()))
            fields = self._shared | private_fields(self.state, seat)
            fields |= {"legal": legal, "refused": _refused(self.state, seat, legal)}
            self._views[seat] = View.from_fields(fields)
        return self._views[seat]


def view(state: State, seat: Seat | None) -> View:
    """The hand as `seat` sees it; None is a spectator."""
    return HandViews(state).of(seat)


def _refused(state: State, seat: Seat | None, legal: tuple[Action, ...]) -> Mapping[Card, str]:
    """Error codes, from the engine itself, for the viewer's cards that can't be played or discarded now."""
    if seat is None or not isinstance(state, (Playing, Discarding)) or state.to_act is not seat:
        return NONE_REFUSED
    use = Play if isinstance(state, Playing) else Bury
    usable = {action.card for action in legal if isinstance(action, use)}
    held = (card for card in state.cards[seat.index] if card is not UNKNOWN and card not in usable)
    return MappingProxyType({card: code for card in held if (code := _why_not(state, use(seat, card)))})


def _why_not(state: State, action: Action) -> str:
    """The error code of an illegal action; empty for a legal one."""
    code = ""
    try:
        apply(state, action)
    except RuleViolation as why:
        code = why.code
    return code
