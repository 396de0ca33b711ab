"""A trace of system calls: the disk had said that it has an act before the act was answered.

A server runs under strace while people play. For every request with an act, the log of the database must have been
synced, and that must have returned, between the reading of the request and the first byte of a 200.
"""

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from proofs.crash.crash import MAX_EXAMPLES, ServerLauncher
from proofs.crash.killable_server import KillPlan
from proofs.crash.players import ClientHistory, ServerAddress, open_tables, playing

_CALLS: Final = "fsync,fdatasync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg"
_SYNCS: Final = ("fsync", "fdatasync")
_READS: Final = ("read", "readv", "recvfrom", "recvmsg")
_WRITES: Final = ("write", "writev", "sendto", "sendmsg")
_LINE: Final = re.compile(r"(?P<pid>\d+) +(?P<call>\w+)\((?P<fd>\d+)<(?P<file>[^>]*)>(?P<rest>.*)")
_RESUMED: Final = re.compile(r"(?P<pid>\d+) +<\.\.\. (?P<call>\w+) resumed>(?P<rest>.*)")
_UNFINISHED: Final = "<unfinished ...>"
_PLAY_TIMEOUT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class SystemCall:
    """One system call on a file or socket, at its begin or its end."""

    call: str
    file: str
    begins: bool
    text: str
    """The begin of what was read or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a trace shows."""

    answers: int
    """Acts that were answered with 200."""
    unsynced: int
    """Of these, how many before the disk had said yes."""
    syncs: int
    """How often the disk was asked."""

    @property
    def sound(self) -> bool:
        """Was every answered act on disk, and was there one at all?"""
        return self.answers > 0 and not self.unsynced


def can_trace() -> bool:
    """Is strace here?"""
    return shutil.which("strace") is not None


async def trace_server(*, acts: int = 20, seed: int = 1, fault: str = "") -> Trace:
    """Have people play until so many acts were answered, with SQLite, and read the trace of it."""
    with tempfile.TemporaryDirectory(prefix="leftbower-trace-") as folder, tempfile.TemporaryFile() as errors:
        calls, database = Path(folder) / "calls", Path(folder) / "store.db"
        watch = ("strace", "-f", "-y", "-s", "64", "--seccomp-bpf", "-e", f"trace={_CALLS}", "-o", str(calls))
        memory, door = ClientHistory(), ServerAddress()
        async with ServerLauncher(errors, *watch) as keeper:
            door.open(await keeper.start(KillPlan(database=f"sqlite:///{database}", fault=fault)) or 0)
            guests = await open_tables(
                door, memory, Random(seed), 2, again=0.0
            )  # nothing is written for an act done before
            async with playing(guests):
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PLAY_TIMEOUT_SECONDS):
                        while len(memory.answered) < acts and not memory.wrong:
                            await asyncio.sleep(0.05)
        if len(memory.answered) < acts:
            answered = f"{len(memory.answered)} of {acts} acts were answered"
            raise RuntimeError("; ".join([answered, *memory.wrong[:MAX_EXAMPLES]]))
        return check_trace(
            parse_trace(calls.read_text(encoding="utf-8", errors="replace").splitlines()), f"{database}-wal"
        )


def parse_trace(lines: Iterable[str]) -> Iterator[SystemCall]:
    """The calls of a trace, in the order in which they began and ended."""
    waiting: dict[tuple[str, str], str] = {}
    for line in lines:
        if found := _LINE.match(line):
            call, file, rest = found["call"], found["file"], found["rest"]
            yield SystemCall(call, file, True, rest)
            if rest.endswith(_UNFINISHED):
                waiting[found["pid"], call] = file
            else:
                yield SystemCall(call, file, False, rest)
        elif found := _RESUMED.match(line):
            file = waiting.pop((found["pid"], found["call"]), "")
            yield SystemCall(found["call"], file, False, found["rest"])


def check_trace(seen: Iterable[SystemCall], log: str) -> Trace:
    """Count the acts that were answered before `log` was synced."""
    synced: dict[str, bool] = {}
    answers = unsynced = syncs = 0
    for step in seen:
        if step.call in _SYNCS and step.file == log and not step.begins and step.text.endswith("= 0"):
            syncs += 1
            synced = dict.fromkeys(synced, True)
        elif (
            step.call in _READS
            and not step.begins
            and '"POST /api/tables/' in step.text
            and "/actions HTTP" in step.text
        ):
            synced[step.file] = False
        elif step.call in _WRITES and step.begins and step.file in synced and '"HTTP/1.1 ' in step.text:
            disk_said_yes = synced.pop(step.file)
            if '"HTTP/1.1 200 ' in step.text:
                answers += 1
                unsynced += not disk_said_yes
    return Trace(answers=answers, unsynced=unsynced, syncs=syncs)
