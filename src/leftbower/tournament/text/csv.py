"""Import entrants from pasted lists and CSV; write CSV that is safe from formula injection."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from leftbower.errors import BadEntry, show

_TEAM_SEPARATOR: Final = re.compile(r"\s*(?:&|\+|/|\band\b)\s*", re.IGNORECASE)
_CELL_SEPARATOR: Final = re.compile(r"[\t;]|,(?!\s*(?:jr|sr|ii|iii|iv)\b)", re.IGNORECASE)
_LINE_PREFIX: Final = re.compile(r"^\s*(?:\d+\s*[.):]|[-*•])\s*")
_FORMULA_PREFIXES: Final = ("=", "+", "-", "@", "\t", "\r")
MAX_LIST_NAMES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedEntrant:
    """A player or team on a list."""

    name: str
    players: tuple[str, ...] = ()
    school: str = ""


def parse_pasted(text: str, *, singles: bool) -> tuple[ListedEntrant, ...]:
    """Parse pasted names or rows of a spreadsheet: one entrant per line, numbered or not; `Ann & Bob` is a team."""
    lines = [line.strip() for line in text.replace("\r", "\n").split("\n") if line.strip()]
    _check_length(lines)
    return tuple(listed for line in lines for listed in _parse_line(line, singles=singles))


def _parse_line(line: str, *, singles: bool) -> Iterator[ListedEntrant]:
    """Cells are separated by tabs, commas or semicolons: the names of a team and its school, or single players.

    A single player's first and last name may have a cell each.
    """
    cells = [cell.strip() for cell in _CELL_SEPARATOR.split(_LINE_PREFIX.sub("", line)) if cell.strip()]
    if len(cells) > 1 and cells[0].isdecimal():
        del cells[0]
    if singles:
        cells = [" ".join(cells)] if "\t" in line else cells
        teams, school = [name for cell in cells for name in _TEAM_SEPARATOR.split(cell) if name], ""
    else:
        count = 1 if _TEAM_SEPARATOR.search("".join(cells[:1])) else 2
        teams, school = [" & ".join(cells[:count])], ", ".join(cells[count : count + 1])
        cells = cells[count + 1 :]
    if not teams or (cells and not singles):
        raise BadEntry("write one player or team per line, like Ann or Ann & Bob", path=show(line))
    for name in teams:
        yield parse_entrant(name, singles=singles, school=school)


def _check_length(lines: Sequence[object]) -> None:
    if len(lines) > MAX_LIST_NAMES:
        raise BadEntry("a list has at most %(limit)s names", limit=MAX_LIST_NAMES)


def parse_entrant(line: str, *, singles: bool = False, school: str = "") -> ListedEntrant:
    """Parse a player, or a team given by its players; a school may follow in brackets."""
    text = " ".join(normalize("NFC", line).split())
    if bracketed := re.fullmatch(r"(.+?)\s*[(\[]([^()\[\]]+)[)\]]", text):
        text, school = bracketed[1], school or bracketed[2].strip()
    players = tuple(part for part in _TEAM_SEPARATOR.split(text) if part)
    if not any(map(str.isalnum, text)) or len(players) > 2:
        raise BadEntry("write one player or team per line, like Ann or Ann & Bob", path=show(line))
    if singles or len(players) != 2:
        return ListedEntrant(name=text if singles else players[0], school=school)
    return ListedEntrant(name=" & ".join(players), players=players, school=school)


def parse_csv(text: str, *, singles: bool) -> tuple[ListedEntrant, ...]:
    """Parse CSV with a header row: name, or player and partner; optionally school or club."""
    lines = normalize("NFC", text).removeprefix("\ufeff").splitlines()
    between = next((sign for sign in ",;\t" if lines and sign in lines[0]), ",")
    try:
        rows = [
            [_unescape_formula(text_cell) for text_cell in row]
            for row in csv.reader(lines, strict=True, delimiter=between)
            if any(row)
        ]
    except csv.Error as why:
        raise BadEntry("this is not CSV: %(why)s", why=why) from None
    if not rows:
        return ()
    heads = [_COLUMN_NAMES.get(cell.strip().casefold(), "") for cell in rows[0]]
    if "name" not in heads and "player" not in heads:
        raise BadEntry(
            "the first row must name the columns: name, or player and partner; school is optional", path="line 1"
        )
    _check_length(rows[1:])
    return tuple(
        _parse_row(dict(zip(heads, row, strict=False)), f"line {number}", singles=singles)
        for number, row in enumerate(rows[1:], 2)
    )


_COLUMN_NAMES: Final = {
    **dict.fromkeys(("name", "team", "names"), "name"),
    **dict.fromkeys(("player", "player 1", "player1", "first"), "player"),
    **dict.fromkeys(("partner", "player 2", "player2", "second"), "partner"),
    **dict.fromkeys(("school", "club"), "school"),
}


def _parse_row(cells: dict[str, str], path: str, *, singles: bool) -> ListedEntrant:
    school = cells.get("school", "").strip()
    first, second = cells.get("player", "").strip(), cells.get("partner", "").strip()
    name = cells.get("name", "").strip()
    if first and second:
        return ListedEntrant(name=name or f"{first} & {second}", players=(first, second), school=school)
    if not (name or first):
        raise BadEntry("this row has no name", path=path)
    return parse_entrant(name or first, singles=singles, school=school)


def to_csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write CSV in which no cell is a formula, whatever the names are."""
    lines: list[str] = []
    writer = csv.writer(_LineWriter(lines), lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([_escape_formula(cell) for cell in row] for row in rows)
    return "".join(lines)


class _LineWriter:
    """File-like target of `csv.writer`."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, text: str) -> None:
        self._lines.append(text)


def _escape_formula(cell: object) -> object:
    """Prefix text that a spreadsheet would run with an apostrophe; numbers stay as they are."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_PREFIXES) else cell


def _unescape_formula(cell: str) -> str:
    """Undo `_escape_formula`."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA_PREFIXES) else cell
