"""A tournament format as an object: its names, what follows from it, and its draw.

A format reads a `StageView` and never an event, so it lies below the plan that names it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol

from leftbower.errors import BadPlan, NothingToPair, RoundIsOn
from leftbower.tournament.formats.limits import MAX_MATCHES_PER_DRAW
from leftbower.tournament.formats.schedules.bracket import Bracket
from leftbower.tournament.model.choices import ByeValue, TieBreak
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.seating import Pairings, Round
from leftbower.tournament.model.table_map import TableKey

DEFAULT_ROUNDS: Final = 8
"""Default for formats without a natural end."""


class StageView(Protocol):
    """What a format reads of the stage that it draws; `pairing` reads it from an event."""

    @property
    def field(self) -> tuple[Entrant, ...]:
        """Who can be drawn now: by number, or best first in a final."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the field."""

    @property
    def done(self) -> tuple[Round, ...]:
        """The rounds that are drawn."""

    @property
    def rounds(self) -> int:
        """How many rounds the plan has; 0 for as many as the format has."""

    @property
    def three_handed(self) -> bool:
        """Do odd numbers play at tables of three?"""

    def open_tables(self) -> tuple[TableKey, ...]:
        """Tables of the event without a settled score."""

    def first_draw(self) -> list[str]:
        """The entrants of the first round in the order of its draw."""

    def ranked(self) -> list[str]:
        """The field best first, entrants without a place last; before the first round as they are numbered."""

    def matches_won(self) -> Mapping[str, Fraction]:
        """Matches won by each entrant; a tie counts half."""

    def winning_sides(self) -> Mapping[int, int]:
        """The winning side of each table of the last round; 0 after a tie."""

    def bracket(self) -> Bracket:
        """The bracket with the results so far."""


@dataclass(frozen=True, kw_only=True)
class TournamentFormat(ABC):
    """How entrants are paired; one instance is a line of the registry."""

    key: str
    """Its name in ledgers, forms, commands and docs."""
    title: str
    description: str
    """How entrants meet, in a few words, for pages and docs."""
    tie_breaks: tuple[TieBreak, ...]
    """Default tie-breaks."""
    bye: ByeValue = ByeValue.NOTHING
    """Default value of a bye."""
    singles: bool = False
    """Is it for single players, whose partners change? All others are for teams."""
    scheduled: bool = False
    """Can all rounds be drawn before the first card is dealt?"""
    losses: int = 0
    """Losses that eliminate an entrant; 0 for formats without a bracket."""
    by_school: bool = False
    """Do teams earn points for their schools?"""
    has_own_byes: bool = False
    """Do byes belong to the format, so that odd numbers leave nothing to choose?"""
    three_handed: bool = False
    """Can it seat three at a table where numbers are odd?"""

    @abstractmethod
    def planned_rounds(self, stage: StageView) -> int:
        """Planned number of rounds; for a bracket, the maximum before a second final."""

    @abstractmethod
    def draw(self, stage: StageView) -> Iterable[Pairings]:
        """The rounds that can be drawn now, for a stage that has rounds left."""

    def __str__(self) -> str:
        return self.key

    @property
    def bracket(self) -> bool:
        """Does a bracket decide who meets, so that no match may end in a tie?"""
        return self.losses > 0

    @property
    def entrant_noun(self) -> str:
        """Who is entered: players or teams."""
        return "players" if self.singles else "teams"

    @property
    def entrants_per_table(self) -> int:
        """Four players, or two teams."""
        return 4 if self.singles else 2

    def has_rounds_left(self, stage: StageView) -> bool:
        """Are fewer rounds drawn than planned?"""
        return self.planned_rounds(stage) > len(stage.done)

    def next_rounds(self, stage: StageView) -> Iterator[Pairings]:
        """The rounds that can be drawn now, one by one; the first raises the error that says why there are none."""
        count = len(stage.field)
        if count < self.entrants_per_table:
            if self.singles:
                raise NothingToPair("a round needs four players; %(count)s are here", count=count)
            raise NothingToPair("a round needs two teams; %(count)s are here", count=count)
        if not self.scheduled:
            _check_last_round_over(stage)
        self.check_size(stage)
        rounds = iter(self.draw(stage) if self.has_rounds_left(stage) else ())
        first = next(rounds, None)
        if first is None:
            raise NothingToPair("all rounds of this stage are drawn")
        yield first
        yield from rounds

    def check_size(self, stage: StageView) -> None:
        """Refuse a draw of too many matches before any of it is computed."""
        if not self.scheduled:
            return
        count = len(stage.field)
        rounds_left = max(0, self.planned_rounds(stage) - len(stage.done))
        matches = rounds_left * (count // self.entrants_per_table)
        if matches > MAX_MATCHES_PER_DRAW:
            raise BadPlan(
                "%(count)s entrants make %(matches)s matches, the limit is %(limit)s; plan fewer rounds or use swiss",
                path="rounds",
                count=count,
                matches=f"{matches:,}",
                limit=f"{MAX_MATCHES_PER_DRAW:,}",
            )

    def is_finished(self, stage: StageView) -> bool:
        """Is every round drawn, in a stage without open tables?"""
        try:
            return next(self.next_rounds(stage), None) is None
        except (NothingToPair, BadPlan):
            return True


def _check_last_round_over(stage: StageView) -> None:
    """The next round follows from the scores of the last one."""
    if missing := stage.open_tables():
        number, table = missing[0]
        path, more = f"round {number}", len(missing) - 1
        if more:
            raise RoundIsOn("table %(table)s and %(more)s more have no score yet", path=path, table=table, more=more)
        raise RoundIsOn("table %(table)s has no score yet", path=path, table=table)
