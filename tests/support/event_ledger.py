"""An event with its ledger for tests; each fact is one second after the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leftbower.rules import HouseRules, preset
from leftbower.tournament.formats.pairing import next_rounds
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.facts import (
    EntrantAdded,
    EventFact,
    EventOpened,
    LedgerEntry,
    RoundDrawn,
    ScoreEntered,
    SeedsDrawn,
)
from leftbower.tournament.model.plan import EventPlan, Stage, default_plan
from leftbower.tournament.model.seating import Pairings
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.validate import record
from leftbower.tournament.scoring.scores import NoShow, Played, Score, Totals


@dataclass
class EventLedger:
    """An event and its ledger."""

    plan: EventPlan
    ledger: list[LedgerEntry] = field(default_factory=list)
    state: Event | None = None

    def __post_init__(self) -> None:
        self.record(EventOpened(plan=self.plan))

    @property
    def event(self) -> Event:
        assert self.state is not None
        return self.state

    def record(self, fact: EventFact, *, by: str = "desk", requested_by: str = "", at: float | None = None) -> Event:
        """Append a fact, or raise the error that refuses it."""
        moment = float(len(self.ledger)) if at is None else at
        entry = LedgerEntry(fact=fact, by=by, at=moment, requested_by=requested_by)
        self.state = record(self.state, entry)
        self.ledger.append(entry)
        return self.state

    def enter(self, *names: str, school: str = "") -> None:
        for name in names:
            entrant = f"e{len(self.event.entrants) + 1}"
            players = tuple(name.split(" & ")) if " & " in name else ()
            self.record(EntrantAdded(entrant=entrant, name=name, players=players, school=school))

    def seed(self) -> None:
        """Number the entrants in the order of entry."""
        self.record(SeedsDrawn(order=tuple(self.event.entrants)))

    def pair(self) -> tuple[Pairings, ...]:
        drawn = next_rounds(self.event)
        for pairings in drawn:
            self.record(RoundDrawn(round=len(self.event.rounds) + 1, tables=pairings.tables, byes=pairings.byes))
        return drawn

    def score(self, round: int, table: int, *points: tuple[int, ...]) -> None:
        self.record(ScoreEntered(round=round, table=table, score=played(*points)))

    def absent(self, round: int, table: int, *sides: str) -> None:
        self.record(ScoreEntered(round=round, table=table, score=NoShow(absent=sides)))


def played(*points: tuple[int, ...], stopped: bool = False) -> Score:
    return Played(games=tuple(Totals(points=game) for game in points), stopped=stopped)


def new_ledger(
    format: Format, names: Sequence[str] | int, rules: HouseRules | None = None, rounds: int = 0, **terms: object
) -> EventLedger:
    """An event whose entrants are numbered in the order of their names."""
    stage = Stage(format=format, rounds=rounds)
    ledger = EventLedger(default_plan("An evening", rules or preset("club"), stage, **terms))
    ledger.enter(*([f"T{number}" for number in range(1, names + 1)] if isinstance(names, int) else names))
    ledger.seed()
    return ledger
