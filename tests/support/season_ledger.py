"""A season with its log and its evenings for tests; each fact is one second after the one before."""

from __future__ import annotations

from dataclasses import dataclass, field

from event_ledger import EventLedger
from leftbower.tournament.season.commands import add_evening
from leftbower.tournament.season.facts import SeasonEntry, SeasonFact, SeasonOpened
from leftbower.tournament.season.live import LiveTable
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.standings import SeasonLine, season_standings
from leftbower.tournament.season.state import Season
from leftbower.tournament.season.validate import record
from leftbower.tournament.season.view import SeasonView


@dataclass
class SeasonLedger:
    plan: SeasonPlan
    events: dict[str, EventLedger] = field(default_factory=dict)
    live: dict[str, LiveTable] = field(default_factory=dict)
    log: list[SeasonEntry] = field(default_factory=list)
    state: Season | None = None

    def __post_init__(self) -> None:
        self.record(SeasonOpened(plan=self.plan))

    @property
    def season(self) -> Season:
        assert self.state is not None
        return self.state

    @property
    def view(self) -> SeasonView:
        return SeasonView(self.season, {name: ledger.event for name, ledger in self.events.items()}, self.live)

    def record(self, *facts: SeasonFact, at: float = 0.0) -> None:
        for fact in facts:
            entry = SeasonEntry(fact=fact, by="organizer", at=at or float(len(self.log)))
            self.state = record(self.state, entry)
            self.log.append(entry)

    def add(self, name: str, event: EventLedger, at: float = 0.0) -> None:
        self.events[name] = event
        self.record(*add_evening(self.view, name), at=at)

    def player(self, name: str) -> str:
        [player] = [player for player, known in self.view.names.items() if known == name]
        return player

    @property
    def lines(self) -> dict[str, SeasonLine]:
        return {line.name: line for line in season_standings(self.view)}
