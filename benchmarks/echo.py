"""A bare echo server for comparison: FastAPI with one POST and one feed, the same byte sizes, and no store.

Every POST to a table sends one message to each of its feeds, padded to the length of the real ones.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import AsyncIterator

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse


def echo(answer: int, event: int) -> FastAPI:
    """The application; `answer` and `event` are the bytes of its responses and feed messages."""
    app = FastAPI()
    feeds: defaultdict[str, list[asyncio.Queue[str]]] = defaultdict(list)
    versions: defaultdict[str, int] = defaultdict(int)
    answered = b"x" * answer

    def padded(version: int) -> str:
        head = f"id: {version}\nevent: table\ndata: "
        return f"{head}{'x' * (event - len(head) - 2)}\n\n"

    @app.post("/api/tables/{table}/actions")
    async def act(table: str, request: Request) -> Response:
        await request.body()
        versions[table] += 1
        text = padded(versions[table])
        for queue in feeds[table]:
            queue.put_nowait(text)
        return Response(answered, media_type="application/json")

    @app.get("/api/tables/{table}/feed")
    async def follow(table: str) -> StreamingResponse:
        async def events() -> AsyncIterator[str]:
            queue: asyncio.Queue[str] = asyncio.Queue()
            feeds[table].append(queue)
            try:
                yield padded(versions[table])
                while True:
                    yield await queue.get()
            finally:
                feeds[table].remove(queue)

        return StreamingResponse(events(), media_type="text/event-stream")

    return app


async def main(answer: int, event: int) -> None:
    """Serve on any free port, and print it."""
    config = uvicorn.Config(
        echo(answer, event), port=0, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started and not task.done():
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    sys.stdout.write(f"Listening on http://127.0.0.1:{port}\n")
    sys.stdout.flush()
    await task


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.install()
    except ModuleNotFoundError:
        pass
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
