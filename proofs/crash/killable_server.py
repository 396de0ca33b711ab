"""The real server in a child process that kills itself at a named moment.

Importing takes longer than a short run. So one process imports everything and forks a server for each line of JSON on
standard input; it prints the process id, the port and the exit status as lines of JSON.
"""

import asyncio
import json
import os
import runpy
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from threading import Thread
from typing import Any, Final

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leftbower.server.http.protocol import CHANNEL, PushChannel, channel_of
from leftbower.server.http.rate_limit import Limits, RateLimit
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
"""Where a server can kill itself."""
_FLUSH_SECONDS: Final = 0.002
"""Seconds after which written bytes have left the process."""
_HAND_PAUSE_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class KillPlan:
    """What to serve, and when to kill the process."""

    database: str
    port: int = 0
    """0 for any free port."""
    moment: str = ""
    """One of `MOMENTS`; empty to run until killed from outside."""
    occurrence: int = 1
    """The occurrence of the moment at which to kill."""
    fault: str = ""
    """`file.py:function`, called with the application before it serves; tests use it to plant faults."""

    def to_line(self) -> bytes:
        """Serialize for the standard input of `main`."""
        return json.dumps(asdict(self)).encode() + b"\n"


def main() -> None:
    """Fork a server for each line of standard input, one at a time."""
    for line in sys.stdin.buffer:
        child = os.fork()
        if child == 0:
            _run_child(KillPlan(**json.loads(line)))
        _send_line(pid=child)
        _, status = os.waitpid(child, 0)
        _send_line(ended=os.waitstatus_to_exitcode(status))


def _run_child(plan: KillPlan) -> None:
    """Serve, and never return."""
    status = 1
    try:
        Thread(target=_exit_with_parent, daemon=True).start()
        settings = Settings(
            port=plan.port,
            database=plan.database,
            bot_delay=0.0,
            hand_pause=_HAND_PAUSE_SECONDS,
            log_level="warning",
        )
        asyncio.run(_serve(settings, plan))
        status = 0
    finally:
        os._exit(status)


async def _serve(settings: Settings, plan: KillPlan) -> None:
    moments = _KillSwitch(plan)

    def prepare(app: FastAPI) -> None:
        install(app)
        app.middleware_stack = report_sends(moments, app.build_middleware_stack())
        if plan.fault:
            file, _, function = plan.fault.rpartition(":")
            runpy.run_path(file)[function](app)

    unlimited = RateLimit(burst=10**9, rate=10**9)
    await serve(
        settings,
        started=lambda port: _send_line(port=port),
        moments=moments,
        prepare=prepare,
        limits=Limits(anonymous=unlimited, token=unlimited),
    )


class _KillSwitch:
    """Counts moments, and kills the process with SIGKILL at the planned one."""

    def __init__(self, plan: KillPlan) -> None:
        self._moment, self._left = plan.moment, plan.occurrence

    def __call__(self, moment: str) -> None:
        if moment == self._moment:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def report_sends(moments: Callable[[str], None], app: ASGIApp) -> ASGIApp:
    """Middleware that reports when bytes leave: after a response, and before and after a feed message."""

    def serve_and_report(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] != "http":
            return app(scope, receive, send)
        feed = scope["method"] == "GET" and scope["path"].endswith("/feed")
        kind = "broadcast" if feed else "answer"
        if feed and (channel := channel_of(scope)):
            scope["extensions"] = {CHANNEL: _ReportingChannel(moments, channel)}

        async def sending(message: Message) -> None:
            has_body = message["type"] == "http.response.body" and bool(message.get("body"))
            if has_body and kind == "broadcast":
                moments("before-broadcast")
            await send(message)
            if has_body and scope["method"] == ("GET" if kind == "broadcast" else "POST"):
                await asyncio.sleep(_FLUSH_SECONDS)
                moments(f"after-{kind}")

        return app(scope, receive, sending)

    return serve_and_report


class _ReportingChannel(PushChannel):
    """Reports the same moments for messages that bypass `send`."""

    __slots__ = ("_moments",)

    def __init__(self, moments: Callable[[str], None], channel: PushChannel) -> None:
        super().__init__(channel.protocol, channel.cycle)
        self._moments = moments

    def push(self, data: bytes) -> None:
        self._moments("before-broadcast")
        super().push(data)
        self._moments("after-broadcast")


def _exit_with_parent() -> None:
    """Exit when standard input closes; the parent writes nothing while a server runs."""
    os.read(0, 1)
    os._exit(0)


def _send_line(**words: Any) -> None:
    os.write(1, json.dumps(words).encode() + b"\n")


if __name__ == "__main__":
    main()
