"""The moment that a version shows, for motion and sounds, and what it says aloud: news, and answers to keys that ask.

All of it is made from the viewer's `View`; no card of a trick that is gathered is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.engine.actions import Bury, GoAlone, LayAway, Name, Order, Pass, Play, TurnUp
from leftbower.engine.deal import usual_packets
from leftbower.engine.play import active_seats
from leftbower.engine.view import Phase, UpCardStatus, View
from leftbower.i18n import N_, gettext, ngettext
from leftbower.notation.describe import SUITS, YOU, SeatNamer, join_list, join_names
from leftbower.rules.seats import Seat
from leftbower.rules.tricks import winning_card
from leftbower.table import Table, current_scores
from leftbower.web.table.text import card_name, describe_play, describe_trick_winner

ASKING_KEYS: Final = {
    "l": N_("What was led?"),
    "w": N_("Who is winning the trick?"),
    "t": N_("What is trump, and who called it?"),
    "s": N_("What is the score?"),
    "c": N_("Which cards can I play? Each with its number."),
    "n": N_("Whose turn is it?"),
    "r": N_("Say the last thing again."),
}
"""Letters that ask a question, pressed with Shift, and the question; the script itself answers the last."""
_TURNS: Final = {
    Phase.FACE_DOWN: (N_("Your turn to turn up the top card."), N_("%(name)s’s turn to turn up the top card.")),
    Phase.FARMERS: (N_("Your turn: show a farmer’s hand?"), N_("%(name)s’s turn: a farmer’s hand?")),
    Phase.BIDDING: (N_("Your turn to bid."), N_("%(name)s’s turn to bid.")),
    Phase.DISCARDING: (N_("Your turn to discard."), N_("%(name)s’s turn to discard.")),
    Phase.DECIDING_ALONE: (N_("Your turn to choose: alone or not?"), N_("%(name)s’s turn to choose: alone or not.")),
    Phase.EXCHANGING_DUMMY: (N_("Your turn to discard three cards."), N_("%(name)s’s turn to discard three cards.")),
    Phase.DEFENDING_ALONE: (
        N_("Your turn to choose: defend alone or not?"),
        N_("%(name)s’s turn to choose: defend alone or not."),
    ),
    Phase.PLAYING: (N_("Your turn to play."), N_("%(name)s’s turn to play.")),
}
_CUT_TURN: Final = (N_("Your turn to cut."), N_("%(name)s’s turn to cut."))
_DEAL_TURN: Final = (N_("Your turn to deal."), N_("%(name)s’s turn to deal."))
_LEAD_TURN: Final = (N_("Your turn to lead."), N_("%(name)s’s turn to lead."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    news: str
    """What has happened, and whose turn it is."""
    answers: Mapping[str, str]
    """By the letter of the key that asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenCard:
    """A card of the viewer's hand, in the order of the page."""

    name: str
    can_be_used: bool


def spoken(
    table: Table,
    view: View | None,
    own_seat: Seat | None,
    seat_name: SeatNamer,
    *,
    happened: Sequence[str],
    question: str,
    called_by: str,
    cards: Sequence[SpokenCard],
) -> Spoken:
    """The news after what `happened`, and the answers; `cards` are the viewer's, `question` is what they are asked."""
    turn = _turn(table, view, seat_name)
    score = _score(table, view, own_seat, seat_name)
    hand = _hand(cards)
    is_next_hand = table.cutter is not None or table.dealing_seat is not None
    news = [turn] if is_next_hand and view is not None else [*happened, *_prompt(view, turn, question)]
    if view is not None and not view.actions:
        news.insert(len(happened), hand)
    if view is not None and view.ending:
        news.append(score)
    answers = {"l": _led(view, seat_name), "w": _winning(view, seat_name), "t": _trump(view, called_by)}
    answers |= {"s": score, "c": hand, "n": turn}
    return Spoken(news=" ".join(filter(None, news)), answers={key: text for key, text in answers.items() if text})


def _turn(table: Table, view: View | None, seat_name: SeatNamer) -> str:
    """Whose turn it is, and to do what; empty if several players are asked at once or nobody is."""
    seat = table.cutter or table.dealing_seat or (view.to_act if view else None)
    if seat is None:
        return ""
    if view is None or table.cutter or table.dealing_seat:
        own, other = _CUT_TURN if table.cutter else _DEAL_TURN
    elif view.phase is Phase.PLAYING and not view.trick:
        own, other = _LEAD_TURN
    else:
        own, other = _TURNS.get(view.phase, ("", ""))
    name = seat_name(seat)
    text = own if name == YOU else other
    return gettext(text, name=name) if text else ""


def _prompt(view: View | None, turn: str, question: str) -> tuple[str, ...]:
    """The turn and the viewer's question; while cards are played, the turns of others are left out."""
    if view is None:
        return (turn,)
    is_own = view.seat is not None and view.to_act is view.seat
    if view.phase is Phase.PLAYING and not is_own:
        return ()
    if view.phase is Phase.BIDDING and is_own and view.up_card_status is UpCardStatus.TURNED_UP:
        up_card = card_name(view.up_card)
        if view.dealer is view.seat:
            return turn, gettext("Pick up the %(card)s?", card=up_card)
        return turn, gettext("Order up the %(card)s?", card=up_card)
    return (turn, question) if view.phase is Phase.BIDDING or not turn else (turn,)


def _score(table: Table, view: View | None, own_seat: Seat | None, seat_name: SeatNamer) -> str:
    sides = sorted(zip(table.rules.sides, current_scores(table), strict=True), key=lambda side: own_seat not in side[0])
    points = [gettext("%(side)s %(points)d", side=join_names(side, seat_name), points=points) for side, points in sides]
    score = gettext("Score: %(points)s.", points=join_list(points))
    if view is None or not view.active:
        return score
    tricks = [str(sum(trick.winner in side for trick in view.tricks)) for side, _points in sides]
    return f"{score} {gettext('Tricks: %(tricks)s.', tricks=join_list(tricks))}"


def _hand(cards: Sequence[SpokenCard]) -> str:
    """The cards that can be used, or all of them, each with the number of its key."""
    usable = [card for card in cards if card.can_be_used]
    if not cards:
        return ""
    names = [
        gettext("%(number)d, %(card)s", number=number, card=card.name)
        for number, card in enumerate(cards, 1)
        if card.can_be_used or not usable
    ]
    text = "; ".join(names)
    return gettext("You can use: %(cards)s.", cards=text) if usable else gettext("Your cards: %(cards)s.", cards=text)


def _led(view: View | None, seat_name: SeatNamer) -> str:
    if view is None or view.contract is None or not view.trick:
        return gettext("No card is led yet.")
    return describe_play(view.seats[0], view.trick[0], view.contract.trump, seat_name, leads=True)


def _winning(view: View | None, seat_name: SeatNamer) -> str:
    """Who has the current trick so far, or took the last one."""
    if view is None or view.contract is None:
        return gettext("No card is led yet.")
    if not view.trick:
        return describe_trick_winner(view.tricks[-1].winner, seat_name) if view.tricks else _led(view, seat_name)
    best = winning_card(view.trick, view.contract.trump)
    player, card = seat_name(view.seats[view.trick.index(best)]), card_name(best, view.contract.trump)
    if player == YOU:
        return gettext("You’re winning with the %(card)s.", card=card)
    return gettext("%(name)s is winning with the %(card)s.", name=player, card=card)


def _trump(view: View | None, called_by: str) -> str:
    if view is not None and view.contract is not None:
        return gettext("Trump is %(suit)s, %(called)s.", suit=gettext(SUITS[view.contract.trump]), called=called_by)
    if view is None or view.turned is None:
        return gettext("There is no trump yet.")
    if view.up_card_status is UpCardStatus.TURNED_DOWN:
        return gettext("There is no trump yet. The %(card)s was turned down.", card=card_name(view.turned))
    return gettext("There is no trump yet. The %(card)s is turned up.", card=card_name(view.turned))


# Moments


@dataclass(frozen=True, slots=True, kw_only=True)
class LoneCall:
    """The banner of a player who has just gone alone."""

    title: str
    stakes: str


def moment(view: View | None) -> str:
    """What the last action was: `deal`, `bid`, `call`, `alone`, `discard`, `card`, `trick`, `end`; empty for others."""
    if view is None:
        return ""
    if view.ending is not None:
        return "end"
    if not view.actions:
        return "deal"
    match view.actions[-1]:
        case TurnUp():
            return "turn-up"
        case Pass():
            return "bid"
        case Order(alone=True) | Name(alone=True) | GoAlone():
            return "alone"
        case Order() | Name():
            return "call"
        case Bury() | LayAway():
            return "discard"
        case Play():
            return "card" if view.trick else "trick"
        case _:
            return ""


def packets(view: View | None, positions: Mapping[Seat, str]) -> str:
    """The packets of a deal in order, each a position and a number of cards: `left:3 top:2`; empty after the deal."""
    if view is None or view.actions:
        return ""
    seat, dealt = view.dealer, []
    for size in usual_packets(view.rules):
        seat = view.rules.left_of(seat)
        dealt.append(f"{positions[seat]}:{size}")
    return " ".join(dealt)


def lone_call(view: View | None, seat_name: SeatNamer) -> LoneCall | None:
    """The banner, if the last action was to go alone."""
    if view is None or view.contract is None or moment(view) != "alone":
        return None
    player, points = seat_name(view.contract.maker), view.rules.march_points_alone
    return LoneCall(
        title=gettext("You go alone") if player == YOU else gettext("%(name)s goes alone", name=player),
        stakes=ngettext("All five tricks score %(num)d point.", "All five tricks score %(num)d points.", points)
        if view.seat is None or view.seat in active_seats(view.rules, view.contract)
        else gettext("You sit this one out. All five tricks score %(points)d.", points=points),
    )
