"""What a long command has finished so far, kept as JSON lines: what was asked, then every piece that was finished.

A rerun with the same arguments goes on where it was broken off. A last line that was cut short is done again.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Final, Generic, TypeVar

from leftbower.cli.common.input import json_object, read_text
from leftbower.errors import BadRecord, LeftbowerError, OtherWork, UnreadableFile

_LONGEST: Final = 256 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[T]):
    """Work in pieces, and how the result of a piece is written down."""

    kind: str
    """One word for the command."""
    asked: Mapping[str, object]
    """All that the results depend on."""
    pieces: Sequence[range]
    as_json: Callable[[T], object]
    from_json: Callable[[range, object], T]
    """The result of this piece; an error says what is wrong with it."""

    @property
    def header(self) -> dict[str, dict[str, object]]:
        """What stands in the first line."""
        return {self.kind: {"leftbower": version("leftbower"), **self.asked}}


class Journal(Generic[T]):
    """The pieces that are finished, and the file that keeps them, if there is one."""

    def __init__(self, work: Work[T], done: Mapping[range, T], file: IO[str] | None) -> None:
        self.work, self._file = work, file
        self._done = dict(done)

    @property
    def left(self) -> list[range]:
        """The pieces that are not finished."""
        return [piece for piece in self.work.pieces if piece not in self._done]

    @property
    def results(self) -> list[T]:
        """All that is finished, in the order of the pieces."""
        return [self._done[piece] for piece in self.work.pieces if piece in self._done]

    def keep(self, piece: range, result: T) -> None:
        """Count a finished piece, and write it down at once."""
        self._done[piece] = result
        if self._file is not None:
            self._file.write(_line({"first": piece.start, "result": self.work.as_json(result)}))
            self._file.flush()


@contextmanager
def journal(path: str | None, work: Work[T]) -> Iterator[Journal[T]]:
    """The journal of some work in this file, with whatever stands there already; without a file, an empty one."""
    if path is None:
        yield Journal(work, {}, None)
        return
    try:
        done, size = _read(path, work) if Path(path).exists() else ({}, 0)
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
            file.write(_line(work.header))
            file.flush()
        yield Journal(work, done, file)


def _read(path: str, work: Work[T]) -> tuple[dict[range, T], int]:
    """The finished pieces of a file, and how many of its bytes are whole lines."""
    text = read_text(path, _LONGEST)
    whole = text[: text.rfind("\n") + 1]
    if not whole:
        if not _line(work.header).startswith(text):
            raise BadRecord(f"this file does not hold the results of leftbower {work.kind}")
        return {}, 0
    first, *lines = whole.splitlines()
    _check_header(first, work)
    by_start = {piece.start: piece for piece in work.pieces}
    done: dict[range, T] = {}
    for number, line in enumerate(lines, 2):
        try:
            piece, result = _piece(line, work, by_start)
        except LeftbowerError as error:
            raise error.at(f"line {number}") from None
        done[piece] = result
    return done, len(whole.encode())


def _piece(line: str, work: Work[T], by_start: Mapping[int, range]) -> tuple[range, T]:
    plain = json_object(line)
    first = plain.get("first")
    if type(first) is not int or first not in by_start:
        raise BadRecord("no piece of this work begins there")
    return by_start[first], work.from_json(by_start[first], plain.get("result"))


def _check_header(line: str, work: Work[T]) -> None:
    try:
        there = json_object(line).get(work.kind)
    except LeftbowerError:
        there = None
    if not isinstance(there, dict):
        raise BadRecord(f"this file does not hold the results of leftbower {work.kind}")
    for name, header in work.header[work.kind].items():
        if there.get(name) != header:
            raise OtherWork(f"this file holds other work: {name} is {there.get(name)} there and {header} here")


def _line(plain: Mapping[str, object]) -> str:
    return json.dumps(plain) + "\n"
