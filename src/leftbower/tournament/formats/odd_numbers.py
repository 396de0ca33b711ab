"""Numbers that do not fit: what can be done, and what each choice costs."""

from collections.abc import Iterator
from dataclasses import dataclass

from leftbower.tournament.formats.pairing import planned_rounds
from leftbower.tournament.model.state import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatingOption:
    """One way to seat all entrants, and its cost."""

    kind: str
    """byes, three-handed or bots."""
    count: int
    """How many per round."""
    cost: str


def seating_options(event: Event) -> tuple[SeatingOption, ...]:
    """The options when the numbers do not fit; none when they do."""
    return tuple(_seating_options(event, len(event.drawable_entrants())))


def _seating_options(event: Event, count: int) -> Iterator[SeatingOption]:
    definition = event.stage.definition
    if definition.has_own_byes:
        return
    size = definition.entrants_per_table
    spare = count % size
    if not spare or count < size:
        return
    noun, rounds = definition.entrant_noun, planned_rounds(event)
    each = spare * rounds / count
    yield SeatingOption(
        kind="byes",
        count=spare,
        cost=f"{spare} of {count} {noun} sit out each round, about {each:.1f} rounds each out of {rounds}",
    )
    threes = size - spare
    if definition.three_handed and count >= 3 * threes:
        yield SeatingOption(
            kind="three-handed",
            count=threes,
            cost=f"{threes} table{'s' * (threes > 1)} of three each round, under the club's rules, without partners; "
            f"everyone plays every round, about {3 * threes * rounds / count:.1f} of {rounds} at such a table",
        )
    bots = size - spare if definition.singles else 1
    yield SeatingOption(
        kind="bots",
        count=bots,
        cost=f"{bots} {'player' if definition.singles else 'team'}{'s' * (bots > 1)} of the house, only where play is "
        "online; everyone plays every round, some with or against a bot",
    )
