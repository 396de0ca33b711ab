"""System call trace: fsync of the log returns before an action is answered.

A server runs under strace while clients play. For every action, an fsync of the database's log must return between the
read of the request and the first byte of its 200 response.
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
    """Start or end of one system call on a file or socket."""

    call: str
    file: str
    begins: bool
    text: str
    """The first bytes read or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Counts of a trace."""

    answers: int
    """Actions answered with 200."""
    unsynced: int
    """The number of these answered before the fsync returned."""
    syncs: int
    """The number of fsyncs that returned."""

    @property
    def sound(self) -> bool:
        """Was there an answered action, and was every one synced?"""
        return self.answers > 0 and not self.unsynced


def can_trace() -> bool:
    """Is strace installed?"""
    return shutil.which("strace") is not None


async def trace_server(*, acts: int = 20, seed: int = 1, fault: str = "") -> Trace:
    """Let clients play on SQLite until `acts` actions are answered, and check the trace."""
    with tempfile.TemporaryDirectory(prefix="leftbower-trace-") as folder, tempfile.TemporaryFile() as errors:
        calls, database = Path(folder) / "calls", Path(folder) / "store.db"
        strace = ("strace", "-f", "-y", "-s", "64", "--seccomp-bpf", "-e", f"trace={_CALLS}", "-o", str(calls))
        history, address = ClientHistory(), ServerAddress()
        async with ServerLauncher(errors, *strace) as launcher:
            address.open(await launcher.start(KillPlan(database=f"sqlite:///{database}", fault=fault)) or 0)
            # no repeats, because a repeated action is answered without a write
            players = await open_tables(address, history, Random(seed), 2, repeat=0.0)
            async with playing(players):
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PLAY_TIMEOUT_SECONDS):
                        while len(history.answered) < acts and not history.wrong:
                            await asyncio.sleep(0.05)
        if len(history.answered) < acts:
            answered = f"{len(history.answered)} of {acts} actions were answered"
            raise RuntimeError("; ".join([answered, *history.wrong[:MAX_EXAMPLES]]))
        return check_trace(
            parse_trace(calls.read_text(encoding="utf-8", errors="replace").splitlines()), f"{database}-wal"
        )


def parse_trace(lines: Iterable[str]) -> Iterator[SystemCall]:
    """Parse the lines of strace, in the order in which calls started and ended."""
    waiting: dict[tuple[str, str], str] = {}
    for line in lines:
        if match := _LINE.match(line):
            call, file, rest = match["call"], match["file"], match["rest"]
            yield SystemCall(call, file, True, rest)
            if rest.endswith(_UNFINISHED):
                waiting[match["pid"], call] = file
            else:
                yield SystemCall(call, file, False, rest)
        elif match := _RESUMED.match(line):
            file = waiting.pop((match["pid"], match["call"]), "")
            yield SystemCall(match["call"], file, False, match["rest"])


def check_trace(calls: Iterable[SystemCall], log: str) -> Trace:
    """Count the actions that were answered before `log` was synced."""
    synced: dict[str, bool] = {}
    answers = unsynced = syncs = 0
    for step in calls:
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
            was_synced = synced.pop(step.file)
            if '"HTTP/1.1 200 ' in step.text:
                answers += 1
                unsynced += not was_synced
    return Trace(answers=answers, unsynced=unsynced, syncs=syncs)
