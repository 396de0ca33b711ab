"""A hand told in words: what a player did, how a hand went, how it was scored."""

from collections.abc import Callable, Iterator
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
from leftbower.engine.deal import Held
from leftbower.engine.states import Playing, Reason, Scored, State, Trick
from leftbower.rules.cards import UNKNOWN, Face
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat

Naming = Callable[[Seat], str]
"""How a seat is called: its compass name, or the name of whoever sits there."""


_THIRD: Final = {"s": "s", "es": "es", "ies": "ies", "is": "is"}
_SECOND: Final = {"s": "", "es": "", "ies": "y", "is": "are"}
_PLAIN: Final = {"s": "", "es": "", "ies": "y", "is": "be"}
YOU: Final = "You"
"""How a naming calls whoever is spoken to."""


def compass(seat: Seat) -> str:
    """`North`, `East`, `South` or `West`."""
    return seat.full_name


def pretty(cards: Held) -> str:
    """Cards for people: `A♣ J♦ ??`."""
    return " ".join(map(_face, cards))


def tell(action: Action, rules: HouseRules, name: Naming = compass) -> str:
    """What a player did, as a sentence without its full stop."""
    who = name(action.seat)
    return f"{who} {_phrase(action, rules, name).format_map(_SECOND if who == YOU else _THIRD)}"


def offer(action: Action, rules: HouseRules, name: Naming = compass) -> str:
    """What a player may do, as it stands in a list of choices."""
    return _phrase(action, rules, name).format_map(_PLAIN)


def tell_hand(state: State, name: Naming = compass) -> Iterator[str]:
    """How a hand went, line by line, as far as it got."""
    deal = state.hand.deal
    yield f"{name(deal.dealer)} deals{'' if deal.face_down else f' and turns up {deal.up_card.pretty}'}."
    said = [
        f"{name(action.seat)} turns up {deal.up_card.pretty}"
        if isinstance(action, TurnUp)
        else tell(action, state.hand.rules, name)
        for action in state.actions
        if not isinstance(action, Play)
    ]
    if said:
        yield "; ".join(said) + "."
    if isinstance(state, Playing | Scored):
        for number, trick in enumerate(state.tricks, 1):
            yield f"Trick {number}: {tell_trick(trick, name)}."
    if isinstance(state, Playing) and state.trick:
        yield f"Trick {len(state.tricks) + 1}: {pretty(state.trick)}, led by {name(state.leader)}, not complete."
    if isinstance(state, Scored):
        yield tell_score(state, name)


def tell_trick(trick: Trick, name: Naming = compass) -> str:
    """The cards of a trick as they fell, who led and who took it."""
    return f"{pretty(trick.cards)}, led by {name(trick.leader)}, taken by {name(trick.winner)}"


def tell_score(state: Scored, name: Naming = compass) -> str:
    """How a hand ended and what it scored."""
    rules, contract = state.hand.rules, state.contract
    if contract is None or state.reason in _VOID:
        return _VOID[state.reason]
    if state.reason in (Reason.PENALTY, Reason.BOTH_GUILTY):
        why = "A penalty" if state.reason is Reason.PENALTY else "Both sides are guilty, which cancels out"
        return f"{why}: {_scored(rules, state.points, name) or 'nobody scores'}."
    taken = state.makers_tricks
    how = {
        Reason.MADE: f"made it with {taken} tricks",
        Reason.MARCH: "took all five tricks, a march",
        Reason.EUCHRE: f"took {taken or 'no'} trick{'s' if taken == 2 else ''}, a euchre",
    }[state.reason]
    makers = f"{name(contract.maker)}, alone," if contract.alone else _together(rules.side_of(contract.maker), name)
    return f"{makers} {how}: {_scored(rules, state.points, name)}."


_VOID: Final = {
    Reason.PASSED_OUT: "Passed out: nobody scores.",
    Reason.FARMERS_REDEAL: "A farmer's hand: the same dealer deals again.",
    Reason.MISDEAL: "A misdeal: the same dealer deals again.",
    Reason.DEAL_LOST: "A misdeal: the deal is lost.",
}


def tell_scores(rules: HouseRules, scores: tuple[int, ...], name: Naming = compass) -> str:
    """The score of every side."""
    sides = zip(rules.sides, scores, strict=True)
    return ", ".join(f"{_together(side, name)} {score}" for side, score in sides)


def _phrase(action: Action, rules: HouseRules, name: Naming) -> str:
    """An act as a verb phrase; the braces are the endings of the third person."""
    match action:
        case Pass():
            return "pass{es}"
        case Order():
            return f"order{{s}} the up-card up{_alone(alone=action.alone)}"
        case Name():
            return f"name{{s}} {action.suit.name.lower()}{_alone(alone=action.alone)}"
        case Bury():
            return f"bur{{ies}} {_hidden((action.card,), 'a card')}"
        case GoAlone():
            return "go{es} alone"
        case GoTogether():
            return "play{s} with the partner" if rules.seats == 4 else "take{s} the dummy"
        case LayAway():
            return f"lay{{s}} away {_hidden(action.cards, 'three cards')}"
        case DefendAlone():
            return "defend{s} alone"
        case DefendTogether():
            return "do{es} not defend alone"
        case ShowFarmersHand():
            return f"show{{s}} a farmer's hand: {pretty(action.cards)}"
        case KeepHand():
            return "keep{s} the cards"
        case TurnUp():
            return "turn{s} up the top card"
        case Play():
            return f"play{{s}} {action.card.pretty}"
        case _:
            return _talk(action, name)


def _talk(action: CallOut | Correct | Settle | Claim | ThrowIn | Agree | Disagree | Ready, name: Naming) -> str:
    match action:
        case CallOut():
            where = f" in trick {action.trick}" if action.trick else ""
            kind = str(action.irregularity).replace("-", " ")
            return f"call{{s}} {kind} against {_object(name(action.against))}{where}"
        case Correct():
            return f"put{{s}} right the card laid to trick {action.trick}"
        case Settle():
            return _SETTLED[action.terms].format(points=action.points, s="{s}")
        case Claim():
            return "lay{s} down the rest as certain winners"
        case ThrowIn():
            tricks = f"{action.makers_tricks} trick{'' if action.makers_tricks == 1 else 's'}"
            return f"propose{{s}} to throw in: {tricks} to the makers"
        case Agree():
            return "agree{s}"
        case Disagree():
            return "disagree{s}"
        case _:
            return "{is} ready for the next hand"


def _object(who: str) -> str:
    """`You` is a `you` behind a verb. A name is put into a pattern whose braces mean something."""
    return "you" if who == YOU else who.replace("{", "{{").replace("}", "}}")


_SETTLED: Final = {
    Terms.FULL: "enforce{s} the penalty",
    Terms.FEWER: "take{s} {points} instead of the whole penalty",
    Terms.PUT_RIGHT: "ask{s} for it to be put right",
    Terms.LET_STAND: "let{s} it stand",
}


def _scored(rules: HouseRules, points: Points, name: Naming) -> str:
    sides = [side for side in rules.sides if side[0] in points]
    return ", ".join(
        f"{points[side[0]]} point{'' if points[side[0]] == 1 else 's'} to {_together(side, name)}" for side in sides
    )


def _together(side: Side, name: Naming) -> str:
    return " and ".join(map(name, side))


def _alone(*, alone: bool) -> str:
    return ", alone" if alone else ""


def _hidden(cards: Held, many: str) -> str:
    return many if UNKNOWN in cards else pretty(cards)


def _face(card: Face) -> str:
    return str(card) if card is UNKNOWN else card.pretty
