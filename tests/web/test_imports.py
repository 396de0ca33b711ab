"""Files that are sent to `/events/import`: read off the loop, within limits that depend on who sends them."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from threading import current_thread, main_thread
from typing import Any

import pytest

from event_client import EventSite, evening, open_event
from leftbower.rules import preset
from leftbower.server.http import form_data
from leftbower.server.http.form_data import MAX_FIELDS
from leftbower.server.http.middleware import MAX_ANONYMOUS_IMPORT_BYTES, MAX_IMPORT_BYTES
from leftbower.store import Head
from leftbower.tournament import EventFact, EventOpened, LedgerEntry, RoundClockSet, default_plan, entry_to_json
from leftbower.web.event import plans
from server_client import Client, unlimited

KIND = {"Content-Type": "multipart/form-data; boundary=edge"}
NAMED = b'Content-Disposition: form-data; name="ledger"; filename="x.jsonl"\r\n'


def form(content: bytes, headers: bytes = NAMED) -> bytes:
    return b"--edge\r\n" + headers + b"\r\n" + content + b"\r\n--edge--\r\n"


def ledger(size: int) -> bytes:
    """A ledger of about this size that can be imported: few lines, and long ones."""
    lines = [_line(EventOpened(plan=default_plan("Evening", preset("club"))), "desk")]
    while sum(map(len, lines)) < size:
        left = size - sum(map(len, lines))
        lines.append(_line(RoundClockSet(seconds=60 * len(lines)), "d" * max(min(left - 100, 60_000), 1)))
    return b"".join(lines)


def _line(fact: EventFact, by: str) -> bytes:
    return json.dumps(entry_to_json(LedgerEntry(fact=fact, by=by, at=1.0))).encode() + b"\n"


def nested(levels: int) -> bytes:
    """Multipart in multipart in multipart."""
    inner = "".join(f"--b{at}\r\nContent-Type: multipart/mixed; boundary=b{at + 1}\r\n\r\n" for at in range(levels))
    return form(inner.encode(), NAMED + b"Content-Type: multipart/mixed; boundary=b0\r\n")


def hall_of() -> AbstractAsyncContextManager[EventSite]:
    return evening(import_limit=unlimited())


async def sent(one: EventSite, body: Any, token: str = "", **headers: str) -> tuple[int, str]:
    """The status and the page that a body is answered with."""
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    answer = await one.stranger().http.post("/events/import", content=body, headers={**KIND, **bearer, **headers})
    return answer.status_code, answer.text


async def guest(one: EventSite) -> Client:
    return await one.place.guest("Ann")


async def test_a_file_of_a_whole_evening_needs_no_name_and_a_larger_one_does() -> None:
    """Anybody imports 500 KiB, a guest nearly 4 MiB; each is refused above that, whatever the header says."""
    async with hall_of() as hall:
        token = (await guest(hall)).token
        small, large = form(ledger(500 << 10)), form(ledger(MAX_IMPORT_BYTES - 70_000))
        assert (await sent(hall, small))[0] == 303
        assert (await sent(hall, large, token))[0] == 303

        async def chunked(body: bytes) -> AsyncIterator[bytes]:
            for start in range(0, len(body), 50_000):
                yield body[start : start + 50_000]

        for body in (large, chunked(large)):
            status, page = await sent(hall, body)
            assert (status, "enter yours on the first page" in page) == (413, True)
        beyond = form(b"x" * MAX_IMPORT_BYTES)
        assert (await sent(hall, beyond, token))[0] == 413
        assert (await sent(hall, chunked(beyond), token))[0] == 413


async def test_nothing_is_read_of_a_body_that_is_too_large() -> None:
    """The header is enough: nobody waits for megabytes of somebody who has no name."""
    async with hall_of() as hall:
        answers: list[Any] = []

        async def receive() -> Any:
            raise AssertionError("the body was asked for")

        async def send(message: Any) -> None:
            answers.append(message)

        headers = [(b"host", b"leftbower"), (b"content-length", b"%d" % (MAX_ANONYMOUS_IMPORT_BYTES + 1))]
        headers.append((b"content-type", KIND["Content-Type"].encode()))
        scope = {"type": "http", "method": "POST", "path": "/events/import", "query_string": b"", "headers": headers}
        scope |= {"scheme": "http", "client": ("127.0.0.1", 1), "server": ("leftbower", 80), "root_path": ""}
        await hall.place.app(scope, receive, send)
        assert answers[0]["status"] == 413


async def test_a_form_of_nothing_but_parts_is_refused_unparsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 MiB of parts: no more of them are begun than a form may have, and not in the thread of the event loop."""
    async with hall_of() as hall:
        begun, threads = 0, set()
        begin, parse = form_data._Parts._begin, form_data.parse_multipart

        def counted(parts: Any) -> None:
            nonlocal begun
            begun += 1
            begin(parts)

        def noted(content_type: str, body: bytes) -> dict[str, str]:
            threads.add(current_thread())
            return parse(content_type, body)

        monkeypatch.setattr(form_data._Parts, "_begin", counted)
        monkeypatch.setattr(plans, "parse_multipart", noted)
        part = b"--edge\r\nX: y\r\n\r\n\r\n"
        body = part * (MAX_IMPORT_BYTES // len(part) - 1) + b"--edge--\r\n"
        status, page = await sent(hall, body, (await guest(hall)).token)
        assert (status, f"at most {MAX_FIELDS} fields" in page) == (422, True)
        assert begun <= MAX_FIELDS
        assert threads
        assert main_thread() not in threads


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(form(b"", NAMED + b"Content-Type: multipart/mixed; boundary=b\r\n"), "", id="nested"),
        pytest.param(nested(1000), "", id="nested a thousand times"),
        pytest.param(form(b"", b"X: " + b"(" * 3000 + b"\r\n"), "", id="a header of parentheses"),
        pytest.param(form(b"", b"Content-Disposition: " + b"(" * 900 + b"\r\n"), "", id="a disposition of parentheses"),
        pytest.param(b"x", f"multipart/form-data; boundary={'(' * 3000}", id="a boundary of parentheses"),
        pytest.param(b"x", f"multipart/form-data; {'(' * 3000}", id="a type of parentheses"),
        pytest.param(form(b"{}")[:-10], "", id="truncated"),
        pytest.param(form(b"{}"), "multipart/form-data", id="no boundary"),
        pytest.param(form(b"\xff\xfe{"), "", id="not UTF-8"),
        pytest.param(b"\xff=%FF", "application/x-www-form-urlencoded", id="urlencoded and not UTF-8"),
    ],
)
async def test_a_malformed_form_is_answered_with_422(body: bytes, kind: str) -> None:
    """By strangers and guests alike, at both addresses that take files."""
    async with hall_of() as hall:
        tokens = ("", (await guest(hall)).token)
        await open_event(hall, draw=False)
        for token in tokens:
            status, page = await sent(hall, body, token, **({"Content-Type": kind} if kind else {}))
            assert (status, 'role="alert"' in page) == (422, True)
        headers = {"Content-Type": kind} if kind else KIND
        names = body.replace(b'name="ledger"', b'name="names"')
        answer = await hall.organizer.http.post(f"/e/{hall.event}/desk/import", content=names, headers=headers)
        assert answer.status_code == 422


