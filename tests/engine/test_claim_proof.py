"""Proof of claims: handwritten cases, and a brute force over all layouts with its own test of what fits.

The brute force reads plain facts from the view, lists every possible layout of the hidden cards, and lets the others
play every legal card. The engine checks its test of what fits: a layout fits exactly if the same public actions,
replayed from it, give the claimant the same view.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import combinations, cycle, permutations, product
from math import comb
from random import Random

import pytest

from leftbower.engine import (
    Action,
    Bury,
    CallOut,
    Claim,
    Deal,
    Disagree,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Playing,
    Scored,
    ShowFarmersHand,
    State,
    UpCardStatus,
    View,
    acts,
    apply,
    replay,
    start,
    talk,
    view,
)
from leftbower.engine.claim_proof import certain_order, claim_is_certain, is_certain
from leftbower.engine.states import Answering, OpenState
from leftbower.errors import LeftbowerError
from leftbower.notation import name_rules, parse_hand_line
from leftbower.rules import UNKNOWN, Card, HouseRules, Rank, Seat, Suit, parse_cards, preset
from leftbower.rules.choices import FarmersHand, LoneDefense, OutOfTurn, Supervision
from leftbower.rules.referee import Irregularity
from leftbower.rules.tricks import playable, ranking, winning_card

N, E, S, W = Seat
Cards = frozenset[Card]

# The brute force


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One possible layout of the cards a claimant can't see."""

    hands: Mapping[Seat, Cards]
    """The hands of the active players."""
    rest: Cards
    """All hidden cards that aren't in play: discards, kitty, dummy, partners who sit out."""


@dataclass(frozen=True, eq=False)
class Facts:
    """The plain facts of a claimant's view, without any inference."""

    view: View

    @cached_property
    def others(self) -> list[Seat]:
        """The other active players."""
        return [seat for seat in self.view.active if seat is not self.view.seat]

    @cached_property
    def trump(self) -> Suit:
        assert self.view.contract
        return self.view.contract.trump

    @cached_property
    def played(self) -> dict[Seat, set[Card]]:
        """The cards each seat has played and not taken back."""
        laid: dict[Seat, set[Card]] = {seat: set() for seat in Seat}
        for trick in self.view.tricks:
            for seat, card in zip(trick.seats, trick.cards, strict=True):
                laid[seat].add(card)
        return laid

    @cached_property
    def unseen(self) -> list[Card]:
        known: set[object] = {*self.view.cards, *self.view.buried, *self.view.laid_away}.union(*self.played.values())
        known |= {card for act in self.view.actions if isinstance(act, ShowFarmersHand) for card in act.cards}
        known |= {self.view.up_card} if self.view.up_card_status is UpCardStatus.TURNED_DOWN else set()
        return [card for card in self.view.rules.deck if card not in known]

    def hidden(self, kind: type[Bury] | type[LayAway]) -> Seat | None:
        """Who discarded cards of this kind that the claimant doesn't know."""
        for act in self.view.actions:
            if isinstance(act, Bury) and kind is Bury and act.card is UNKNOWN:
                return act.seat
            if isinstance(act, LayAway) and kind is LayAway and UNKNOWN in act.cards:
                return act.seat
        return None

    def void_in(self, seat: Seat) -> set[Suit]:
        """Suits a seat didn't follow, where that proves a void."""
        voids = set()
        for trick in self.view.tricks:
            led, laid = (card.suit_under(self.trump) for card in (trick.cards[0], trick.cards[trick.seats.index(seat)]))
            if led is not laid and self.view.rules.supervision is Supervision.STRICT:
                voids.add(led)
        return voids

    @cached_property
    def may_hold(self) -> dict[Seat, Cards]:
        """The cards each of the others can hold, judged by that seat alone."""
        allowed = {}
        for seat in self.others:
            void, exposed = self.void_in(seat), self.view.exposed.get(seat, self.unseen)
            cards = [card for card in self.unseen if card in exposed and self._may_own(seat, card)]
            allowed[seat] = frozenset(card for card in cards if card.suit_under(self.trump) not in void)
        return allowed

    def _may_own(self, seat: Seat, card: Card) -> bool:
        if card is self.view.up_card and seat is not self.view.dealer:
            return False
        return all(play.seat is seat for play in self.view.taken_back if play.card is card)

    def fits(self, layout: Layout) -> bool:
        """Do the hands match the facts, and can the dealer have discarded this way?"""
        for seat, hand in layout.hands.items():
            if not hand <= self.may_hold[seat]:
                return False
        taken_back = {play.card for play in self.view.taken_back if play.seat in layout.hands}
        return not taken_back & layout.rest and self._dealer_fits(layout)

    def _dealer_fits(self, layout: Layout) -> bool:
        dealer = self.view.dealer
        if dealer is self.view.seat or dealer not in layout.hands or self.view.up_card_status is not UpCardStatus.TAKEN:
            return True
        return any(self._was_dealt(layout.hands[dealer], *discarded) for discarded in self._discards(layout.rest))

    def _discards(self, rest: Cards) -> Iterator[tuple[set[Card], set[Card]]]:
        """Every card the dealer can have discarded, with every three the dealer can have laid away."""
        for buried in combinations(sorted(rest), 1 if self.hidden(Bury) else 0):
            left = sorted(rest - {*buried})
            for away in combinations(left, 3 if self.hidden(LayAway) is self.view.dealer else 0):
                yield set(buried), set(away)

    def _was_dealt(self, hand: Cards, buried: set[Card], away: set[Card]) -> bool:
        """Can a dealer with these cards have taken the up-card and, if needed, called with a natural trump?"""
        rules, up, dealer = self.view.rules, self.view.up_card, self.view.dealer
        had = hand | buried | away | self.played[dealer]
        if up not in had or (up in buried and not rules.may_bury_up_card):
            return False
        natural = any(card.suit is up.suit for card in had - {up})
        return natural or not rules.natural_trump or not any(act in self.view.actions for act in orders_of(dealer))


