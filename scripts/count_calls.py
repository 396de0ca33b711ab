"""Count the files and functions of `src/leftbower` that run from a request to the other browsers.

    python -m scripts.count_calls            a card click, a bot's action, a phone's score
    python -m scripts.count_calls --list     every function too
    python -m scripts.count_calls --json     the same as JSON

The real server runs in this process, with its store on disk and the pages of the table or the hall open. A profile
function sees every Python call in the thread of the event loop, from the arrival of the request (the timer of a bot)
until each page has the new version. A function counts once; lambdas and comprehensions count as part of the function
they are in. Not counted: templates; `rules`, whose functions read values; `server/process`, which runs every second;
other threads, which write the store and think for bots; and the tasks of the open feeds, in which each page renders
its own version. Of several actions the median counts. Needs the test extra.

How the first figures, for commit c954fd3, were counted (53 files and 210 functions, 39 and 119, 37 and 156) is not
recorded. This method comes closest to them: for that commit it finds 53 and 187, 39 and 122, 43 and 150. With rendering
it would find 60 and 261, 55 and 209, 50 and 187; with all threads and `rules` as well, 68 and 297, 64 and 249, 63 and
253.
"""

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, Final

from benchmarks.event_fixture import write_event
from benchmarks.table_fixture import write_tables
from leftbower.engine import Play
from leftbower.notation import to_token, view_from_json
from leftbower.players.player import proper_actions
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from leftbower.web.app import install
from proofs.crash.crash import temporary_database
from proofs.crash.http_client import Connection, connect
from proofs.crash.phones import HTML, JSON, SAME_ORIGIN, PhonePage, cookie_header, encode_form, post, sign_in_by_link

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = str(ROOT / "src" / "leftbower")
_COUNTED: Final = re.compile(rf"{re.escape(SOURCE)}/(?!rules/|server/process/).+\.py$")
BOT_DELAY_SECONDS: Final = 0.3
"""Separates a bot's action from the one before it."""
TABLES: Final = 24
"""Tables at random points, some of them in the middle of a trick."""
REPEATS: Final = 5
SETTLE_SECONDS: Final = 0.05
"""Wait before an action, so that work left by an earlier request is done."""
_TIMEOUT_SECONDS: Final = 60.0


class CallCounter:
    """Records the functions of our sources that the event loop calls, once per action."""

    def __init__(self) -> None:
        self.acts: list[list[str]] = []
        self._codes: set[CodeType] | None = None
        self._feeds: set[asyncio.Task[Any]] = set()

    def install(self) -> None:
        """Profile this thread."""
        sys.setprofile(self._profile)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count calls in the block, except by requests that are already open: the feeds."""
        self._feeds = {task for task in asyncio.all_tasks() if "run_asgi" in task.get_coro().__qualname__}
        self._codes = set()
        try:
            yield
        finally:
            codes, self._codes = self._codes, None
            self.acts.append(sorted({_function_name(code) for code in codes}))

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        if self._codes is None or event != "call" or not _COUNTED.match(frame.f_code.co_filename):
            return
        if asyncio.current_task() not in self._feeds:
            self._codes.add(frame.f_code)

    def median(self) -> list[str]:
        """The functions of the action with the median number of them."""
        acts, self.acts = sorted(self.acts, key=len), []
        return acts[len(acts) // 2]


def _function_name(code: CodeType) -> str:
    """The file and qualified name, without lambdas, comprehensions and other anonymous scopes."""
    path = code.co_filename.removeprefix(SOURCE + os.sep)
    parts = [part for part in code.co_qualname.split(".") if not part.startswith("<")]
    return f"{path}: {'.'.join(parts) or '<module>'}"


class Page:
    """The feed of a page, read in the background."""

    def __init__(self) -> None:
        self.version = 0
        self.changed = asyncio.Event()

    async def read(self, port: int, path: str, *headers: str) -> None:
        """Follow the feed until canceled."""
        async with connect(port) as connection:
            async for version, _ in connection.events(path, SAME_ORIGIN, *headers):
                self.version = version
                self.changed.set()

    async def newer_than(self, version: int) -> None:
        """Wait for a later version."""
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            while self.version <= version:
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def pages(port: int, *feeds: tuple[str, str]) -> AsyncIterator[list[Page]]:
    """Open pages with their feeds, each a path and a cookie header; all have their first version."""
    opened = [Page() for _ in feeds]
    tasks = [asyncio.create_task(page.read(port, *feed)) for page, feed in zip(opened, feeds, strict=True)]
    try:
        for page in opened:
            await page.newer_than(0)
        yield opened
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def used_connection(port: int) -> AsyncIterator[Connection]:
    """A connection that has already sent a request; the pages are idle."""
    async with connect(port) as connection:
        await connection.request("GET", "/healthz")
        await asyncio.sleep(SETTLE_SECONDS)
        yield connection


async def hand_of(port: int, table: str, cookie: str) -> dict[str, Any]:
    """The table as the API shows it to this caller."""
    async with connect(port) as connection:
        response = await connection.request("GET", f"/api/tables/{table}", cookie, SAME_ORIGIN)
        view: dict[str, Any] = response.json
        return view


def action_form(view: dict[str, Any]) -> bytes:
    """The form of a card, or of another regular action, as on the page."""
    proper = proper_actions(view_from_json(view["hand"]))
    action = Random(1).choice([action for action in proper if isinstance(action, Play)] or proper)
    return encode_form({"version": str(view["version"]), "action": to_token(action)})


async def click(connection: Connection, table: str, cookie: str, form: bytes) -> None:
    """Post the form of an action."""
    response = await connection.request("POST", f"/t/{table}/actions", cookie, SAME_ORIGIN, JSON, body=form)
    assert response.status in (200, 204, 303), (response.status, response.body[:300])


def is_turn(view: dict[str, Any]) -> bool:
    """Is it the caller's turn? The last card is played without a click."""
    hand = view.get("hand")
    if view["phase"] != "playing" or hand is None:
        return False
    return hand["to_act"] == view["you"]["seat"] and len(hand["cards"]) > len("Ks")


