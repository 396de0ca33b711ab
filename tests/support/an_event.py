"""An event for tests: facts are recorded one after another, by a desk whose clock ticks once for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leftbower.rules import HouseRules, preset
from leftbower.tournament import (
    Draw,
    Entered,
    Entry,
    Event,
    EventFact,
    Format,
    NoShow,
    NumbersDrawn,
    Opened,
    Paired,
    Plan,
    Played,
    Score,
    ScoreEntered,
    Stage,
    Totals,
    drawn_next,
    planned,
    record,
)


@dataclass
class Desk:
    """A desk with its ledger."""

    plan: Plan
    ledger: list[Entry] = field(default_factory=list)
    state: Event | None = None

    def __post_init__(self) -> None:
        self.tell(Opened(plan=self.plan))

    @property
    def event(self) -> Event:
        assert self.state is not None
        return self.state

    def tell(self, fact: EventFact, *, by: str = "desk", asks: str = "") -> Event:
        """Write one line, or be refused."""
        entry = Entry(fact=fact, by=by, at=float(len(self.ledger)), asks=asks)
        self.state = record(self.state, entry)
        self.ledger.append(entry)
        return self.state

    def enter(self, *names: str, school: str = "") -> None:
        for name in names:
            at = f"e{len(self.event.entrants) + 1}"
            players = tuple(name.split(" & ")) if " & " in name else ()
            self.tell(Entered(entrant=at, name=name, players=players, school=school))

    def number(self) -> None:
        """Numbers in the order of entry."""
        self.tell(NumbersDrawn(order=tuple(self.event.entrants)))

    def pair(self) -> tuple[Draw, ...]:
        drawn = drawn_next(self.event)
        for one in drawn:
            self.tell(Paired(round=len(self.event.rounds) + 1, tables=one.tables, byes=one.byes))
        return drawn

    def score(self, round: int, table: int, *points: tuple[int, ...]) -> None:
        self.tell(ScoreEntered(round=round, table=table, score=played(*points)))

    def absent(self, round: int, table: int, *sides: str) -> None:
        self.tell(ScoreEntered(round=round, table=table, score=NoShow(absent=sides)))


def played(*points: tuple[int, ...], stopped: bool = False) -> Score:
    return Played(games=tuple(Totals(points=one) for one in points), stopped=stopped)


def desk(
    format: Format, names: Sequence[str] | int, rules: HouseRules | None = None, rounds: int = 0, **terms: object
) -> Desk:
    """An event with its entrants numbered as they are named."""
    stage = Stage(format=format, rounds=rounds)
    one = Desk(planned("An evening", rules or preset("club"), stage, **terms))
    one.enter(*([f"T{at}" for at in range(1, names + 1)] if isinstance(names, int) else names))
    one.number()
    return one