async def test_a_failed_import_leaves_no_event() -> None:
    """The last line is wrong: nothing of the lines before it was written."""
    async with hall_of() as hall:
        body = form(ledger(100_000) + b"{}\n")
        assert (await sent(hall, body))[0] == 422
        assert not await hall.place.context.store.heads()


async def test_a_long_import_is_written_in_short_commits() -> None:
    """Acts at tables wait for a few rows at most; until the last of them lists do not have the event as open."""
    async with hall_of() as hall:
        store = hall.place.context.store
        commits: list[tuple[int, int, Any]] = []
        append = store.append_encoded

        async def noted(log: str, expected: int, bodies: Any, **more: Any) -> Head:
            commits.append((expected, len(bodies), more["listing"]["closed"]))
            return await append(log, expected, bodies, **more)

        store.append_encoded = noted  # type: ignore[method-assign]
        lines = [_line(EventOpened(plan=default_plan("Evening", preset("club"))), "desk")]
        lines += [_line(RoundClockSet(seconds=60 + at), "desk") for at in range(1, 501)]
        assert (await sent(hall, form(b"".join(lines))))[0] == 303
        assert max(rows for _, rows, _ in commits) <= 50
        assert [start for start, _, _ in commits] == list(range(0, 501, 50))
        assert [closed for _, _, closed in commits] == [True] * 10 + [False]
        [log] = await store.heads()
        assert len(await store.read(log)) == 501
