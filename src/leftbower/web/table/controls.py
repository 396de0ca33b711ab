"""Buttons and menus for what the viewer may do now, except playing or discarding a card."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.engine.actions import Action, Bury, CallOut, Claim, Correct, LayAway, Pass, Play, ThrowIn
from leftbower.engine.view import Phase, UpCardStatus, View
from leftbower.i18n import N_, gettext as _, ngettext
from leftbower.notation.describe import SeatNamer
from leftbower.notation.tokens import to_token
from leftbower.rules.cards import Card
from leftbower.web.table.text import choice_label

_BID_KEYS: Final = {"p": "p", "o": "o", "!": "a", "&": "t", ".": "k", "u": "u"}
_REPLY_KEYS: Final = {"+": "y", "-": "n", "!": "a", "&": "t", ".": "r", "=full": "f", "=stand": "l", "*": "m"}
"""Keyboard shortcuts by token suffix, after the seat's letter."""
_UNPROMPTED: Final = (CallOut, Claim, Correct, ThrowIn)
"""Actions allowed out of turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    action: str
    label: str
    key: str = ""
    """Keyboard shortcut."""
    suit: str = ""
    is_main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """Actions of one kind, in a drop-down list."""

    label: str
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """What the viewer may do now, except playing or discarding a card."""

    question: str
    """The question to the viewer; empty when another player is to act."""
    buttons: tuple[Button, ...]
    """The answers to the question."""
    offers_alone: bool
    """Is there a checkbox for going alone?"""
    claim: Button | None
    menus: tuple[Menu, ...]
    """Call-outs, corrections and throw-ins."""
    pick_count: int
    """Number of cards to select and then discard; 0 when cards are played."""


NO_CONTROLS: Final = Controls(question="", buttons=(), offers_alone=False, claim=None, menus=(), pick_count=0)


def controls(view: View, name: SeatNamer) -> Controls:
    lay_away = next((action for action in view.legal if isinstance(action, LayAway)), None)
    plain = [action for action in view.legal if not isinstance(action, (LayAway, Play, Bury, *_UNPROMPTED))]
    claim = next((action for action in view.legal if isinstance(action, Claim)), None)
    calls = {to_token(action) for action in plain}
    alone_calls = [
        action for action in plain if to_token(action).endswith("!") and to_token(action)[:-1] in calls - {""}
    ]
    return Controls(
        question=_question(view, name),
        buttons=tuple(_button(action, view, name) for action in plain if action not in alone_calls),
        offers_alone=bool(alone_calls),
        claim=_button(claim, view, name) if claim else None,
        menus=tuple(_menus(view, name)),
        pick_count=len(lay_away.cards) if lay_away else int(any(isinstance(action, Bury) for action in view.legal)),
    )


def find_action(view: View, token: str, cards: Iterable[str] = (), *, alone: bool = False) -> Action | None:
    """Find the legal action for a token, or the `LayAway` of these cards; None if there is none.

    `alone` applies to calls only, so a pass stays a pass.
    """
    chosen = set(cards)
    token = f"{token}!" if alone and token in {"o", "c", "d", "h", "s"} else token
    if chosen:
        return next(
            (action for action in view.legal if isinstance(action, LayAway) and {*map(str, action.cards)} == chosen),
            None,
        )
    return next((action for action in view.legal if to_token(action) == token), None)


def card_actions(view: View) -> Mapping[Card, Action]:
    """Map each playable card to its action; a discard that is due comes before a play."""
    used = [action for action in view.legal if isinstance(action, Bury)] or view.legal
    return {action.card: action for action in used if isinstance(action, Play | Bury) and isinstance(action.card, Card)}


def _button(action: Action, view: View, name: SeatNamer) -> Button:
    token = to_token(action)
    suit = token[0] if token.rstrip("!") in {"c", "d", "h", "s"} else ""
    own = str(view.seat)
    key = suit if suit and not token.endswith("!") else _BID_KEYS.get(token, "")
    if not key and token.startswith(own):
        key = _REPLY_KEYS.get(token.removeprefix(own), "")
    main = token in {"o", "&", "u"} or token.removeprefix(own) in {"+", ".", "=full"}
    return Button(action=token, label=choice_label(action, view, name), key=key, suit=suit, is_main=main)


_MENUS: Final = {CallOut: N_("Call it"), Correct: N_("Correct it"), ThrowIn: N_("Throw in")}


def _menus(view: View, name: SeatNamer) -> Iterator[Menu]:
    for kind, label in _MENUS.items():
        actions = [action for action in view.legal if isinstance(action, kind)]
        if actions:
            yield Menu(label=_(label), buttons=tuple(_button(action, view, name) for action in actions))
    if any(isinstance(action, Bury) for action in view.legal):
        plays = [action for action in view.legal if isinstance(action, Play)]
        if plays:
            yield Menu(
                label=_("Play without discarding"), buttons=tuple(_button(action, view, name) for action in plays)
            )


def _question(view: View, name: SeatNamer) -> str:
    if any(isinstance(action, Bury) for action in view.legal):
        return _(_QUESTIONS[Phase.DISCARDING])  # at an honor table even out of turn
    if not view.legal or (view.to_act is not view.seat and view.phase not in _SIMULTANEOUS_PHASES):
        return ""
    match view.phase:
        case Phase.BIDDING if view.up_card_status is UpCardStatus.TURNED_UP:
            up_card = view.up_card.pretty
            if view.dealer is view.seat:
                return _("Pick up the %(card)s?", card=up_card)
            return _("Order up the %(card)s?", card=up_card)
        case Phase.BIDDING if not any(isinstance(action, Pass) for action in view.legal):
            return _("You’re stuck. Call trump.")
        case Phase.DECIDING_ALONE if view.rules.dummy_size:
            return _("Take the dummy, or go alone?")
        case Phase.ANSWERING if view.proposal is not None:
            return _proposal_question(view.proposal, name)
        case _:
            return _(_QUESTIONS[view.phase]) if view.phase in _QUESTIONS else ""


_SIMULTANEOUS_PHASES: Final = frozenset({Phase.ANSWERING, Phase.SETTLING, Phase.CLOSING})
"""Phases in which several players answer at once."""
_QUESTIONS: Final = {
    Phase.FACE_DOWN: N_("The cards are dealt, face down."),
    Phase.BIDDING: N_("Call trump?"),
    Phase.DISCARDING: N_("Discard a card."),
    Phase.DECIDING_ALONE: N_("Go alone?"),
    Phase.DEFENDING_ALONE: N_("Defend alone?"),
    Phase.EXCHANGING_DUMMY: N_("Discard three cards."),
    Phase.FARMERS: N_("Show a farmer’s hand?"),
    Phase.PLAYING: N_("Your turn."),
    Phase.SETTLING: N_("Take the penalty?"),
    Phase.CLOSING: N_("The hand is over. Any calls?"),
}


def _proposal_question(proposal: Claim | ThrowIn, name: SeatNamer) -> str:
    proposer = name(proposal.seat)
    if isinstance(proposal, Claim):
        return _("%(name)s claims the rest. Agree?", name=proposer)
    return ngettext(
        "%(name)s wants to throw in the hand: the makers take %(num)d trick. Agree?",
        "%(name)s wants to throw in the hand: the makers take %(num)d tricks. Agree?",
        proposal.makers_tricks,
        name=proposer,
    )