async def card_click(port: int, counter: CallCounter, tables: list[Any]) -> None:
    """Play a card in the middle of a trick, until all four pages of the table show it."""
    for table in tables:
        cookies = [f"Cookie: leftbower={token}" for token in table.tokens]
        feeds = [(f"/t/{table.name}/feed", cookie) for cookie in cookies]
        async with pages(port, *feeds) as opened, used_connection(port) as connection:
            views = {cookie: await hand_of(port, table.name, cookie) for cookie in cookies}
            for cookie, view in views.items():
                if is_turn(view) and view["hand"]["trick"]:
                    form = action_form(view)
                    await asyncio.sleep(SETTLE_SECONDS)
                    with counter.counting():
                        await click(connection, table.name, cookie, form)
                        for page in opened:
                            await page.newer_than(view["version"])


async def bot_act(port: int, counter: CallCounter) -> None:
    """A bot's card in the middle of a trick, until the page of the one person shows it."""
    async with connect(port) as connection:
        form = encode_form({"level": "expert", "rules": "campus"})
        response = await connection.request("POST", "/play", SAME_ORIGIN, HTML, body=form)
        cookie, table = cookie_header(response), response.headers["location"].rpartition("/")[2]
        async with pages(port, (f"/t/{table}/feed", cookie)) as [page]:
            while len(counter.acts) < REPEATS:
                view = await hand_of(port, table, cookie)
                if is_turn(view):
                    await click(connection, table, cookie, action_form(view))
                elif view["phase"] == "playing" and view["hand"]["trick"]:
                    await asyncio.sleep(SETTLE_SECONDS)
                    with counter.counting():
                        await page.newer_than(view["version"])
                    if not any(function.startswith("players/") for function in counter.acts[-1]):
                        counter.acts.pop()  # the only card, played without a bot
                await page.newer_than(view["version"])


async def phone_score(port: int, counter: CallCounter, hall: Any) -> None:
    """A hand reported by a phone, until the other phone of the table shows it; the desk and the wall are open too."""
    for side_codes in hall.sides:
        codes = (*side_codes, hall.desk, hall.wall)
        phone, *cookies = [await sign_in_by_link(port, hall.event, code) for code in codes]
        paths = [f"/e/{hall.event}/{part}/feed" for part in ("table", "desk/now", "wall")]
        async with (
            pages(port, *zip(paths, cookies, strict=True)) as [other, *_],
            used_connection(port) as connection,
        ):
            page = await connection.request("GET", f"/e/{hall.event}/table", phone, HTML)
            form = PhonePage.of(page.body).choose(Random(1))
            assert form is not None
            version = other.version
            with counter.counting():
                response = await post(connection, f"/e/{hall.event}/table/commands", phone, form)
                assert response.status == 200, (response.status, response.body[:300])
                await other.newer_than(version)


async def measure() -> dict[str, list[str]]:
    """The functions of each path."""
    counter = CallCounter()
    counter.install()
    counted = {}
    async with AsyncExitStack() as stack:
        address = stack.enter_context(temporary_database("sqlite"))
        tables = await write_tables(address, TABLES, seed=1, progress=lambda *_: None)
        hall = await write_event(address, REPEATS, seed=1)
        port, stop = await _start(address)
        try:
            for name, path in {
                "a card click": card_click(port, counter, tables),
                "a bot's act": bot_act(port, counter),
                "a phone's score": phone_score(port, counter, hall),
            }.items():
                await path
                counted[name] = counter.median()
        finally:
            await stop()
    return counted


async def _start(address: str) -> tuple[int, Any]:
    apps: list[Any] = []
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def prepare(app: Any) -> None:
        install(app)
        apps.append(app)

    settings = Settings(port=0, database=address, log_level="error", bot_delay=BOT_DELAY_SECONDS)
    unlimited = RateLimit(burst=10**6, rate=1e6)
    limits = Limits(anonymous=unlimited, token=unlimited)
    task = asyncio.create_task(serve(settings, started=ready.set_result, prepare=prepare, limits=limits))
    await asyncio.wait([ready, task], return_when=asyncio.FIRST_COMPLETED)

    async def stop() -> None:
        apps[0].state.running.stop()
        await task

    return ready.result(), stop


def main() -> None:
    """Measure, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print every function")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    counted = asyncio.run(measure())
    if options.json:
        print(json.dumps({name: _summary(functions) for name, functions in counted.items()}, indent=2))
        return
    for name, functions in counted.items():
        summary = _summary(functions)
        print(f"{name:<16}{summary['files']:>5} files{summary['functions']:>6} functions")
        if options.list:
            print(*(f"  {function}" for function in functions), sep="\n")


def _summary(functions: list[str]) -> dict[str, int]:
    return {"files": len({function.partition(":")[0] for function in functions}), "functions": len(functions)}


if __name__ == "__main__":
    main()
