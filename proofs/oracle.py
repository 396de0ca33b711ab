"""The oracle: random hands played in OpenSpiel's euchre and in our engine, compared action by action.

At every decision both must name the same player and the same legal actions. At the end both must have the same
contract, the same tricks with the same winners, and the same points.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from leftbower.engine.actions import Action
from leftbower.engine.deal import Deal
from leftbower.engine.hand import acts, apply, start
from leftbower.engine.states import Contract, Scored, State
from leftbower.errors import RuleViolation
from leftbower.notation.handline import hand_line
from leftbower.notation.openspiel import PASS, card_from_id, openspiel_id
from leftbower.rules.cards import Card
from leftbower.rules.seats import Seat
from proofs.openspiel import SpielState, SpielTrick, Variant, variants

MAX_DISAGREEMENTS: Final = 10
"""A comparison ends after this many disagreements."""
DEAL_ACTIONS: Final = 22
"""OpenSpiel's first actions: the dealer, twenty cards, the up-card."""

Facts = dict[str, object]
"""What both engines must agree on at one point of a hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A hand on which the engines differ, with everything needed to reproduce it."""

    game: str
    """OpenSpiel's name of the game, with its parameters."""
    number: int
    """The number of the hand within the seed."""
    hand_line: str
    """Our hand up to the difference."""
    history: tuple[int, ...]
    """OpenSpiel's actions up to there, including the deal."""
    acts: tuple[str, ...]
    """The players' actions among them, in OpenSpiel's words."""
    differs: str
    """What they differ in."""
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleReport:
    """The result of a comparison. Reports of one seed can be added."""

    seed: int
    hands: int = 0
    decisions: int = 0
    occurred: Mapping[str, int] = field(default_factory=dict)
    """Number of hands in which each kind of event occurred."""
    disagreements: tuple[Disagreement, ...] = ()

    def __add__(self, other: "OracleReport") -> "OracleReport":
        return OracleReport(
            seed=self.seed,
            hands=self.hands + other.hands,
            decisions=self.decisions + other.decisions,
            occurred=dict(Counter(self.occurred) + Counter(other.occurred)),
            disagreements=self.disagreements + other.disagreements,
        )


def compare(
    hands: int, seed: int, *, first: int = 0, progress: Callable[[int], object] = lambda done: None
) -> OracleReport:
    """Play `hands` hands of a seed from number `first`, the variants in turn; `progress` is called after each hand.

    A hand depends only on the seed and its number, so a long comparison can be split.
    """
    games = variants()
    occurred: Counter[str] = Counter()
    disagreements: list[Disagreement] = []
    done = decisions = 0
    while done < hands and len(disagreements) < MAX_DISAGREEMENTS:
        number = first + done
        played = _side_by_side(games[number % len(games)], number, Random(f"{seed}:{number}"))
        if isinstance(played, Disagreement):
            disagreements.append(played)
        else:
            decisions += len(played.actions)
            occurred.update(_events(played))
        done += 1
        progress(done)
    return OracleReport(
        seed=seed, hands=done, decisions=decisions, occurred=dict(occurred), disagreements=tuple(disagreements)
    )


def _side_by_side(variant: Variant, number: int, rng: Random) -> Scored | Disagreement:
    """Play one hand in both engines, to its end or to the first difference."""
    theirs = variant.game.new_initial_state()
    while theirs.is_chance_node():
        theirs.apply_action(rng.choice(theirs.legal_actions()))
    ours: State = start(variant.rules, _deal(theirs.history()))
    while True:
        ids = [(openspiel_id(action, ours.hand.deal.up_card), action) for action in acts(ours)]
        our_facts, their_facts = _our_facts(ours, ids), _their_facts(theirs)
        if our_facts != their_facts:
            fact = next(fact for fact in our_facts if our_facts[fact] != their_facts.get(fact))
            return _disagreement(variant, number, ours, theirs, fact, our_facts[fact], their_facts.get(fact))
        if isinstance(ours, Scored):
            return ours
        chosen = _choice(rng, theirs.legal_actions())
        try:
            ours = apply(ours, dict(ids)[chosen])
        except RuleViolation as why:
            return _disagreement(
                variant, number, ours, theirs, f"applying {theirs.action_to_string(chosen)}", why.code, "legal"
            )
        theirs.apply_action(chosen)


