"""Display names of seats: people by name, bots by fixed names, the viewer as the marker `YOU`."""

from collections.abc import Mapping
from typing import Final

from leftbower.i18n import gettext
from leftbower.notation.describe import YOU
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import SeatedBot, SeatedPerson, Seats

_POSITIONS: Final[Mapping[int, tuple[str, ...]]] = {
    4: ("bottom", "left", "top", "right"),
    3: ("bottom", "left", "right"),
    2: ("bottom", "top"),
}
"""Positions on the page, clockwise from the viewer."""
_BOT_NAMES: Final = {"bottom": "Sam", "left": "Wade", "top": "Nora", "right": "Ellis"}


def seat_positions(rules: HouseRules, seat: Seat | None) -> dict[Seat, str]:
    """Position of every seat on the page, the viewer's at the bottom."""
    seats = rules.seats
    first = seats.index(seat) if seat in seats else seats.index(Seat.S)
    clockwise = (*seats[first:], *seats[:first])
    return dict(zip(clockwise, _POSITIONS[len(seats)], strict=True))


class SeatNames:
    def __init__(self, seats: Seats, names: Mapping[str, str], own: Seat | None, positions: Mapping[Seat, str]) -> None:
        self._seats, self._names, self._own, self._positions = seats, names, own, positions

    def __call__(self, seat: Seat) -> str:
        if seat is self._own:
            return YOU
        occupant = self._seats.get(seat)
        if isinstance(occupant, SeatedPerson):
            return self._names.get(occupant.id) or gettext("Someone")
        return _BOT_NAMES[self._positions[seat]] if isinstance(occupant, SeatedBot) else gettext("No one")
