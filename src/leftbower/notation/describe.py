"""A hand in words: each action, the course of a hand, and its score."""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Final

from leftbower.engine.actions import (
    Action,
    Bury,
    CallOut,
    Correct,
    GoTogether,
    LayAway,
    Name,
    Order,
    Play,
    Ready,
    Settle,
    ShowFarmersHand,
    ThrowIn,
    TurnUp,
)
from leftbower.engine.deal import HeldCards
from leftbower.engine.states import Playing, Reason, Scored, State, Trick
from leftbower.i18n import N_, gettext as _, ngettext, pgettext, read_texts
from leftbower.rules import UNKNOWN, Face, HouseRules, Points, Seat, Side, Suit

SeatNamer = Callable[[Seat], str]
"""Names a seat, by its compass name or by its player."""
YOU: Final = "You"
"""The name that a `SeatNamer` returns for the reader's own seat. It marks the seat; messages spell it out."""
SUITS: Final = {
    Suit.CLUBS: N_("clubs"),
    Suit.DIAMONDS: N_("diamonds"),
    Suit.HEARTS: N_("hearts"),
    Suit.SPADES: N_("spades"),
}
SUIT_LABELS: Final = {
    Suit.CLUBS: N_("Clubs"),
    Suit.DIAMONDS: N_("Diamonds"),
    Suit.HEARTS: N_("Hearts"),
    Suit.SPADES: N_("Spades"),
}
_PHRASES: Final = read_texts("leftbower.notation", "phrases.toml")
"""Each kind of action as done by the reader, as done by another player, and as a choice."""


def compass_name(seat: Seat) -> str:
    """`North`, `East`, `South` or `West`."""
    return seat.full_name


def format_cards(cards: HeldCards) -> str:
    """Cards for people to read: `A♣ J♦ ??`."""
    return " ".join(map(_face, cards))


def describe(action: Action, rules: HouseRules, name: SeatNamer = compass_name, *, dealer: Seat | None = None) -> str:
    """A past action as a sentence; a `dealer` who orders picks up."""
    player = name(action.seat)
    if isinstance(action, ThrowIn):
        return _describe_throw_in(player, action.makers_tricks)
    phrase = _PHRASES[phrase_key(action, rules, dealer)]["you" if player == YOU else "other"]
    return _(phrase, name=player, **action_values(action, name))


def describe_choice(
    action: Action, rules: HouseRules, name: SeatNamer = compass_name, *, dealer: Seat | None = None
) -> str:
    """A legal action as its button, or its line in a list, shows it."""
    if isinstance(action, ThrowIn):
        tricks = action.makers_tricks
        return ngettext("Throw in: makers take %(num)d trick", "Throw in: makers take %(num)d tricks", tricks)
    return _(_PHRASES[phrase_key(action, rules, dealer)]["choice"], **action_values(action, name))


def describe_hand(state: State, name: SeatNamer = compass_name) -> Iterator[str]:
    """A hand line by line, as far as it got."""
    deal = state.hand.deal
    yield describe_deal(deal.dealer, name, "" if deal.face_down else deal.up_card.pretty)
    bidding = [
        _describe_turn_up(name(action.seat), deal.up_card.pretty)
        if isinstance(action, TurnUp)
        else describe(action, state.hand.rules, name, dealer=deal.dealer)
        for action in state.actions
        if not isinstance(action, Play | Ready)
    ]
    if bidding:
        yield " ".join(bidding)
    if isinstance(state, Playing | Scored):
        for number, trick in enumerate(state.tricks, 1):
            yield _("Trick %(number)d: %(trick)s.", number=number, trick=describe_trick(trick, name))
    if isinstance(state, Playing) and state.trick:
        yield _(
            "Trick %(number)d: %(cards)s, led by %(leader)s, not complete.",
            number=len(state.tricks) + 1,
            cards=format_cards(state.trick),
            leader=as_object(name(state.leader)),
        )
    if isinstance(state, Scored):
        yield describe_result(state, name)


