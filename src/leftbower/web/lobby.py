"""A table before a match, and after one: who sits where, by which rules, and what the viewer can do about it."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine import MatchOver
from leftbower.rules.card import highlights
from leftbower.rules.seats import Seat
from leftbower.table import Bot, Person, Table
from leftbower.web.words import rules_title


@dataclass(frozen=True, slots=True, kw_only=True)
class Chair:
    """One seat, taken or free."""

    seat: str
    where: str
    name: str
    level: str
    agreed: bool
    is_you: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lobby:
    """What stands beside the seats."""

    title: str
    sheet: str
    address: str
    chairs: tuple[Chair, ...]
    highlights: tuple[str, ...]
    is_host: bool
    sits: bool
    may_agree: bool
    agree: str
    """The word by which the viewer agrees: the first time, or once more."""
    says: str


def lobby(table: Table, person: str | None, names: Mapping[str, str], address: str) -> Lobby:
    """The lobby through the eyes of a person."""
    over = isinstance(table.match, MatchOver)
    said = table.again if over else table.agreed
    sits = person is not None and table.seat_of(person) is not None
    return Lobby(
        title=table.title or "A table of euchre",
        sheet=rules_title(table.rules),
        address=address,
        chairs=tuple(_chair(table, seat, person, names, said) for seat in table.rules.places),
        highlights=highlights(table.rules),
        is_host=person is not None and table.host == person,
        sits=sits,
        may_agree=sits and person not in said,
        agree="again" if over else "agree",
        says=_says(table, sits=sits, over=over),
    )


def _chair(table: Table, seat: Seat, person: str | None, names: Mapping[str, str], said: frozenset[str]) -> Chair:
    sitter = table.seats.get(seat)
    who = sitter.id if isinstance(sitter, Person) else ""
    bot = sitter.level if isinstance(sitter, Bot) else ""
    return Chair(
        seat=str(seat),
        where=seat.full_name.lower(),
        name=names.get(who, "") or ("Bot" if bot else ""),
        level=bot,
        agreed=bool(who) and who in said,
        is_you=bool(who) and who == person,
    )


def _says(table: Table, *, sits: bool, over: bool) -> str:
    if over:
        return "The match is over."
    if not sits:
        return "Choose a seat."
    return "Everybody sits; say when you are ready." if table.full else "Some seats are free."
