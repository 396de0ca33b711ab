"""Measure what the fast path of actions saves: processor time of an act by it and by FastAPI's handler, in turns.

    python -m scripts.measure_fast_path

Real tables on disk, without a server around them: the requests are passed to the application. Needs the test extra.
"""

import asyncio
import json
from statistics import median
from time import process_time
from typing import Any, Final

from benchmarks.table_fixture import write_tables
from leftbower.notation import action_to_json, view_from_json
from leftbower.players.player import proper_actions
from leftbower.server.app import create_app
from leftbower.store import open_store
from proofs.crash.crash import temporary_database

CONTENT_TYPES: Final = {"fast": b"application/json", "plain": b"application/json; charset=utf-8"}
"""The fast path leaves every content type but the first to FastAPI's handler."""
TABLES: Final = 150
ACTS_PER_TABLE: Final = 20


async def request(app: Any, path: str, token: str, body: Any = None, content_type: bytes = b"") -> tuple[int, Any]:
    """Send a GET, or a POST if there is a body; returns the status and the parsed response."""
    content = b"" if body is None else json.dumps(body).encode()
    headers = [(b"host", b"localhost"), (b"authorization", b"Bearer " + token.encode())]
    headers += [(b"content-type", content_type), (b"content-length", b"%d" % len(content))] if content else []
    scope = {"type": "http", "method": "POST" if content else "GET", "path": path, "query_string": b""}
    scope |= {"headers": headers, "scheme": "http", "client": ("127.0.0.1", 1), "server": ("localhost", 80)}
    status, parts = 0, []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return status, json.loads(b"".join(parts))


async def measure() -> dict[str, list[float]]:
    """Seconds of processor time of every act, of all threads."""
    seconds: dict[str, list[float]] = {name: [] for name in CONTENT_TYPES}
    with temporary_database("sqlite") as address:
        tables = await write_tables(address, TABLES, seed=1, progress=lambda *_: None)
        async with await open_store(address) as store:
            app = create_app(store)
            async with app.router.lifespan_context(app):
                for number in range(TABLES * ACTS_PER_TABLE):
                    path, tokens = f"/api/tables/{tables[number % TABLES].name}", tables[number % TABLES].tokens
                    _, view = await request(app, path, tokens[0])
                    if view["phase"] != "playing" or not view["hand"]["to_act"]:
                        continue
                    token = tokens["NESW".index(view["hand"]["to_act"])]
                    _, view = await request(app, path, token)
                    action = action_to_json(proper_actions(view_from_json(view["hand"]))[0])
                    body = {"version": view["version"], "action_id": str(number), "action": action}
                    name = min(seconds, key=lambda name: len(seconds[name]))
                    started = process_time()
                    status, _ = await request(app, f"{path}/actions", token, body, CONTENT_TYPES[name])
                    if status == 200:
                        seconds[name].append(process_time() - started)
    return seconds


def main() -> None:
    """Print the median of each."""
    medians = {name: 1000 * median(values) for name, values in asyncio.run(measure()).items()}
    saved = 1 - medians["fast"] / medians["plain"]
    print(f"{medians['fast']:.3f} ms instead of {medians['plain']:.3f} ms of processor time an act: {saved:.0%} less")


if __name__ == "__main__":
    main()
