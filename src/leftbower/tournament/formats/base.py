"""Base class of tournament formats: names, defaults and the draw.

A format reads a `StageView`, never an event, so the plan can import formats without a cycle.
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
"""Default number of rounds for formats without a natural end."""


class StageView(Protocol):
    """The stage as a format sees it; `pairing` implements it for an event."""

    @property
    def field(self) -> tuple[Entrant, ...]:
        """Entrants who can be drawn now: by number, or best first in a final."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the field."""

    @property
    def done(self) -> tuple[Round, ...]:
        """Rounds drawn so far."""

    @property
    def rounds(self) -> int:
        """Rounds in the plan; 0 for the format's default."""

    @property
    def three_handed(self) -> bool:
        """Do leftover players play at three-handed tables?"""

    def open_tables(self) -> tuple[TableKey, ...]:
        """Tables of the event without a settled score."""

    def first_draw(self) -> list[str]:
        """Entrants of the first round, in the order it was drawn from."""

    def ranked(self) -> list[str]:
        """The field best first, entrants without a place last; before the first round, by number."""

    def matches_won(self) -> Mapping[str, Fraction]:
        """Matches won by each entrant; a tie counts half."""

    def winning_sides(self) -> Mapping[int, int]:
        """The winning side of each table of the last round; 0 after a tie."""

    def bracket(self) -> Bracket:
        """The bracket with the results so far."""


@dataclass(frozen=True, kw_only=True)
class TournamentFormat(ABC):
    """How entrants are paired; each instance is one line of the registry."""

    key: str
    """Its name in ledgers, forms, commands and docs."""
    title: str
    description: str
    """How entrants meet, for pages and docs."""
    tie_breaks: tuple[TieBreak, ...]
    """Default tie-breaks."""
    bye: ByeValue = ByeValue.NOTHING
    """Default value of a bye."""
    singles: bool = False
    """For single players with changing partners; otherwise for teams."""
    scheduled: bool = False
    """All rounds can be drawn before play starts."""
    losses: int = 0
    """Losses that eliminate an entrant; 0 for formats without a bracket."""
    by_school: bool = False
    """Teams earn points for their schools."""
    has_own_byes: bool = False
    """Byes are part of the format, so the plan has no choice for odd numbers."""
    three_handed: bool = False
    """Can seat three at a table if the entrants don't fill the tables."""

    @abstractmethod
    def planned_rounds(self, stage: StageView) -> int:
        """Planned number of rounds; for a bracket, the maximum before a second final."""

    @abstractmethod
    def draw(self, stage: StageView) -> Iterable[Pairings]:
        """Rounds that can be drawn now; called only if the stage has rounds left."""

    def __str__(self) -> str:
        return self.key

    @property
    def bracket(self) -> bool:
        """Is it a bracket? Then no match may end in a tie."""
        return self.losses > 0

    @property
    def entrant_noun(self) -> str:
        return "players" if self.singles else "teams"

    @property
    def entrants_per_table(self) -> int:
        """Four players, or two teams."""
        return 4 if self.singles else 2

    def has_rounds_left(self, stage: StageView) -> bool:
        """Are fewer rounds drawn than planned?"""
        return self.planned_rounds(stage) > len(stage.done)

    def next_rounds(self, stage: StageView) -> Iterator[Pairings]:
        """Yield the rounds that can be drawn now; the first `next` raises the reason if there are none."""
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
        """Refuse too large a draw before computing any of it."""
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
        """Are all rounds drawn? Assumes that the stage has no open tables."""
        try:
            return next(self.next_rounds(stage), None) is None
        except (NothingToPair, BadPlan):
            return True


def _check_last_round_over(stage: StageView) -> None:
    """Raise if a table is open: the next round depends on the scores of the last one."""
    if missing := stage.open_tables():
        number, table = missing[0]
        path, more = f"round {number}", len(missing) - 1
        if more:
            raise RoundIsOn("table %(table)s and %(more)s more have no score yet", path=path, table=table, more=more)
        raise RoundIsOn("table %(table)s has no score yet", path=path, table=table)
