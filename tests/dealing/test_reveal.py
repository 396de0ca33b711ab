"""Opening cards: everything public is opened, and nothing that would show where a card came from."""

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest

from leftbower.dealing import may_be_opened
from leftbower.engine import apply, start, view
from leftbower.engine.actions import Action, Bury, Claim, LayAway, Play, ShowFarmersHand
from leftbower.engine.deal import deal_hand
from leftbower.engine.states import Scored, State
from leftbower.notation import parse_hand_line
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.cards import Card, Face, Rank
from leftbower.rules.choices import FarmersHand
from leftbower.testing.states import choose_action

Deck = tuple[Card, ...]
SWAPPING = HouseRules(farmers_hand=FarmersHand.SWAP)
TABLES = {"two": preset("club2"), "three": preset("club3"), "four": preset("round-robin"), "farmers": SWAPPING}


def walk(rules: HouseRules, deck: Deck, rng: Random) -> tuple[State, ...]:
    """A hand from the deck, played at random."""
    state: State = start(rules, deal_hand(rules, dealer=Seat.N, deck=deck))
    states = [state]
    while not isinstance(state, Scored):
        state = apply(state, choose_action(state, rng.randrange, passes=rng.randint(0, 2)))
        states.append(state)
    return tuple(states)


def retraced(rules: HouseRules, deck: Deck, actions: tuple[Action, ...]) -> Iterator[State]:
    """The states of the same actions with another deck."""
    state: State = start(rules, deal_hand(rules, dealer=Seat.N, deck=deck))
    yield state
    for action in actions:
        state = apply(state, action)
        yield state


def drawn(rules: HouseRules, rng: Random) -> Deck:
    """A deck that deals a farmer's hand to the dealer's left, if the rules have one."""
    deck = rng.sample(rules.deck, len(rules.deck))
    if rules.farmers_hand is FarmersHand.SWAP:
        low = [card for card in deck if card.rank in (Rank.NINE, Rank.TEN)][:3]
        deck = [card for card in deck if card not in low]
        deck[0:0] = low[:2]
        deck[8:8] = low[2:]
    return tuple(deck)


def positions(deck: Deck, state: State) -> dict[Card, int]:
    """Public knowledge from the openings: the position of each card."""
    return {card: deck.index(card) for card in may_be_opened(view(state, None))}


def swapped(deck: Deck, first: Card, second: Card) -> Deck:
    return tuple(second if card is first else first if card is second else card for card in deck)


def exchangeable(state: State) -> Iterator[tuple[Card, Card]]:
    """Pairs of cards in one hand, one dealt and one from dummy or kitty; no other player knows which is which."""
    deal, known = state.hand.deal, {*state.hand.deal.known_cards()}
    buried = {action.card for action in state.actions if isinstance(action, Bury)}
    for action in state.actions:
        if isinstance(action, LayAway):
            dealt, taken = set(deal.hands[action.seat.index]) - buried, set(deal.dummy)
        elif isinstance(action, ShowFarmersHand):
            dealt, taken = (
                set(deal.hands[action.seat.index]) - set(action.cards),
                set[Face](state.hand.rules.deck) - known,
            )
        else:
            continue
        yield from product(*(tuple(card for card in state.hand.rules.deck if card in some) for some in (dealt, taken)))


@pytest.mark.parametrize("table", ["two", "three", "farmers"])
def test_openings_do_not_reveal_which_cards_were_exchanged(table: str) -> None:
    """With two such cards exchanged in the deck, the hand looks the same from outside, and so do all openings."""
    rules, compared = TABLES[table], 0
    for seed in range(12):
        rng = Random(seed)
        deck = drawn(rules, rng)
        states = walk(rules, deck, rng)
        pairs = [*exchangeable(states[-1])]
        for mine, other in rng.sample(pairs, min(3, len(pairs))):
            twin = swapped(deck, mine, other)
            for state, also in zip(states, retraced(rules, twin, states[-1].actions), strict=True):
                if not isinstance(state, Scored):
                    assert view(state, None) == view(also, None)
                    assert positions(deck, state) == positions(twin, also)
                    compared += 1
    assert compared > 100


@pytest.mark.parametrize("table", TABLES)
def test_after_the_hand_exactly_the_laid_cards_are_open(table: str) -> None:
    rules = TABLES[table]
    for seed in range(6):
        rng = Random(seed)
        states = walk(rules, drawn(rules, rng), rng)
        public = {states[-1].hand.deal.up_card}
        public |= {action.card for action in states[-1].actions if isinstance(action, Play)}
        farmers_hands = [action for action in states[-1].actions if isinstance(action, ShowFarmersHand)]
        public |= {card for action in farmers_hands for card in action.cards}
        assert set(may_be_opened(view(states[-1], None))) == public
        for state in states:
            assert set(may_be_opened(view(state, None))) <= public
            assert state.hand.deal.up_card in may_be_opened(view(state, None))


def test_a_card_is_open_as_soon_as_it_is_laid() -> None:
    line = "{round-robin 3-4} S 9h N:KcKdKhTdTs E:9sAcJcJsTh S:9cAdKsQhQs W:AhAsJhQcTc | p p p p p p s | JhKhTh"
    found = may_be_opened(view(parse_hand_line(line), None))
    assert "".join(map(str, found)) == "9hThJhKh"


def test_a_hand_laid_down_is_open() -> None:
    state = parse_hand_line("{club} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs | p p p p h & |")
    claimed = apply(state, Claim(state.to_act)) if not isinstance(state, Scored) else state
    held = set(view(claimed, None).exposed[Seat.S])
    assert len(held) == 5
    assert set(may_be_opened(view(claimed, None))) == {*held, state.hand.deal.up_card}


def test_only_a_spectator_is_asked() -> None:
    """A player's view has the player's own cards, which aren't public."""
    state = parse_hand_line("{club} E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs")
    with pytest.raises(ValueError, match="what a spectator may see"):
        may_be_opened(view(state, Seat.N))
