"""Finished matches of a live table, which count for the ratings of a season."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveMatch:
    sides: tuple[tuple[str, ...], ...]
    """The people of each side by id; empty for a bot."""
    winner: int | None
    """None for a tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTable:
    title: str
    names: Mapping[str, str]
    """The names of the people who played, by id."""
    matches: tuple[LiveMatch, ...]
