"""What a player knows for certain about the trick and a card to play: who is winning, and who could still win."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from leftbower.engine.knowledge import Locations, hidden_cards
from leftbower.engine.states import Contract
from leftbower.players.coach.phrases import AdvisedSeat
from leftbower.rules import Card, Seat, Suit, strength, winning_card
from leftbower.rules.scoring import TRICKS_NEEDED


def height_of(card: Card, trump: Suit) -> tuple[int, int]:
    """Sort key for `lowest`: trump above all other cards, then by rank."""
    suit = card.suit_under(trump)
    return int(suit is trump), strength(card, trump, suit)


def can_be_beaten(who: AdvisedSeat, contract: Contract, table: tuple[Card, ...]) -> bool:
    """Could an opponent who plays later hold a card above the best on the table, as far as the viewer knows?"""
    opponents = [seat for seat in who.waiting(contract) if seat not in who.friends(contract)]
    return may_hold(hidden_cards(who.view).locations, opponents, _beats(table, contract.trump))


def may_hold(locations: Locations, seats: Collection[Seat], fits: Callable[[Card], bool]) -> bool:
    """Could one of the seats hold such a card?"""
    return any(fits(card) and not where.isdisjoint(seats) for card, where in locations.items())


def _beats(table: tuple[Card, ...], trump: Suit) -> Callable[[Card], bool]:
    led = table[0].suit_under(trump)
    top = strength(winning_card(table, trump), trump, led)
    return lambda card: strength(card, trump, led) > top


@dataclass(frozen=True, kw_only=True)
class CardPosition:
    """A card that the viewer can play now, and the trick."""

    who: AdvisedSeat
    contract: Contract
    card: Card
    legal: tuple[Card, ...]

    @property
    def trump(self) -> Suit:
        return self.contract.trump

    @property
    def suit(self) -> Suit:
        return self.card.suit_under(self.trump)

    @cached_property
    def friends(self) -> tuple[Seat, ...]:
        return self.who.friends(self.contract)

    @cached_property
    def winner(self) -> Seat:
        """Who is winning the trick before the card is played."""
        table = self.who.view.trick
        return self.who.view.seats[table.index(winning_card(table, self.trump))]

    @property
    def is_partner_winning(self) -> bool:
        return self.winner in self.friends

    @cached_property
    def winning_cards(self) -> tuple[Card, ...]:
        """Legal cards that beat the trick so far."""
        return tuple(card for card in self.legal if self._takes(card))

    @property
    def takes_lead(self) -> bool:
        return self.card in self.winning_cards

    def _takes(self, card: Card) -> bool:
        return winning_card((*self.who.view.trick, card), self.trump) is card

    @property
    def is_sure(self) -> bool:
        """Can no opponent beat the trick's best card any more?"""
        return not can_be_beaten(self.who, self.contract, (*self.who.view.trick, self.card))

    @property
    def is_lowest(self) -> bool:
        return self._is_lowest_of(self.legal)

    @property
    def is_lowest_winner(self) -> bool:
        return len(self.winning_cards) > 1 and self._is_lowest_of(self.winning_cards)

    def _is_lowest_of(self, cards: Iterable[Card]) -> bool:
        return height_of(self.card, self.trump) == min(height_of(card, self.trump) for card in cards)

    @cached_property
    def rest(self) -> tuple[Card, ...]:
        """The viewer's cards after this one."""
        return tuple(card for card in self.who.view.cards if isinstance(card, Card) and card is not self.card)

    @property
    def is_singleton(self) -> bool:
        """Is it the viewer's only card of a suit other than trump?"""
        return self.suit is not self.trump and all(card.suit_under(self.trump) is not self.suit for card in self.rest)

    @property
    def has_trump_left(self) -> bool:
        return any(card.suit_under(self.trump) is self.trump for card in self.rest)

    @cached_property
    def locations(self) -> Locations:
        return hidden_cards(self.who.view).locations

    @property
    def may_partner_win(self) -> bool:
        """Could the partner, who plays later, hold a card that beats the trick?"""
        waiting = [seat for seat in self.who.waiting(self.contract) if seat in self.friends]
        return may_hold(self.locations, waiting, _beats((*self.who.view.trick, self.card), self.trump))

    @property
    def opponents(self) -> list[Seat]:
        return [seat for seat in self.who.view.active if seat not in self.friends]

    @property
    def may_they_have_trump(self) -> bool:
        return may_hold(self.locations, self.opponents, lambda card: card.suit_under(self.trump) is self.trump)

    @property
    def is_best_of_suit(self) -> bool:
        """Could no opponent hold a higher card of its suit?"""
        height = height_of(self.card, self.trump)
        return not may_hold(
            self.locations,
            self.opponents,
            lambda card: card.suit_under(self.trump) is self.suit and height_of(card, self.trump) > height,
        )

    @property
    def is_third_trick(self) -> bool:
        """Would this trick be the third of the viewer's side?"""
        return sum(trick.winner in self.friends for trick in self.who.view.tricks) == TRICKS_NEEDED - 1

    @property
    def is_maker(self) -> bool:
        return self.contract.maker in self.friends
