"""Information leak test: a decision must not depend on anything that the player can't know.

A position and its twin are drawn: the same actions from another deal, in which hidden cards are elsewhere but the
engine gives the player the same view. A bot that decides differently there uses more than its view.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any, Final

from leftbower.engine import (
    Action,
    Bury,
    Deal,
    LayAway,
    OpenState,
    Pass,
    Scored,
    State,
    apply,
    deal_hand,
    replay,
    start,
    view,
    whose_turn,
)
from leftbower.engine.knowledge import BURIED, KITTY, LAID_AWAY, HiddenCards, Location, hidden_cards
from leftbower.errors import ImpossibleRules, LeftbowerError
from leftbower.notation import hand_line
from leftbower.players.bot import Bot
from leftbower.players.judgment.layouts import sample_by_counting
from leftbower.players.levels import BASELINE, EXPERT, NOVICE, REGULAR
from leftbower.players.player import Player, proper_actions
from leftbower.rules.cards import Card, Face
from leftbower.rules.choices import Supervision
from leftbower.rules.house import HouseRules, options
from leftbower.rules.options import Amounts, Number, OneOf, Option
from leftbower.rules.seats import Seat

MAX_DIFFERENCES: Final = 10
"""A comparison ends after this many differences."""
LAYOUTS: Final = 4
"""Layouts that the bots imagine here; with few of them a decision changes most easily."""
BOTS: Final[Mapping[str, Player]] = {
    skill.name: Bot(replace(skill, layouts=LAYOUTS, rollouts=min(1, skill.rollouts), in_points=True))
    for skill in (NOVICE, REGULAR, EXPERT, BASELINE)
}
"""The bots under test, in turn. They count points: the probability of a win depends on the score and not on cards, and
computing it for new rules takes longer than everything else."""
_ATTEMPTS: Final = 12
"""Layouts to try until one gives the same view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakDifference:
    """Twins in which a bot decided differently."""

    number: int
    """The number of the position within the seed."""
    bot: str
    seat: Seat
    position: str
    """As a hand line."""
    twin: str
    decided: str
    decided_in_the_twin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakReport:
    """The result of a comparison. Reports of one seed can be added."""

    seed: int
    positions: int = 0
    occurred: Mapping[str, int] = field(default_factory=dict)
    """Number of positions by bot, phase, number of seats and supervision."""
    differences: tuple[LeakDifference, ...] = ()

    def __add__(self, other: "LeakReport") -> "LeakReport":
        return LeakReport(
            seed=self.seed,
            positions=self.positions + other.positions,
            occurred=dict(Counter(self.occurred) + Counter(other.occurred)),
            differences=self.differences + other.differences,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Two states that the seat to decide can't tell apart."""

    seat: Seat
    state: OpenState
    twin: OpenState


def compare(first: int, count: int, seed: int, bots: Mapping[str, Player] = BOTS) -> LeakReport:
    """Let the bots take turns with `count` decisions of a seed, from number `first`, each in a position and its twin.

    A position depends only on the seed and its number, so a long comparison can be split.
    """
    occurred: Counter[str] = Counter()
    differences: list[LeakDifference] = []
    done = 0
    while done < count and len(differences) < MAX_DIFFERENCES:
        number = first + done
        name = tuple(bots)[number % len(bots)]
        pair = draw(number, seed)
        differences += _difference(number, pair, name, bots[name])
        occurred.update(_kinds(pair), **{name: 1})
        done += 1
    return LeakReport(seed=seed, positions=done, occurred=dict(occurred), differences=tuple(differences))


def draw(number: int, seed: int) -> Twins:
    """Random twins in which the seat to act has a choice: any rules, and rare phases as often as others."""
    rng = Random(f"{seed}:{number}")
    while True:
        walk = tuple(random_walk(draw_rules(rng), rng))
        phase = rng.choice(sorted({type(state).__name__ for state in walk}))
        state = rng.choice([state for state in walk if type(state).__name__ == phase])
        seat = whose_turn(state)
        twin = find_twin(state, seat, rng) if len(proper_actions(view(state, seat))) > 1 else None
        if twin is not None:
            return Twins(seat=seat, state=state, twin=twin)


def find_twin(state: OpenState, seat: Seat | None, rng: Random) -> OpenState | None:
    """Another state that this seat, or a spectator, can't tell from the first by the engine's views; or None."""
    seat_view = view(state, seat)
    unseen = hidden_cards(seat_view)
    locations = card_locations(state, unseen)
    up_card = state.hand.deal.up_card
    homes = {card: frozenset({locations[card]}) if card is up_card else at for card, at in unseen.locations.items()}
    for _ in range(_ATTEMPTS):
        # The up-card stays, because it was dealt to no player.
        other = sample_by_counting(
            unseen.sizes, homes, rng, {card: at & homes[card] for card, at in unseen.owed.items()}
        )
        twin = _exchanged(state, _exchange(locations, other, rng))
        if twin is not None and card_locations(twin, unseen) != locations and view(twin, seat) == seat_view:
            return twin
    return None


def card_locations(state: OpenState, unseen: HiddenCards) -> dict[Card, Location]:
    """The true location of each card that is hidden from a viewer."""
    held: dict[Face, Location] = {card: seat for seat in Seat for card in state.cards[seat.index]}
    contract = getattr(state, "contract", None)
    if contract is not None:
        held |= {card: BURIED for card in (contract.buried,) if card is not None}
        held |= dict.fromkeys(contract.laid_away, LAID_AWAY)
    return {card: held.get(card, KITTY) for card in unseen.locations}


def draw_rules(rng: Random, **fixed: object) -> HouseRules:
    """Any valid rule set with these `fixed` options, every number of seats equally likely."""
    chosen = {name: _any_value(option, rng) for name, option in options().items()} | fixed
    while True:
        try:
            return HouseRules(**chosen)
        except ImpossibleRules as clash:
            chosen[clash.option] = False if clash.option == "may_bury_up_card" else options()[clash.option].default


def random_walk(rules: HouseRules, rng: Random) -> Iterator[OpenState]:
    """Every state of a random hand until it is over; at an honor table anything may happen."""
    deck = rng.sample(rules.deck, len(rules.deck))
    scores = tuple(rng.randrange(rules.target) for _ in rules.sides)
    state: State = start(rules, deal_hand(rules, dealer=rng.choice(rules.seats), deck=deck), scores)
    passes, mischief = rng.randrange(2 * rules.players + 1), rng.choice((0.0, 0.1))
    while not isinstance(state, Scored):
        yield state
        state = apply(state, _any_action(state, rng, passes, mischief))


def _any_value(option: Option, rng: Random) -> Any:
    match option.domain:
        case OneOf(choices=choices):
            return rng.choice(list(choices))
        case Number(allowed=allowed):
            return rng.choice(list(allowed))
        case Amounts(most=most, highest=highest):
            amounts = (rng.randint(1, highest) for _ in range(rng.randint(0, most)))
            return tuple(sorted(amounts, reverse=True))
        case _:
            return rng.random() < 0.5


def _any_action(state: OpenState, rng: Random, passes: int, mischief: float) -> Action:
    if state.hand.rules.supervision is Supervision.HONOR and rng.random() < mischief:
        everything = [action for seat in state.hand.rules.seats for action in view(state, seat).legal]
        return rng.choice(everything)
    choices = proper_actions(view(state, whose_turn(state)))
    if isinstance(choices[0], Pass) and sum(isinstance(action, Pass) for action in state.actions) < passes:
        return choices[0]
    return rng.choice(choices)


def _exchange(
    locations: Mapping[Card, Location], other: Mapping[Location, list[Card]], rng: Random
) -> dict[Face, Card]:
    """A permutation of cards that moves them to their locations in the other layout."""
    instead: dict[Face, Card] = {}
    for location, cards in other.items():
        before = {card for card, at in locations.items() if at == location}
        stay = set() if location == KITTY else before & set(cards)
        leave, incoming = sorted(before - stay), sorted(set(cards) - stay)
        rng.shuffle(incoming)
        instead |= dict(zip(leave, incoming, strict=True))
    return instead


def _exchanged(state: OpenState, instead: Mapping[Face, Card]) -> OpenState | None:
    """The same actions from a deal with some cards replaced; None if they are illegal there."""
    hand, known = state.hand, partial(_instead, instead)
    north, east, south, west = (tuple(map(known, held)) for held in hand.deal.hands)
    deal: Deal = replace(hand.deal, hands=(north, east, south, west), dummy=tuple(map(known, hand.deal.dummy)))
    said = (_with_other_faces(action, instead) for action in state.actions)
    try:
        twin = replay(start(hand.rules, deal, hand.scores, hand.warnings, hand.hands), said)
    except LeftbowerError:
        return None
    return None if isinstance(twin, Scored) else twin


def _with_other_faces(action: Action, instead: Mapping[Face, Card]) -> Action:
    match action:
        case Bury():
            return replace(action, card=_instead(instead, action.card))
        case LayAway():
            return replace(action, cards=tuple(_instead(instead, card) for card in action.cards))
        case _:
            return action


def _instead(instead: Mapping[Face, Card], card: Face) -> Face:
    return instead.get(card, card)


def _kinds(pair: Twins) -> dict[str, int]:
    rules = pair.state.hand.rules
    phase = view(pair.state, pair.seat).phase.value
    return {phase: 1, f"{rules.players} seats": 1, rules.supervision.value: 1}


def _difference(number: int, pair: Twins, name: str, bot: Player) -> list[LeakDifference]:
    decided, twin = (_decide(bot, state, pair.seat, number) for state in (pair.state, pair.twin))
    if decided == twin:
        return []
    return [
        LeakDifference(
            number=number,
            bot=name,
            seat=pair.seat,
            position=hand_line(pair.state),
            twin=hand_line(pair.twin),
            decided=str(decided),
            decided_in_the_twin=str(twin),
        )
    ]


def _decide(bot: Player, state: OpenState, seat: Seat, number: int) -> Action:
    return bot.act(view(state, seat), Random(number))
