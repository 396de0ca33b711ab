"""Tables are shared: from round to round everybody sits elsewhere, as far as that goes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=Sequence[str])
_TIMES: Final = 3


def shared(rounds: Iterable[Sequence[T]]) -> list[list[T]]:
    """Rounds with their tables exchanged until fewer sit where they have often sat; looked over a few times."""
    found = [list(one) for one in rounds]
    sat: Counter[tuple[str, int]] = Counter()
    for tables in found:
        sat.update(_places(tables))
    for _ in range(_TIMES):
        for at, tables in enumerate(found):
            sat.subtract(_places(tables))
            found[at] = _exchanged(tables, sat)
            sat.update(_places(found[at]))
    return found


def _places(tables: Sequence[T]) -> Iterator[tuple[str, int]]:
    yield from ((who, at) for at, table in enumerate(tables) for who in set(table))


def _exchanged(tables: list[T], sat: Counter[tuple[str, int]]) -> list[T]:
    better = True
    while better:
        better = False
        for at in range(len(tables)):
            for other in range(at):
                one, two = tables[at], tables[other]
                now = _worn(one, at, sat) + _worn(two, other, sat)
                if _worn(one, other, sat) + _worn(two, at, sat) < now:
                    tables[at], tables[other] = two, one
                    better = True
    return tables


def _worn(table: Sequence[str], at: int, sat: Counter[tuple[str, int]]) -> int:
    """How often those of a table have sat there, by cubes: seven times once is better than once seven times."""
    return sum((sat[who, at] + 1) ** 3 - sat[who, at] ** 3 for who in set(table))
