"""Behavior: positions players complain about, each with the right thing to do, and whether the numbers bear it out.

A position is a full hand line, but only the view of the seat to act counts. It is confirmed over many layouts that fit
the view, each as likely as the calls so far make it, in one of two ways:

    solver       every choice is laid, and the rest of the hand solved exactly: for cards, and for what is put aside
    simulation   every choice is made, and the hand played to its end by `baseline` in every seat: for calls

What is compared is the worst of the right choices with the best of the others. It counts in points, or where the score
matters in chances to win the game; the error is a standard error over the layouts.
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
CLEAR: Final[dict[Measure, float]] = {"points": 0.02, "chance": 0.005}
"""The least margin that is worth a word, however sure it is."""
ERRORS: Final = 2.0
"""A margin counts when it is more than so many standard errors."""
TRIES: Final = 50_000
"""So often cards are spread for one hand that fits; calls that nobody would make are given up then."""
PLAYED_BY: Final = "baseline"
"""Who plays the hands of a simulation to their end; it is never changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A position, and what to do in it."""

    id: str
    category: str
    """The complaint it answers."""
    reason: str
    """Why it is right, as a player would say it."""
    line: str
    seat: Seat
    """Who is to act, and sees nothing but the own cards."""
    right: tuple[str, ...] = ()
    """The only things to do, as words of a hand line."""
    wrong: tuple[str, ...] = ()
    """Where several things may be done: those never to be done."""
    confirmed: How = "opinion"
    """What bears it out."""
    measure: Measure = "points"
    margin: float | None = None
    """What the right choice is worth more, when it was last confirmed."""
    error: float | None = None
    layouts: int | None = None
    """Over how many layouts that was."""

    @property
    def state(self) -> OpenState:
        """The position."""
        state = parse_hand_line(self.line)
        if isinstance(state, Scored):
            raise BadRecord(f"{self.id}: the hand is over")
        return state

    @property
    def view(self) -> View:
        """The position as the one who is to act sees it."""
        return view(self.state, self.seat)

    def accepts(self, told: str) -> bool:
        """Is this word one of the things to do?"""
        return told in self.right if self.right else told not in self.wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What the numbers say of an entry."""

    better: str
    """The worst of the right choices; where only wrong ones are told, the best of the others."""
    worse: str
    """The best of the rest; where only wrong choices are told, the best of them."""
    margin: float
    error: float
    layouts: int
    against: float
    """The share of layouts in which the choice that is better on the whole turns out worse."""
    means: dict[str, float]
    """What every choice is worth."""
    measure: Measure

    @property
    def holds(self) -> bool:
        """Is the margin clear?"""
        return self.margin >= CLEAR[self.measure] and self.margin > ERRORS * self.error


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What a player did in a position, whatever it left to chance."""

    entry: Entry
    chosen: tuple[str, ...]
    """Its choices, as words of a hand line."""

    @property
    def right(self) -> bool:
        """Were all of them right?"""
        return all(map(self.entry.accepts, self.chosen))


def read(path: Path | Traversable = FILE) -> tuple[Entry, ...]:
    """The entries of a file; without one, of ours."""
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["position"]
    return tuple(_entry(one) for one in found)


def examine(entry: Entry, who: Player, *, times: int = 3) -> Examined:
    """Let a player decide so often, from another seed each time."""
    seen = entry.view
    acts = (who.act(seen, Random(f"{entry.id}:{time}")) for time in range(times))
    return Examined(entry=entry, chosen=tuple(map(to_token, acts)))


def confirm(entry: Entry, *, layouts: int, seed: int) -> Confirmation:
    """Ask the solver, or a long simulation, over so many layouts; an opinion cannot be asked."""
    if entry.confirmed == "opinion":
        raise BadRecord(f"{entry.id} is an opinion")
    values, weights = (_solved if entry.confirmed == "solver" else _simulated)(entry, layouts, seed)
    return _compared(entry, values, weights)


def refresh(
    path: Path, *, solved: int = 8000, simulated: int = 400, seed: int, again: bool = False
) -> Iterator[tuple[Entry, Confirmation]]:
    """Confirm what has no numbers yet (or everything again), and write each result down as soon as it is known.

    Use a seed that no position was chosen by: whoever tries many and keeps the best is flattered by the same numbers.
    """
    entries = list(read(path))
    for at, entry in enumerate(entries):
        if entry.confirmed == "opinion" or (entry.margin is not None and not again):
            continue
        found = confirm(entry, layouts=solved if entry.confirmed == "solver" else simulated, seed=seed)
        margin, error = round(found.margin, 4), round(found.error, 4)
        entries[at] = replace(entry, margin=margin, error=error, layouts=found.layouts)
        path.write_text(dumps(entries), encoding="utf-8")
        yield entries[at], found


def dumps(entries: Iterable[Entry]) -> str:
    """The entries as a file."""
    return "\n".join([_HEAD, *map(_spelled, entries)])


def imagined(seen: View, rng: Random) -> Iterator[OpenState]:
    """Hands that fit a view, with every card known, each as likely as the calls of the others make it; without end."""
    unseen = hidden_cards(seen)
    sizes, homes = dict(unseen.sizes), dict(unseen.locations)
    if seen.rules.dummy_size and not seen.dummy and sizes[KITTY] > seen.rules.dummy_size:
        sizes |= {DUMMY: seen.rules.dummy_size, KITTY: sizes[KITTY] - seen.rules.dummy_size}
        homes = {card: places | {DUMMY} if KITTY in places else places for card, places in homes.items()}
    tried = 0
    while tried < TRIES:
        tried += 1
        state = _laid_out(seen, sample_by_counting(sizes, homes, rng, unseen.owed))
        if state is not None and rng.random() < _likelihood(seen, state.hand.deal):
            yield state
            tried = 0
    raise BadRecord(f"in {TRIES:,} tries no hand fits what was said")


_HEAD: Final = """\
# What players complain about: positions with the right thing to do. `python -m proofs behavior` asks a player, and with
# --confirm the solver or a simulation. Margins and errors are in points or in chances to win the game.
"""
_Values = dict[str, list[float]]
"""For each choice, by its word: what it is worth in every layout."""
_Lying = dict[Location, list[Card]]
"""The cards out of sight, by where they lie."""


def _entry(one: dict[str, Any]) -> Entry:
    known = {field.name for field in fields(Entry)}
    if not one.keys() <= known or bool(one.get("right")) is bool(one.get("wrong")):
        raise BadRecord(f"{one.get('id')}: a position has right or wrong choices, and no more than is known of it")
    lists: dict[str, Any] = {name: tuple(one[name]) for name in ("right", "wrong") if name in one}
    typed: dict[str, Any] = {**one, "seat": Seat(one["seat"]), **lists}
    return Entry(**typed)


def _spelled(entry: Entry) -> str:
    values = ((field.name, getattr(entry, field.name)) for field in fields(entry))
    told = ((name, _plain(value)) for name, value in values if value not in ((), None))
    body = "\n".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in told)
    return f"[[position]]\n{body}\n"


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Seat) else value


# By the solver


def _solved(entry: Entry, many: int, seed: int) -> tuple[_Values, list[float]]:
    seen = entry.view
    made = seen.contract
    if made is None:
        raise BadRecord(f"{entry.id}: nothing is solved before trump is made")
    contract = Contract(
        maker=made.maker, trump=made.trump, ordered=made.ordered, alone=made.alone, defender=made.defender
    )
    worth = _stakes(entry, seen).of(contract)
    choices = proper_actions(seen)
    cards = [choice.card for choice in choices if isinstance(choice, Play)]
    if cards:
        fitting = _fitting(seen, contract, many, seed)
        outcomes = fitting.card_outcomes(cards)
        values = {str(card): [worth[made] for made in outcomes[at :: len(cards)]] for at, card in enumerate(cards)}
        return values, fitting.weights.tolist()
    values = {}
    weights: list[float] = []
    for choice in choices:
        fitting = _fitting(seen, contract, many, seed, _kept(seen, choice))
        values[to_token(choice)] = [worth[made] for made in fitting.outcomes()]
        weights = fitting.weights.tolist()
    return values, weights


def _fitting(seen: View, contract: Contract, many: int, seed: int, mine: tuple[Card, ...] | None = None) -> Layouts:
    fitting = layouts(seen, contract, many, Random(seed), mine=mine)
    weigh_layouts(seen, fitting)
    return fitting


def _kept(seen: View, choice: Action) -> tuple[Card, ...]:
    """What is held when cards were put aside."""
    gone: Sequence[object] = choice.cards if isinstance(choice, LayAway) else [getattr(choice, "card", None)]
    takes = isinstance(choice, Bury) and seen.up_card not in seen.cards
    held = (*seen.cards, seen.up_card) if takes else seen.cards
    return tuple(card for card in held if card is not UNKNOWN and card not in gone)


# By simulation


def _simulated(entry: Entry, many: int, seed: int) -> tuple[_Values, list[float]]:
    seen, bot = entry.view, player(PLAYED_BY)
    worth = _stakes(entry, seen)
    values: _Values = {to_token(choice): [] for choice in proper_actions(seen)}
    for number, state in enumerate(islice(imagined(seen, Random(f"{entry.id}:{seed}")), many)):
        for choice in proper_actions(seen):
            values[to_token(choice)].append(worth.of_points(_played_out(state, choice, bot, number).points))
    return values, [1.0] * many


def _played_out(state: OpenState, choice: Action, bot: Player, number: int) -> Scored:
    """The hand after this choice; everybody leaves the same to chance, whatever was chosen."""
    places = state.hand.rules.seats
    chances = {seat: Random(f"behavior:{number}:{seat}") for seat in places}
    return play_hand(apply(state, choice), dict.fromkeys(places, bot), chances)


def _laid_out(seen: View, lying: _Lying) -> OpenState | None:
    """The hand in which the cards out of sight lie so, if everything could be done in it as it was."""
    state: State = start(seen.rules, _dealt(seen, lying), seen.scores, seen.warnings, seen.hands)
    for action in seen.actions:
        try:
            state = apply(state, _known(action, lying))
        except LeftbowerError:
            return None
    return None if isinstance(state, Scored) else state


def _dealt(seen: View, lying: _Lying) -> Deal:
    """The deal behind it. What a maker took from the dummy is any three cards but the one buried before."""
    dealt: dict[Seat, tuple[Card, ...]] = {}
    dummy = seen.dummy or tuple(lying.get(DUMMY, ()))
    up_card = seen.up_card if seen.up_card_status is UpCardStatus.TAKEN else None
    for seat in seen.rules.seats:
        laid = [action.card for action in seen.actions if isinstance(action, Play) and action.seat is seat]
        buried = lying.get(BURIED, []) if seat is seen.dealer else []
        away = lying.get(LAID_AWAY, []) if seen.contract and seat is seen.contract.maker else []
        cards = tuple(card for card in (*buried, *lying.get(seat, ()), *laid, *away) if card is not up_card)
        dealt[seat] = cards[:5]
        dummy = cards[5:] or dummy
    if seen.seat is not None:
        dealt[seen.seat] = tuple(card for card in seen.dealt if card is not UNKNOWN)
    north, east, south, west = (dealt.get(seat, ()) for seat in Seat)
    return Deal(dealer=seen.dealer, hands=(north, east, south, west), up_card=seen.up_card, dummy=dummy)


def _known(action: Action, lying: _Lying) -> Action:
    match action:
        case Bury() if action.card is UNKNOWN:
            return replace(action, card=lying[BURIED][0])
        case LayAway() if UNKNOWN in action.cards:
            return replace(action, cards=tuple(lying[LAID_AWAY]))
        case _:
            return action


def _likelihood(seen: View, deal: Deal) -> float:
    """How likely the others were to call and pass with these cards as they did."""
    if not applies_to(seen.rules):
        return 1.0
    chance, spoken = 1.0, set[Seat]()
    for action in seen.actions:
        if not isinstance(action, Pass | Order | Name):
            continue
        second = action.seat in spoken
        spoken.add(action.seat)
        if action.seat is not seen.seat:
            chance *= _likely(seen, deal, action, second=second)
    return chance


def _likely(seen: View, deal: Deal, action: Pass | Order | Name, *, second: bool) -> float:
    place = (seen.rules.seats.index(action.seat) - seen.rules.seats.index(seen.dealer) - 1) % 4
    turned = seen.up_card.suit
    if not second:
        rows = [first_round_weights(place, seen.up_card)]
    else:
        suits = [action.suit] if isinstance(action, Name) else [suit for suit in Suit if suit is not turned]
        rows = [second_round_weights(place, turned, suit) for suit in suits]
    chance = 1.0
    for row in rows:
        called = row.bias + math.fsum(row.worth[card] for card in deal.hands[action.seat.index] if card is not UNKNOWN)
        chance *= 1 / (1 + math.exp(called if isinstance(action, Pass) else -called))
    return chance


# Comparing


def _stakes(entry: Entry, seen: View) -> Stakes:
    return stakes(seen, in_points=entry.measure == "points")


def _compared(entry: Entry, values: _Values, weights: list[float]) -> Confirmation:
    whole = math.fsum(weights)
    means = {told: math.fsum(map(float.__mul__, weights, worth)) / whole for told, worth in values.items()}
    good = [told for told in values if entry.accepts(told)]
    rest = [told for told in values if told not in good]
    better = min(good, key=means.__getitem__) if entry.right else max(good, key=means.__getitem__)
    worse = max(rest, key=means.__getitem__)
    gains = [one - other for one, other in zip(values[better], values[worse], strict=True)]
    margin = means[better] - means[worse]
    sample_by_counting = math.fsum((weight * (gain - margin)) ** 2 for weight, gain in zip(weights, gains, strict=True))
    against = math.fsum(weight for weight, gain in zip(weights, gains, strict=True) if gain < 0)
    return Confirmation(
        better=better,
        worse=worse,
        margin=margin,
        error=math.sqrt(sample_by_counting) / whole,
        layouts=len(weights),
        against=against / whole,
        means=means,
        measure=entry.measure,
    )