def orders_of(seat: Seat) -> tuple[Order, Order]:
    return Order(seat), Order(seat, alone=True)


def layouts(facts: Facts) -> Iterator[Layout]:
    """Every layout that fits."""

    def deal(seats: list[Seat], left: Cards, hands: dict[Seat, Cards]) -> Iterator[Layout]:
        if not seats:
            yield Layout(hands=hands, rest=left)
            return
        for hand in combinations(sorted(left & facts.may_hold[seats[0]]), facts.view.card_counts[seats[0]]):
            yield from deal(seats[1:], left.difference(hand), {**hands, seats[0]: frozenset(hand)})

    return filter(facts.fits, deal(facts.others, frozenset(facts.unseen), {}))


def estimated_layouts(facts: Facts) -> int:
    """A rough count of the layouts to search."""
    count, left = 1, len(facts.unseen)
    for seat in facts.others:
        size = facts.view.card_counts[seat]
        count *= comb(min(left, len(facts.may_hold[seat])), size)
        left -= size
    return count


replies_of = cache(playable)
taking = cache(winning_card)


@cache
def beaten(hands: tuple[Cards, ...], order: tuple[Card, ...], trump: Suit) -> bool:
    """Can the others win a trick from these leads?"""
    replies = [replies_of(hand, order[0].suit_under(trump), trump) for hand in hands]
    for trick in product(*replies):
        if taking((order[0], *trick), trump) is not order[0]:
            return True
    return len(order) > 1 and any(
        beaten(tuple(hand - {card} for hand, card in zip(hands, trick, strict=True)), order[1:], trump)
        for trick in product(*replies)
    )


def beaten_off_lead(facts: Facts, hands: Mapping[Seat, Cards], order: tuple[Card, ...]) -> bool:
    """The same if another player leads to the first trick, and the claimant's first card must be legal."""
    leader, trump = facts.view.leader, facts.trump
    assert leader
    for lead in hands[leader]:
        led = lead.suit_under(trump)
        if order[0] not in playable(facts.view.cards, led, trump):
            return True
        replies = [(lead,) if seat is leader else replies_of(hand, led, trump) for seat, hand in hands.items()]
        for trick in product(*replies):
            if taking((lead, *trick, order[0]), trump) is not order[0]:
                return True
            left = tuple(hand - {card} for hand, card in zip(hands.values(), trick, strict=True))
            if order[1:] and beaten(left, order[1:], trump):
                return True
    return False


