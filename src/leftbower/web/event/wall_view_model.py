"""View models of the wall: where each person sits, and the podium at the end."""

from dataclasses import dataclass

from leftbower.errors import LeftbowerError
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.text.display import seat_names
from leftbower.tournament.text.parse import format_dollars
from leftbower.web.event.view_models import StandingsViewModel

_STEPS = 3
_PLACES_BELOW = 8
"""The last place shown beside the podium."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSeat:
    name: str
    table: int
    """0 for a person who sits out."""
    seat: str = ""


def found_seats(event: Event) -> tuple[FoundSeat, ...]:
    """Everyone's seat in the current round, by first name."""
    if not event.rounds:
        return ()
    round_ = event.round(event.current_round)
    found = [
        FoundSeat(name=name, table=seating.table, seat=seat)
        for seating in round_.tables
        for seat, name in seat_names(event, round_.number, seating).items()
    ]
    for entrant in map(event.entrants.__getitem__, round_.byes):
        found += [FoundSeat(name=name, table=0) for name in entrant.players or (entrant.name,)]
    return tuple(sorted(found, key=lambda seat: seat.name.casefold()))


@dataclass(frozen=True, slots=True, kw_only=True)
class PodiumStep:
    place: int
    names: tuple[str, ...]
    """More than one if they are tied."""
    won: str
    points: int
    prize: str
    """For each of them; empty if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Podium:
    steps: tuple[PodiumStep, ...]
    """First place first."""
    places: tuple[tuple[int, str, str], ...]
    """Place, name and matches won of those below."""


def podium(event: Event, standings: StandingsViewModel) -> Podium:
    try:
        prizes = payouts(event).by_entrant()
    except LeftbowerError:  # a tie for a prize isn't broken yet
        prizes = {}
    steps: list[PodiumStep] = []
    for place in sorted({line.place for line in standings.rows if line.place <= _STEPS}):
        lines = [line for line in standings.rows if line.place == place]
        best, cents = lines[0], prizes.get(lines[0].entrant, 0)
        steps.append(
            PodiumStep(
                place=place,
                names=tuple(standings.names[line.entrant] for line in lines),
                won=str(best.tally.matches),
                points=best.tally.points,
                prize=format_dollars(cents).removesuffix(".00") if cents else "",
            )
        )
    below = [line for line in standings.rows if _STEPS < line.place <= _PLACES_BELOW]
    places = tuple((line.place, standings.names[line.entrant], str(line.tally.matches)) for line in below)
    return Podium(steps=tuple(steps), places=places)
