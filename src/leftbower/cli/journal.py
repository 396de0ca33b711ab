"""What an arena has played so far, kept as JSON lines: the bout, then every piece that was finished.

A rerun with the same arguments goes on where it was broken off. A last line that was cut short is played again.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, Final

from leftbower.cli.input import json_object, read_text
from leftbower.errors import BadRecord, BadUsage, LeftbowerError, UnreadableFile
from leftbower.players.arena import Bout, Tally
from leftbower.players.roster import player
from leftbower.players.spreading import pieces
from leftbower.rules.forms import to_link

_LONGEST: Final = 256 * 1024 * 1024


class OtherBout(BadUsage):
    """A file holds what came of other arguments, and adding to it would mix two experiments."""


class Journal:
    """The pieces that are finished, and the file that keeps them, if there is one."""

    def __init__(self, done: Mapping[range, Tally], file: IO[str] | None) -> None:
        self.done = dict(done)
        self._file = file

    def keep(self, piece: range, tally: Tally) -> None:
        """Count a finished piece, and write it down at once."""
        self.done[piece] = tally
        if self._file is not None:
            self._file.write(_line({"first": piece.start, "tally": tally.as_json()}))
            self._file.flush()

    @property
    def tally(self) -> Tally:
        """All that is finished."""
        return sum(self.done.values(), Tally())

    def running(self) -> Iterator[Tally]:
        """The tally after each piece, in the order of the pairs."""
        tally = Tally()
        for piece in sorted(self.done, key=lambda piece: piece.start):
            tally += self.done[piece]
            yield tally


@contextmanager
def journal(path: str | None, bout: Bout) -> Iterator[Journal]:
    """The journal of a bout in this file, with whatever stands there already; without a file, an empty one."""
    if path is None:
        yield Journal({}, None)
        return
    try:
        done, size = _read(path, bout) if Path(path).exists() else ({}, 0)
    except LeftbowerError as error:
        raise error.at(path) from None
    try:
        file = Path(path).open("a", encoding="ascii", newline="\n")  # noqa: SIM115 - closed below
    except OSError as why:
        reason = (why.strerror or "it cannot be opened").lower()
        raise UnreadableFile(f"the results cannot be written: {reason}", place=path) from None
    with file:
        os.truncate(path, size)
        if not size:
            file.write(_line(_header(bout)))
            file.flush()
        yield Journal(done, file)


def _read(path: str, bout: Bout) -> tuple[dict[range, Tally], int]:
    """The finished pieces of a file, and how many of its bytes are whole lines."""
    text = read_text(path, _LONGEST)
    whole = text[: text.rfind("\n") + 1]
    if not whole:
        if not _line(_header(bout)).startswith(text):
            raise BadRecord("this file does not hold the results of an arena")
        return {}, 0
    first, *lines = whole.splitlines()
    _check_header(first, bout)
    by_start = {piece.start: piece for piece in pieces(bout.pairs)}
    done: dict[range, Tally] = {}
    for number, line in enumerate(lines, 2):
        try:
            piece, tally = _piece(line, by_start)
        except LeftbowerError as error:
            raise error.at(f"line {number}") from None
        done[piece] = tally
    return done, len(whole.encode())


def _piece(line: str, by_start: Mapping[int, range]) -> tuple[range, Tally]:
    plain = json_object(line)
    first = plain.get("first")
    if type(first) is not int or first not in by_start:
        raise BadRecord("no piece of this bout begins there")
    piece, tally = by_start[first], Tally.from_json(plain.get("tally"))
    if tally.pairs != len(piece):
        raise BadRecord(f"a piece of {len(piece)} pairs has a tally of {tally.pairs}")
    return piece, tally


def _check_header(line: str, bout: Bout) -> None:
    try:
        there = json_object(line).get("arena")
    except LeftbowerError:
        there = None
    if not isinstance(there, dict):
        raise BadRecord("this file does not hold the results of an arena")
    for name, here in _header(bout)["arena"].items():
        if there.get(name) != here:
            raise OtherBout(f"this file holds another bout: {name} is {there.get(name)} there and {here} here")


def _header(bout: Bout) -> dict[str, dict[str, object]]:
    return {
        "arena": {
            "leftbower": version("leftbower"),
            "a": bout.a,
            "b": bout.b,
            "players": [player(bout.a).name, player(bout.b).name],
            "rules": to_link(bout.rules),
            "seed": bout.seed,
            "pairs": bout.pairs,
            "games": bout.games,
        }
    }


def _line(plain: Mapping[str, object]) -> str:
    return json.dumps(plain) + "\n"