def all_orders(facts: Facts) -> list[tuple[Card, ...]]:
    held = [card for card in facts.view.cards if card is not UNKNOWN]
    return list(permutations(held, 5 - len(facts.view.tricks)))


def brute_force(facts: Facts) -> set[tuple[Card, ...]]:
    """The orders that win every trick in every layout."""
    standing = set(all_orders(facts))
    on_lead = facts.view.leader is facts.view.seat
    for layout in layouts(facts):
        hands = tuple(layout.hands.values())
        standing = {
            order
            for order in standing
            if not (beaten(hands, order, facts.trump) if on_lead else beaten_off_lead(facts, layout.hands, order))
        }
        if not standing:
            break
    return standing


# What fits, according to the engine


def same_view_from(facts: Facts, layout: Layout) -> bool:
    """Can the same public actions follow a deal that leads to this layout, and look the same to the claimant?"""
    return any(_shows(facts, layout, deal, said) for deal, said in _deals(facts, layout))


def _shows(facts: Facts, layout: Layout, deal: Deal, said: list[Action]) -> bool:
    try:
        state = replay(start(facts.view.rules, deal), said)
    except LeftbowerError:
        return False
    there = all({*state.cards[seat.index]} == hand for seat, hand in layout.hands.items())
    return there and _unordered(view(state, facts.view.seat)) == _unordered(facts.view)


def _unordered(seat_view: View) -> tuple[View, Mapping[Seat, Cards]]:
    """The view, and the face-up hands without the order of their cards."""
    faces = {
        seat: frozenset(card for card in cards if card is not UNKNOWN) for seat, cards in seat_view.exposed.items()
    }
    return replace(seat_view, exposed={}), faces


def _deals(facts: Facts, layout: Layout) -> Iterator[tuple[Deal, list[Action]]]:
    """Every deal, with the actual actions, that can lead to this layout."""
    seat_view = facts.view
    sitting = [seat for seat in seat_view.rules.seats if seat not in layout.hands and seat is not seat_view.seat]
    sitting.sort(key=lambda seat: seat is not seat_view.dealer)
    up_card_first = seat_view.dealer in sitting
    closed = sorted(layout.rest, key=lambda card: (card is seat_view.up_card) is not up_card_first)
    filled = {seat: frozenset(closed[5 * index : 5 * index + 5]) for index, seat in enumerate(sitting)}
    left = closed[5 * len(sitting) :]
    hands = {**layout.hands, **filled}
    for buried in combinations(left, 1 if facts.hidden(Bury) else 0):
        still = [card for card in left if card not in buried]
        for away in (still[:3],) if facts.hidden(LayAway) else ((),):
            said = [_faced(act, buried, away) for act in seat_view.actions]
            kitty = [card for card in still if card not in away]
            for dealt, dummy in _dealt(facts, hands, set(buried), set(away), kitty):
                north, east, south, west = (dealt.get(seat, ()) for seat in Seat)
                deal = Deal(
                    dealer=seat_view.dealer, hands=(north, east, south, west), up_card=seat_view.up_card, dummy=dummy
                )
                yield deal, said


def _faced(act: Action, buried: tuple[Card, ...], away: Sequence[Card]) -> Action:
    match act:
        case Bury() if act.card is UNKNOWN:
            return Bury(act.seat, buried[0])
        case LayAway() if UNKNOWN in act.cards:
            return LayAway(act.seat, tuple(away))
        case _:
            return act


