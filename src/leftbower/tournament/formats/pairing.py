"""Draw the next rounds of an event by its format."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from leftbower.tournament.formats.brackets import bracket_of
from leftbower.tournament.formats.schedules.bracket import Bracket
from leftbower.tournament.model.choices import OddNumbers
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.seating import Pairings, Round
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import TableKey
from leftbower.tournament.scoring.results import RoundResult, entrant_tallies, table_results
from leftbower.tournament.scoring.standings import standings


def next_rounds(event: Event) -> tuple[Pairings, ...]:
    """Rounds that can be drawn now; raises the reason if there are none."""
    return tuple(iter_next_rounds(event))


def iter_next_rounds(event: Event) -> Iterator[Pairings]:
    """The rounds of `next_rounds`, one at a time, so a caller can stop in between; errors come with the first."""
    return event.stage.definition.next_rounds(_EventStage(event))


def planned_rounds(event: Event) -> int:
    """Planned number of rounds; for a bracket, the maximum before a second final."""
    return event.stage.definition.planned_rounds(_EventStage(event))


def is_stage_finished(event: Event) -> bool:
    """Are all rounds of the stage drawn and all scores settled?"""
    return not event.open_tables() and event.stage.definition.is_finished(_EventStage(event))


class _EventStage:
    """`StageView` of an event's current stage; everything is computed on demand."""

    def __init__(self, event: Event) -> None:
        self._event = event

    @cached_property
    def field(self) -> tuple[Entrant, ...]:
        return self._event.drawable_entrants()

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(entrant.id for entrant in self.field)

    @cached_property
    def done(self) -> tuple[Round, ...]:
        return self._event.rounds_of(len(self._event.stages) - 1)

    @property
    def rounds(self) -> int:
        return self._event.stage.rounds

    @property
    def three_handed(self) -> bool:
        return self._event.plan.odd_numbers is OddNumbers.THREE_HANDED

    def open_tables(self) -> tuple[TableKey, ...]:
        return self._event.open_tables()

    def first_draw(self) -> list[str]:
        first, entrants = self.done[0], self._event.entrants
        drawn = {*first.byes, *(entrant for seating in first.tables for entrant in seating.entrants)}
        if self._event.stage.entrants:
            return [entrant for entrant in self._event.stage.entrants if entrant in drawn]
        return sorted(drawn, key=lambda entrant: entrants[entrant].number or len(entrants) + 1)

    def ranked(self) -> list[str]:
        playing = set(self.ids)
        order = (
            [line.entrant for line in standings(self._event) if line.entrant in playing]
            if self.done
            else list(self.ids)
        )
        ranked = set(order)
        return order + [entrant for entrant in self.ids if entrant not in ranked]

    def matches_won(self) -> Mapping[str, Fraction]:
        return {entrant: tally.matches for entrant, tally in entrant_tallies(self._event, self.done).items()}

    def winning_sides(self) -> Mapping[int, int]:
        last = self.done[-1]
        won = {}
        for seating in last.tables:
            results = table_results(self._event, last.number, seating)
            won[seating.table] = next(
                (side for side, result in enumerate(results) if result in (RoundResult.WIN, RoundResult.WALKOVER)), 0
            )
        return won

    def bracket(self) -> Bracket:
        return bracket_of(self._event, len(self._event.stages) - 1)
