"""Actions as tokens of a hand line.

    p          pass                          !        the maker goes alone, if it wasn't said with the call
    o  o!      order up, alone               &        with the partner, or takes the dummy
    h  h!      name a suit, alone            W!  W&   a defender defends alone, or doesn't
    -9s        the dealer discards           ~9sTcTd  shows a farmer's hand
    -9s9hTc    the maker lays away three     .        keeps the hand when asked about a farmer's hand
    u          the dealer turns the up-card, if that is a separate action

What players say across the table starts with the speaker:

    N*         lays down the rest            N^W2renege   calls a renege of W in the second trick
    N*3        throw in, 3 to the makers     W<2          corrects the card played to the second trick
    N+  N-     agrees, disagrees             N=full       settles a penalty: full, correct, stand, or fewer points
    N.         is ready for the next hand    N:9s         plays a card, at an honor table
"""

import re
from collections.abc import Callable
from typing import Final

from leftbower.engine.actions import (
    Action,
    Agree,
    Bury,
    CallOut,
    Claim,
    Correct,
    DefendAlone,
    DefendTogether,
    Disagree,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Ready,
    Settle,
    ShowFarmersHand,
    Terms,
    ThrowIn,
    TurnUp,
)
from leftbower.errors import BadHandLine
from leftbower.rules.cards import Card, Suit, parse_cards, parse_faces
from leftbower.rules.referee import Irregularity
from leftbower.rules.seats import Seat


def to_token(action: Action) -> str:
    """The token of an action; a played card is part of its trick's token."""
    match action:
        case Pass():
            return "p"
        case Order():
            return "o!" if action.alone else "o"
        case Name():
            return f"{action.suit}!" if action.alone else str(action.suit)
        case Bury() | Play():
            return f"-{action.card}" if isinstance(action, Bury) else str(action.card)
        case GoAlone():
            return "!"
        case GoTogether():
            return "&"
        case LayAway():
            return "-" + "".join(map(str, action.cards))
        case DefendAlone():
            return f"{action.seat}!"
        case DefendTogether():
            return f"{action.seat}&"
        case ShowFarmersHand():
            return "~" + "".join(map(str, action.cards))
        case KeepHand():
            return "."
        case TurnUp():
            return "u"
        case _:
            return f"{action.seat}{_spoken(action)}"


def parse_token(text: str, seat: Seat, dealer: Seat | None = None, maker: Seat | None = None) -> Action:
    """The action of a token when `seat` is to act; `dealer` discards and `maker` goes alone, if given."""
    said = _SAID.fullmatch(text)
    if said:
        return _read_spoken(Seat(said["seat"]), said["what"])
    match text[:1], text[1:]:
        case "p", "":
            return Pass(seat)
        case "o", "" | "!" as alone:
            return Order(seat, bool(alone))
        case "c" | "d" | "h" | "s" as suit, "" | "!" as alone:
            return Name(seat, Suit(suit), bool(alone))
        case "!", "":
            return GoAlone(maker or seat)
        case "&", "":
            return GoTogether(seat)
        case ".", "":
            return KeepHand(seat)
        case "u", "":
            return TurnUp(seat)
        case "*", "":
            return Claim(seat)
        case "*", tricks if re.fullmatch(r"\d", tricks, re.ASCII):
            return ThrowIn(seat, int(tricks))
        case "~", cards if cards:
            return ShowFarmersHand(seat, parse_cards(cards))
        case "-", cards if len(cards) == 2:
            return Bury(dealer or seat, parse_faces(cards)[0])
        case "-", cards if cards:
            return LayAway(seat, parse_faces(cards))
        case _:
            raise BadHandLine("'%(text)s' is not a call", text=text[:12])


_SAID: Final = re.compile(r"(?P<seat>[NESW])(?P<what>[!&*+.<=^:-].*)")
_TERMS: Final = {Terms.FULL: "full", Terms.CORRECT: "correct", Terms.LET_STAND: "stand"}
_PLAIN: Final[dict[str, Callable[[Seat], Action]]] = {
    "!": DefendAlone,
    "&": DefendTogether,
    "*": Claim,
    "+": Agree,
    "-": Disagree,
    ".": Ready,
}


def _spoken(action: CallOut | Correct | Settle | Claim | ThrowIn | Agree | Disagree | Ready) -> str:
    match action:
        case CallOut():
            return f"^{action.against}{action.trick}{action.irregularity}"
        case Correct():
            return f"<{action.trick}"
        case Settle():
            return f"={_TERMS.get(action.terms, action.points)}"
        case ThrowIn():
            return f"*{action.makers_tricks}"
        case _:
            return next(sign for sign, kind in _PLAIN.items() if kind is type(action))


def _read_spoken(seat: Seat, text: str) -> Action:
    if text in _PLAIN:
        return _PLAIN[text](seat)
    if text[0] == ":":
        return Play(seat, Card.parse(text[1:]))
    call = re.fullmatch(r"\^([NESW])(\d)([a-z-]+)", text)
    if call and call[3] in _KINDS:
        return CallOut(seat, Seat(call[1]), Irregularity(call[3]), int(call[2]))
    if re.fullmatch(r"<\d", text):
        return Correct(seat, int(text[1]))
    if re.fullmatch(r"\*\d", text):
        return ThrowIn(seat, int(text[1]))
    if re.fullmatch(r"=\d", text):
        return Settle(seat, Terms.FEWER, int(text[1]))
    for terms, name in _TERMS.items():
        if text == f"={name}":
            return Settle(seat, terms)
    raise BadHandLine("'%(seat)s%(text)s' is not a claim, call or answer", seat=seat, text=text[:12])


_KINDS: Final = {kind.value for kind in Irregularity}