def _dealt(
    facts: Facts, hands: Mapping[Seat, Cards], buried: set[Card], away: set[Card], kitty: list[Card]
) -> Iterator[tuple[dict[Seat, tuple[Card, ...]], tuple[Card, ...]]]:
    """The cards each seat can have been dealt, and the dummy, all of which its maker may have laid away."""
    seat_view = facts.view
    own = tuple(card for card in seat_view.dealt if card is not UNKNOWN)
    stocks = {seat: hand | facts.played[seat] for seat, hand in hands.items()}
    if seat_view.dealer in stocks:
        stocks[seat_view.dealer] |= buried
        stocks[seat_view.dealer] -= {seat_view.up_card}
    farmers_hands = {act.seat: act.cards for act in seat_view.actions if isinstance(act, ShowFarmersHand)}
    alternatives = [
        [
            (*farmers_hands.get(seat, ()), *cards)
            for cards in combinations(sorted(stock), 5 - len(farmers_hands.get(seat, ())))
        ]
        for seat, stock in stocks.items()
    ]
    for chosen in product(*alternatives):
        dealt = {**dict(zip(hands, chosen, strict=True)), **({seat_view.seat: own} if seat_view.seat else {})}
        dummy = tuple(card for card in seat_view.dummy if card is not UNKNOWN)
        if seat_view.rules.dummy_size and not dummy:
            dummy = tuple(sorted(away) or kitty[:3])
        yield dealt, dummy


# Endings


RULE_SETS = (
    preset("round-robin"),
    preset("campus"),
    preset("school-cup"),
    preset("prize-night"),
    preset("club"),
    replace(preset("club"), players=3),
    replace(preset("club"), players=2),
    replace(preset("club"), players=2, may_bury_up_card=False, natural_trump=True),
    replace(preset("campus"), natural_trump=True),
    replace(preset("campus"), defend_alone=LoneDefense.ALWAYS),
    replace(preset("prize-night"), defend_alone=LoneDefense.AGAINST_A_LONER, natural_trump=True),
    replace(preset("campus"), farmers_hand=FarmersHand.SWAP, natural_trump=True),
    replace(preset("round-robin"), supervision=Supervision.HONOR, natural_trump=True),
    replace(preset("club"), supervision=Supervision.HONOR, out_of_turn=OutOfTurn.TAKEN_BACK, penalty_ends_hand=False),
    replace(preset("club"), players=3, supervision=Supervision.HONOR, out_of_turn=OutOfTurn.TAKEN_BACK),
    replace(preset("club"), players=2, supervision=Supervision.HONOR),
)


MAX_LAYOUTS = {1: 20_000, 2: 3_000, 3: 2_000}
"""Layouts an ending may have, by the number of other players."""


def strong_deal(rules: HouseRules, rng: Random) -> tuple[Deal, Seat, Suit]:
    """A deal in which one seat has high trumps in one suit, and aces; also the seat and the suit."""
    deck, trump = rng.sample(rules.deck, len(rules.deck)), rng.choice(list(Suit))
    top = [card for card in ranking(trump, trump) if card in deck][: rng.randint(3, 5)]
    aces = [card for card in deck if card.rank is Rank.ACE and card.suit is not trump]
    best = [*rng.sample(top, len(top) - rng.randint(0, 1)), *rng.sample(aces, rng.randint(0, 2))][:5]
    deck = [*best, *(card for card in deck if card not in best)]
    first, dealt = rng.randrange(rules.players), 5 * rules.players
    order = rules.seats[first:] + rules.seats[:first]
    held = {seat: tuple(deck[5 * n : 5 * n + 5]) for n, seat in enumerate(order)}
    north, east, south, west = (held.get(seat, ()) for seat in Seat)
    return (
        Deal(
            dealer=rng.choice(rules.seats),
            hands=(north, east, south, west),
            dummy=tuple(deck[dealt : dealt + rules.dummy_size]),
            up_card=deck[dealt + rules.dummy_size],
        ),
        order[0],
        trump,
    )