def describe_deal(dealer: Seat, name: SeatNamer = compass_name, up_card: str = "") -> str:
    """Who deals, and what is turned up, if the up-card is known."""
    player = name(dealer)
    if not up_card:
        return _("You deal.") if player == YOU else _("%(name)s deals.", name=player)
    if player == YOU:
        return _("You deal and turn up %(card)s.", card=up_card)
    return _("%(name)s deals and turns up %(card)s.", name=player, card=up_card)


def describe_trick(trick: Trick, name: SeatNamer = compass_name) -> str:
    """The cards of a trick in order, who led and who took it."""
    return _(
        "%(cards)s, led by %(leader)s, taken by %(winner)s",
        cards=format_cards(trick.cards),
        leader=as_object(name(trick.leader)),
        winner=as_object(name(trick.winner)),
    )


def describe_result(state: Scored, name: SeatNamer = compass_name) -> str:
    """How a hand ended and what it scored."""
    rules, contract = state.hand.rules, state.contract
    if contract is None or state.reason in VOID_HANDS:
        return _(VOID_HANDS[state.reason])
    points = describe_points(rules, state.points, name)
    if state.reason in PENALTY_HANDS:
        return _(PENALTY_HANDS[state.reason], points=points)
    if contract.alone:
        return _describe_loner(as_subject(name(contract.maker)), state, points)
    return _describe_makers(join_names(rules.side_of(contract.maker), name), state, points)


VOID_HANDS: Final = {
    Reason.PASSED_OUT: N_("Passed out: no one scores."),
    Reason.FARMERS_REDEAL: N_("A farmer’s hand: the same dealer deals again."),
    Reason.MISDEAL: N_("A misdeal: the same dealer deals again."),
    Reason.DEAL_LOST: N_("A misdeal: the next player deals."),
}
PENALTY_HANDS: Final = {
    Reason.PENALTY: N_("A penalty: %(points)s."),
    Reason.BOTH_GUILTY: N_("Both sides broke a rule: %(points)s."),
}


def describe_scores(rules: HouseRules, scores: tuple[int, ...], name: SeatNamer = compass_name) -> str:
    """The score of every side."""
    sides = zip(rules.sides, scores, strict=True)
    return join_list([_("%(side)s %(score)d", side=join_names(side, name), score=score) for side, score in sides])


def describe_points(rules: HouseRules, points: Points, name: SeatNamer) -> str:
    """`2 points for you and Nora`."""
    sides = [(points[side[0]], join_names(side, name, is_object=True)) for side in rules.sides if points.get(side[0])]
    phrases = [
        ngettext("%(num)d point for %(side)s", "%(num)d points for %(side)s", number, side=side)
        for number, side in sides
    ]
    return join_list(phrases) if phrases else _("no one scores")


def join_names(side: Side, name: SeatNamer, *, is_object: bool = False) -> str:
    """`You and Nora`, the reader first, or `you and Nora` as an object."""
    first, *rest = sorted(map(name, side), key=lambda player: player != YOU)
    if not rest:
        return as_object(first) if is_object else as_subject(first)
    if first != YOU:
        return _("%(first)s and %(second)s", first=first, second=rest[0])
    if is_object:
        return _("you and %(partner)s", partner=rest[0])
    return _("You and %(partner)s", partner=rest[0])


def as_subject(player: str) -> str:
    """The name of a seat at the start of a sentence or by itself."""
    return pgettext("subject", "You") if player == YOU else player


def as_object(player: str) -> str:
    """The name of a seat inside a sentence: `you` for the reader."""
    return pgettext("object", "you") if player == YOU else player


def join_list(parts: Sequence[str]) -> str:
    """`a, b, c`."""
    return reduce(lambda first, second: _("%(first)s, %(second)s", first=first, second=second), parts)


