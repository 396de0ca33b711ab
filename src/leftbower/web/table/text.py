"""Text for cards, actions, calls and results, in the words of players."""

from collections.abc import Mapping
from typing import Final

from leftbower.engine.actions import Action, CallOut, Name, Order, Play, Settle, Terms, ThrowIn, TurnUp
from leftbower.engine.states import PublicContract, Reason, Verdict
from leftbower.engine.view import Ending, View
from leftbower.notation import describe, describe_choice
from leftbower.notation.describe import YOU, SeatNamer
from leftbower.rules.announcements import cite
from leftbower.rules.cards import UNKNOWN, Face, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Irregularity, Remedy
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import base_preset

_RANKS: Final = {"9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
REFUSAL_TEXTS: Final = {
    "must-follow-suit": "You must follow suit.",
    "not-your-turn": "It is not your turn.",
    "up-card-stays": "The up-card stays in the hand.",
}
"""Refusals by error code, where players have their own words for it."""
_IRREGULARITY_NAMES: Final = {
    Irregularity.RENEGE: "a renege",
    Irregularity.OUT_OF_TURN: "a play out of turn",
    Irregularity.FAILURE_TO_DISCARD: "a missing discard",
    Irregularity.NO_CUT_OFFERED: "that no cut was offered",
    Irregularity.WRONG_CARD_COUNT: "a wrong number of cards",
}
_REMEDY_TEXTS: Final = {
    Remedy.WARNING: "A warning; the play stands.",
    Remedy.NO_COST: "It was corrected in time and costs nothing.",
    Remedy.TAKE_BACK: "The card is taken back.",
    Remedy.WAIT: "The table waits for it to be corrected.",
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


def refusal_text(code: str) -> str:
    """Why a card can't be played now."""
    return REFUSAL_TEXTS.get(code, f"{code.replace('-', ' ').capitalize()}.")


def describe_action(action: Action, view: View, name: SeatNamer) -> str:
    """An action as a sentence: `Ann orders up hearts, alone.`"""
    match action:
        case Order():
            clause = _clause(action.seat, "picks up" if action.seat is view.dealer else "orders up", name)
            return f"{clause} {suit_name(view.up_card.suit)}{', alone' if action.alone else ''}."
        case Name():
            return f"{_clause(action.seat, 'calls', name)} {suit_name(action.suit)}{', alone' if action.alone else ''}."
        case Play():
            return describe_play(action.seat, action.card, view.contract.trump if view.contract else None, name)
        case CallOut():
            return f"{describe_call(action, name)}."
        case TurnUp():
            return f"{_clause(action.seat, 'turns up', name)} the {card_name(view.up_card)}."
        case _:
            return f"{describe(action, view.rules, name)}."


def describe_play(seat: Seat, card: Face, trump: Suit | None, name: SeatNamer, *, leads: bool = False) -> str:
    """`Ann plays the king of clubs.`, or `You lead` it."""
    return f"{_clause(seat, 'leads' if leads else 'plays', name)} the {card_name(card, trump)}."


def describe_trick_winner(seat: Seat, name: SeatNamer) -> str:
    """`Ann takes the trick.`"""
    return f"{_clause(seat, 'takes', name)} the trick."


def describe_dealer(seat: Seat, name: SeatNamer) -> str:
    """`Ann deals`."""
    return _clause(seat, "deals", name)


def describe_shuffler(seat: Seat, name: SeatNamer) -> str:
    """`Ann shuffles`."""
    return _clause(seat, "shuffles", name)


def choice_label(action: Action, view: View, name: SeatNamer) -> str:
    match action:
        case Order():
            take = "Pick it up" if action.seat is view.dealer else "Order it up"
            return f"{take}, alone" if action.alone else take
        case Name():
            return f"{suit_name(action.suit).capitalize()}{', alone' if action.alone else ''}"
        case Settle():
            return _SETTLE_LABELS[action.terms].format(points=action.points)
        case ThrowIn():
            tricks = action.makers_tricks
            return f"Makers take {tricks or 'no'} trick{'' if tricks == 1 else 's'}"
        case CallOut():
            return _capitalize(call_phrase(action, name).removeprefix("a ").removeprefix("that "))
        case _:
            return _capitalize(describe_choice(action, view.rules, name))


_SETTLE_LABELS: Final = {
    Terms.FULL: "Full penalty",
    Terms.FEWER: "Take {points}",
    Terms.CORRECT: "Correct it",
    Terms.LET_STAND: "Let it stand",
}


def call_phrase(call: CallOut, name: SeatNamer) -> str:
    """`a renege by Wade, trick 2`."""
    trick = f", trick {call.trick}" if call.trick else ""
    return f"{_IRREGULARITY_NAMES[call.irregularity]} by {object_form(name(call.against))}{trick}"


def describe_verdict(verdict: Verdict, rules: HouseRules, name: SeatNamer) -> tuple[str, ...]:
    """A verdict in sentences: the call, the proof, the penalty, and last the rule, if one applied."""
    call, ruling = verdict.call, verdict.ruling
    head = f"{describe_call(call, name)}."
    if not verdict.guilty or ruling is None:
        return head, "The cards on the table say otherwise: nothing was wrong.", ""
    proof = " and ".join(f"the {card_name(card)}" for card in verdict.evidence)
    proven = f"Proven by {proof}." if proof else "It is proven."
    follows = _REMEDY_TEXTS.get(ruling.remedy) or f"{_capitalize(points_phrase(rules, ruling.points, name))}."
    return head, proven, follows, cite(ruling, rules)


def describe_call(call: CallOut, name: SeatNamer) -> str:
    """`Ann calls a renege by Wade, trick 2`."""
    return f"{_clause(call.seat, 'calls', name)} {call_phrase(call, name)}"


def describe_ending(view: View, ending: Ending, name: SeatNamer) -> str:
    """How a hand ended, in one sentence."""
    if ending.reason in _ENDINGS_WITHOUT_MAKERS:
        return _ENDINGS_WITHOUT_MAKERS[ending.reason]
    points = points_phrase(view.rules, ending.points, name) or "no one scores"
    if ending.reason is Reason.PENALTY:
        return f"A penalty: {points}."
    assert view.contract is not None
    return f"{_describe_makers(view.rules, view.contract, ending.reason, name)}: {points}."


_ENDINGS_WITHOUT_MAKERS: Final[Mapping[Reason, str]] = {
    Reason.PASSED_OUT: "No one called: the hand is passed out.",
    Reason.FARMERS_REDEAL: "A farmer’s hand: the same dealer deals again.",
    Reason.MISDEAL: "A misdeal: the same dealer deals again.",
    Reason.DEAL_LOST: "A misdeal: the deal is lost.",
    Reason.BOTH_GUILTY: "Both sides are guilty, which cancels out: no one scores.",
}


def _describe_makers(rules: HouseRules, contract: PublicContract, reason: Reason, name: SeatNamer) -> str:
    makers = f"{name(contract.maker)}, alone," if contract.alone else join_names(rules.side_of(contract.maker), name)
    was = "were" if " and " in makers or makers.startswith(YOU) else "was"
    how = {Reason.MADE_IT: "made it", Reason.MARCH: "took every trick", Reason.EUCHRE: f"{was} euchred"}
    return f"{makers} {how[reason]}"


def points_phrase(rules: HouseRules, points: Points, name: SeatNamer) -> str:
    """`2 points to you and Nora`."""
    scoring_sides = [(side, points[side[0]]) for side in rules.sides if points.get(side[0])]
    return ", ".join(
        f"{number} point{'' if number == 1 else 's'} to {object_form(join_names(side, name))}"
        for side, number in scoring_sides
    )


def join_names(side: tuple[Seat, ...], name: SeatNamer) -> str:
    """`You and Nora`: the viewer comes first."""
    return " and ".join(sorted(map(name, side), key=lambda name_: name_ != YOU))


def object_form(name: str) -> str:
    """The name as an object: `you` instead of `You`."""
    return f"y{name[1:]}" if name == YOU or name.startswith(f"{YOU} and ") else name


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _clause(seat: Seat, verb: str, name: SeatNamer) -> str:
    """`You play`, `Ann plays`."""
    subject = name(seat)
    if subject == YOU:
        verb = {"picks up": "pick up", "orders up": "order up", "turns up": "turn up"}.get(verb, verb.removesuffix("s"))
    return f"{subject} {verb}"


def rules_title(rules: HouseRules) -> str:
    base = base_preset(rules)
    return base.title if base else "Rules of our own"