def random_act(state: OpenState, strong: Seat, trump: Suit, rng: Random) -> Action:
    """Any action, except that the strong seat makes its suit trump if it can; sometimes a player claims."""
    if isinstance(state, Answering):
        return Disagree(state.to_act)
    if isinstance(state, Playing) and rng.random() < 0.15:
        said = [action for action in talk(state) if isinstance(action, Claim) or _out_of_turn(action)]
        if said:
            return said[0]
    legal = acts(state)
    wanted = [action for action in legal if action.seat is strong and _makes(action, state, trump)]
    if wanted:
        return rng.choice(wanted)
    natural = [action for action in legal if isinstance(action, Order) and action.seat is state.hand.deal.dealer]
    if natural and state.hand.rules.natural_trump:
        return natural[0]
    if isinstance(legal[0], Pass) and rng.random() < 0.8:
        return legal[0]
    honest = [action for action in legal if action.seat is state.to_act]
    return rng.choice(honest if honest and rng.random() < 0.8 else legal)


def _out_of_turn(action: Action) -> bool:
    return isinstance(action, CallOut) and action.irregularity is Irregularity.OUT_OF_TURN


def _makes(action: Action, state: State, trump: Suit) -> bool:
    if isinstance(action, Order):
        return state.hand.deal.up_card.suit is trump
    return isinstance(action, Name) and action.suit is trump


def endings(rng: Random) -> Iterator[Facts]:
    """Endings of one to three tricks from random hands, for a seat that may claim, with few enough layouts."""
    for rules in cycle(RULE_SETS):
        deal, strong, trump = strong_deal(rules, rng)
        state: State = start(rules, deal)
        while acts(state) or isinstance(state, Answering):
            assert not isinstance(state, Scored)
            if isinstance(state, Playing) and not state.trick and len(state.tricks) >= 2:
                claimants = [action.seat for action in talk(state) if isinstance(action, Claim)]
                facts = Facts(view(state, rng.choice(claimants or [state.to_act])))
                if estimated_layouts(facts) <= MAX_LAYOUTS[len(facts.others)]:
                    yield facts
            state = apply(state, random_act(state, strong, trump, rng))


@cache
def sample() -> tuple[tuple[Facts, frozenset[tuple[Card, ...]]], ...]:
    """Three hundred endings of all kinds, each with its sure orders by brute force."""
    kinds, sampled = Counter[object](), []
    for facts in endings(Random(4)):
        left, rules = 5 - len(facts.view.tricks), facts.view.rules
        if kinds[rules] < 32 and kinds[left, True] + kinds[left, False] < 120:
            orders = brute_force(facts)
            if kinds[left, bool(orders)] < (45, 50, 70)[left - 1]:
                kinds.update([rules, (left, bool(orders))])
                sampled.append((facts, frozenset(orders)))
        if len(sampled) == 300:
            break
    return tuple(sampled)


def sample_test(test: Callable[[], None]) -> Callable[[], None]:
    """Marks a test of the three hundred endings, which take long to find: run in one process, without coverage."""
    return pytest.mark.unmeasured(pytest.mark.xdist_group("endings")(test))


@sample_test
def test_a_claim_is_certain_exactly_when_brute_force_agrees() -> None:
    """The law, order by order, for three hundred endings of up to three tricks."""
    assert len(sample()) == 300
    for facts, orders in sample():
        certain = {order for order in all_orders(facts) if is_certain(facts.view, order)}
        assert certain == orders, facts.view
        proven = certain_order(facts.view)
        assert proven in orders if orders else proven is None, facts.view


