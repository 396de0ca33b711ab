"""Immutable map by round and table: a change copies one round of it, so that folding a long ledger stays linear."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

Place = tuple[int, int]
"""A round and a table."""
V = TypeVar("V")


class PlaceMap(Mapping[Place, V]):
    """What is known of tables, round by round."""

    __slots__ = ("_rounds",)

    def __init__(self, rounds: Mapping[int, Mapping[int, V]] | None = None) -> None:
        self._rounds = rounds or {}

    def __getitem__(self, place: Place) -> V:
        return self._rounds[place[0]][place[1]]

    def __iter__(self) -> Iterator[Place]:
        return ((number, table) for number, tables in self._rounds.items() for table in tables)

    def __len__(self) -> int:
        return sum(map(len, self._rounds.values()))

    def __repr__(self) -> str:
        return f"PlaceMap({dict(self)!r})"

    @property
    def rounds(self) -> Mapping[int, Mapping[int, V]]:
        """The tables of every round of which anything is known."""
        return self._rounds

    def put(self, place: Place, value: V) -> "PlaceMap[V]":
        """The map with another value for a place."""
        number, table = place
        return PlaceMap({**self._rounds, number: {**self._rounds.get(number, {}), table: value}})

    def drop(self, place: Place) -> "PlaceMap[V]":
        """The map without a place."""
        number, table = place
        left = {name: value for name, value in self._rounds.get(number, {}).items() if name != table}
        rounds = {name: tables for name, tables in self._rounds.items() if name != number}
        return PlaceMap(rounds | ({number: left} if left else {}))
