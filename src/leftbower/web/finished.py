"""Hands of games that are over, with every card shown: who was dealt what, how it went, and what it scored."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine import Scored, closed_kitty
from leftbower.notation import tell_hand
from leftbower.notation.telling import Naming
from leftbower.rules.cards import Card
from leftbower.server.records import hands_of
from leftbower.table import Table, place_of
from leftbower.web.naming import Called, places_round
from leftbower.web.picture import faces, order
from leftbower.web.words import deals


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """What somebody, the dummy or the kitty was dealt."""

    name: str
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """One hand from beginning to end."""

    title: str
    dealt: tuple[Dealt, ...]
    story: tuple[str, ...]


def finished(table: Table, person: str | None, names: Mapping[str, str]) -> tuple[Finished, ...]:
    """Every hand of the games of this match that are over, as whoever looks would tell of it."""
    rules = table.rules if table.match is None else table.match.rules
    seat = place_of(table, person)
    called = Called(table.sat, names, seat, places_round(rules, seat))
    return tuple(_finished(number, hand, called) for number, hand in enumerate(hands_of(table), 1))


def last_deal(table: Table, person: str | None, names: Mapping[str, str]) -> tuple[Dealt, ...]:
    """All hands of the last deal, when its game is over; nothing while cards of it may still be somebody's secret."""
    hands = finished(table, person, names)
    return hands[-1].dealt if hands and table.gathering else ()


def _finished(number: int, hand: Scored, called: Naming) -> Finished:
    _, *story = tell_hand(hand, called)
    return Finished(
        title=f"Hand {number}: {deals(hand.hand.deal.dealer, called)}, {hand.hand.deal.up_card.pretty} up",
        dealt=_dealt(hand, called),
        story=tuple(story),
    )


def _dealt(hand: Scored, called: Naming) -> tuple[Dealt, ...]:
    deal, rules = hand.hand.deal, hand.hand.rules
    trump = hand.contract.trump if hand.contract else None

    def sorted_(cards: tuple[Card, ...]) -> tuple[Card, ...]:
        return tuple(sorted(cards, key=lambda card: order(card, trump)))

    seats = [Dealt(name=called(seat), cards=sorted_(faces(deal.hands[seat.index]))) for seat in rules.places]
    dummy = [Dealt(name="Dummy", cards=faces(deal.dummy))] if deal.dummy else []
    return (*seats, *dummy, Dealt(name="Kitty", cards=(deal.up_card, *faces(closed_kitty(rules, deal)))))
