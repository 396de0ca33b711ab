"""Attacker process: sends the heaviest requests that the server accepts, as fast as its limits allow.

It prints `ready` when everything is prepared, starts with the next line of standard input, and stops when that input
ends; then it prints the counts of its responses as JSON. It obeys `Retry-After`, but waits no longer.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from leftbower.rules.sheets import preset
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.codec import entry_to_json
from leftbower.tournament.model.facts import EntrantAdded, EntrantRenamed, EventFact, EventOpened, LedgerEntry
from leftbower.tournament.model.plan import Stage, default_plan
from proofs.crash.http_client import CONNECTION_ERRORS, Connection, Response, connect
from proofs.crash.phones import HTML, JSON, SAME_ORIGIN, cookie_header, encode_form, post

FILE_BYTES: Final = 4 << 20
"""The largest file accepted from a caller with a token; an anonymous caller tries to send it too."""
NESTED_BYTES: Final = 200 << 10
"""A multipart body small enough to be read from anonymous callers too."""
TEAMS: Final = 141
"""Entrants of a full round robin, the largest that is drawn at once."""
EVENTS: Final = 8
"""Events of one attacker, all redrawn at the same time."""
CONNECTIONS: Final = 8
_ABORT_SECONDS: Final = 0.05
"""Seconds after which every second draw or import is aborted by the client."""
_BOUNDARY: Final = "attack"
_MULTIPART: Final = f"Content-Type: multipart/form-data; boundary={_BOUNDARY}"
_FUTURE_VERSION: Final = "999999999"
"""A version that no event has yet, so that no draw is stale."""

Send = Callable[[], Awaitable[Response]]
Prepare = Callable[[int, float], AsyncIterator[tuple[str, Send]]]
"""Prepares an attack on a port, at a share of its full size, and yields its requests by name."""


def ledger(size: int = FILE_BYTES) -> bytes:
    """The slowest import of `size` bytes: a thousand entrants, and each line renames one of them."""
    plan = default_plan("Attack", preset("club"), Stage(format=Format.ROUND_ROBIN))
    lines = [
        _line(EventOpened(plan=plan)),
        *(_line(EntrantAdded(entrant=f"e{at}", name=f"T{at}")) for at in range(1000)),
    ]
    length = sum(map(len, lines))
    for at in count():
        lines.append(_line(EntrantRenamed(entrant=f"e{at % 1000}", name=f"N{at}", players=())))
        length += len(lines[-1])
        if length > size - 1024:
            return b"".join(lines)
    raise AssertionError


def _line(fact: EventFact) -> bytes:
    return json.dumps(entry_to_json(LedgerEntry(fact=fact, by="d", at=1.0)), separators=(",", ":")).encode() + b"\n"


def file_form(name: str, content: bytes, *headers: str) -> bytes:
    """A multipart form with one file."""
    head = [f"--{_BOUNDARY}", f'Content-Disposition: form-data; name="{name}"; filename="x"', *headers, "", ""]
    return "\r\n".join(head).encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode()


def many_parts(size: int = FILE_BYTES) -> bytes:
    """A multipart form of `size` bytes in nothing but parts."""
    part = f"--{_BOUNDARY}\r\nX: y\r\n\r\n\r\n".encode()
    return part * (size // len(part) - 1) + f"--{_BOUNDARY}--\r\n".encode()


def nested(size: int = NESTED_BYTES) -> bytes:
    """Nested multipart, as deep as it fits."""
    levels = size // 80
    opening = "".join(f"--b{at}\r\nContent-Type: multipart/mixed; boundary=b{at + 1}\r\n\r\n" for at in range(levels))
    return file_form("ledger", opening.encode(), "Content-Type: multipart/mixed; boundary=b0")


async def uploads(port: int, share: float = 1.0) -> AsyncIterator[tuple[str, Send]]:
    """Invalid imports of every kind, anonymous, and the heaviest valid one, with the token of a guest."""
    async with connect(port) as connection:
        token = (await connection.request("POST", "/api/guests", body={"name": "Mallory"})).json["token"]
    bearer = f"Authorization: Bearer {token}"
    size = int(share * FILE_BYTES)
    heaviest = file_form("ledger", ledger(size))
    bodies = {
        "many parts": (many_parts(size), [_MULTIPART]),
        "nested": (nested(int(share * NESTED_BYTES)), [_MULTIPART]),
        "parentheses": (b"x", [f"Content-Type: multipart/form-data; boundary={'(' * 3000}"]),
        "ledger": (heaviest, [_MULTIPART, bearer]),
    }
    for name, (body, headers) in bodies.items():
        yield name, _upload(port, body, headers)
    yield "ledger, aborted", _upload(port, heaviest, [_MULTIPART, bearer], abort=True)


def _upload(port: int, body: bytes, headers: Sequence[str], *, abort: bool = False) -> Send:
    async def send() -> Response:
        async with connect(port) as connection:
            request = connection.request("POST", "/events/import", HTML, *headers, body=body)
            return await _response(connection, request, abort=abort)

    return send


async def draws(port: int, share: float = 1.0) -> AsyncIterator[tuple[str, Send]]:
    """Repeated draws of the largest round robin in some events; every second request is aborted at once."""
    teams = max(int(share * TEAMS), 4)
    names = file_form("names", "\n".join(f"Team {at} & Partner {at}" for at in range(teams)).encode())
    for number in range(max(int(share * EVENTS), 1)):
        form = {"title": f"Attack {number}", "rules": "club", "format": "round-robin"}
        async with connect(port) as connection:
            response = await connection.request("POST", "/events", SAME_ORIGIN, HTML, body=encode_form(form))
            cookie, desk = cookie_header(response), response.headers["location"].removesuffix("/opened")
            response = await connection.request(
                "POST", f"{desk}/import", cookie, SAME_ORIGIN, HTML, _MULTIPART, body=names
            )
            if response.status != 303:
                raise RuntimeError(f"names were answered with {response.status}")
            response = await post(
                connection, f"{desk}/commands", cookie, {"command": "draw", "version": _FUTURE_VERSION}
            )
            if response.status != 200:
                raise RuntimeError(f"a draw was answered with {response.status}")
        yield "draw", _draw(port, desk, cookie)


def _draw(port: int, desk: str, cookie: str) -> Send:
    number = count()

    async def send() -> Response:
        at = next(number)
        form = {"command": "redraw", "version": _FUTURE_VERSION, "why": f"again {at}"}
        async with connect(port) as connection:
            request = connection.request("POST", f"{desk}/commands", cookie, SAME_ORIGIN, JSON, body=encode_form(form))
            return await _response(connection, request, abort=at % 2 == 1)

    return send


async def _response(connection: Connection, request: Awaitable[Response], *, abort: bool) -> Response:
    """The response, or TimeoutError if the client aborts or waited for the full timeout."""
    try:
        async with asyncio.timeout(_ABORT_SECONDS if abort else None):
            return await request
    except TimeoutError:
        connection.abort()
        raise


KINDS: Final[dict[str, Prepare]] = {"uploads": uploads, "draws": draws}


async def attack(requests: Sequence[tuple[str, Send]], answers: Counter[str]) -> None:
    """Send them in turns over several connections until canceled; count the responses by status."""
    turns = count()

    async def send_in_turn() -> None:
        while True:
            name, send = requests[next(turns) % len(requests)]
            try:
                response = await send()
            except CONNECTION_ERRORS as error:
                answers[f"{name}: {type(error).__name__}"] += 1
                continue
            answers[f"{name}: {response.status}"] += 1
            await asyncio.sleep(float(response.headers.get("retry-after", "0")))

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(send_in_turn())


async def main(kind: str, port: int, share: float) -> None:
    """Prepare, wait for a line, and attack until the input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    requests = [request async for request in KINDS[kind](port, share)]
    answers = Counter[str]()
    _print_line("ready")
    if await reader.readline():
        task = asyncio.create_task(attack(requests, answers))
        await reader.read()
        _print_line(json.dumps(answers))
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
