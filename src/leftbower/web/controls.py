"""What a viewer may do now: what the hand asks for, and what may be said across the table besides."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.engine import (
    Action,
    Bury,
    CallOut,
    Claim,
    Correct,
    LayAway,
    Phase,
    Play,
    ThrowIn,
    UpCard,
    View,
)
from leftbower.notation.telling import Naming
from leftbower.notation.words import word
from leftbower.rules.cards import Card
from leftbower.web.words import card_name, choice

_LETTERS: Final = {"p": "p", "o": "o", "!": "a", "&": "t", ".": "k", "u": "u"}
_SPOKEN: Final = {"+": "y", "-": "n", "!": "a", "&": "t", ".": "r", "=full": "f", "=stand": "l", "*": "m"}
"""The letters of what is said, behind the seat that says it."""
_ASIDE: Final = (CallOut, Claim, Correct, ThrowIn)
"""What nobody asks for, and anybody may say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something the viewer may do besides laying a card."""

    act: str
    label: str
    key: str = ""
    """The letter that does it."""
    suit: str = ""
    is_main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """Things of one kind that the viewer may say, of which one is chosen from a list."""

    label: str
    """What stands on the button."""
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """Everything the viewer may do besides laying or burying one card."""

    question: str
    """What the viewer is asked; empty when it is somebody else's turn."""
    buttons: tuple[Button, ...]
    """What the viewer is asked to choose from."""
    alone: bool
    """May a call be made alone, or not, as a tick beside the buttons says?"""
    claim: Button | None
    menus: tuple[Menu, ...]
    """What the viewer may say across the table: calls, corrections, throw-ins."""
    picks: int
    """So many cards are to be chosen from the hand together; 0 when cards are used one by one."""


NOTHING: Final = Controls(question="", buttons=(), alone=False, claim=None, menus=(), picks=0)


def controls(seen: View, name: Naming) -> Controls:
    """What the viewer may do now."""
    away = next((action for action in seen.legal if isinstance(action, LayAway)), None)
    plain = [action for action in seen.legal if not isinstance(action, (LayAway, Play, Bury, *_ASIDE))]
    claim = next((action for action in seen.legal if isinstance(action, Claim)), None)
    calls = {word(action) for action in plain}
    alone = [action for action in plain if word(action).endswith("!") and word(action)[:-1] in calls - {""}]
    return Controls(
        question=_question(seen, name),
        buttons=tuple(_button(action, seen, name) for action in plain if action not in alone),
        alone=bool(alone),
        claim=_button(claim, seen, name) if claim else None,
        menus=tuple(_menus(seen, name)),
        picks=len(away.cards) if away else 0,
    )


def act_of(seen: View, said: str, cards: Iterable[str] = (), *, alone: bool = False) -> Action | None:
    """The legal action that a word stands for, a call with a tick for alone, or that lays these cards away.

    None for what is not offered. Whoever passes, passes, whatever is ticked.
    """
    chosen = set(cards)
    said = f"{said}!" if alone and said in {"o", "c", "d", "h", "s"} else said
    if chosen:
        return next((one for one in seen.legal if isinstance(one, LayAway) and {*map(str, one.cards)} == chosen), None)
    return next((one for one in seen.legal if word(one) == said), None)


def card_acts(seen: View) -> Mapping[Card, Action]:
    """Which act each card of the viewer stands for now; a card that is owed is buried before one is played."""
    used = [action for action in seen.legal if isinstance(action, Bury)] or seen.legal
    return {action.card: action for action in used if isinstance(action, Play | Bury) and isinstance(action.card, Card)}


def _button(action: Action, seen: View, name: Naming) -> Button:
    spelled = word(action)
    suit = spelled[0] if spelled.rstrip("!") in {"c", "d", "h", "s"} else ""
    own = str(seen.seat)
    key = suit if suit and not spelled.endswith("!") else _LETTERS.get(spelled, "")
    if not key and spelled.startswith(own):
        key = _SPOKEN.get(spelled.removeprefix(own), "")
    main = spelled in {"o", "&", "u"} or spelled.removeprefix(own) in {"+", ".", "=full"}
    return Button(act=spelled, label=choice(action, seen, name), key=key, suit=suit, is_main=main)


def _menus(seen: View, name: Naming) -> Iterator[Menu]:
    for label, kind in (("Call it", CallOut), ("Put right", Correct), ("Throw in", ThrowIn)):
        said = [action for action in seen.legal if isinstance(action, kind)]
        if said:
            yield Menu(label=label, buttons=tuple(_button(action, seen, name) for action in said))
    if any(isinstance(action, Bury) for action in seen.legal):
        plays = [action for action in seen.legal if isinstance(action, Play)]
        if plays:
            yield Menu(label="Play without", buttons=tuple(_button(action, seen, name) for action in plays))


def _question(seen: View, name: Naming) -> str:
    if any(isinstance(action, Bury) for action in seen.legal):
        return _QUESTIONS[Phase.DISCARDING]  # at an honour table it is owed even when others are to act
    if not seen.legal or (seen.to_act is not seen.seat and seen.phase not in _TOGETHER):
        return ""
    match seen.phase:
        case Phase.BIDDING if seen.up_card_is is UpCard.TURNED_UP:
            whose = "your" if seen.dealer is seen.seat else f"{name(seen.dealer)}’s"
            return f"The {card_name(seen.up_card)}, for {whose} hand?"
        case Phase.DECIDING_ALONE if seen.rules.dummy_size:
            return "Take the dummy, or go alone?"
        case Phase.ANSWERING if seen.proposal is not None:
            return _proposed(seen.proposal, name)
        case _:
            return _QUESTIONS.get(seen.phase, "")


_TOGETHER: Final = frozenset({Phase.ANSWERING, Phase.SETTLING, Phase.CLOSING})
"""Several are asked at once."""
_QUESTIONS: Final = {
    Phase.FACE_DOWN: "All cards are dealt, face down.",
    Phase.BIDDING: "Name a suit?",
    Phase.DISCARDING: "Bury a card.",
    Phase.DECIDING_ALONE: "Alone, or together?",
    Phase.DEFENDING_ALONE: "Defend alone?",
    Phase.EXCHANGING_DUMMY: "Lay away three cards.",
    Phase.FARMERS: "Show a farmer’s hand?",
    Phase.PLAYING: "Your turn.",
    Phase.SETTLING: "What becomes of the penalty?",
    Phase.CLOSING: "The hand is over. Anything to call?",
}


def _proposed(proposal: Claim | ThrowIn, name: Naming) -> str:
    who = name(proposal.seat)
    if isinstance(proposal, Claim):
        return f"{who} lays down the rest as certain winners. Do you agree?"
    tricks = f"{proposal.makers_tricks or 'no'} trick{'' if proposal.makers_tricks == 1 else 's'}"
    return f"{who} proposes to throw the hand in: {tricks} to the makers. Do you agree?"
