"""Keys by round and table: facts about one table, and an immutable map.

A change of the map copies one part of it, so replaying a long ledger stays linear.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

TableKey = tuple[int, int]
"""A round and a table."""
K = TypeVar("K")
L = TypeVar("L")
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAtTable:
    """A fact about one table of one round."""

    round: int
    table: int

    @property
    def key(self) -> TableKey:
        return self.round, self.table


@dataclass(frozen=True, slots=True, kw_only=True)
class FactBySide(FactAtTable):
    """What a side of a table reported."""

    side: str


class PairMap(Mapping[tuple[K, L], V]):
    """Values by pairs of keys."""

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[K, Mapping[L, V]] | None = None) -> None:
        self.parts = parts or {}
        """The values of each first key that has one."""

    def __getitem__(self, key: tuple[K, L]) -> V:
        return self.parts[key[0]][key[1]]

    def __iter__(self) -> Iterator[tuple[K, L]]:
        return ((first, second) for first, part in self.parts.items() for second in part)

    def __len__(self) -> int:
        return sum(map(len, self.parts.values()))

    def __repr__(self) -> str:
        return f"PairMap({dict(self)!r})"

    def put(self, key: tuple[K, L], value: V) -> "PairMap[K, L, V]":
        """A copy with this value."""
        first, second = key
        return PairMap({**self.parts, first: {**self.parts.get(first, {}), second: value}})

    def drop(self, key: tuple[K, L]) -> "PairMap[K, L, V]":
        """A copy without this key."""
        first, second = key
        remaining = {name: value for name, value in self.parts.get(first, {}).items() if name != second}
        parts = {name: part for name, part in self.parts.items() if name != first}
        return PairMap(parts | ({first: remaining} if remaining else {}))


TableMap = PairMap[int, int, V]
"""Values by round and table."""
