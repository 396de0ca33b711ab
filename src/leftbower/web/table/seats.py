"""View model of a seat: its plate, its badges with their explanations, and what its player just bid or said."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from leftbower.engine.actions import DefendAlone, GoAlone, Name, Order, Pass, Play
from leftbower.engine.game import ToDeal
from leftbower.engine.match import InGame
from leftbower.engine.play import active_seats
from leftbower.engine.view import Phase, UpCardStatus, View
from leftbower.i18n import gettext, ngettext
from leftbower.notation import describe_choice
from leftbower.notation.describe import SUITS
from leftbower.rules.cards import UNKNOWN, Card, Face
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import SeatedBot, SeatedPerson, Table
from leftbower.web.table.text import PHRASES, bot_text

_PHRASE_VERSIONS: Final = 6
"""Versions for which a phrase is shown beside its speaker."""
_SIDES: Final = ("us", "them", "third")


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word at a seat."""

    word: str
    about: str
    """What it means."""
    suit: str = ""
    kind: str = ""
    """CSS class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubble:
    """What a player bid or said."""

    text: str
    kind: str
    """CSS class: `pass`, `past` for a pass in the first round, `call` or `chat`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatViewModel:
    seat: str
    position: str
    side: str
    """`us` for the viewer's side, `them`, or `third`."""
    name: str
    level: str
    """The bot's level; empty for a person."""
    backs: int
    """Cards in the hand, shown face down."""
    is_you: bool
    is_alone: bool
    sits_out: bool
    has_turn: bool
    can_be_taken: bool
    """May the viewer, who has no seat, replace its bot from the next hand on?"""
    exposed_cards: tuple[Card, ...]
    """The hand, if it lies face up."""
    badges: tuple[Badge, ...]
    bubble: Bubble | None


def seat_view_model(
    table: Table, view: View | None, position: str, seat: Seat, name: str, viewer: str | None
) -> SeatViewModel:
    occupant = table.seats.get(seat)
    person = occupant.id if isinstance(occupant, SeatedPerson) else ""
    own_seat = table.seat_of(viewer) if viewer is not None else None
    contract = view.contract if view else None
    phrase = _recent_phrase(table, person, viewer)
    return SeatViewModel(
        seat=str(seat),
        position=position,
        side=side_classes(table.rules, own_seat)[seat],
        name=name,
        level=bot_text(occupant.level) if isinstance(occupant, SeatedBot) else "",
        backs=view.card_counts[seat] if view else 0,
        is_you=seat is own_seat,
        is_alone=contract is not None and ((contract.alone and contract.maker is seat) or contract.defender is seat),
        sits_out=view is not None and _sits_out(view, seat),
        has_turn=seat in (table.cutter, table.dealing_seat) or (view is not None and view.to_act is seat),
        can_be_taken=own_seat is None
        and not table.event
        and isinstance(occupant, SeatedBot)
        and seat not in table.latecomers,
        exposed_cards=() if seat is own_seat else faces(view.exposed.get(seat, ()) if view else ()),
        badges=tuple(_badges(table, view, seat, person)),
        bubble=Bubble(text=phrase, kind="chat") if phrase else _bid(view, seat) if view else None,
    )


def side_classes(rules: HouseRules, own: Seat | None) -> dict[Seat, str]:
    """The CSS class of each seat's side; the viewer's side is `us`."""
    sides = sorted(rules.sides, key=lambda side: own not in side)
    return {seat: name for side, name in zip(sides, _SIDES, strict=False) for seat in side}


def faces(cards: tuple[Face, ...]) -> tuple[Card, ...]:
    """Drop the cards that the viewer can't see."""
    return tuple(card for card in cards if card is not UNKNOWN)


def _badges(table: Table, view: View | None, seat: Seat, person: str) -> Iterator[Badge]:
    if seat is _dealer(table, view):
        yield Badge(word=gettext("Dealer"), about=gettext("Deals this hand and bids last."))
    if view is not None:
        yield from _hand_badges(view, seat)
    if person in table.substituted:
        yield Badge(word=gettext("Bot playing"), about=gettext("A bot plays until this player is back."))
    elif person in table.away:
        yield Badge(word=gettext("Away"), about=gettext("Left the page. The seat is saved."))
    if seat in table.rejoins:
        about = gettext("The desk let this player join from another device, from the next match on.")
        yield Badge(word=gettext("New device"), about=about)


def _hand_badges(view: View, seat: Seat) -> Iterator[Badge]:
    contract = view.contract
    if contract is not None and contract.maker is seat:
        suit = gettext(SUITS[contract.trump])
        about = gettext("Made %(suit)s trump.", suit=suit)
        if contract.alone:
            about = gettext("Made %(suit)s trump and plays without a partner.", suit=suit)
        word = gettext("Alone") if contract.alone else gettext("Called")
        yield Badge(word=word, about=about, suit=str(contract.trump), kind="brass")
    if contract is not None and contract.defender is seat:
        yield Badge(word=gettext("Alone"), about=gettext("Plays this hand without a partner."), kind="brass")
    if _sits_out(view, seat):
        yield Badge(word=gettext("Sits out"), about=gettext("The partner plays this hand alone."))
    if view.seats and view.seats[0] is seat and view.trick:
        yield Badge(word=gettext("Led"), about=gettext("Led to this trick. Follow that suit if you can."), kind="led")
    if tricks := sum(trick.winner is seat for trick in view.tricks):
        word = ngettext("%(num)d trick", "%(num)d tricks", tricks)
        yield Badge(word=word, about=gettext("Taken in this hand."), kind="won")


def _sits_out(view: View, seat: Seat) -> bool:
    """True for a loner's partner from the call on; a partner who deals discards first."""
    if view.contract is None or view.ending is not None or view.to_act is seat:
        return False
    return seat not in active_seats(view.rules, view.contract)


def _dealer(table: Table, view: View | None) -> Seat | None:
    """The dealer of the next or the current hand."""
    game = table.match.game if isinstance(table.match, InGame) else None
    return view.dealer if view else game.dealer if isinstance(game, ToDeal) else None


def _bid(view: View, seat: Seat) -> Bubble | None:
    """The seat's last bid, until the first lead."""
    if any(isinstance(action, Play) for action in view.actions):
        return None
    bids = [action for action in view.actions if isinstance(action, Pass | Order | Name | GoAlone | DefendAlone)]
    own = [index for index, action in enumerate(bids) if action.seat is seat]
    if not own:
        return None
    bid = bids[own[-1]]
    if isinstance(bid, Pass):
        second_round = view.phase is Phase.BIDDING and view.up_card_status is UpCardStatus.TURNED_DOWN
        is_past = second_round and own[-1] < view.rules.players
        turned_down = seat is view.dealer and own[-1] < view.rules.players
        text = gettext("Turned down") if turned_down else gettext("Pass")
        return Bubble(text=text, kind="past" if is_past else "pass")
    if isinstance(bid, GoAlone | DefendAlone) or bid.alone:
        return Bubble(text=gettext("Alone!"), kind="call")
    return Bubble(text=describe_choice(bid, view.rules, dealer=view.dealer), kind="call")


def _recent_phrase(table: Table, person: str, viewer: str | None) -> str:
    """The phrase that a person just said, unless the viewer has muted them."""
    phrases = [
        (version, message) for version, message in table.chat if person and message.person == person and message.phrase
    ]
    if not phrases or (viewer, person) in table.muted or phrases[-1][0] + _PHRASE_VERSIONS < table.version:
        return ""
    return gettext(PHRASES[phrases[-1][1].phrase])
