"""An event for tests: facts are recorded one after another, by a desk whose clock ticks once for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leftbower.rules import HouseRules, preset
from leftbower.tournament import (
    EntrantAdded,
    Event,
    EventFact,
    EventOpened,
    EventPlan,
    Format,
    LedgerEntry,
    NoShow,
    Pairings,
    Played,
    RoundDrawn,
    Score,
    ScoreEntered,
    SeedsDrawn,
    Stage,
    Totals,
    default_plan,
    next_rounds,
    record,
)


@dataclass
class EventLedger:
    """A desk with its ledger."""

    plan: EventPlan
    ledger: list[LedgerEntry] = field(default_factory=list)
    state: Event | None = None

    def __post_init__(self) -> None:
        self.tell(EventOpened(plan=self.plan))

    @property
    def event(self) -> Event:
        assert self.state is not None
        return self.state

    def tell(self, fact: EventFact, *, by: str = "desk", asks: str = "") -> Event:
        """Write one line, or be refused."""
        entry = LedgerEntry(fact=fact, by=by, at=float(len(self.ledger)), requested_by=asks)
        self.state = record(self.state, entry)
        self.ledger.append(entry)
        return self.state

    def enter(self, *names: str, school: str = "") -> None:
        for name in names:
            at = f"e{len(self.event.entrants) + 1}"
            players = tuple(name.split(" & ")) if " & " in name else ()
            self.tell(EntrantAdded(entrant=at, name=name, players=players, school=school))

    def number(self) -> None:
        """Numbers in the order of entry."""
        self.tell(SeedsDrawn(order=tuple(self.event.entrants)))

    def pair(self) -> tuple[Pairings, ...]:
        drawn = next_rounds(self.event)
        for one in drawn:
            self.tell(RoundDrawn(round=len(self.event.rounds) + 1, tables=one.tables, byes=one.byes))
        return drawn

    def score(self, round: int, table: int, *points: tuple[int, ...]) -> None:
        self.tell(ScoreEntered(round=round, table=table, score=played(*points)))

    def absent(self, round: int, table: int, *sides: str) -> None:
        self.tell(ScoreEntered(round=round, table=table, score=NoShow(absent=sides)))


def played(*points: tuple[int, ...], stopped: bool = False) -> Score:
    return Played(games=tuple(Totals(points=one) for one in points), stopped=stopped)


def desk(
    format: Format, names: Sequence[str] | int, rules: HouseRules | None = None, rounds: int = 0, **terms: object
) -> EventLedger:
    """An event with its entrants numbered as they are named."""
    stage = Stage(format=format, rounds=rounds)
    one = EventLedger(default_plan("An evening", rules or preset("club"), stage, **terms))
    one.enter(*([f"T{at}" for at in range(1, names + 1)] if isinstance(names, int) else names))
    one.number()
    return one
