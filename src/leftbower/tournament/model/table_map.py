"""Immutable map by pairs; a change copies one part of it, so replaying a long ledger stays linear."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

TableKey = tuple[int, int]
"""A round and a table."""
K = TypeVar("K")
L = TypeVar("L")
V = TypeVar("V")


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