def _deal(history: Sequence[int]) -> Deal:
    """The deal of OpenSpiel's chance nodes: the cards go around one by one, starting with the dealer."""
    dealer, *dealt, up_card = history
    cards = tuple(map(card_from_id, dealt))
    north, east, south, west = (cards[(seat - dealer) % 4 :: 4] for seat in range(4))
    return Deal(dealer=_SEATS[dealer], hands=(north, east, south, west), up_card=card_from_id(up_card))


def _choice(rng: Random, legal: Sequence[int]) -> int:
    """Any action, but a pass three times in four, so that every part of the bidding is reached often."""
    return PASS if PASS in legal and rng.random() < 0.75 else rng.choice(legal)


def _our_facts(state: State, acts: Sequence[tuple[int | None, Action]]) -> Facts:
    if not isinstance(state, Scored):
        return {"over": False, "to act": state.to_act, "legal acts": sorted(str(number) for number, _ in acts)}
    return {
        "over": True,
        "contract": _our_contract(state.contract) if state.contract else None,
        "tricks": [(trick.leader, trick.cards, trick.winner) for trick in state.tricks],
        "points": [state.points.get(seat, 0) - state.points.get(seat.left, 0) for seat in Seat],
    }


def _their_facts(state: SpielState) -> Facts:
    """The same from OpenSpiel, where one side loses what the other scores."""
    if not state.is_terminal():
        legal = sorted(map(str, state.legal_actions()))
        return {"over": False, "to act": _SEATS[state.current_player()], "legal acts": legal}
    called = state.declarer() >= 0
    return {
        "over": True,
        "contract": _their_contract(state) if called else None,
        "tricks": [_their_trick(trick) for trick in state.tricks()] if called else [],
        "points": [int(points) for points in state.returns()],
    }


def _our_contract(contract: Contract) -> Facts:
    return {
        "maker": contract.maker,
        "alone": contract.alone,
        "defender": contract.defender,
        "buried": contract.buried,
    }


def _their_contract(state: SpielState) -> Facts:
    return {
        "maker": _SEATS[state.declarer()],
        "alone": state.declarer_go_alone(),
        "defender": _SEATS[state.lone_defender()] if state.lone_defender() >= 0 else None,
        "buried": card_from_id(state.discard()) if state.discard() >= 0 else None,
    }


def _their_trick(trick: SpielTrick) -> tuple[Seat, tuple[Card, ...], Seat]:
    return _SEATS[trick.leader()], tuple(map(card_from_id, trick.cards())), _SEATS[trick.winner()]


def _disagreement(
    variant: Variant, number: int, ours: State, theirs: SpielState, differs: str, our_fact: object, their_fact: object
) -> Disagreement:
    history = tuple(theirs.history())
    return Disagreement(
        game=variant.name,
        number=number,
        hand_line=hand_line(ours),
        history=history,
        acts=tuple(map(theirs.action_to_string, history[DEAL_ACTIONS:])),
        differs=differs,
        ours=str(our_fact),
        theirs=str(their_fact),
    )


def _events(hand: Scored) -> Iterator[str]:
    """The events of this hand, in the words of the report."""
    yield hand.reason.value
    contract = hand.contract
    if contract is None:
        return
    lone_maker, lone_defender = contract.alone, contract.defender is not None
    yield "ordered-up" if contract.ordered else "named"
    if not contract.ordered and contract.maker is hand.hand.deal.dealer:
        yield "dealer-named"
    if lone_maker:
        yield "lone-maker"
        yield f"lone-maker-{hand.reason.value}"
    if lone_defender:
        yield "lone-defender"
        yield f"lone-defender-{hand.reason.value}"
    if lone_maker and lone_defender:
        yield "both-alone"
    if any(trick.cards[0].is_left_bower(contract.trump) for trick in hand.tricks):
        yield "left-bower-led"


_SEATS: Final = tuple(Seat)
