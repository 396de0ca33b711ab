"""Who is who at a table: people by their names, bots by names of their own, and whoever looks is `You`."""

from collections.abc import Mapping
from typing import Final

from leftbower.notation.describe import YOU
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import SeatedBot, SeatedPerson, Seats

_POSITIONS: Final[Mapping[int, tuple[str, ...]]] = {
    4: ("bottom", "left", "top", "right"),
    3: ("bottom", "left", "right"),
    2: ("bottom", "top"),
}
"""Where the seats are, clockwise from the viewer's."""
_BOT_NAMES: Final = {"bottom": "Sam", "left": "Wade", "top": "Nora", "right": "Ellis"}


def seat_positions(rules: HouseRules, seat: Seat | None) -> dict[Seat, str]:
    """Where every seat is, the viewer's at the bottom."""
    seats = rules.seats
    first = seats.index(seat) if seat in seats else seats.index(Seat.S)
    clockwise = (*seats[first:], *seats[:first])
    return dict(zip(clockwise, _POSITIONS[len(seats)], strict=True))


class SeatNames:
    """How seats are called by one viewer."""

    def __init__(self, seats: Seats, names: Mapping[str, str], own: Seat | None, places: Mapping[Seat, str]) -> None:
        self._seats, self._names, self._own, self._places = seats, names, own, places

    def __call__(self, seat: Seat) -> str:
        """The name of who sits there."""
        if seat is self._own:
            return YOU
        sitter = self._seats.get(seat)
        if isinstance(sitter, SeatedPerson):
            return self._names.get(sitter.id) or "Somebody"
        return _BOT_NAMES[self._places[seat]] if isinstance(sitter, SeatedBot) else "Nobody"
