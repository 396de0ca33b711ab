"""Hands of finished games with all cards shown: the deal, the actions and the score."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine.deal import closed_kitty
from leftbower.engine.states import Scored
from leftbower.i18n import gettext
from leftbower.notation import describe_hand
from leftbower.notation.describe import YOU, SeatNamer, as_subject
from leftbower.rules.cards import Card
from leftbower.server.live.records import hands_of
from leftbower.table import Table, viewing_seat
from leftbower.web.table.seat_names import SeatNames
from leftbower.web.table.seats import faces
from leftbower.web.table.view_model import card_order


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtCards:
    """Cards dealt to a player, the dummy or the kitty."""

    name: str
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedHand:
    title: str
    dealt: tuple[DealtCards, ...]
    steps: tuple[str, ...]


def finished_hands(table: Table, person: str | None, names: Mapping[str, str]) -> tuple[FinishedHand, ...]:
    """All hands of the match's finished games, described for this viewer."""
    seat = viewing_seat(table, person)
    seat_name = SeatNames(table.last_seats, names, seat)
    return tuple(_finished_hand(number, hand, seat_name) for number, hand in enumerate(hands_of(table), 1))


def last_deal(table: Table, person: str | None, names: Mapping[str, str]) -> tuple[DealtCards, ...]:
    """All cards of the last deal; empty until the match is over, while they may still be secret."""
    hands = finished_hands(table, person, names)
    return hands[-1].dealt if hands and table.gathering else ()


def _finished_hand(number: int, hand: Scored, seat_name: SeatNamer) -> FinishedHand:
    _, *story = describe_hand(hand, seat_name)
    return FinishedHand(
        title=_title(number, seat_name(hand.hand.deal.dealer), hand.hand.deal.up_card.pretty),
        dealt=_dealt_cards(hand, seat_name),
        steps=tuple(story),
    )


def _title(number: int, dealer: str, up_card: str) -> str:
    if dealer == YOU:
        return gettext("Hand %(number)d: you deal, %(card)s up", number=number, card=up_card)
    return gettext("Hand %(number)d: %(name)s deals, %(card)s up", number=number, name=dealer, card=up_card)


def _dealt_cards(hand: Scored, seat_name: SeatNamer) -> tuple[DealtCards, ...]:
    deal, rules = hand.hand.deal, hand.hand.rules
    trump = hand.contract.trump if hand.contract else None

    def sorted_(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(sorted(cards, key=lambda card: card_order(card, trump)))

    seats = [
        DealtCards(name=as_subject(seat_name(seat)), cards=sorted_(faces(deal.hands[seat.index])))
        for seat in rules.seats
    ]
    dummy = [DealtCards(name=gettext("Dummy"), cards=faces(deal.dummy))] if deal.dummy else []
    return (*seats, *dummy, DealtCards(name=gettext("Kitty"), cards=(deal.up_card, *faces(closed_kitty(rules, deal)))))
