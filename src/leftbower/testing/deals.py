"""Strategies for decks and deals. Farmer's hands, which are very rare by chance, come up often."""

from hypothesis import strategies as st

from leftbower.engine.deal import Deal, HeldCards
from leftbower.rules import UNKNOWN, Card, HouseRules, Rank, Seat
from leftbower.rules.choices import FarmersHand
from leftbower.testing.house import hand_rules


@st.composite
def decks(draw: st.DrawFn, rules: HouseRules | None = None) -> tuple[Card, ...]:
    """The deck of these rules (by default of any rules) in any order, top card first."""
    rules = draw(hand_rules()) if rules is None else rules
    return tuple(draw(st.permutations(rules.deck)))


@st.composite
def deals(draw: st.DrawFn, rules: HouseRules | None = None, *, unknown: bool = False) -> Deal:
    """Any deal under these rules (by default any rules).

    With `unknown`, some of the dealt cards are unknown, as in recorded games.
    """
    rules = draw(hand_rules()) if rules is None else rules
    deck = draw(decks(rules))
    if rules.farmers_hand is not FarmersHand.OFF and draw(st.booleans()):
        deck = _low_cards_first(deck, 5 if rules.farmers_hand is FarmersHand.REDEAL else 3)
    if unknown:
        up_card = deck[-1]
        hidden = draw(st.sets(st.sampled_from(deck[:-1]), min_size=1))
        faces: HeldCards = tuple(UNKNOWN if card in hidden else card for card in deck)
    else:
        faces, up_card = deck, deck[-1]
    dealer = draw(st.sampled_from(rules.seats))
    first = draw(st.integers(0, rules.players - 1))
    order = rules.seats[first:] + rules.seats[:first]
    held = {seat: faces[5 * index : 5 * index + 5] for index, seat in enumerate(order)}
    dealt = 5 * rules.players
    north, east, south, west = (held.get(seat, ()) for seat in Seat)
    dummy = faces[dealt : dealt + rules.dummy_size]
    return Deal(dealer=dealer, hands=(north, east, south, west), up_card=up_card, dummy=dummy)


def _low_cards_first(deck: tuple[Card, ...], count: int) -> tuple[Card, ...]:
    """The deck with nines and tens on top, so that the first hand is a farmer's hand."""
    low = [card for card in deck if card.rank in (Rank.NINE, Rank.TEN)][:count]
    return (*low, *(card for card in deck if card not in low))
