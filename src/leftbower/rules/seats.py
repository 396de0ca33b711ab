"""Seats: four around a table, clockwise N E S W. With fewer players some are empty."""

from enum import Enum, unique
from typing import Any, Final, Self

from leftbower.errors import BadSeat
from leftbower.i18n import gettext, gettext_noop


@unique
class Seat(Enum):
    """A player's position at the table, by compass point."""

    N = "N"
    E = "E"
    S = "S"
    W = "W"

    left: "Seat"
    """The next player clockwise at a table of four; with fewer players, use `HouseRules.left_of`."""
    right: "Seat"
    """The previous player at a table of four."""
    partner: "Seat"
    """The player opposite at a table of four."""
    index: int
    """Its index, clockwise from North."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a letter or a compass name in either case."""
        seat: Self | None = _BY_NAME.get(text.strip().lower())
        if seat is None:
            raise BadSeat("'%(text)s' is not a seat; write N, E, S or W", text=text[:12])
        return seat

    @property
    def full_name(self) -> str:
        """`North`, in the reader's language."""
        return gettext(_NAMES[self])

    def __str__(self) -> str:
        return self._name_  # same as `name`, without a Python call

    def __repr__(self) -> str:
        return f"Seat.{self.name}"

    __hash__ = object.__hash__  # members are singletons, and Enum's hash is a slow Python function


_CLOCKWISE: Final = tuple(Seat)
_NAMES: Final = {
    Seat.N: gettext_noop("North"),
    Seat.E: gettext_noop("East"),
    Seat.S: gettext_noop("South"),
    Seat.W: gettext_noop("West"),
}
for _index in range(4):
    _CLOCKWISE[_index].left = _CLOCKWISE[(_index + 1) % 4]
    _CLOCKWISE[_index].right = _CLOCKWISE[(_index - 1) % 4]
    _CLOCKWISE[_index].partner = _CLOCKWISE[(_index + 2) % 4]
    _CLOCKWISE[_index].index = _index

_BY_NAME: Final[dict[str, Any]] = {word.lower(): seat for seat, name in _NAMES.items() for word in (seat.value, name)}
SEATS_BY_PLAYERS: Final = {
    4: _CLOCKWISE,
    3: (Seat.N, Seat.E, Seat.S),
    2: (Seat.N, Seat.S),
}
"""The seats in use, clockwise, by number of players."""