@sample_test
def test_the_endings_are_of_every_kind() -> None:
    """The brute force only proves as much as its endings."""
    kinds = Counter[str]()
    for facts, orders in sample():
        seat_view = facts.view
        assert seat_view.contract
        kinds[f"{seat_view.rules.players} seats"] += 1
        kinds[f"{5 - len(seat_view.tricks)} tricks"] += 1
        kinds["certain"] += bool(orders)
        kinds["three tricks, certain"] += bool(orders) and len(seat_view.tricks) == 2
        kinds["in some orders only"] += 0 < len(orders) < len(all_orders(facts))
        kinds["lone maker"] += seat_view.contract.alone
        kinds["lone defender"] += seat_view.contract.defender is not None
        kinds["honor"] += seat_view.rules.supervision is Supervision.HONOR
        kinds["taken back"] += bool(seat_view.taken_back)
        kinds["laid open"] += bool(seat_view.exposed)
        kinds["swapped"] += any(isinstance(act, ShowFarmersHand) for act in seat_view.actions)
        kinds["up-card out"] += seat_view.up_card in facts.unseen
        kinds["up-card out, buriable"] += seat_view.up_card in facts.unseen and seat_view.rules.may_bury_up_card
        kinds["natural called"] += seat_view.rules.natural_trump and any(
            act in seat_view.actions for act in orders_of(seat_view.dealer)
        )
        kinds["dealer laid away"] += facts.hidden(LayAway) is seat_view.dealer
        kinds["sixth card"] += max(seat_view.card_counts[seat] for seat in seat_view.active) > 5 - len(seat_view.tricks)
        kinds["another leads"] += seat_view.leader is not seat_view.seat
    assert kinds["certain"] >= 100
    assert kinds["3 tricks"] >= 100
    assert kinds["three tricks, certain"] >= 35
    assert {kind for kind, count in kinds.items() if count < 2} == set(), kinds


@sample_test
def test_a_layout_fits_exactly_when_its_view_is_the_same() -> None:
    """The brute force's test of what fits, for layouts that do and for random ones."""
    rng, fitting = Random(5), Counter[bool]()
    for facts, _ in sample():
        if facts.hidden(LayAway) is facts.view.dealer:
            continue  # too many ways to come by a hand
        for layout in (next(layouts(facts)), scattered(facts, rng), scattered(facts, rng)):
            fits = facts.fits(layout)
            fitting[fits] += 1
            assert same_view_from(facts, layout) == fits, (facts.view, layout)
    assert min(fitting.values()) > 100


def scattered(facts: Facts, rng: Random) -> Layout:
    """The hidden cards in a random layout of the right sizes; half the time without the suits a seat is void in."""
    left, hands = facts.unseen, {}
    for seat in facts.others:
        likely = [card for card in left if card in facts.may_hold[seat]] if rng.random() < 0.7 else left
        size = facts.view.card_counts[seat]
        hands[seat] = frozenset(rng.sample(likely if len(likely) >= size else left, size))
        left = [card for card in left if card not in hands[seat]]
    return Layout(hands=hands, rest=frozenset(left))


# Handwritten cases


def west(cards: str, play: str = "", *, up_card: str = "9d", rules: str = "campus", calls: str = "p p p p s") -> View:
    """West's view, dealt these cards on South's left, after this play. The cards of the others are unknown."""
    deal = f"S {up_card} N:?????????? E:?????????? S:?????????? W:{cards}"
    return view(parse_hand_line(f"{{{rules}}} {deal} | {calls} | {play}"), W)


def honor(rules: str) -> str:
    return name_rules(replace(preset(rules), supervision=Supervision.HONOR))


def test_the_sheets_own_example_is_certain_with_any_leader() -> None:
    """school-cup: with spades trump J♠ J♣ A♠ K♠ Q♠ cannot lose."""
    hand = parse_cards("JsJcAsKsQs")
    assert certain_order(west("QsKsAsJcJs", rules="school-cup")) == hand
    line = "{school-cup} W 9d N:?????????? E:?????????? S:?????????? W:QsKsAsJcJs | p p p p p p p s"
    off_lead = view(parse_hand_line(line), W)
    assert off_lead.leader is N
    assert is_certain(off_lead, hand)


def test_an_ace_is_certain_only_when_no_trump_can_be_left() -> None:
    """Three rounds draw three missing trumps, but not four; two rounds don't, so the order matters too."""
    assert certain_order(west("JsJcAsKsAh")) == parse_cards("JsJcAsKsAh")
    assert not is_certain(west("JsJcAsKsAh"), parse_cards("JsJcAhAsKs"))
    assert certain_order(west("JsJcAsAdAh")) is None
    assert is_certain(west("JsJcAsAdAh", "Js9sTsQs JcKs9c9h"), parse_cards("AhAdAs"))


