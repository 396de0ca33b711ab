"""Checkpoint file of a long command, as JSON lines: its parameters, then every finished chunk.

A rerun with the same arguments continues after the last whole line.
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

_MAX_BYTES: Final = 256 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Generic[T]):
    """Work in chunks, and how the result of a chunk is serialized."""

    kind: str
    """One word for the command."""
    parameters: Mapping[str, object]
    """Everything that the results depend on."""
    chunks: Sequence[range]
    as_json: Callable[[T], object]
    from_json: Callable[[range, object], T]
    """Parse the result of this chunk; raises a LeftbowerError."""

    @property
    def header(self) -> dict[str, dict[str, object]]:
        """The first line of the file."""
        return {self.kind: {"leftbower": version("leftbower"), **self.parameters}}


class Checkpoint(Generic[T]):
    """The finished chunks, and the file that they are saved in, if there is one."""

    def __init__(self, work: Work[T], done: Mapping[range, T], file: IO[str] | None) -> None:
        self.work, self._file = work, file
        self._done = dict(done)

    @property
    def left(self) -> list[range]:
        return [chunk for chunk in self.work.chunks if chunk not in self._done]

    @property
    def results(self) -> list[T]:
        return [self._done[chunk] for chunk in self.work.chunks if chunk in self._done]

    def save(self, chunk: range, result: T) -> None:
        """Add a finished chunk, and write it to the file at once."""
        self._done[chunk] = result
        if self._file is not None:
            self._file.write(_line({"first": chunk.start, "result": self.work.as_json(result)}))
            self._file.flush()


@contextmanager
def open_checkpoint(path: str | None, work: Work[T]) -> Iterator[Checkpoint[T]]:
    """Open the checkpoint file of some work, with the chunks that it has; without a path, nothing is saved."""
    if path is None:
        yield Checkpoint(work, {}, None)
        return
    try:
        done, size = _read(path, work) if Path(path).exists() else ({}, 0)
    except LeftbowerError as error:
        raise error.at(path) from None
    try:
        file = Path(path).open("a", encoding="ascii", newline="\n")  # noqa: SIM115 - closed below
    except OSError as why:
        reason = (why.strerror or "it cannot be opened").lower()
        raise UnreadableFile("can't write the results: %(reason)s", path=path, reason=reason) from None
    with file:
        os.truncate(path, size)
        if not size:
            file.write(_line(work.header))
            file.flush()
        yield Checkpoint(work, done, file)


def _read(path: str, work: Work[T]) -> tuple[dict[range, T], int]:
    """The finished chunks of a file, and how many of its bytes are whole lines."""
    text = read_text(path, _MAX_BYTES)
    whole = text[: text.rfind("\n") + 1]
    if not whole:
        if not _line(work.header).startswith(text):
            raise BadRecord("this file has no results of leftbower %(command)s", command=work.kind)
        return {}, 0
    first, *lines = whole.splitlines()
    _check_header(first, work)
    by_start = {chunk.start: chunk for chunk in work.chunks}
    done: dict[range, T] = {}
    for number, line in enumerate(lines, 2):
        try:
            chunk, result = _chunk(line, work, by_start)
        except LeftbowerError as error:
            raise error.at(f"line {number}") from None
        done[chunk] = result
    return done, len(whole.encode())


def _chunk(line: str, work: Work[T], by_start: Mapping[int, range]) -> tuple[range, T]:
    plain = json_object(line)
    first = plain.get("first")
    if type(first) is not int or first not in by_start:
        raise BadRecord("no piece of this work starts here")
    return by_start[first], work.from_json(by_start[first], plain.get("result"))


def _check_header(line: str, work: Work[T]) -> None:
    try:
        saved = json_object(line).get(work.kind)
    except LeftbowerError:
        saved = None
    if not isinstance(saved, dict):
        raise BadRecord("this file has no results of leftbower %(command)s", command=work.kind)
    for name, header in work.header[work.kind].items():
        if saved.get(name) != header:
            raise OtherWork(
                "this file is from other work: %(name)s is %(saved)s there, but %(given)s here",
                name=name,
                saved=saved.get(name),
                given=header,
            )


def _line(plain: Mapping[str, object]) -> str:
    return json.dumps(plain) + "\n"
