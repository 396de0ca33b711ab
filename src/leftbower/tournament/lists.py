"""Names in and tables out: pasted lists and CSV files become entries, results become CSV that is safe to open."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import normalize

from leftbower.errors import BadEntry

_BETWEEN: Final = re.compile(r"\s*(?:&|\+|/|\band\b)\s*", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"^\s*(?:\d+\s*[.):]|[-*•])\s*")
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
MOST_NAMES: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One line of a list: a player or a team."""

    name: str
    players: tuple[str, ...] = ()
    school: str = ""


def pasted(text: str, *, singles: bool) -> tuple[Listed, ...]:
    """Names as people paste them: one a line, numbered or not; `Ann & Bob` is a team."""
    lines = [_NUMBERED.sub("", line).strip() for line in text.replace("\r", "\n").split("\n")]
    lines = [line for line in lines if line]
    _check_length(lines)
    return tuple(named(line, singles=singles) for line in lines)


def _check_length(lines: Sequence[object]) -> None:
    if len(lines) > MOST_NAMES:
        raise BadEntry(f"a list has at most {MOST_NAMES} names")


def named(words: str, *, singles: bool = False, school: str = "") -> Listed:
    """A player, or a team told by its players; a school may stand behind in brackets."""
    text = " ".join(normalize("NFC", words).split())
    if behind := re.fullmatch(r"(.+?)\s*[(\[]([^()\[\]]+)[)\]]", text):
        text, school = behind[1], school or behind[2].strip()
    players = tuple(part for part in _BETWEEN.split(text) if part)
    if singles or len(players) != 2:
        return Listed(name=text, school=school)
    return Listed(name=" & ".join(players), players=players, school=school)


def from_csv(text: str, *, singles: bool) -> tuple[Listed, ...]:
    """A sheet with a first row of headings: name, or player and partner, and school or club."""
    lines = normalize("NFC", text).removeprefix("\ufeff").splitlines()
    between = ";" if lines and ";" in lines[0] and "," not in lines[0] else ","
    try:
        rows = [
            [_unquoted(one) for one in row] for row in csv.reader(lines, strict=True, delimiter=between) if any(row)
        ]
    except csv.Error as why:
        raise BadEntry(f"this is not CSV: {why}") from None
    if not rows:
        return ()
    heads = [_HEADS.get(cell.strip().casefold(), "") for cell in rows[0]]
    if "name" not in heads and "player" not in heads:
        raise BadEntry("the first row names the columns: name, or player and partner, and school", place="line 1")
    _check_length(rows[1:])
    return tuple(
        _row(dict(zip(heads, row, strict=False)), f"line {at}", singles=singles) for at, row in enumerate(rows[1:], 2)
    )


_HEADS: Final = {
    **dict.fromkeys(("name", "team", "names"), "name"),
    **dict.fromkeys(("player", "player 1", "player1", "first"), "player"),
    **dict.fromkeys(("partner", "player 2", "player2", "second"), "partner"),
    **dict.fromkeys(("school", "club"), "school"),
}


def _row(cells: dict[str, str], place: str, *, singles: bool) -> Listed:
    school = cells.get("school", "").strip()
    first, second = cells.get("player", "").strip(), cells.get("partner", "").strip()
    name = cells.get("name", "").strip()
    if first and second:
        return Listed(name=name or f"{first} & {second}", players=(first, second), school=school)
    if not (name or first):
        raise BadEntry("there is no name in this row", place=place)
    return named(name or first, singles=singles, school=school)


def to_csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A sheet in which nothing is a formula, whatever people are called."""
    lines: list[str] = []
    writer = csv.writer(_Lines(lines), lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([_safe(cell) for cell in row] for row in rows)
    return "".join(lines)


class _Lines:
    """What a CSV writer writes to."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, text: str) -> None:
        """One more row."""
        self._lines.append(text)


def _safe(cell: object) -> object:
    """A number as it is; a text that a spreadsheet would run gets an apostrophe in front."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _unquoted(cell: str) -> str:
    """What `_safe` put in front is taken off again."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell
