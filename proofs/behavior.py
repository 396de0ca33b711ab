"""Behavior: positions in which players complain about bots, with the right choice and whether numbers confirm it.

A position is a full hand line, but only the view of the seat to act counts. It is confirmed over many layouts that fit
the view, weighted by how likely the calls so far are, in one of two ways:

    solver       every choice is made, and the rest of the hand solved exactly: for cards and discards
    simulation   every choice is made, and the hand played out by `baseline` in every seat: for calls

The worst of the right choices is compared with the best of the others, in points, or if the score matters in
probability to win the game; the error is a standard error over the layouts.
"""

import json
import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

from leftbower.engine import (
    Action,
    Bury,
    Contract,
    Deal,
    LayAway,
    Name,
    OpenState,
    Order,
    Pass,
    Play,
    Scored,
    State,
    UpCardStatus,
    View,
    apply,
    start,
    view,
)
from leftbower.engine.knowledge import BURIED, KITTY, LAID_AWAY, Location, hidden_cards
from leftbower.errors import BadRecord, LeftbowerError
from leftbower.kernel import Layouts
from leftbower.notation import parse_hand_line
from leftbower.notation.tokens import to_token
from leftbower.players.driver import play_hand
from leftbower.players.judgment.call_model import applies_to, first_round_weights, second_round_weights, weigh_layouts
from leftbower.players.judgment.layouts import DUMMY, layouts, sample_by_counting
from leftbower.players.judgment.stakes import Stakes, stakes
from leftbower.players.player import Player, proper_actions
from leftbower.players.roster import player
from leftbower.rules.cards import UNKNOWN, Card, Suit
from leftbower.rules.seats import Seat

How = Literal["solver", "simulation", "opinion"]
Measure = Literal["points", "chance"]

FILE: Final = Path(__file__).with_name("behavior.toml")
MIN_MARGIN: Final[dict[Measure, float]] = {"points": 0.02, "chance": 0.005}
"""The smallest margin that counts, no matter how small its error."""
MIN_STANDARD_ERRORS: Final = 2.0
"""A margin counts if it exceeds this many standard errors."""
MAX_TRIES: Final = 50_000
"""Deals to try to find a hand that fits; calls that no player would make fit none."""
PLAYED_BY: Final = "baseline"
"""The player of all seats in a simulation; it never changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A position and the right choice in it."""

    id: str
    category: str
    """The complaint that it answers."""
    reason: str
    """Why it is right, in a player's words."""
    line: str
    seat: Seat
    """The seat to act; it sees only its own cards."""
    right: tuple[str, ...] = ()
    """The only right choices, as words of a hand line."""
    wrong: tuple[str, ...] = ()
    """If several choices are fine: the wrong ones."""
    confirmed: How = "opinion"
    """How it is confirmed."""
    measure: Measure = "points"
    margin: float | None = None
    """How much more the right choice was worth when last confirmed."""
    error: float | None = None
    layouts: int | None = None
    """The number of layouts of that confirmation."""

    @property
    def state(self) -> OpenState:
        """The position."""
        state = parse_hand_line(self.line)
        if isinstance(state, Scored):
            raise BadRecord(f"{self.id}: the hand is over")
        return state

    @property
    def view(self) -> View:
        """The position as the seat to act sees it."""
        return view(self.state, self.seat)

    def accepts(self, choice: str) -> bool:
        """Is this choice right?"""
        return choice in self.right if self.right else choice not in self.wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """The numbers for an entry."""

    better: str
    """The worst of the right choices; if only wrong ones are listed, the best of the others."""
    worse: str
    """The best of the rest; if only wrong choices are listed, the best of them."""
    margin: float
    error: float
    layouts: int
    against: float
    """Share of layouts in which the better choice turns out worse."""
    means: dict[str, float]
    """The value of every choice."""
    measure: Measure

    @property
    def holds(self) -> bool:
        """Is the margin large enough?"""
        return self.margin >= MIN_MARGIN[self.measure] and self.margin > MIN_STANDARD_ERRORS * self.error


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A player's choices in a position, with different seeds."""

    entry: Entry
    chosen: tuple[str, ...]
    """Its choices, as words of a hand line."""

    @property
    def right(self) -> bool:
        """Were all of them right?"""
        return all(map(self.entry.accepts, self.chosen))


def read(path: Path | Traversable = FILE) -> tuple[Entry, ...]:
    """The entries of a file, by default ours."""
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["position"]
    return tuple(map(_entry, rows))


def examine(entry: Entry, who: Player, *, times: int = 3) -> Examined:
    """Let a player decide `times` times, each with another seed."""
    seat_view = entry.view
    acts = (who.act(seat_view, Random(f"{entry.id}:{time}")) for time in range(times))
    return Examined(entry=entry, chosen=tuple(map(to_token, acts)))


def confirm(entry: Entry, *, layouts: int, seed: int) -> Confirmation:
    """Confirm an entry over `layouts` layouts by the solver or a long simulation; an opinion can't be confirmed."""
    if entry.confirmed == "opinion":
        raise BadRecord(f"{entry.id} is an opinion")
    values, weights = (_solve if entry.confirmed == "solver" else _simulate)(entry, layouts, seed)
    return _compare(entry, values, weights)


def refresh(
    path: Path, *, solved: int = 8000, simulated: int = 400, seed: int, again: bool = False
) -> Iterator[tuple[Entry, Confirmation]]:
    """Confirm entries without numbers (or all of them), and write each result to the file at once.

    Use a seed by which no position was chosen: selecting positions by their numbers biases those numbers.
    """
    entries = list(read(path))
    for at, entry in enumerate(entries):
        if entry.confirmed == "opinion" or (entry.margin is not None and not again):
            continue
        confirmation = confirm(entry, layouts=solved if entry.confirmed == "solver" else simulated, seed=seed)
        margin, error = round(confirmation.margin, 4), round(confirmation.error, 4)
        entries[at] = replace(entry, margin=margin, error=error, layouts=confirmation.layouts)
        path.write_text(dumps(entries), encoding="utf-8")
        yield entries[at], confirmation


def dumps(entries: Iterable[Entry]) -> str:
    """The entries as a file."""
    return "\n".join([_HEAD, *map(_spell, entries)])


def sample_hands(seat_view: View, rng: Random) -> Iterator[OpenState]:
    """Hands that fit a view, with all cards known, weighted by the other players' calls; endless."""
    unseen = hidden_cards(seat_view)
    sizes, possible = dict(unseen.sizes), dict(unseen.locations)
    if seat_view.rules.dummy_size and not seat_view.dummy and sizes[KITTY] > seat_view.rules.dummy_size:
        sizes |= {DUMMY: seat_view.rules.dummy_size, KITTY: sizes[KITTY] - seat_view.rules.dummy_size}
        possible = {card: at | {DUMMY} if KITTY in at else at for card, at in possible.items()}
    tried = 0
    while tried < MAX_TRIES:
        tried += 1
        state = _lay_out(seat_view, sample_by_counting(sizes, possible, rng, unseen.owed))
        if state is not None and rng.random() < _likelihood(seat_view, state.hand.deal):
            yield state
            tried = 0
    raise BadRecord(f"in {MAX_TRIES:,} tries no hand fits what was said")


_HEAD: Final = """\
# What players complain about: positions with the right thing to do. `python -m proofs behavior` asks a player, and with
# --confirm the solver or a simulation. Margins and errors are in points or in chances to win the game.
"""
_Values = dict[str, list[float]]
"""The value of each choice in every layout."""
_Locations = dict[Location, list[Card]]
"""Hidden cards by location."""


def _entry(values: dict[str, Any]) -> Entry:
    known = {field.name for field in fields(Entry)}
    if not values.keys() <= known or bool(values.get("right")) is bool(values.get("wrong")):
        raise BadRecord(f"{values.get('id')}: a position has right or wrong choices, and no more than is known of it")
    lists: dict[str, Any] = {name: tuple(values[name]) for name in ("right", "wrong") if name in values}
    typed: dict[str, Any] = {**values, "seat": Seat(values["seat"]), **lists}
    return Entry(**typed)


def _spell(entry: Entry) -> str:
    values = ((field.name, getattr(entry, field.name)) for field in fields(entry))
    present = ((name, _plain(value)) for name, value in values if value not in ((), None))
    body = "\n".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in present)
    return f"[[position]]\n{body}\n"


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Seat) else value


# By the solver


def _solve(entry: Entry, count: int, seed: int) -> tuple[_Values, list[float]]:
    seat_view = entry.view
    known = seat_view.contract
    if known is None:
        raise BadRecord(f"{entry.id}: nothing is solved before trump is made")
    contract = Contract(
        maker=known.maker, trump=known.trump, ordered=known.ordered, alone=known.alone, defender=known.defender
    )
    worth = _stakes(entry, seat_view).of(contract)
    choices = proper_actions(seat_view)
    cards = [choice.card for choice in choices if isinstance(choice, Play)]
    if cards:
        fitting = _fitting(seat_view, contract, count, seed)
        outcomes = fitting.card_outcomes(cards)
        values = {str(card): [worth[tricks] for tricks in outcomes[at :: len(cards)]] for at, card in enumerate(cards)}
        return values, fitting.weights.tolist()
    values = {}
    weights: list[float] = []
    for choice in choices:
        fitting = _fitting(seat_view, contract, count, seed, _remaining_hand(seat_view, choice))
        values[to_token(choice)] = [worth[tricks] for tricks in fitting.outcomes()]
        weights = fitting.weights.tolist()
    return values, weights


def _fitting(
    seat_view: View, contract: Contract, count: int, seed: int, mine: tuple[Card, ...] | None = None
) -> Layouts:
    fitting = layouts(seat_view, contract, count, Random(seed), mine=mine)
    weigh_layouts(seat_view, fitting)
    return fitting


def _remaining_hand(seat_view: View, choice: Action) -> tuple[Card, ...]:
    """The cards in hand after a discard."""
    discarded: Sequence[object] = choice.cards if isinstance(choice, LayAway) else [getattr(choice, "card", None)]
    takes = isinstance(choice, Bury) and seat_view.up_card not in seat_view.cards
    held = (*seat_view.cards, seat_view.up_card) if takes else seat_view.cards
    return tuple(card for card in held if card is not UNKNOWN and card not in discarded)


# By simulation


def _simulate(entry: Entry, count: int, seed: int) -> tuple[_Values, list[float]]:
    seat_view, bot = entry.view, player(PLAYED_BY)
    worth = _stakes(entry, seat_view)
    values: _Values = {to_token(choice): [] for choice in proper_actions(seat_view)}
    for number, state in enumerate(islice(sample_hands(seat_view, Random(f"{entry.id}:{seed}")), count)):
        for choice in proper_actions(seat_view):
            values[to_token(choice)].append(worth.of_points(_play_out(state, choice, bot, number).points))
    return values, [1.0] * count


def _play_out(state: OpenState, choice: Action, bot: Player, number: int) -> Scored:
    """Play the hand out after this choice; each seat has the same random numbers for every choice."""
    seats = state.hand.rules.seats
    rngs = {seat: Random(f"behavior:{number}:{seat}") for seat in seats}
    return play_hand(apply(state, choice), dict.fromkeys(seats, bot), rngs)


def _lay_out(seat_view: View, locations: _Locations) -> OpenState | None:
    """The hand with the hidden cards at these locations; None if the actions of the view are illegal in it."""
    state: State = start(
        seat_view.rules, _deal(seat_view, locations), seat_view.scores, seat_view.warnings, seat_view.hands
    )
    for action in seat_view.actions:
        try:
            state = apply(state, _known(action, locations))
        except LeftbowerError:
            return None
    return None if isinstance(state, Scored) else state


def _deal(seat_view: View, locations: _Locations) -> Deal:
    """The deal behind it. The cards that a maker took from the dummy may be any three except the one buried before."""
    dealt: dict[Seat, tuple[Card, ...]] = {}
    dummy = seat_view.dummy or tuple(locations.get(DUMMY, ()))
    up_card = seat_view.up_card if seat_view.up_card_status is UpCardStatus.TAKEN else None
    for seat in seat_view.rules.seats:
        laid = [action.card for action in seat_view.actions if isinstance(action, Play) and action.seat is seat]
        buried = locations.get(BURIED, []) if seat is seat_view.dealer else []
        away = locations.get(LAID_AWAY, []) if seat_view.contract and seat is seat_view.contract.maker else []
        cards = tuple(card for card in (*buried, *locations.get(seat, ()), *laid, *away) if card is not up_card)
        dealt[seat] = cards[:5]
        dummy = cards[5:] or dummy
    if seat_view.seat is not None:
        dealt[seat_view.seat] = tuple(card for card in seat_view.dealt if card is not UNKNOWN)
    north, east, south, west = (dealt.get(seat, ()) for seat in Seat)
    return Deal(dealer=seat_view.dealer, hands=(north, east, south, west), up_card=seat_view.up_card, dummy=dummy)


def _known(action: Action, locations: _Locations) -> Action:
    match action:
        case Bury() if action.card is UNKNOWN:
            return replace(action, card=locations[BURIED][0])
        case LayAway() if UNKNOWN in action.cards:
            return replace(action, cards=tuple(locations[LAID_AWAY]))
        case _:
            return action


def _likelihood(seat_view: View, deal: Deal) -> float:
    """The probability of the other players' calls and passes with these cards."""
    if not applies_to(seat_view.rules):
        return 1.0
    likelihood, spoken = 1.0, set[Seat]()
    for action in seat_view.actions:
        if not isinstance(action, Pass | Order | Name):
            continue
        second = action.seat in spoken
        spoken.add(action.seat)
        if action.seat is not seat_view.seat:
            likelihood *= _call_likelihood(seat_view, deal, action, second=second)
    return likelihood


def _call_likelihood(seat_view: View, deal: Deal, action: Pass | Order | Name, *, second: bool) -> float:
    position = (seat_view.rules.seats.index(action.seat) - seat_view.rules.seats.index(seat_view.dealer) - 1) % 4
    turned = seat_view.up_card.suit
    if not second:
        rows = [first_round_weights(position, seat_view.up_card)]
    else:
        suits = [action.suit] if isinstance(action, Name) else [suit for suit in Suit if suit is not turned]
        rows = [second_round_weights(position, turned, suit) for suit in suits]
    likelihood = 1.0
    for row in rows:
        called = row.bias + math.fsum(row.worth[card] for card in deal.hands[action.seat.index] if card is not UNKNOWN)
        likelihood *= 1 / (1 + math.exp(called if isinstance(action, Pass) else -called))
    return likelihood


# Comparing


def _stakes(entry: Entry, seat_view: View) -> Stakes:
    return stakes(seat_view, in_points=entry.measure == "points")


def _compare(entry: Entry, values: _Values, weights: list[float]) -> Confirmation:
    whole = math.fsum(weights)
    means = {choice: math.fsum(map(float.__mul__, weights, worth)) / whole for choice, worth in values.items()}
    good = [choice for choice in values if entry.accepts(choice)]
    rest = [choice for choice in values if choice not in good]
    better = min(good, key=means.__getitem__) if entry.right else max(good, key=means.__getitem__)
    worse = max(rest, key=means.__getitem__)
    gains = [high - low for high, low in zip(values[better], values[worse], strict=True)]
    margin = means[better] - means[worse]
    squares = math.fsum((weight * (gain - margin)) ** 2 for weight, gain in zip(weights, gains, strict=True))
    against = math.fsum(weight for weight, gain in zip(weights, gains, strict=True) if gain < 0)
    return Confirmation(
        better=better,
        worse=worse,
        margin=margin,
        error=math.sqrt(squares) / whole,
        layouts=len(weights),
        against=against / whole,
        means=means,
        measure=entry.measure,
    )
