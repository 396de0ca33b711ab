"""Words for cards, acts and what has happened, as somebody at the table would say them."""

from collections.abc import Mapping
from typing import Final

from leftbower.engine import Action, Ending, Name, Order, Pass, Play, View
from leftbower.engine.states import Reason
from leftbower.notation import offer, tell
from leftbower.notation.telling import Naming
from leftbower.rules.cards import UNKNOWN, Face, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat

_RANKS: Final = {"9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
WHY_NOT: Final = {
    "must-follow-suit": "You must follow suit.",
    "not-your-turn": "It is not your turn.",
}
"""Why a card may not be used, where players have one word for it."""


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
            return f"{who} {_s(who, verb)} {suit_name(seen.up_card.suit)}{', alone' if action.alone else ''}."
        case Name():
            return f"{who} {_s(who, 'calls')} {suit_name(action.suit)}{', alone' if action.alone else ''}."
        case Play():
            return f"{who} {_s(who, 'plays')} the {card_name(action.card, trump)}."
        case Pass():
            return f"{who} {_s(who, 'passes')}."
        case _:
            told = tell(action, seen.rules, name)
            return f"{_s_told(told, who)}."


def choice(action: Action, seen: View) -> str:
    """What stands on a button."""
    match action:
        case Order():
            take = "Pick it up" if action.seat is seen.dealer else "Order it up"
            return f"{take}, alone" if action.alone else take
        case Name():
            return f"{suit_name(action.suit).capitalize()}{', alone' if action.alone else ''}"
        case _:
            return offer(action, seen.rules).capitalize()


def outcome(seen: View, ending: Ending, name: Naming) -> str:
    """How a hand ended, in one sentence."""
    if not ending.points:
        return "Nobody called: the hand is thrown in."
    rules = seen.rules
    told = [
        f"{_together(side, name)} {number} point{'' if number == 1 else 's'}"
        for side in rules.sides
        if (number := ending.points.get(side[0], 0))
    ]
    return f"{_WORDS.get(ending.reason, 'The hand is over')}: {', '.join(told)}."


_WORDS: Final[Mapping[Reason, str]] = {Reason.MADE: "Made it", Reason.MARCH: "A march", Reason.EUCHRE: "Euchred"}


def _together(side: tuple[Seat, ...], name: Naming) -> str:
    return " and ".join(map(name, side))


def _s(who: str, verb: str) -> str:
    """`You play`, `Ann plays`."""
    if who != "You":
        return verb
    return {"passes": "pass", "picks up": "pick up", "orders up": "order up"}.get(verb, verb.removesuffix("s"))


def _s_told(told: str, who: str) -> str:
    """A sentence about you that was written about somebody."""
    if who != "You":
        return told
    verb, _, rest = told.removeprefix("You ").partition(" ")
    plain = {"goes": "go", "does": "do", "buries": "bury", "is": "are"}.get(verb, verb.removesuffix("s"))
    return f"You {plain}{' ' if rest else ''}{rest}"


def rules_title(rules: HouseRules) -> str:
    """The sheet by which a table plays."""
    return str(rules.sheet).replace("-", " ")
