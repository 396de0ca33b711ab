"""Words for cards, acts and what has happened, as somebody at the table would say them."""

from collections.abc import Mapping
from typing import Final

from leftbower.engine import (
    Action,
    CallOut,
    Ending,
    Made,
    Name,
    Order,
    Play,
    Settle,
    Terms,
    ThrowIn,
    TurnUp,
    Verdict,
    View,
)
from leftbower.engine.states import Reason
from leftbower.notation import offer, tell
from leftbower.notation.telling import YOU, Naming
from leftbower.rules.cards import UNKNOWN, Face, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Irregularity, Remedy
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import basis

_RANKS: Final = {"9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
WHY_NOT: Final = {
    "must-follow-suit": "You must follow suit.",
    "not-your-turn": "It is not your turn.",
    "up-card-stays": "The up-card stays in the hand.",
}
"""Why a card may not be used, where players have one word for it."""
_WRONG: Final = {
    Irregularity.RENEGE: "a renege",
    Irregularity.OUT_OF_TURN: "a play out of turn",
    Irregularity.FAILURE_TO_DISCARD: "a missing discard",
    Irregularity.NO_CUT_OFFERED: "that no cut was offered",
    Irregularity.WRONG_CARD_COUNT: "a wrong number of cards",
}
_REMEDIES: Final = {
    Remedy.WARNING: "A warning; the play stands.",
    Remedy.NO_COST: "It was put right in time and costs nothing.",
    Remedy.TAKE_BACK: "The card is taken back.",
    Remedy.WAIT: "The table waits for it to be put right.",
    Remedy.REDEAL: "The same dealer deals again.",
    Remedy.NEXT_DEAL: "The deal is lost to the next player.",
}


def card_name(card: Face, trump: Suit | None = None) -> str:
    """`jack of diamonds, left bower`."""
    if card is UNKNOWN:
        return "a card"
    name = f"{_RANKS[str(card.rank)]} of {suit_name(card.suit)}"
    if trump is not None and card.is_right_bower(trump):
        return f"{name}, right bower"
    if trump is not None and card.is_left_bower(trump):
        return f"{name}, left bower"
    return name


def suit_name(suit: Suit) -> str:
    """`diamonds`."""
    return suit.name.lower()


def why_not(code: str) -> str:
    """Why a card may not be used now."""
    return WHY_NOT.get(code, f"{code.replace('-', ' ').capitalize()}.")


def happened(action: Action, seen: View, name: Naming) -> str:
    """What somebody did, as a sentence: `Ann orders up hearts, alone.`"""
    who, trump = name(action.seat), seen.made.trump if seen.made else None
    match action:
        case Order():
            verb = "picks up" if action.seat is seen.dealer else "orders up"
            return f"{who} {_verb(who, verb)} {suit_name(seen.up_card.suit)}{', alone' if action.alone else ''}."
        case Name():
            return f"{who} {_verb(who, 'calls')} {suit_name(action.suit)}{', alone' if action.alone else ''}."
        case Play():
            return plays_card(action.seat, action.card, trump, name)
        case CallOut():
            return f"{who} {_verb(who, 'calls')} {called_out(action, name)}."
        case TurnUp():
            return f"{who} {_verb(who, 'turns up')} the {card_name(seen.up_card)}."
        case _:
            return f"{tell(action, seen.rules, name)}."


def plays_card(seat: Seat, card: Face, trump: Suit | None, name: Naming, *, leads: bool = False) -> str:
    """`Ann plays the king of clubs.`, or `You lead` it."""
    who = name(seat)
    return f"{who} {_verb(who, 'leads' if leads else 'plays')} the {card_name(card, trump)}."


def takes_the_trick(seat: Seat, name: Naming) -> str:
    """Who took the trick that is complete now."""
    who = name(seat)
    return f"{who} {_verb(who, 'takes')} the trick."


def deals(seat: Seat, name: Naming) -> str:
    """`Ann deals`."""
    who = name(seat)
    return f"{who} {_verb(who, 'deals')}"


def shuffles(seat: Seat, name: Naming) -> str:
    """`Ann shuffles`."""
    who = name(seat)
    return f"{who} {_verb(who, 'shuffles')}"


def choice(action: Action, seen: View, name: Naming) -> str:
    """What stands on a button."""
    match action:
        case Order():
            take = "Pick it up" if action.seat is seen.dealer else "Order it up"
            return f"{take}, alone" if action.alone else take
        case Name():
            return f"{suit_name(action.suit).capitalize()}{', alone' if action.alone else ''}"
        case Settle():
            return _SETTLED[action.terms].format(points=action.points)
        case ThrowIn():
            tricks = action.makers_tricks
            return f"Makers take {tricks or 'no'} trick{'' if tricks == 1 else 's'}"
        case CallOut():
            return _big(called_out(action, name).removeprefix("a ").removeprefix("that "))
        case _:
            return _big(offer(action, seen.rules, name))


_SETTLED: Final = {
    Terms.FULL: "Full penalty",
    Terms.FEWER: "Take {points}",
    Terms.PUT_RIGHT: "Put it right",
    Terms.LET_STAND: "Let it stand",
}


def called_out(call: CallOut, name: Naming) -> str:
    """`a renege by Wade, trick 2`."""
    where = f", trick {call.trick}" if call.trick else ""
    return f"{_WRONG[call.irregularity]} by {object_(name(call.against))}{where}"


def ruled(verdict: Verdict, rules: HouseRules, name: Naming) -> tuple[str, ...]:
    """A verdict in sentences: what was called, what proves it, what follows, and last the rule, if one was used."""
    call, ruling = verdict.call, verdict.ruling
    head = f"{happened_call(call, name)}."
    if not verdict.guilty or ruling is None:
        return head, "The cards on the table say otherwise: nothing was wrong.", ""
    proof = " and ".join(f"the {card_name(card)}" for card in verdict.evidence)
    proven = f"Proven by {proof}." if proof else "It is proven."
    follows = _REMEDIES.get(ruling.remedy) or f"{_big(scored(rules, ruling.points, name))}."
    return head, proven, follows, ruling.rule


def happened_call(call: CallOut, name: Naming) -> str:
    """Who called what, without its full stop."""
    who = name(call.seat)
    return f"{who} {_verb(who, 'calls')} {called_out(call, name)}"


def outcome(seen: View, ending: Ending, name: Naming) -> str:
    """How a hand ended, in one sentence."""
    if ending.reason in _WITHOUT_MAKERS:
        return _WITHOUT_MAKERS[ending.reason]
    points = scored(seen.rules, ending.points, name) or "nobody scores"
    if ending.reason is Reason.PENALTY:
        return f"A penalty: {points}."
    assert seen.made is not None
    return f"{_made(seen.rules, seen.made, ending.reason, name)}: {points}."


_WITHOUT_MAKERS: Final[Mapping[Reason, str]] = {
    Reason.PASSED_OUT: "Nobody called: the hand is passed out.",
    Reason.FARMERS_REDEAL: "A farmer’s hand: the same dealer deals again.",
    Reason.MISDEAL: "A misdeal: the same dealer deals again.",
    Reason.DEAL_LOST: "A misdeal: the deal is lost.",
    Reason.BOTH_GUILTY: "Both sides are guilty, which cancels out: nobody scores.",
}


def _made(rules: HouseRules, made: Made, reason: Reason, name: Naming) -> str:
    makers = f"{name(made.maker)}, alone," if made.alone else together(rules.side_of(made.maker), name)
    was = "were" if " and " in makers or makers.startswith(YOU) else "was"
    how = {Reason.MADE: "made it", Reason.MARCH: "took every trick", Reason.EUCHRE: f"{was} euchred"}
    return f"{makers} {how[reason]}"


def scored(rules: HouseRules, points: Points, name: Naming) -> str:
    """`2 points to you and Nora`."""
    told = [(side, points[side[0]]) for side in rules.sides if points.get(side[0])]
    return ", ".join(f"{n} point{'' if n == 1 else 's'} to {object_(together(side, name))}" for side, n in told)


def together(side: tuple[Seat, ...], name: Naming) -> str:
    """`You and Nora`: whoever is spoken to comes first."""
    return " and ".join(sorted(map(name, side), key=lambda who: who != YOU))


def object_(who: str) -> str:
    """`you` behind a verb."""
    return f"y{who[1:]}" if who == YOU or who.startswith(f"{YOU} and ") else who


def _big(text: str) -> str:
    return text[:1].upper() + text[1:]


def _verb(who: str, verb: str) -> str:
    """`You play`, `Ann plays`."""
    if who != YOU:
        return verb
    return {"picks up": "pick up", "orders up": "order up", "turns up": "turn up"}.get(verb, verb.removesuffix("s"))


def rules_title(rules: HouseRules) -> str:
    """The sheet by which a table plays."""
    base = basis(rules)
    return base.title if base else "Rules of our own"
