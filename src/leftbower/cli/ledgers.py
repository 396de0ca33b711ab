"""The file of an event: a ledger in JSON lines, read as a whole and checked, and only ever written behind its end."""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leftbower.errors import BadLedger, FileThere, LeftbowerError, UnreadableFile
from leftbower.tournament import Entry, Event, EventFact, from_plain, record, to_plain

LONGEST_LEDGER: Final = 64 * 1024 * 1024


@dataclass(slots=True)
class Ledger:
    """An event with the file it is kept in."""

    path: str
    entries: list[Entry]
    event: Event
    size: int

    def write(self, *facts: EventFact, by: str, asks: str = "") -> Event:
        """All of these facts, or none: they are checked before the first is written."""
        event, added = self.event, []
        for fact in facts:
            entry = Entry(fact=fact, by=by, at=round(time.time(), 3), asks=asks)
            event = record(event, entry)
            added.append(entry)
        self._append(added)
        self.entries += added
        self.event = event
        return event

    def _append(self, entries: Sequence[Entry]) -> None:
        if Path(self.path).stat().st_size != self.size:
            raise BadLedger("somebody else has written into this file just now; try again", place=self.path)
        self.size += _written(self.path, entries)


def open_ledger(path: str, upto: int = 0) -> Ledger:
    """The event of a file, as it is now or was after so many lines; every error names file and line."""
    from leftbower.cli.input import read_text

    event: Event | None = None
    entries = []
    try:
        text = read_text(path, LONGEST_LEDGER)
        for number, line in enumerate(text.splitlines(), 1):
            if upto and number > upto:
                break
            entry = _entry(line, number)
            event = _recorded(event, entry, number)
            entries.append(entry)
        if event is None:
            raise BadLedger("this file holds no event")
    except LeftbowerError as error:
        raise error.at(path) from None
    return Ledger(path=path, entries=entries, event=event, size=len(text.encode()))


def new_ledger(path: str, fact: EventFact, *, by: str) -> Ledger:
    """A file that was not there, with an event in it."""
    entry = Entry(fact=fact, by=by, at=round(time.time(), 3))
    event = record(None, entry)
    try:
        Path(path).open("x").close()
    except FileExistsError:
        raise FileThere("this file is there already", place=path) from None
    except (OSError, ValueError) as why:
        raise UnreadableFile(f"this file cannot be written: {why}", place=path) from None
    return Ledger(path=path, entries=[entry], event=event, size=_written(path, [entry]))


def _written(path: str, entries: Sequence[Entry]) -> int:
    """Written in one piece and kept before anything is said about it."""
    lines = "".join(json.dumps(to_plain(entry), ensure_ascii=False) + "\n" for entry in entries).encode()
    with Path(path).open("ab") as file:
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())
    return len(lines)


def _entry(line: str, number: int) -> Entry:
    from leftbower.cli.input import json_object

    try:
        return from_plain(json_object(line))
    except LeftbowerError as error:
        raise error.at(f"line {number}") from None


def _recorded(event: Event | None, entry: Entry, number: int) -> Event:
    try:
        return record(event, entry)
    except LeftbowerError as why:
        raise BadLedger(f"this line cannot stand here: {why}", place=f"line {number}") from None