def phrase_key(action: Action, rules: HouseRules, dealer: Seat | None) -> str:
    """The kind of an action in files of phrases, `Order-dealer-alone`."""
    variant: tuple[str, ...] = ()
    match action:
        case Order():
            variant = ("dealer",) * (action.seat is dealer) + ("alone",) * action.alone
        case Name():
            variant = ("alone",) * action.alone
        case Bury():
            variant = ("hidden",) * (action.card is UNKNOWN)
        case LayAway():
            variant = ("hidden",) * (UNKNOWN in action.cards)
        case GoTogether() if rules.players == 4:
            variant = ("partner",)
        case CallOut():
            variant = ("own" if action.against is action.seat else str(action.irregularity),)
        case Settle():
            variant = (action.terms.value,)
    return "-".join((type(action).__name__, *variant))


def action_values(action: Action, name: SeatNamer = compass_name) -> dict[str, object]:
    """The values of an action's messages."""
    match action:
        case Name():
            return {"suit": _(SUITS[action.suit]), "label": _(SUIT_LABELS[action.suit])}
        case Bury() | Play():
            return {"cards": format_cards((action.card,))}
        case LayAway() | ShowFarmersHand():
            return {"cards": format_cards(action.cards)}
        case CallOut():
            return {"player": as_object(name(action.against)), "trick": action.trick}
        case Correct():
            return {"trick": action.trick}
        case Settle():
            return {"points": action.points}
        case _:
            return {}


def _describe_throw_in(player: str, tricks: int) -> str:
    if player == YOU:
        return ngettext(
            "You offer to throw in the hand: the makers take %(num)d trick.",
            "You offer to throw in the hand: the makers take %(num)d tricks.",
            tricks,
        )
    return ngettext(
        "%(name)s offers to throw in the hand: the makers take %(num)d trick.",
        "%(name)s offers to throw in the hand: the makers take %(num)d tricks.",
        tricks,
        name=player,
    )


def _describe_turn_up(dealer: str, up_card: str) -> str:
    if dealer == YOU:
        return _("You turn up %(card)s.", card=up_card)
    return _("%(name)s turns up %(card)s.", name=dealer, card=up_card)


def _describe_makers(makers: str, state: Scored, points: str) -> str:
    tricks = state.makers_tricks or 0
    if state.reason is Reason.MARCH:
        return _("%(makers)s took all five tricks, a march: %(points)s.", makers=makers, points=points)
    if state.reason is Reason.MADE_IT:
        return ngettext(
            "%(makers)s made it with %(num)d trick: %(points)s.",
            "%(makers)s made it with %(num)d tricks: %(points)s.",
            tricks,
            makers=makers,
            points=points,
        )
    if not tricks:
        return _("%(makers)s took no tricks and got euchred: %(points)s.", makers=makers, points=points)
    return ngettext(
        "%(makers)s took %(num)d trick and got euchred: %(points)s.",
        "%(makers)s took %(num)d tricks and got euchred: %(points)s.",
        tricks,
        makers=makers,
        points=points,
    )


def _describe_loner(maker: str, state: Scored, points: str) -> str:
    tricks = state.makers_tricks or 0
    if state.reason is Reason.MARCH:
        return _("%(maker)s went alone and took all five tricks: %(points)s.", maker=maker, points=points)
    if state.reason is Reason.MADE_IT:
        return ngettext(
            "%(maker)s went alone and made it with %(num)d trick: %(points)s.",
            "%(maker)s went alone and made it with %(num)d tricks: %(points)s.",
            tricks,
            maker=maker,
            points=points,
        )
    if not tricks:
        return _("%(maker)s went alone, took no tricks and got euchred: %(points)s.", maker=maker, points=points)
    return ngettext(
        "%(maker)s went alone, took %(num)d trick and got euchred: %(points)s.",
        "%(maker)s went alone, took %(num)d tricks and got euchred: %(points)s.",
        tricks,
        maker=maker,
        points=points,
    )


def _face(card: Face) -> str:
    return str(card) if card is UNKNOWN else card.pretty
