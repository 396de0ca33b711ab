"""Event files: an append-only ledger in JSON lines, validated when opened."""

import json
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from leftbower.cli.common.input import json_object, read_text
from leftbower.codec import JsonObject
from leftbower.errors import BadLedger, FileThere, LeftbowerError, UnreadableFile
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.facts import EventFact, LedgerEntry
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.validate import record

_MAX_LEDGER_BYTES: Final = 64 * 1024 * 1024


@dataclass(slots=True)
class Ledger:
    """An event and its file."""

    path: str
    entries: list[LedgerEntry]
    event: Event
    size: int

    def write(self, *facts: EventFact, by: str, requested_by: str = "") -> Event:
        """Append all of these facts, or none; they are validated first."""
        event, added = self.event, []
        for fact in facts:
            entry = LedgerEntry(fact=fact, by=by, at=round(time.time(), 3), requested_by=requested_by)
            event = record(event, entry)
            added.append(entry)
        self._append(added)
        self.entries += added
        self.event = event
        return event

    def _append(self, entries: Sequence[LedgerEntry]) -> None:
        if Path(self.path).stat().st_size != self.size:
            raise BadLedger("another process just wrote to this file; try again", path=self.path)
        self.size += append_lines(self.path, map(entry_to_json, entries))


def open_ledger(path: str, upto: int = 0) -> Ledger:
    """Open a ledger file, up to line `upto` if given; errors name file and line."""
    event: Event | None = None
    entries = []
    try:
        text = read_text(path, _MAX_LEDGER_BYTES)
        for number, line in enumerate(text.splitlines(), 1):
            if upto and number > upto:
                break
            entry = _entry(line, number)
            event = _recorded(event, entry, number)
            entries.append(entry)
        if event is None:
            raise BadLedger("this file has no event")
    except LeftbowerError as error:
        raise error.at(path) from None
    return Ledger(path=path, entries=entries, event=event, size=len(text.encode()))


def new_ledger(path: str, fact: EventFact, *, by: str) -> Ledger:
    """Create a file with a new event; it must not exist."""
    entry = LedgerEntry(fact=fact, by=by, at=round(time.time(), 3))
    event = record(None, entry)
    create_file(path)
    return Ledger(path=path, entries=[entry], event=event, size=append_lines(path, [entry_to_json(entry)]))


def create_file(path: str) -> None:
    """Create an empty file; it must not exist."""
    try:
        Path(path).open("x").close()
    except FileExistsError:
        raise FileThere("this file already exists", path=path) from None
    except (OSError, ValueError) as why:
        raise UnreadableFile("can't write this file: %(why)s", path=path, why=why) from None


def append_lines(path: str, lines: Iterable[JsonObject]) -> int:
    """Append JSON lines in one write and fsync; returns their bytes."""
    content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    with Path(path).open("ab") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return len(content)


def _entry(line: str, number: int) -> LedgerEntry:
    try:
        return entry_from_json(json_object(line))
    except LeftbowerError as error:
        raise error.at(f"line {number}") from None


def _recorded(event: Event | None, entry: LedgerEntry, number: int) -> Event:
    try:
        return record(event, entry)
    except LeftbowerError as why:
        raise BadLedger("this line doesn't fit here: %(why)s", path=f"line {number}", why=why) from None
