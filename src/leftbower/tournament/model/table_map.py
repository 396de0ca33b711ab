"""Immutable map by round and table; a change copies one round, so replaying a long ledger stays linear."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

TableKey = tuple[int, int]
"""A round and a table."""
V = TypeVar("V")


class TableMap(Mapping[TableKey, V]):
    """Values by (round, table)."""

    __slots__ = ("_rounds",)

    def __init__(self, rounds: Mapping[int, Mapping[int, V]] | None = None) -> None:
        self._rounds = rounds or {}

    def __getitem__(self, key: TableKey) -> V:
        return self._rounds[key[0]][key[1]]

    def __iter__(self) -> Iterator[TableKey]:
        return ((number, table) for number, tables in self._rounds.items() for table in tables)

    def __len__(self) -> int:
        return sum(map(len, self._rounds.values()))

    def __repr__(self) -> str:
        return f"TableMap({dict(self)!r})"

    @property
    def rounds(self) -> Mapping[int, Mapping[int, V]]:
        """The tables of every round that has a value."""
        return self._rounds

    def put(self, key: TableKey, value: V) -> "TableMap[V]":
        """A copy with this value."""
        number, table = key
        return TableMap({**self._rounds, number: {**self._rounds.get(number, {}), table: value}})

    def drop(self, key: TableKey) -> "TableMap[V]":
        """A copy without this key."""
        number, table = key
        remaining = {name: value for name, value in self._rounds.get(number, {}).items() if name != table}
        rounds = {name: tables for name, tables in self._rounds.items() if name != number}
        return TableMap(rounds | ({number: remaining} if remaining else {}))
