"""Immutable counter of ledger lines by author; an increment copies one of 64 parts, so replaying stays linear."""

from collections.abc import Mapping
from typing import Final
from zlib import crc32

_PART_COUNT: Final = 64


class AuthorCounts:
    """Lines by author: the desk, a helper, a side of a table, a player, the server."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[Mapping[str, int], ...] = ({},) * _PART_COUNT) -> None:
        self._parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AuthorCounts) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(sum(map(len, self._parts)))

    def __repr__(self) -> str:
        return f"AuthorCounts({ {name: count for part in self._parts for name, count in part.items()} })"

    def count(self, author: str) -> int:
        """How many lines an author wrote."""
        return self._parts[_part_of(author)].get(author, 0)

    def increment(self, author: str) -> "AuthorCounts":
        """The counter with one more line of an author."""
        number = _part_of(author)
        part = {**self._parts[number], author: self.count(author) + 1}
        return AuthorCounts((*self._parts[:number], part, *self._parts[number + 1 :]))


def author_key(by: str) -> str:
    """The author's role: a player without the person's id."""
    kind, _, rest = by.partition(" ")
    return f"{kind} {rest.partition(' ')[0]}" if kind == "player" else by


def _part_of(author: str) -> int:
    return crc32(author.encode(errors="surrogatepass")) % _PART_COUNT
