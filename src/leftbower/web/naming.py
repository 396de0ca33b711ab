"""Who is who at a table: people by their names, bots by names of their own, and whoever looks is `You`."""

from collections.abc import Mapping
from typing import Final

from leftbower.notation.telling import YOU
from leftbower.rules.house import HouseRules
from leftbower.rules.seats import Seat
from leftbower.table import Bot, Person, Seats

_WHERE: Final[Mapping[int, tuple[str, ...]]] = {
    4: ("bottom", "left", "top", "right"),
    3: ("bottom", "left", "right"),
    2: ("bottom", "top"),
}
"""Where the seats are, clockwise from the viewer's."""
_BOTS: Final = {"bottom": "Sam", "left": "Wade", "top": "Nora", "right": "Ellis"}


def places_round(rules: HouseRules, seat: Seat | None) -> dict[Seat, str]:
    """Where every seat is, the viewer's at the bottom."""
    places = rules.places
    first = places.index(seat) if seat in places else places.index(Seat.S)
    clockwise = (*places[first:], *places[:first])
    return dict(zip(clockwise, _WHERE[len(places)], strict=True))


class Called:
    """How seats are called by one viewer."""

    def __init__(self, seats: Seats, names: Mapping[str, str], own: Seat | None, places: Mapping[Seat, str]) -> None:
        self._seats, self._names, self._own, self._places = seats, names, own, places

    def __call__(self, seat: Seat) -> str:
        """The name of who sits there."""
        if seat is self._own:
            return YOU
        sitter = self._seats.get(seat)
        if isinstance(sitter, Person):
            return self._names.get(sitter.id) or "Somebody"
        return _BOTS[self._places[seat]] if isinstance(sitter, Bot) else "Nobody"
