"""Deals and draws: check them, or make them from a shuffled deck. The caller shuffles, never the engine."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.errors import BadCut, BadDeal
from leftbower.rules import UNKNOWN, Card, Face, HouseRules, Rank, Seat
from leftbower.rules.choices import Cut, DealPattern, FirstDealer, Supervision

HeldCards = tuple[Face, ...]
"""Cards in one player's hand, in the order they were dealt or picked up."""
Hands = tuple[HeldCards, HeldCards, HeldCards, HeldCards]
"""The cards of each seat, by seat index; an empty seat holds none."""
HAND_SIZE: Final = 5
_MISCOUNTS: Final = range(HAND_SIZE - 1, HAND_SIZE + 2)
"""Hand sizes that a mistaken dealer can deal at an honor table."""
_SLIPS: Final = range(5)
"""Sizes of one packet in such a deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """The cards as dealt. A recorded game may leave some unknown."""

    dealer: Seat
    up_card: Card
    hands: Hands
    dummy: HeldCards = ()
    cut_offered: bool = True
    """Did the dealer offer the cut? Only matters if the rules require it."""
    face_down: bool = False
    """Does the dealer still have to turn the up-card?"""

    def has_miscount(self) -> bool:
        """Does a player have a wrong number of cards?"""
        return any(held and len(held) != HAND_SIZE for held in self.hands)

    def known_cards(self) -> Iterator[Card]:
        """Every known card, the up-card first."""
        yield self.up_card
        for held in (*self.hands, self.dummy):
            yield from (card for card in held if card is not UNKNOWN)


def check_deal(rules: HouseRules, deal: Deal) -> None:
    """Raise BadDeal if these rules can't produce this deal."""
    known, seats = list(deal.known_cards()), rules.seats
    different = set(known)
    if not different.issubset(rules.deck):
        strange = next(card for card in known if card not in rules.deck)
        raise BadDeal("%(card)s isn't in the %(players)s-player deck", card=strange, players=rules.players)
    if len(different) < len(known):
        twice = next(card for card in known if known.count(card) > 1)
        raise BadDeal("%(card)s was dealt twice", card=twice)
    if deal.dealer not in seats:
        raise BadDeal(
            "%(dealer)s can't deal: there is no such seat in a %(players)s-player game",
            dealer=deal.dealer,
            players=rules.players,
        )
    honor = rules.supervision is Supervision.HONOR
    for seat in Seat:
        due, dealt = HAND_SIZE if seat in seats else 0, len(deal.hands[seat.index])
        if dealt != due and not (due and honor and dealt in _MISCOUNTS):
            raise BadDeal("%(seat)s has %(dealt)s cards instead of %(due)s", seat=seat, dealt=dealt, due=due)
    if sum(map(len, deal.hands)) + rules.dummy_size >= len(rules.deck):
        raise BadDeal("no card is left to turn up")
    if not deal.cut_offered and not (honor and rules.deal_cut is not Cut.NONE):
        raise BadDeal("the cut can be skipped only at an honor table with a cut")
    if deal.face_down and not honor:
        raise BadDeal("the up-card can be face down only at an honor table")
    if len(deal.dummy) != rules.dummy_size:
        raise BadDeal("the dummy has %(dealt)s cards instead of %(due)s", dealt=len(deal.dummy), due=rules.dummy_size)


def closed_kitty(rules: HouseRules, deal: Deal) -> HeldCards:
    """The kitty without the up-card, sorted; unknown cards if any hand isn't fully known."""
    left = unlocated_cards(rules, deal.known_cards())
    closed = len(rules.deck) - sum(map(len, deal.hands)) - len(deal.dummy) - 1
    return left if len(left) == closed else (UNKNOWN,) * closed


def remove_cards(held: HeldCards, removed: Iterable[Face]) -> HeldCards:
    """Return the hand without these cards; a card not known to be in it removes an unknown one instead."""
    left = list(held)
    for card in removed:
        try:
            left.remove(card)
        except ValueError:
            left.remove(UNKNOWN)
    return tuple(left)


def with_held(cards: Hands, seat: Seat, held: HeldCards) -> Hands:
    """Return the hands with one seat's cards replaced."""
    hands = list(cards)
    hands[seat.index] = held
    return hands[0], hands[1], hands[2], hands[3]


def unlocated_cards(rules: HouseRules, located: Iterable[Face]) -> tuple[Card, ...]:
    """The cards of the deck that aren't in `located`: an unknown card can be any of them."""
    excluded = set(located)
    return tuple(card for card in rules.deck if card not in excluded)


