"""Table rotation: swap tables between matches so that players change tables from round to round."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T", bound=Sequence[str])
_GREEDY_PASSES: Final = 3


def rotate_tables(rounds: Iterable[Sequence[T]]) -> list[list[T]]:
    """Swap tables within rounds to spread each player's visits, in a few greedy passes."""
    rotated = [list(tables) for tables in rounds]
    visits: Counter[tuple[str, int]] = Counter()
    for tables in rotated:
        visits.update(_table_visits(tables))
    for _ in range(_GREEDY_PASSES):
        for number, tables in enumerate(rotated):
            visits.subtract(_table_visits(tables))
            rotated[number] = _exchange_tables(tables, visits)
            visits.update(_table_visits(rotated[number]))
    return rotated


def _table_visits(tables: Sequence[T]) -> Iterator[tuple[str, int]]:
    yield from ((player, index) for index, table in enumerate(tables) for player in set(table))


def _exchange_tables(tables: list[T], visits: Counter[tuple[str, int]]) -> list[T]:
    better = True
    while better:
        better = False
        for index in range(len(tables)):
            for other in range(index):
                first, second = tables[index], tables[other]
                cost = _visit_cost(first, index, visits) + _visit_cost(second, other, visits)
                if _visit_cost(first, other, visits) + _visit_cost(second, index, visits) < cost:
                    tables[index], tables[other] = second, first
                    better = True
    return tables


def _visit_cost(table: Sequence[str], index: int, visits: Counter[tuple[str, int]]) -> int:
    """Cost of seating these players here: cubes of visit counts, so spread visits are cheaper."""
    return sum((visits[player, index] + 1) ** 3 - visits[player, index] ** 3 for player in set(table))
