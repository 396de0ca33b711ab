"""Names of seats for a viewer, who is the marker `YOU`; and positions on the page."""

from collections.abc import Mapping
from typing import Final

from leftbower.i18n import gettext
from leftbower.notation.describe import YOU
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.server.people.sanitize import is_placeholder
from leftbower.table import Seats, seat_names

_POSITIONS: Final[Mapping[int, tuple[str, ...]]] = {
    4: ("bottom", "left", "top", "right"),
    3: ("bottom", "left", "right"),
    2: ("bottom", "top"),
}
"""Positions on the page, clockwise from the viewer."""


def seat_positions(rules: HouseRules, seat: Seat | None) -> dict[Seat, str]:
    """Position of every seat on the page, the viewer's at the bottom."""
    seats = rules.seats
    first = seats.index(seat) if seat in seats else seats.index(Seat.S)
    clockwise = (*seats[first:], *seats[:first])
    return dict(zip(clockwise, _POSITIONS[len(seats)], strict=True))


def own_name(names: Mapping[str, str], person: str | None) -> str:
    """The viewer's name; empty for a guest who has not given one."""
    name = names.get(person or "", "")
    return "" if is_placeholder(name) else name


class SeatNames:
    """Everyone at a table by the same names, except that the viewer is `YOU`."""

    def __init__(self, seats: Seats, names: Mapping[str, str], own: Seat | None) -> None:
        self._names, self._own = seat_names(seats, names), own

    def __call__(self, seat: Seat) -> str:
        return YOU if seat is self._own else self._names.get(seat) or gettext("No one")
