"""Keys by round and table: facts about one table, and an immutable map.

A change copies only one part of the map, so replaying a long ledger stays linear.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

TableKey = tuple[int, int]
"""Round and table numbers."""
K = TypeVar("K")
L = TypeVar("L")
V = TypeVar("V")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAtTable:
    round: int
    table: int

    @property
    def key(self) -> TableKey:
        return self.round, self.table


@dataclass(frozen=True, slots=True, kw_only=True)
class FactBySide(FactAtTable):
    """A fact reported by a side of a table."""

    side: str


class PairMap(Mapping[tuple[K, L], V]):
    """Immutable map from pairs of keys."""

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[K, Mapping[L, V]] | None = None) -> None:
        self.parts = parts or {}
        """Values by second key, for each first key."""

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
