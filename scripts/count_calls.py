"""Count the files and functions of `src/leftbower` that run from a request to the other browsers.

    python -m scripts.count_calls            a card click, a bot's act, a phone's score
    python -m scripts.count_calls --list     every function too
    python -m scripts.count_calls --json     the same as JSON

The real server runs in this process, with its store on disk; a profile function sees every Python call in all threads
between sending the request and the last page that gets the new version. Calls of lambdas and comprehensions count as
part of the function they stand in. Needs the test extra.
"""

import argparse
import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from types import CodeType, FrameType
from typing import Any, Final

from benchmarks.event_fixture import write_event
from benchmarks.table_fixture import write_tables
from leftbower.notation import to_token, view_from_json
from leftbower.players.player import proper_actions
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from leftbower.web.app import install
from proofs.crash.crash import temporary_database
from proofs.crash.http_client import connect
from proofs.crash.phones import HTML, JSON, SAME_ORIGIN, PhonePage, cookie_header, encode_form, post, sign_in_by_link

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = str(ROOT / "src" / "leftbower")
BOT_DELAY_SECONDS: Final = 0.3
"""Separates a bot's act from the act before it."""
TABLES: Final = 24
"""Tables at random moments, of which some are in the middle of a trick."""
REPEATS: Final = 3
"""Each path is taken several times, and the last one counts: caches are filled by then."""
_TIMEOUT_SECONDS: Final = 60.0


class CallCounter:
    """Records the code of every call in our sources, while it is on."""

    def __init__(self) -> None:
        self.is_on = False
        self.codes: set[CodeType] = set()

    def install(self) -> None:
        """Profile this thread, and all that are started from now on."""
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count what is called in the block."""
        self.codes = set()
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if self.is_on and event == "call" and code.co_filename.startswith(SOURCE) and code.co_filename.endswith(".py"):
            self.codes.add(code)

    def functions(self) -> list[str]:
        """The functions as `file: name`."""
        paths = {(code.co_filename.removeprefix(SOURCE + os.sep), _function_name(code)) for code in self.codes}
        return sorted(f"{path}: {name}" for path, name in paths)


def _function_name(code: CodeType) -> str:
    """The qualified name without lambdas, comprehensions and other anonymous scopes."""
    parts = [part for part in code.co_qualname.split(".") if not part.startswith("<")]
    return ".".join(parts) or "<module>"


class Page:
    """A feed of a page that is read in the background."""

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


async def hand_of(port: int, table: str, cookie: str) -> dict[str, Any]:
    """The table as the API shows it to this caller."""
    async with connect(port) as connection:
        response = await connection.request("GET", f"/api/tables/{table}", cookie, SAME_ORIGIN)
        view: dict[str, Any] = response.json
        return view


def action_form(view: dict[str, Any]) -> bytes:
    """The form of a proper action, as the page has it."""
    action = Random(1).choice(proper_actions(view_from_json(view["hand"])))
    return encode_form({"version": str(view["version"]), "action": to_token(action)})


async def click(port: int, table: str, cookie: str, form: bytes) -> None:
    """Post the form of an action."""
    async with connect(port) as connection:
        response = await connection.request("POST", f"/t/{table}/actions", cookie, SAME_ORIGIN, JSON, body=form)
        assert response.status in (200, 204, 303), (response.status, response.body[:300])


def is_turn(view: dict[str, Any]) -> bool:
    """Has the caller to act now?"""
    hand = view.get("hand")
    return view["phase"] == "playing" and bool(hand) and hand["to_act"] == view["you"]["seat"] and bool(hand["legal"])


async def card_click(port: int, counter: CallCounter, tables: list[Any]) -> None:
    """A card played in the middle of a trick, until all four pages of the table show it."""
    for table in tables:
        cookies = [f"Cookie: leftbower={token}" for token in table.tokens]
        views = {cookie: await hand_of(port, table.name, cookie) for cookie in cookies}
        for cookie, view in views.items():
            if is_turn(view) and view["hand"]["trick"]:
                form = action_form(view)
                async with pages(port, *((f"/t/{table.name}/feed", each) for each in cookies)) as opened:
                    with counter.counting():
                        await click(port, table.name, cookie, form)
                        for page in opened:
                            await page.newer_than(view["version"])


async def bot_act(port: int, counter: CallCounter) -> None:
    """A bot's card in the middle of a trick, until the page of the one person shows it."""
    async with connect(port) as connection:
        form = encode_form({"level": "expert", "rules": "campus"})
        response = await connection.request("POST", "/play", SAME_ORIGIN, HTML, body=form)
    cookie, table = cookie_header(response), response.headers["location"].rpartition("/")[2]
    acts = 0
    async with pages(port, (f"/t/{table}/feed", cookie)) as [page]:
        while acts < REPEATS:
            view = await hand_of(port, table, cookie)
            if is_turn(view):
                await click(port, table, cookie, action_form(view))
            elif view["phase"] == "playing" and view["hand"]["trick"]:
                with counter.counting():
                    await page.newer_than(view["version"])
                acts += 1
            await page.newer_than(view["version"])


async def phone_score(port: int, counter: CallCounter, hall: Any) -> None:
    """A hand reported by a phone, until the other phone of the table shows it; the desk and the wall are open too."""
    codes = (*hall.sides[0], hall.desk, hall.wall)
    phone, *cookies = [await sign_in_by_link(port, hall.event, code) for code in codes]
    paths = [f"/e/{hall.event}/{part}/feed" for part in ("table", "desk/now", "wall")]
    async with pages(port, *zip(paths, cookies, strict=True)) as [other, *_]:
        for _ in range(REPEATS):
            async with connect(port) as connection:
                page = await connection.request("GET", f"/e/{hall.event}/table", phone, HTML)
            form = PhonePage.of(page.body).choose(Random(1))
            assert form is not None
            version = other.version
            with counter.counting():
                async with connect(port) as connection:
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
        hall = await write_event(address, 3, seed=1)
        port, stop = await _start(address)
        try:
            for name, path in {
                "a card click": card_click(port, counter, tables),
                "a bot's act": bot_act(port, counter),
                "a phone's score": phone_score(port, counter, hall),
            }.items():
                await path
                counted[name] = counter.functions()
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
