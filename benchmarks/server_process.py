"""Server processes, and their CPU time and memory as the system counts them."""

import asyncio
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import clock_gettime
from typing import Final

from leftbower.errors import StoreUnreachable
from proofs.checkout import child_environment

_TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_START_TIMEOUT_SECONDS: Final = 60.0
_STOP_TIMEOUT_SECONDS: Final = 20.0
SERVE_COMMAND: Final = ("-m", "leftbower", "serve", "--port", "0", "--database")
"""The real server with default limits; the address is appended."""
HAND_PAUSE_SECONDS: Final = "2.5"
"""Shorter than the default: simulated people don't press *Next hand*, and every pause has no actions to measure."""


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A listening server."""

    port: int
    process: asyncio.subprocess.Process

    @property
    def cpu(self) -> float:
        """Seconds of CPU time so far, of all its threads and its finished children."""
        return cpu_seconds(self.process.pid)

    @property
    def cpu_wait(self) -> float:
        """Seconds in which its main thread, which serves, waited for a core."""
        return cpu_wait_seconds(self.process.pid)

    @property
    def memory(self) -> int:
        """Resident memory in bytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    async def stop(self) -> None:
        """Stop it with SIGTERM; kill it after a timeout."""
        with suppress(ProcessLookupError):
            self.process.terminate()
        try:
            async with asyncio.timeout(_STOP_TIMEOUT_SECONDS):
                await self.process.wait()
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """Send SIGKILL."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()


def cpu_seconds(pid: int) -> float:
    """Seconds of CPU time of a process so far, and of its finished children."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    clock = ~pid << 3 | 2  # Linux's clock of another process, in nanoseconds; /proc counts ticks of 10 ms
    return clock_gettime(clock) + sum(map(int, words[13:15])) / _TICKS_PER_SECOND


def cpu_wait_seconds(pid: int) -> float:
    """Seconds in which the main thread of a process waited for a core."""
    with suppress(OSError):  # not every kernel counts it
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def stolen() -> float:
    """Seconds, of all cores together, that the hypervisor gave to other guests."""
    with suppress(OSError, IndexError):
        return int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8]) / _TICKS_PER_SECOND
    return 0.0


def cpu_seconds_with_children(parent: int) -> float:
    """The same for a process and its running children."""
    total = cpu_seconds(parent)
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if entry.name.isdecimal():
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                total += cpu_seconds(int(entry.name)) if int(words[1]) == parent else 0.0
    return total


async def start(*words: str) -> ServerProcess:
    """Run Python with these arguments, and wait for its port. It has its own session, so Ctrl-C doesn't reach it."""
    environment = {name: value for name, value in child_environment().items() if not name.startswith("LEFTBOWER_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_START_TIMEOUT_SECONDS):
            line = (await process.stdout.readline()).decode()
        return ServerProcess(int(line.rpartition(":")[2]), process)
    except BaseException as error:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        if isinstance(error, TimeoutError | ValueError):
            raise StoreUnreachable("the server that was to be measured did not start") from None
        raise


@asynccontextmanager
async def run_servers(address: str, processes: int = 1) -> AsyncIterator[Sequence[ServerProcess]]:
    """Run `processes` servers on one store, each on its own port; stop them afterwards."""
    servers: list[ServerProcess] = []
    try:
        for _ in range(processes):
            servers.append(await start(*SERVE_COMMAND, address, "--hand-pause", HAND_PAUSE_SECONDS))
        yield servers
    finally:
        await asyncio.gather(*(server.stop() for server in servers))


def raise_file_limit() -> None:
    """Raise the limit of open files to the hard limit."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
