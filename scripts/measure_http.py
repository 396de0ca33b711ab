"""Measure what the hand-written parts of `server/http` save: CPU time of an action with and without them, in turns.

    python -m scripts.measure_http

Real tables on disk with four feeds each, and uvicorn's protocol over an in-memory transport. Without them, an action
goes through FastAPI's handler instead of the fast path, or feeds wake their tasks instead of a push. Needs the test
extra.
"""

import asyncio
import json
from statistics import median
from time import process_time
from typing import Any, Final
from unittest.mock import patch

import uvicorn
from uvicorn.server import ServerState

from benchmarks.table_fixture import FixtureTable, write_tables
from leftbower.notation import action_to_json, view_from_json
from leftbower.players.player import proper_actions
from leftbower.server.app import create_app
from leftbower.server.http.protocol import PushChannel, TimeoutProtocol
from leftbower.store import open_store
from proofs.crash.crash import temporary_database

JSON: Final = "application/json"
PLAIN_PATH: Final = "application/json; charset=utf-8"
"""The fast path leaves all content types except the first to FastAPI's handler."""
WAYS: Final = {"all": (JSON, True), "no fast path": (PLAIN_PATH, True), "no push": (JSON, False)}
TABLES: Final = 60
ACTS_PER_TABLE: Final = 24


class Connection(asyncio.Transport):
    """A client on an in-memory transport."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__()
        self.received, self.written = bytearray(), asyncio.Event()
        self.protocol = TimeoutProtocol(config, ServerState(), {})
        self.protocol.connection_made(self)

    def write(self, data: Any) -> None:
        """Receive bytes from the server."""
        self.received += data
        self.written.set()

    def is_closing(self) -> bool:
        """It stays open."""
        return False

    def close(self) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...
    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    async def request(self, line: str, token: str, body: Any = None, content_type: str = JSON) -> bytes:
        """Send a request; returns the first chunk, or the whole of a response with a length."""
        self.received.clear()
        content = b"" if body is None else json.dumps(body).encode()
        headers = f"Host: x\r\nAuthorization: Bearer {token}\r\nContent-Type: {content_type}\r\n"
        self.protocol.data_received(
            f"{line} HTTP/1.1\r\n{headers}Content-Length: {len(content)}\r\n\r\n".encode() + content
        )
        while b"\r\n\r\n" not in self.received or self.received.endswith(b"\r\n\r\n"):
            await self.more()
        return bytes(self.received)

    async def more(self) -> None:
        """Wait until something is written."""
        self.written.clear()
        await self.written.wait()


async def view_of(connection: Connection, table: str, token: str) -> Any:
    """The table as the owner of a token sees it."""
    return json.loads((await connection.request(f"GET /api/tables/{table}", token)).partition(b"\r\n\r\n")[2])


async def measure_table(config: uvicorn.Config, table: FixtureTable, seconds: dict[str, list[float]]) -> None:
    """Act at a table in each way in turn; timed from the request until the response and all feeds have arrived."""
    client, feeds = Connection(config), [Connection(config) for _ in table.tokens]
    for feed, token in zip(feeds, table.tokens, strict=True):
        await feed.request(f"GET /api/tables/{table.name}/feed", token)
    for number in range(ACTS_PER_TABLE):
        view = await view_of(client, table.name, table.tokens[0])
        if view["phase"] != "playing" or not view["hand"]["to_act"]:
            break
        token = table.tokens["NESW".index(view["hand"]["to_act"])]
        view = await view_of(client, table.name, token)
        actions = proper_actions(view_from_json(view["hand"]))
        if not actions:
            break
        body = {"version": view["version"], "action_id": str(number), "action": action_to_json(actions[0])}
        way = min(seconds, key=lambda name: len(seconds[name]))
        content_type, pushes = WAYS[way]
        for feed in feeds:
            feed.received.clear()
        with patch.object(PushChannel, "is_open", PushChannel.is_open if pushes else False):
            started = process_time()
            answer = await client.request(f"POST /api/tables/{table.name}/actions", token, body, content_type)
            for feed in feeds if answer.startswith(b"HTTP/1.1 200") else ():
                while not feed.received:
                    await feed.more()
            seconds[way].append(process_time() - started)
    for connection in (client, *feeds):
        connection.protocol.connection_lost(None)


async def measure() -> dict[str, list[float]]:
    """Seconds of CPU time of every action by each way, over all threads."""
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    with temporary_database("sqlite") as address:
        tables = await write_tables(address, TABLES, seed=1, progress=lambda *_: None)
        async with await open_store(address) as store:
            app = create_app(store)
            config = uvicorn.Config(app, ws="none", log_config=None, access_log=False, proxy_headers=False)
            async with app.router.lifespan_context(app):
                for table in tables:
                    await measure_table(config, table, seconds)
    return seconds


def main() -> None:
    """Print the median of each way, and the savings."""
    medians = {way: 1000 * median(values) for way, values in asyncio.run(measure()).items()}
    for way, milliseconds in medians.items():
        print(f"{way:<14}{milliseconds:.3f} ms per action; all parts save {1 - medians['all'] / milliseconds:.0%}")


if __name__ == "__main__":
    main()
