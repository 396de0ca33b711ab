"""Base rounds: one per number of players, in `base_rounds.txt`; `progressive` rotates it into a whole schedule.

Four numbers are a table, clockwise from North, partners opposite; leftover players sit out. A rotation adds 1 to each
number, modulo the number of players; for counts in `LAST_STAYS` the last number stays and the others rotate.
For 9 and 45 players the addition is in Z3 x Z3 (x Z5).

Most of those up to 43 were found by annealing (`python -m benchmarks schedules`); many larger ones pair a number
with its negative. 45 uses the orbits of an automorphism of order four, 52 is a resolvable design, 64 the affine space
over the field of four elements; 55, 59 and 63 leave one player out of the next larger one. 44, 48, 56, 57 and 60 are
the best that annealing found: partners are perfect; between opponents a few differences occur three times, others once.
The tests count every meeting of every schedule from scratch.
"""

from importlib.resources import files
from typing import Final

_LINES: Final = (
    files("leftbower.tournament.formats.schedules").joinpath("base_rounds.txt").read_text(encoding="ascii").splitlines()
)
_ROUNDS: Final = [[int(number) for number in line.replace(":", "").split()] for line in _LINES]
BASE_ROUNDS: Final = {players: tuple(numbers) for players, *numbers in _ROUNDS}
LAST_STAYS: Final = frozenset({*(players for players in BASE_ROUNDS if players % 4 == 0), 46, 50, 54, 58, 62})
"""Player counts for which the last number stays."""
ADDED_BY_THREES: Final = frozenset({9, 45})
MIN_PLAYERS: Final = min(BASE_ROUNDS)
MAX_PLAYERS: Final = max(BASE_ROUNDS)
