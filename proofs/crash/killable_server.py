"""The server that is killed: the real one, in a process of its own that may end itself at a named moment.

Loading everything takes longer than serving a little. So one process has it loaded, and forks a server for each line
that it reads; it says who runs, on which port, and how that ended.
"""

import asyncio
import json
import os
import runpy
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from threading import Thread
from typing import Any, Final

from fastapi import FastAPI
from starlette.types import Message, Scope, Send

from leftbower.server.http.middleware import MiddlewareApp
from leftbower.server.http.protocol import PushChannel, attach_channel, channel_of
from leftbower.server.http.rate_limit import RateLimit
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from leftbower.web.app import install

MOMENTS: Final = (
    "before-commit",
    "after-commit",
    "before-answer",
    "after-answer",
    "before-broadcast",
    "after-broadcast",
)
"""Where a server can be told to end."""
_FLUSHED: Final = 0.002
"""Seconds after which what was sent has left the process."""
_PAUSE: Final = 0.05
"""Seconds between two hands: nobody here wants to look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KillPlan:
    """What to serve, and when to die."""

    database: str
    port: int = 0
    """Where to listen; 0 for anywhere."""
    moment: str = ""
    """Empty to live until somebody else ends it."""
    occurrence: int = 1
    """At which of these moments."""
    fault: str = ""
    """`file.py:function`, called with the application before it serves: how tests plant a fault."""

    def to_line(self) -> bytes:
        """As the line that asks for it."""
        return json.dumps(asdict(self)).encode() + b"\n"


def main() -> None:
    """Fork a server for each line, one at a time, until nobody asks any more."""
    for line in sys.stdin.buffer:
        child = os.fork()
        if child == 0:
            _run_child(KillPlan(**json.loads(line)))
        _send_line(pid=child)
        _, status = os.waitpid(child, 0)
        _send_line(ended=os.waitstatus_to_exitcode(status))


def _run_child(doom: KillPlan) -> None:
    """Serve, and never return."""
    status = 1
    try:
        Thread(target=_exit_with_parent, daemon=True).start()
        settings = Settings(port=doom.port, database=doom.database, bot_delay=0.0, log_level="warning")
        asyncio.run(_serve(settings, doom))
        status = 0
    finally:
        os._exit(status)


async def _serve(settings: Settings, doom: KillPlan) -> None:
    moments = _KillSwitch(doom)

    def prepare(app: FastAPI) -> None:
        assert isinstance(app, MiddlewareApp)
        install(app)
        app.wrap_send = partial(report_sends, moments)
        if doom.fault:
            file, _, function = doom.fault.rpartition(":")
            runpy.run_path(file)[function](app)

    everybody = RateLimit(burst=10**9, rate=10**9)
    await serve(
        settings,
        started=lambda port: _send_line(port=port),
        moments=moments,
        prepare=prepare,
        hand_pause=_PAUSE,
        anonymous_limit=everybody,
        token_limit=everybody,
    )


class _KillSwitch:
    """Counts moments, and ends the process at one of them as `kill -9` does: nothing more is done."""

    def __init__(self, doom: KillPlan) -> None:
        self._moment, self._left = doom.moment, doom.occurrence

    def __call__(self, moment: str) -> None:
        if moment == self._moment:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def report_sends(moments: Callable[[str], None], scope: Scope, send: Send) -> Send:
    """Tells of the moments at which bytes leave: after an answer, before and after a feed's event."""
    feed = scope["method"] == "GET" and scope["path"].endswith("/feed")
    what = "broadcast" if feed else "answer"
    if feed and (wire := channel_of(scope)):
        attach_channel(scope, _ReportingChannel(moments, wire))

    async def sending(message: Message) -> None:
        telling = message["type"] == "http.response.body" and bool(message.get("body"))
        if telling and what == "broadcast":
            moments("before-broadcast")
        await send(message)
        if telling and scope["method"] == ("GET" if what == "broadcast" else "POST"):
            await asyncio.sleep(_FLUSHED)
            moments(f"after-{what}")

    return sending


class _ReportingChannel(PushChannel):
    """Tells of the same moments, for events that are sent without waiting."""

    __slots__ = ("_moments",)

    def __init__(self, moments: Callable[[str], None], wire: PushChannel) -> None:
        super().__init__(wire.protocol, wire.cycle)
        self._moments = moments

    def push(self, data: bytes) -> None:
        self._moments("before-broadcast")
        super().push(data)
        self._moments("after-broadcast")


def _exit_with_parent() -> None:
    """Nobody writes while a server runs, so this waits until the other end is closed."""
    os.read(0, 1)
    os._exit(0)


def _send_line(**words: Any) -> None:
    os.write(1, json.dumps(words).encode() + b"\n")


if __name__ == "__main__":
    main()
