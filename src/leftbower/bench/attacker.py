"""One client that sends the heaviest requests the server takes, as fast as its limits allow, in a process of its own.

It says `ready` when all is prepared, begins with the next line on standard input, and ends with that input; then it
prints what it was answered, as JSON. Where the server asks it to wait, it waits as long as it is told and no longer.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from leftbower.bench.phones import HTML, JSON, OURS, cookie_of, post, spelled
from leftbower.bench.speaking import GONE, Answer, Connection, connected
from leftbower.rules.sheets import preset
from leftbower.tournament import Entered, Entry, EventFact, Format, Opened, Renamed, Stage, planned, to_plain

FILE_BYTES: Final = 4 << 20
"""The largest file that is read, of a caller with a token; and what an anonymous one tries to send."""
NESTED_BYTES: Final = 200 << 10
"""A multipart body that is small enough to be read, of anonymous callers too."""
TEAMS: Final = 141
"""Entrants of a whole round robin, the largest that is drawn at once."""
EVENTS: Final = 8
"""Events of one attacker, all drawn again and again at the same time."""
CONNECTIONS: Final = 8
_HANG_UP_SECONDS: Final = 0.05
"""After which every second caller of a draw or an import is gone."""
_EDGE: Final = "attack"
_MULTIPART: Final = f"Content-Type: multipart/form-data; boundary={_EDGE}"
_LATEST: Final = "999999999"
"""A version that no event has yet, so that no draw is refused as stale."""

Send = Callable[[], Awaitable[Answer]]
Prepare = Callable[[int, float], AsyncIterator[tuple[str, Send]]]
"""Prepares an attack on a port, at a share of its full size, and yields its requests by name."""


def ledger(size: int = FILE_BYTES) -> bytes:
    """The import that takes longest, of so many bytes: a thousand entrants, and each line gives one another name."""
    plan = planned("Attack", preset("club"), Stage(format=Format.ROUND_ROBIN))
    lines = [_line(Opened(plan=plan)), *(_line(Entered(entrant=f"e{at}", name=f"T{at}")) for at in range(1000))]
    length = sum(map(len, lines))
    for at in count():
        lines.append(_line(Renamed(entrant=f"e{at % 1000}", name=f"N{at}", players=())))
        length += len(lines[-1])
        if length > size - 1024:
            return b"".join(lines)
    raise AssertionError


def _line(fact: EventFact) -> bytes:
    return json.dumps(to_plain(Entry(fact=fact, by="d", at=1.0)), separators=(",", ":")).encode() + b"\n"


def file_form(name: str, content: bytes, *headers: str) -> bytes:
    """A multipart form with one file."""
    head = [f"--{_EDGE}", f'Content-Disposition: form-data; name="{name}"; filename="x"', *headers, "", ""]
    return "\r\n".join(head).encode() + content + f"\r\n--{_EDGE}--\r\n".encode()


def many_parts(size: int = FILE_BYTES) -> bytes:
    """A multipart form of so many bytes in nothing but parts."""
    part = f"--{_EDGE}\r\nX: y\r\n\r\n\r\n".encode()
    return part * (size // len(part) - 1) + f"--{_EDGE}--\r\n".encode()


def nested(size: int = NESTED_BYTES) -> bytes:
    """Multipart in multipart in multipart, as deep as it fits."""
    levels = size // 80
    opening = "".join(f"--b{at}\r\nContent-Type: multipart/mixed; boundary=b{at + 1}\r\n\r\n" for at in range(levels))
    return file_form("ledger", opening.encode(), "Content-Type: multipart/mixed; boundary=b0")


async def uploads(port: int, share: float = 1.0) -> AsyncIterator[tuple[str, Send]]:
    """Imports of every bad kind, anonymous, and of the heaviest good kind, with the token of a guest."""
    async with connected(port) as connection:
        token = (await connection.ask("POST", "/api/guests", body={"name": "Mallory"})).json["token"]
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
    yield "ledger, hung up", _upload(port, heaviest, [_MULTIPART, bearer], hang_up=True)


def _upload(port: int, body: bytes, headers: Sequence[str], *, hang_up: bool = False) -> Send:
    async def send() -> Answer:
        async with connected(port) as connection:
            asking = connection.ask("POST", "/events/import", HTML, *headers, body=body)
            return await _answered(connection, asking, hang_up=hang_up)

    return send


async def draws(port: int, share: float = 1.0) -> AsyncIterator[tuple[str, Send]]:
    """The largest round robin of some events, drawn again and again; every second caller hangs up at once."""
    teams = max(int(share * TEAMS), 4)
    names = file_form("names", "\n".join(f"Team {at} & Partner {at}" for at in range(teams)).encode())
    for number in range(max(int(share * EVENTS), 1)):
        form = {"title": f"Attack {number}", "rules": "club", "format": "round-robin"}
        async with connected(port) as connection:
            answer = await connection.ask("POST", "/events", OURS, HTML, body=spelled(form))
            cookie, desk = cookie_of(answer), answer.headers["location"].removesuffix("/opened")
            answer = await connection.ask("POST", f"{desk}/import", cookie, OURS, HTML, _MULTIPART, body=names)
            if answer.status != 303:
                raise RuntimeError(f"names were answered with {answer.status}")
            answer = await post(connection, f"{desk}/do", cookie, {"do": "draw", "v": _LATEST})
            if answer.status != 200:
                raise RuntimeError(f"a draw was answered with {answer.status}")
        yield "draw", _draw(port, desk, cookie)


def _draw(port: int, desk: str, cookie: str) -> Send:
    number = count()

    async def send() -> Answer:
        at = next(number)
        form = {"do": "redraw", "v": _LATEST, "why": f"again {at}"}
        async with connected(port) as connection:
            asking = connection.ask("POST", f"{desk}/do", cookie, OURS, JSON, body=spelled(form))
            return await _answered(connection, asking, hang_up=at % 2 == 1)

    return send


async def _answered(connection: Connection, asking: Awaitable[Answer], *, hang_up: bool) -> Answer:
    """The answer, or TimeoutError where the caller hangs up, or has waited for as long as anybody does."""
    try:
        async with asyncio.timeout(_HANG_UP_SECONDS if hang_up else None):
            return await asking
    except TimeoutError:
        connection.abort()
        raise


KINDS: Final[dict[str, Prepare]] = {"uploads": uploads, "draws": draws}


async def attack(requests: Sequence[tuple[str, Send]], answers: Counter[str]) -> None:
    """Send them in turns over some connections, until this is cancelled; count the answers by status."""
    turns = count()

    async def one_after_another() -> None:
        while True:
            name, send = requests[next(turns) % len(requests)]
            try:
                answer = await send()
            except GONE as gone:
                answers[f"{name}: {type(gone).__name__}"] += 1
                continue
            answers[f"{name}: {answer.status}"] += 1
            await asyncio.sleep(float(answer.headers.get("retry-after", "0")))

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(one_after_another())


async def main(kind: str, port: int, share: float) -> None:
    """Prepare, wait for the word, attack until the input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    requests = [request async for request in KINDS[kind](port, share)]
    answers = Counter[str]()
    _say("ready")
    if await reader.readline():
        task = asyncio.create_task(attack(requests, answers))
        await reader.read()
        _say(json.dumps(answers))
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