def test_a_suit_not_followed_is_a_suit_not_held_but_not_on_honor() -> None:
    """The king of trump is hidden, and no active player can have it; at an honor table anyone can."""
    strict = west("JsJcAsAdAh", "Js9sTsQs JcTc9c9h")
    assert is_certain(strict, parse_cards("AhAdAs"))
    play = "W:Js N:9s E:Ts S:Qs W:Jc N:Tc E:9c S:9h"
    loose = west("JsJcAsAdAh", play, rules=honor("campus"))
    assert not is_certain(loose, parse_cards("AhAdAs"))
    assert is_certain(loose, parse_cards("AsAhAd"))


def test_the_partner_is_counted_like_anybody_else() -> None:
    """Both opponents are out of trump; East, the partner, can still trump the ace."""
    sure, unsure = west("JsJcAsAdAh", "Js9sTsQs JcTc9c9h"), west("JsJcAsAdAh", "Js9sTs9c JcTcQs9h")
    assert is_certain(sure, parse_cards("AhAdAs"))
    assert not is_certain(unsure, parse_cards("AhAdAs"))
    assert certain_order(unsure) == parse_cards("AsAdAh")


def test_an_ace_forces_the_last_guard_of_its_suit() -> None:
    """Only the king of hearts is missing: it falls to the ace, but takes a queen that is led first."""
    ending = west("JsJcAsAhQh", "JsTs9sQs JcKs9hTh AsJh9cTc")
    assert is_certain(ending, parse_cards("AhQh"))
    assert not is_certain(ending, parse_cards("QhAh"))
    assert certain_order(ending) == parse_cards("AhQh")
    assert certain_order(west("JsJcAsAhQh", "JsTs9sQs JcKs9hTh AsQd9cTc")) is None


def test_a_jack_turned_down_is_out_of_the_game() -> None:
    """Diamonds are trump: the ace is second only because the left bower was turned down."""
    hand = "JdAdKdQdTd"
    assert certain_order(west(hand, up_card="Jh", calls="p p p p d")) == parse_cards(hand)
    assert certain_order(west(hand, up_card="9c", calls="p p p p d")) is None


def test_no_player_leads_a_card_known_to_be_elsewhere() -> None:
    """school-cup: North leads, so only the five best trumps are sure; the dealer took the nine."""
    for cards, certain in (("JsJcAsKsQs", True), ("JsJcAsKsAh", False)):
        line = f"{{school-cup}} W 9s N:?????????? E:?????????? S:{cards} W:?????????? | o -??"
        off_lead = view(parse_hand_line(line), S)
        assert off_lead.leader is N
        assert is_certain(off_lead, parse_cards(cards)) is certain


def test_a_card_another_player_took_back_is_still_with_that_player() -> None:
    """club, honor: North played the ten of trump out of turn and took it back, so no other player has it."""
    rules = name_rules(replace(preset("club"), supervision=Supervision.HONOR, out_of_turn=OutOfTurn.TAKEN_BACK))
    ending = west("JsJcAsKsAh", "N:Ts W^N1out-of-turn", up_card="9s", rules=rules, calls="p p p o & -??")
    assert ending.taken_back == (Play(N, parse_cards("Ts")[0]),)
    assert certain_order(ending) == parse_cards("JsJcAsKsAh")


def test_what_a_maker_of_three_laid_away_is_out_of_the_game() -> None:
    """club3: South took the dummy, laid three cards away, and is void in trump; the king may be there."""
    line = "{club3} E 9d N:?????????? E:?????????? S:JsJcAsAdAh D:?????? | p p p p s & -?????? | "
    for play, certain in (("Js9sTs JcTcQs", False), ("Js9sTd JcTcQd", True)):
        assert is_certain(view(parse_hand_line(line + play), S), parse_cards("AhAdAs")) is certain


