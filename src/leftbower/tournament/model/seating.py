"""Rounds: seats at each table, and byes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from leftbower.rules.seats import SEATS_BY_PLAYERS, Seat

_TWO_SIDES: Final = ((Seat.N, Seat.S), (Seat.E, Seat.W))
_TWO_LABELS: Final = tuple("".join(map(str, side)) for side in _TWO_SIDES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """One table of a round: an entrant in every chair; a team holds two facing chairs."""

    table: int
    seats: Mapping[Seat, str]
    slot: str = ""
    """Its slot in the bracket, if any."""

    @property
    def sides(self) -> tuple[tuple[Seat, ...], ...]:
        """Seats that score together: two pairs, or three single seats at a three-handed table."""
        return _TWO_SIDES if len(self.seats) == 4 else tuple((seat,) for seat in self.seats)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the sides: NS and EW, or N, E and S."""
        return _TWO_LABELS if len(self.seats) == 4 else tuple(map(str, self.seats))

    def entrants_on(self, side: int) -> tuple[str, ...]:
        """Entrants of a side, without duplicates."""
        return tuple(dict.fromkeys(self.seats[seat] for seat in self.sides[side]))

    @property
    def entrants(self) -> tuple[str, ...]:
        """Entrants at the table, without duplicates."""
        return tuple(dict.fromkeys(self.seats.values()))

    def side_of(self, entrant: str) -> int | None:
        return next((side for side in range(len(self.sides)) if entrant in self.entrants_on(side)), None)

    def partners(self) -> Iterator[frozenset[str]]:
        """Pairs of entrants who are partners."""
        yield from (
            frozenset(self.entrants_on(side)) for side in range(len(self.sides)) if len(self.entrants_on(side)) == 2
        )

    def opponents(self) -> Iterator[frozenset[str]]:
        """Pairs of entrants who are opponents."""
        for side in range(len(self.sides)):
            for other in range(side):
                yield from (
                    frozenset((first, second)) for first in self.entrants_on(side) for second in self.entrants_on(other)
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    number: int
    stage: int
    """Index of its stage, from 0."""
    tables: tuple[Seating, ...]
    byes: tuple[str, ...] = ()

    def seating_at(self, table: int) -> Seating | None:
        if 0 < table <= len(self.tables) and self.tables[table - 1].table == table:
            return self.tables[table - 1]
        return next((seating for seating in self.tables if seating.table == table), None)

    def seating_of(self, entrant: str) -> Seating | None:
        return next((seating for seating in self.tables if entrant in seating.seats.values()), None)


def team_seating(table: int, ours: str, theirs: str, slot: str = "") -> Seating:
    seats = {Seat.N: ours, Seat.E: theirs, Seat.S: ours, Seat.W: theirs}
    return Seating(table=table, seats=seats, slot=slot)


def player_seating(table: int, players: Iterable[str]) -> Seating:
    """Single players at a table, clockwise from North; with four, the first and third are partners."""
    seated = tuple(players)
    return Seating(table=table, seats=dict(zip(SEATS_BY_PLAYERS[len(seated)], seated, strict=True)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairings:
    """Tables and byes of a round not yet numbered."""

    tables: tuple[Seating, ...]
    byes: tuple[str, ...] = ()


def team_pairings(pairs: Iterable[tuple[str, str]], byes: Iterable[str] = ()) -> Pairings:
    """Team matches at tables numbered from 1."""
    return Pairings(tables=tuple(team_seating(number, *pair) for number, pair in enumerate(pairs, 1)), byes=tuple(byes))


def player_pairings(tables: Iterable[Iterable[str]], byes: Iterable[str] = ()) -> Pairings:
    """Single players, clockwise from North, at tables numbered from 1."""
    return Pairings(
        tables=tuple(player_seating(number, players) for number, players in enumerate(tables, 1)), byes=tuple(byes)
    )