def deal_hand(
    rules: HouseRules,
    *,
    dealer: Seat,
    deck: Sequence[Card],
    cut: int = 0,
    cut_offered: bool = True,
    packets: tuple[int, ...] | None = None,
    face_down: bool = False,
) -> Deal:
    """Deal a shuffled deck from the top, after lifting `cut` cards off it (0 for no cut).

    `packets` is the dealer's choice of packets, if the rules leave one: either one round of them, such as (3, 2), or
    the size of every packet in dealing order. An honor table accepts wrong packets. Its dealer can also fail to offer
    the cut (`cut_offered`), and turns the up-card with a separate action (`face_down`).
    """
    order = _cut(rules.deal_cut, _check_deck(rules, deck), cut)
    hands: dict[Seat, HeldCards] = dict.fromkeys(rules.seats, ())
    seat, top = dealer, 0
    for size in _packets(rules, packets):
        seat = rules.left_of(seat)
        hands[seat] += order[top : top + size]
        top += size
    dummy = order[top : top + rules.dummy_size]
    north, east, south, west = (hands.get(seat, ()) for seat in Seat)
    if top + rules.dummy_size >= len(order):
        raise BadDeal("no card is left to turn up")
    return Deal(
        dealer=dealer,
        hands=(north, east, south, west),
        dummy=dummy,
        up_card=order[top + rules.dummy_size],
        cut_offered=cut_offered,
        face_down=face_down,
    )


def usual_packets(rules: HouseRules) -> tuple[int, ...]:
    """The size of every packet in dealing order, if the dealer doesn't choose."""
    return _each(rules, _usual(rules.deal_pattern))


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The draw for first dealer: the cards turned, in order, and the dealer."""

    shuffler: Seat
    cards: tuple[Card, ...]
    dealer: Seat


def check_draw(rules: HouseRules, draw: Draw) -> None:
    """Raise BadDeal unless the cards end with the jack that picks this dealer."""
    rules.side_of(draw.dealer)
    rest = [card for card in rules.deck if card not in draw.cards]
    whole = len(draw.cards) + len(rest) == len(rules.deck)
    if not whole or _draw(rules, draw.shuffler, (*draw.cards, *rest)) != draw:
        raise BadDeal("this draw doesn't make %(dealer)s the dealer", dealer=draw.dealer)


def draw_dealer(rules: HouseRules, *, shuffler: Seat, deck: Sequence[Card], cut: int = 0) -> Draw:
    """Turn one card to each player, from the shuffler's left, until the jack that picks the first dealer."""
    return _draw(rules, shuffler, _cut(rules.draw_cut, _check_deck(rules, deck), cut))


def _draw(rules: HouseRules, shuffler: Seat, order: tuple[Card, ...]) -> Draw:
    rules.side_of(shuffler)
    any_jack = rules.first_dealer is FirstDealer.FIRST_JACK
    chooses = [card.rank is Rank.JACK and (any_jack or not card.suit.is_red) for card in order].index(True)
    first = rules.seats.index(shuffler) + 1
    dealer = rules.seats[(first + chooses) % rules.players]
    return Draw(shuffler=shuffler, cards=order[: chooses + 1], dealer=dealer)


def _check_deck(rules: HouseRules, deck: Sequence[Card]) -> tuple[Card, ...]:
    if len(deck) != len(rules.deck) or set(deck) != set(rules.deck):
        raise BadDeal(
            "this isn't the %(cards)s-card deck of a %(players)s-player game",
            cards=len(rules.deck),
            players=rules.players,
        )
    return tuple(deck)


def _cut(offered: Cut, deck: tuple[Card, ...], cut: int) -> tuple[Card, ...]:
    if cut and offered is Cut.NONE:
        raise BadCut("these rules have no cut here")
    if not 0 <= cut < len(deck):
        raise BadCut("lift 1 to %(most)s cards, or none", most=len(deck) - 1)
    return deck[cut:] + deck[:cut]


def _packets(rules: HouseRules, chosen: tuple[int, ...] | None) -> tuple[int, ...]:
    """The size of every packet in dealing order; an honor table accepts a mistaken choice."""
    usual = _usual(rules.deal_pattern)
    if chosen is None:
        return _each(rules, usual)
    sizes = _each(rules, chosen) if len(chosen) == len(usual) else chosen
    counts = [sum(sizes[first :: rules.players]) for first in range(rules.players)]
    slip = rules.supervision is Supervision.HONOR and all(size in _SLIPS for size in sizes)
    slip = slip and all(count in _MISCOUNTS for count in counts)
    if len(sizes) != len(usual) * rules.players or not (slip or _in_pattern(rules, sizes, counts)):
        raise BadDeal("these packets don't fit the rules")
    return sizes


def _in_pattern(rules: HouseRules, sizes: tuple[int, ...], counts: list[int]) -> bool:
    """Do the rules allow these packets?"""
    if rules.deal_pattern is DealPattern.BUNDLES:
        return {*sizes} == {2, 3} and {*counts} == {HAND_SIZE}
    either = rules.deal_pattern is DealPattern.EITHER_ORDER and sizes == _each(rules, (3, 2))
    return either or sizes == usual_packets(rules)


def _each(rules: HouseRules, pattern: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in pattern for _ in rules.seats)


def _usual(pattern: DealPattern) -> tuple[int, ...]:
    return (1, 1, 1, 1, 1) if pattern is DealPattern.ONES else (2, 3)