def test_cards_laid_open_are_with_the_seat_that_laid_them() -> None:
    """school-cup: only East can still have the king of trump, until a failed claim shows three other kings."""
    deal = "{school-cup} S 9d N:?????????? E:TsQsKhKdKc S:?????????? W:JsJcAsAdAh | p p p p s | Js9sTs9c JcTcQs9h"
    for claim, certain in (("", False), (" E* N-", True)):
        assert is_certain(view(parse_hand_line(deal + claim), W), parse_cards("AhAdAs")) is certain


def test_an_up_card_is_with_the_dealer_who_took_it() -> None:
    """North calls: the dealer, North's partner, has the right bower, and is in the way unless North goes alone."""
    line = "{prize-night} S Js N:JcAsKsQsTs E:?????????? S:?????????? W:?????????? | p "
    hand = parse_cards("JcAsKsQsTs")
    assert is_certain(view(parse_hand_line(line + "o! -??"), N), hand)
    assert certain_order(view(parse_hand_line(line + "o -??"), N)) is None


def test_a_dealer_void_in_trump_has_buried_the_up_card() -> None:
    """campus: the dealer took the king of spades, but didn't follow a spade."""
    play = "Js9sTdTs JcTcQdQs"
    ending = west("JsJcAsAdAh", play, up_card="Ks", calls="o -??")
    assert not is_certain(ending, parse_cards("AhAdAs"))
    later = west("JsJcAsAdAh", play + " AsKc9h9c", up_card="Ks", calls="o -??")
    assert is_certain(later, parse_cards("AhAd"))


def test_a_dealer_who_called_had_a_natural_trump() -> None:
    """round-robin: South called and is void, so South discarded the king; with other sheets East may hold it."""
    play = "Js9cQs9s Jc9hTs9d"
    for rules, certain in (("round-robin", True), ("prize-night", False)):
        ending = west("JsJcAsAdAh", play, up_card="9s", rules=rules, calls="p p p o -??")
        assert is_certain(ending, parse_cards("AhAdAs")) is certain


def test_a_dealer_who_has_not_buried_yet_may_still_do_so() -> None:
    """club, honor: the dealer has six cards, including the up-card, and can discard one before following."""
    view_of_west = west("JsJcAsKsAh", up_card="9s", rules=honor("club"), calls="o &")
    assert view_of_west.card_counts[S] == 6
    assert certain_order(view_of_west) == parse_cards("JsJcAsKsAh")
    assert certain_order(west("JsJcAsAhAd", up_card="9s", rules=honor("club"), calls="o &")) is None


def test_a_card_taken_back_may_be_what_the_dealer_then_buries() -> None:
    """club, honor: South played the king out of turn, took it back and discarded; no other player has the king."""
    rules = name_rules(replace(preset("club"), supervision=Supervision.HONOR, out_of_turn=OutOfTurn.TAKEN_BACK))
    ending = west("JsJcAsKsAh", "S:Kh W^S1out-of-turn -??", up_card="9s", rules=rules, calls="o &")
    assert ending.taken_back == (Play(S, parse_cards("Kh")[0]),)
    assert certain_order(ending) == parse_cards("JsJcAsKsAh")


def test_nothing_is_certain_before_trump_or_with_unknown_cards() -> None:
    with pytest.raises(ValueError, match="trump"):
        certain_order(west("JsJcAsKsQs", calls="p"))
    assert certain_order(west("JsJcAsKs??")) is None


@pytest.mark.parametrize("judged", [True, False])
def test_the_table_is_told_only_where_the_rules_say_so(judged: bool) -> None:
    """And only for a claim, while the others decide on it."""
    rules = name_rules(replace(preset("round-robin"), judge_claims=judged))
    deal = f"{{{rules}}} S 9d N:?????????? E:?????????? S:?????????? W:"
    state = parse_hand_line(deal + "JsJcAsKsQs | p p p p s W*")
    assert claim_is_certain(state) is (True if judged else None)
    assert claim_is_certain(parse_hand_line(deal + "JsJcAsAhAd | p p p p s W*")) is (False if judged else None)
    assert claim_is_certain(apply(state, Disagree(N))) is None
    assert claim_is_certain(parse_hand_line(deal + "JsJcAsKsQs | p p p p s W*5")) is None
