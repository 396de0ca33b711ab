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

from leftbower.engine import actions
from leftbower.errors import BadHandLine
from leftbower.rules import Card, Irregularity, Seat, Suit, parse_cards, parse_faces


def to_token(action: actions.Action) -> str:
    """The token of an action; a played card is part of its trick's token."""
    match action:
        case actions.Pass():
            return "p"
        case actions.Order():
            return "o!" if action.alone else "o"
        case actions.Name():
            return f"{action.suit}!" if action.alone else str(action.suit)
        case actions.Bury() | actions.Play():
            return f"-{action.card}" if isinstance(action, actions.Bury) else str(action.card)
        case actions.GoAlone():
            return "!"
        case actions.GoTogether():
            return "&"
        case actions.LayAway():
            return "-" + "".join(map(str, action.cards))
        case actions.DefendAlone():
            return f"{action.seat}!"
        case actions.DefendTogether():
            return f"{action.seat}&"
        case actions.ShowFarmersHand():
            return "~" + "".join(map(str, action.cards))
        case actions.KeepHand():
            return "."
        case actions.TurnUp():
            return "u"
        case _:
            return f"{action.seat}{_spoken(action)}"


def parse_token(text: str, seat: Seat, dealer: Seat | None = None, maker: Seat | None = None) -> actions.Action:
    """The action of a token when `seat` is to act; `dealer` discards and `maker` goes alone, if given."""
    said = _SAID.fullmatch(text)
    if said:
        return _read_spoken(Seat(said["seat"]), said["what"])
    match text[:1], text[1:]:
        case "p", "":
            return actions.Pass(seat)
        case "o", "" | "!" as alone:
            return actions.Order(seat, bool(alone))
        case "c" | "d" | "h" | "s" as suit, "" | "!" as alone:
            return actions.Name(seat, Suit(suit), bool(alone))
        case "!", "":
            return actions.GoAlone(maker or seat)
        case "&", "":
            return actions.GoTogether(seat)
        case ".", "":
            return actions.KeepHand(seat)
        case "u", "":
            return actions.TurnUp(seat)
        case "*", "":
            return actions.Claim(seat)
        case "*", tricks if re.fullmatch(r"\d", tricks, re.ASCII):
            return actions.ThrowIn(seat, int(tricks))
        case "~", cards if cards:
            return actions.ShowFarmersHand(seat, parse_cards(cards))
        case "-", cards if len(cards) == 2:
            return actions.Bury(dealer or seat, parse_faces(cards)[0])
        case "-", cards if cards:
            return actions.LayAway(seat, parse_faces(cards))
        case _:
            raise BadHandLine("'%(text)s' is not a call", text=text[:12])


_SAID: Final = re.compile(r"(?P<seat>[NESW])(?P<what>[!&*+.<=^:-].*)")
_TERMS: Final = {actions.Terms.FULL: "full", actions.Terms.CORRECT: "correct", actions.Terms.LET_STAND: "stand"}
_PLAIN: Final[dict[str, Callable[[Seat], actions.Action]]] = {
    "!": actions.DefendAlone,
    "&": actions.DefendTogether,
    "*": actions.Claim,
    "+": actions.Agree,
    "-": actions.Disagree,
    ".": actions.Ready,
}


def _spoken(
    action: actions.CallOut
    | actions.Correct
    | actions.Settle
    | actions.Claim
    | actions.ThrowIn
    | actions.Agree
    | actions.Disagree
    | actions.Ready,
) -> str:
    match action:
        case actions.CallOut():
            return f"^{action.against}{action.trick}{action.irregularity}"
        case actions.Correct():
            return f"<{action.trick}"
        case actions.Settle():
            return f"={_TERMS.get(action.terms, action.points)}"
        case actions.ThrowIn():
            return f"*{action.makers_tricks}"
        case _:
            return next(sign for sign, kind in _PLAIN.items() if kind is type(action))


def _read_spoken(seat: Seat, text: str) -> actions.Action:
    if text in _PLAIN:
        return _PLAIN[text](seat)
    if text[0] == ":":
        return actions.Play(seat, Card.parse(text[1:]))
    call = re.fullmatch(r"\^([NESW])(\d)([a-z-]+)", text)
    if call and call[3] in _KINDS:
        return actions.CallOut(seat, Seat(call[1]), Irregularity(call[3]), int(call[2]))
    if re.fullmatch(r"<\d", text):
        return actions.Correct(seat, int(text[1]))
    if re.fullmatch(r"\*\d", text):
        return actions.ThrowIn(seat, int(text[1]))
    if re.fullmatch(r"=\d", text):
        return actions.Settle(seat, actions.Terms.FEWER, int(text[1]))
    for terms, name in _TERMS.items():
        if text == f"={name}":
            return actions.Settle(seat, terms)
    raise BadHandLine("'%(seat)s%(text)s' is not a claim, call or answer", seat=seat, text=text[:12])


_KINDS: Final = {kind.value for kind in Irregularity}
