"""Pairs of hands for noninterference tests: decks that differ only in cards a watcher can't see, with all actions.

A watcher is a seat or a spectator. The engine gives the watcher equal views of every state of a hand and its twin, and
the opened envelopes are at the same indexes of the deck.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice
from random import Random
from typing import Final, TypeAlias

from leftbower import dealing
from leftbower.engine import (
    Action,
    Deal,
    DecidingAlone,
    FaceDown,
    GoTogether,
    InGame,
    InHand,
    Match,
    OpenState,
    Pass,
    Playing,
    Scored,
    State,
    ToDeal,
    advance_match,
    apply,
    deal_hand,
    draw_dealer,
    new_match,
    start,
    usual_packets,
    view,
    whose_turn,
)
from leftbower.errors import LeftbowerError
from leftbower.notation import hand_line
from leftbower.players.player import proper_actions
from leftbower.rules.cards import Card
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import cutting_seat
from proofs.information_leak import draw_rules, find_twin

Deck: TypeAlias = tuple[Card, ...]
HANDS: Final = 3
"""Hands at a table, if the game lasts that long; all but the last are played to the end."""
_MAX_TRIES: Final = 8
_IRREGULARITY_PROBABILITY: Final = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a sealed deck is dealt."""

    offered: bool
    """Is the cut offered?"""
    cut: int
    packets: tuple[int, ...]
    """The packets, if the dealer chooses them."""

    def deal(self, rules: HouseRules, dealer: Seat, deck: Deck) -> Deal:
        """The resulting deal, as on a live table."""
        honor = rules.supervision is Supervision.HONOR
        return deal_hand(
            rules,
            dealer=dealer,
            deck=deck,
            cut=self.cut,
            cut_offered=self.offered or not honor or rules.deal_cut is Cut.NONE,
            packets=self.packets or None,
            face_down=honor,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A hand of a table and its twin: the decks, and the actions in both."""

    decks: tuple[Deck, Deck]
    acts: tuple[tuple[Action, ...], tuple[Action, ...]]
    way: Way
    lines: tuple[str, str]
    """Both as hand lines, at the point where the comparison ends."""
    finished: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is played twice at a table."""

    number: int
    seed: int
    rules: HouseRules
    watcher: Seat | None
    """The seat that must not see a difference; None for a spectator."""
    helped: bool
    """Does the server play last cards?"""
    hands: tuple[Hand, ...]


def draw(number: int, seed: int) -> Plan:
    """A random table of any rules with a watcher, and its twin."""
    rng = Random(f"{seed}:{number}")
    while True:
        rules = draw_rules(rng, players=rng.choice((4, 4, 3, 2)))
        watcher = rng.choice((*rules.seats, *rules.seats, None))
        plan = Plan(number=number, seed=seed, rules=rules, watcher=watcher, helped=rng.random() < 0.5, hands=())
        deck = dealing.seal(entropy_of(plan, "draw"), rules.deck).deck
        match = advance_match(new_match(rules), draw_dealer(rules, shuffler=rules.seats[0], deck=deck))
        hands: list[Hand] = []
        while len(hands) < HANDS and isinstance(match, InGame) and isinstance(match.game, ToDeal):
            drawn = _hand(plan, match, rng, last=len(hands) == HANDS - 1)
            if drawn is None:
                break
            hand, match = drawn
            hands.append(hand)
            if not hand.finished:
                return replace(plan, hands=tuple(hands))


def _hand(plan: Plan, before: InGame, rng: Random, *, last: bool) -> tuple[Hand, Match] | None:
    """A random hand with a twin: to its end if that reveals nothing and another hand may follow, else up to some
    point."""
    rules, dealer = plan.rules, before.game.dealer
    deck = tuple(rng.sample(rules.deck, len(rules.deck)))
    way = _way(rules, dealer, rng)
    match, states = _walk(advance_match(before, way.deal(rules, dealer, deck)), rng)
    goes_on = isinstance(match, InGame) and isinstance(match.game, ToDeal) and match.game.last is not None
    if goes_on and not last and (hand := _with_twin(plan, states, deck, way, rng)):
        return hand, match
    points = [at for at, state in enumerate(states) if _stays(plan, state)]
    for at in rng.sample(points, min(_MAX_TRIES, len(points))):
        if hand := _with_twin(plan, states[: at + 1], deck, way, rng):
            return hand, match
    return None


def _way(rules: HouseRules, dealer: Seat, rng: Random) -> Way:
    """How a deck is dealt; at an honor table the dealer may skip the cut, or get one packet wrong."""
    honor = rules.supervision is Supervision.HONOR
    offered = cutting_seat(rules, rules.deal_cut, dealer) is not None and not (
        honor and rng.random() < _IRREGULARITY_PROBABILITY
    )
    packets: tuple[int, ...] = ()
    if honor and rng.random() < _IRREGULARITY_PROBABILITY:
        sizes = list(usual_packets(rules))
        sizes[rng.randrange(len(sizes))] += rng.choice((-1, 1))
        packets = tuple(sizes)
    return Way(offered=offered, cut=rng.randrange(len(rules.deck)) if offered else 0, packets=packets)


def _walk(match: Match, rng: Random) -> tuple[Match, list[State]]:
    """A match after a random hand, and every state of that hand."""
    passes = rng.randrange(9)
    states: list[State] = []
    while isinstance(match, InGame) and isinstance(match.game, InHand):
        hand = match.game.hand
        action = _any_action(hand, rng, passes)
        states = [*(states or [hand]), apply(hand, action)]
        match = advance_match(match, action)
    return match, states


def _any_action(state: OpenState, rng: Random, passes: int) -> Action:
    if isinstance(state, DecidingAlone) and not state.hand.rules.dummy_size:
        return GoTogether(state.to_act)  # as the server answers for people, who may still go alone
    if state.hand.rules.supervision is Supervision.HONOR and rng.random() < _IRREGULARITY_PROBABILITY:
        return rng.choice([action for seat in state.hand.rules.seats for action in view(state, seat).legal])
    choices = proper_actions(view(state, whose_turn(state)))
    said = sum(isinstance(action, Pass) for action in state.actions)
    return choices[0] if isinstance(choices[0], Pass) and said < passes else rng.choice(choices)


def _stays(plan: Plan, state: State) -> bool:
    """Does the server do nothing by itself in this state?"""
    if isinstance(state, Scored):
        return False
    strict = plan.rules.supervision is Supervision.STRICT
    return not (
        plan.helped and strict and isinstance(state, Playing) and len(state.cards[whose_turn(state).index]) == 1
    )


def _with_twin(plan: Plan, states: Sequence[State], deck: Deck, way: Way, rng: Random) -> Hand | None:
    """The hand up to the last of these states with a twin; None if none was found."""
    end = states[-1]
    opened = states[-2] if isinstance(end, Scored) else end
    assert not isinstance(opened, Scored)
    for _ in range(_MAX_TRIES):
        found = _redealt(opened, rng) if isinstance(opened, FaceDown) else find_twin(opened, plan.watcher, rng)
        twins = None if found is None else _same_to(plan.watcher, states, found)
        if twins is None:
            continue
        other = _deck(end.hand.deal, twins[-1].hand.deal, deck, rng)
        if _dealt_so(plan, other, way, twins[-1].hand.deal) and _opened_alike(states, twins, deck, other):
            return Hand(
                decks=(deck, other),
                acts=(end.actions, twins[-1].actions),
                way=way,
                lines=(hand_line(end), hand_line(twins[-1])),
                finished=isinstance(end, Scored),
            )
    return None


def _redealt(state: FaceDown, rng: Random) -> OpenState:
    """The same hand with other cards: while all are face down, everyone sees the same."""
    hand, deal = state.hand, state.hand.deal
    cards = iter(rng.sample(hand.rules.deck, len(hand.rules.deck)))
    north, east, south, west = (tuple(islice(cards, len(held))) for held in deal.hands)
    dummy = tuple(islice(cards, len(deal.dummy)))
    other = replace(deal, hands=(north, east, south, west), dummy=dummy, up_card=next(cards))
    return _begun(replace(state, hand=replace(hand, deal=other)))


def _same_to(watcher: Seat | None, states: Sequence[State], found: OpenState) -> list[State] | None:
    """Every state of the twin, if the watcher can't tell any of them from the original."""
    twin: State = _begun(found)
    acts = iter((*found.actions, states[-1].actions[-1]) if isinstance(states[-1], Scored) else found.actions)
    twins: list[State] = []
    for state in states:
        if type(twin) is not type(state) or view(twin, watcher) != view(state, watcher):
            return None
        twins.append(twin)
        if len(twins) < len(states):
            assert not isinstance(twin, Scored)
            try:
                twin = apply(twin, next(acts))
            except LeftbowerError:
                return None
    return twins


def _begun(state: OpenState) -> OpenState:
    hand = state.hand
    return start(hand.rules, hand.deal, hand.scores, hand.warnings, hand.hands)


def _deck(deal: Deal, other: Deal, deck: Deck, rng: Random) -> Deck:
    """The deck that gives the other deal when dealt like this one."""
    instead = {
        card: replacement
        for cards, replacements in zip((*deal.hands, deal.dummy), (*other.hands, other.dummy), strict=True)
        for card, replacement in zip(cards, replacements, strict=True)
    }
    instead[deal.up_card] = other.up_card
    rest = [card for card in deck if card not in instead]
    incoming = sorted(set(deck) - set(instead.values()))
    rng.shuffle(incoming)
    return tuple(({**instead, **dict(zip(rest, incoming, strict=True))})[card] for card in deck)  # type: ignore[misc]


def _dealt_so(plan: Plan, deck: Deck, way: Way, deal: Deal) -> bool:
    return way.deal(plan.rules, deal.dealer, deck) == deal


def _opened_alike(states: Sequence[State], twins: Sequence[State], deck: Deck, other: Deck) -> bool:
    """Are the opened envelopes at the same indexes? After a hand is over, those of the dummy may differ."""
    for state, twin in zip(states, twins, strict=True):
        cards, others = (dealing.may_be_opened(view(either, None)) for either in (state, twin))
        if [*map(deck.index, cards)] != [*map(other.index, others)]:
            return False
    return True


def entropy_of(plan: Plan, what: str) -> bytes:
    """32 bytes that identify a draw or a deck of this plan."""
    return sha256(f"{plan.seed}:{plan.number}:{what}".encode()).digest()
