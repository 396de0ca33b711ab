"""Immutable counter of a ledger's lines by author: one more line copies one part of it, so folding stays linear."""

from collections.abc import Mapping
from typing import Final
from zlib import crc32

_PARTS: Final = 64


class AuthorCounts:
    """Lines by author: the desk, a helper, a side of a table, a player, the house."""

    __slots__ = ("_parts",)

    def __init__(self, parts: tuple[Mapping[str, int], ...] = ({},) * _PARTS) -> None:
        self._parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AuthorCounts) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(sum(map(len, self._parts)))

    def __repr__(self) -> str:
        return f"AuthorCounts({ {name: count for part in self._parts for name, count in part.items()} })"

    def of(self, author: str) -> int:
        """How many lines an author wrote."""
        return self._parts[_part_of(author)].get(author, 0)

    def one_more(self, author: str) -> "AuthorCounts":
        """The counter after one more line of an author."""
        number = _part_of(author)
        part = {**self._parts[number], author: self.of(author) + 1}
        return AuthorCounts((*self._parts[:number], part, *self._parts[number + 1 :]))


def author_of(by: str) -> str:
    """The role that a line was written in: of a player without the person who had it then."""
    kind, _, rest = by.partition(" ")
    return f"{kind} {rest.partition(' ')[0]}" if kind == "player" else by


def _part_of(author: str) -> int:
    return crc32(author.encode(errors="surrogatepass")) % _PARTS
