"""A hand in words: each action, the course of a hand, and its score."""

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
from leftbower.engine.deal import HeldCards
from leftbower.engine.states import Playing, Reason, Scored, State, Trick
from leftbower.rules.cards import UNKNOWN, Face
from leftbower.rules.house import HouseRules, Side
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat

SeatNamer = Callable[[Seat], str]
"""Names a seat, by its compass name or by its player."""


_THIRD: Final = {"s": "s", "es": "es", "ies": "ies", "is": "is"}
_SECOND: Final = {"s": "", "es": "", "ies": "y", "is": "are"}
_PLAIN: Final = {"s": "", "es": "", "ies": "y", "is": "be"}
YOU: Final = "You"
"""The name that a `SeatNamer` returns for the reader's own seat."""


def compass_name(seat: Seat) -> str:
    """`North`, `East`, `South` or `West`."""
    return seat.full_name


def format_cards(cards: HeldCards) -> str:
    """Cards for people to read: `A♣ J♦ ??`."""
    return " ".join(map(_face, cards))


def describe(action: Action, rules: HouseRules, name: SeatNamer = compass_name) -> str:
    """A past action as a sentence without a period."""
    player = name(action.seat)
    return f"{player} {_phrase(action, rules, name).format_map(_SECOND if player == YOU else _THIRD)}"


def describe_choice(action: Action, rules: HouseRules, name: SeatNamer = compass_name) -> str:
    """A legal action, for a list of choices."""
    return _phrase(action, rules, name).format_map(_PLAIN)


def describe_hand(state: State, name: SeatNamer = compass_name) -> Iterator[str]:
    """The course of a hand, line by line, as far as it got."""
    deal = state.hand.deal
    yield f"{name(deal.dealer)} deals{'' if deal.face_down else f' and turns up {deal.up_card.pretty}'}."
    said = [
        f"{name(action.seat)} turns up {deal.up_card.pretty}"
        if isinstance(action, TurnUp)
        else describe(action, state.hand.rules, name)
        for action in state.actions
        if not isinstance(action, Play)
    ]
    if said:
        yield "; ".join(said) + "."
    if isinstance(state, Playing | Scored):
        for number, trick in enumerate(state.tricks, 1):
            yield f"Trick {number}: {describe_trick(trick, name)}."
    if isinstance(state, Playing) and state.trick:
        yield f"Trick {len(state.tricks) + 1}: {format_cards(state.trick)}, led by {name(state.leader)}, not complete."
    if isinstance(state, Scored):
        yield describe_result(state, name)


def describe_trick(trick: Trick, name: SeatNamer = compass_name) -> str:
    """The cards of a trick in order, who led and who took it."""
    return f"{format_cards(trick.cards)}, led by {name(trick.leader)}, taken by {name(trick.winner)}"


def describe_result(state: Scored, name: SeatNamer = compass_name) -> str:
    """How a hand ended, and its score."""
    rules, contract = state.hand.rules, state.contract
    if contract is None or state.reason in _VOID:
        return _VOID[state.reason]
    if state.reason in (Reason.PENALTY, Reason.BOTH_GUILTY):
        why = "A penalty" if state.reason is Reason.PENALTY else "Both sides are guilty, which cancels out"
        return f"{why}: {_format_scores(rules, state.points, name) or 'nobody scores'}."
    taken = state.makers_tricks
    how = {
        Reason.MADE_IT: f"made it with {taken} tricks",
        Reason.MARCH: "took all five tricks, a march",
        Reason.EUCHRE: f"took {taken or 'no'} trick{'s' if taken == 2 else ''}, a euchre",
    }[state.reason]
    makers = f"{name(contract.maker)}, alone," if contract.alone else _join_names(rules.side_of(contract.maker), name)
    return f"{makers} {how}: {_format_scores(rules, state.points, name)}."


_VOID: Final = {
    Reason.PASSED_OUT: "Passed out: nobody scores.",
    Reason.FARMERS_REDEAL: "A farmer's hand: the same dealer deals again.",
    Reason.MISDEAL: "A misdeal: the same dealer deals again.",
    Reason.DEAL_LOST: "A misdeal: the deal is lost.",
}


def describe_scores(rules: HouseRules, scores: tuple[int, ...], name: SeatNamer = compass_name) -> str:
    sides = zip(rules.sides, scores, strict=True)
    return ", ".join(f"{_join_names(side, name)} {score}" for side, score in sides)


def _phrase(action: Action, rules: HouseRules, name: SeatNamer) -> str:
    """An action as a verb phrase; the braces are the endings of the third person."""
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
            return "play{s} with the partner" if rules.players == 4 else "take{s} the dummy"
        case LayAway():
            return f"lay{{s}} away {_hidden(action.cards, 'three cards')}"
        case DefendAlone():
            return "defend{s} alone"
        case DefendTogether():
            return "do{es} not defend alone"
        case ShowFarmersHand():
            return f"show{{s}} a farmer's hand: {format_cards(action.cards)}"
        case KeepHand():
            return "keep{s} the cards"
        case TurnUp():
            return "turn{s} up the top card"
        case Play():
            return f"play{{s}} {action.card.pretty}"
        case _:
            return _talk(action, name)


def _talk(action: CallOut | Correct | Settle | Claim | ThrowIn | Agree | Disagree | Ready, name: SeatNamer) -> str:
    match action:
        case CallOut():
            in_trick = f" in trick {action.trick}" if action.trick else ""
            kind = str(action.irregularity).replace("-", " ")
            return f"call{{s}} {kind} against {_object(name(action.against))}{in_trick}"
        case Correct():
            return f"correct{{s}} the card laid to trick {action.trick}"
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


def _object(player: str) -> str:
    """`You` becomes `you` after a verb. Braces in a name are escaped, because they have a meaning in a pattern."""
    return "you" if player == YOU else player.replace("{", "{{").replace("}", "}}")


_SETTLED: Final = {
    Terms.FULL: "enforce{s} the penalty",
    Terms.FEWER: "take{s} {points} instead of the whole penalty",
    Terms.CORRECT: "ask{s} for it to be corrected",
    Terms.LET_STAND: "let{s} it stand",
}


def _format_scores(rules: HouseRules, points: Points, name: SeatNamer) -> str:
    sides = [side for side in rules.sides if side[0] in points]
    return ", ".join(
        f"{points[side[0]]} point{'' if points[side[0]] == 1 else 's'} to {_join_names(side, name)}" for side in sides
    )


def _join_names(side: Side, name: SeatNamer) -> str:
    return " and ".join(map(name, side))


def _alone(*, alone: bool) -> str:
    return ", alone" if alone else ""


def _hidden(cards: HeldCards, summary: str) -> str:
    return summary if UNKNOWN in cards else format_cards(cards)


def _face(card: Face) -> str:
    return str(card) if card is UNKNOWN else card.pretty
