"""Files sent to `/events/import` are parsed outside the event loop, within limits that depend on the caller."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from threading import current_thread, main_thread
from typing import Any

import pytest

from event_client import EventSite, event_site, open_event
from leftbower.rules import preset
from leftbower.server.http import form_data
from leftbower.server.http.form_data import MAX_FIELDS
from leftbower.server.http.middleware import MAX_ANONYMOUS_IMPORT_BYTES, MAX_IMPORT_BYTES
from leftbower.store import Row
from leftbower.tournament.hall.facts import RoundClockSet
from leftbower.tournament.model.codec import entry_to_json
from leftbower.tournament.model.facts import EventFact, EventOpened, LedgerEntry
from leftbower.tournament.model.plan import default_plan
from leftbower.web.event.entry import routes as plans
from server_client import Client, free_limits, unlimited

KIND = {"Content-Type": "multipart/form-data; boundary=edge"}
NAMED = b'Content-Disposition: form-data; name="ledger"; filename="x.jsonl"\r\n'


def form(content: bytes, headers: bytes = NAMED) -> bytes:
    return b"--edge\r\n" + headers + b"\r\n" + content + b"\r\n--edge--\r\n"


def ledger(size: int) -> bytes:
    """An importable ledger of about this size, in few long lines."""
    lines = [_line(EventOpened(plan=default_plan("Evening", preset("club"))), "desk")]
    while sum(map(len, lines)) < size:
        left = size - sum(map(len, lines))
        lines.append(_line(RoundClockSet(seconds=60 * len(lines)), "d" * max(min(left - 100, 60_000), 1)))
    return b"".join(lines)


def _line(fact: EventFact, by: str) -> bytes:
    return json.dumps(entry_to_json(LedgerEntry(fact=fact, by=by, at=1.0))).encode() + b"\n"


def nested(levels: int) -> bytes:
    """Multipart in multipart in multipart."""
    inner = "".join(
        f"--b{level}\r\nContent-Type: multipart/mixed; boundary=b{level + 1}\r\n\r\n" for level in range(levels)
    )
    return form(inner.encode(), NAMED + b"Content-Type: multipart/mixed; boundary=b0\r\n")


def unlimited_site() -> AbstractAsyncContextManager[EventSite]:
    return event_site(limits=free_limits(imports=unlimited()))


async def post_import(site: EventSite, body: Any, token: str = "", **headers: str) -> tuple[int, str]:
    """Import a body; its status and page."""
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    response = await site.anonymous().http.post("/events/import", content=body, headers={**KIND, **bearer, **headers})
    return response.status_code, response.text


async def guest(site: EventSite) -> Client:
    return await site.server.guest("Ann")


async def test_a_file_of_a_whole_event_needs_no_name_and_a_larger_one_does() -> None:
    """Anonymous callers import 500 KiB, guests nearly 4 MiB; more is refused, whatever the header says."""
    async with unlimited_site() as site:
        token = (await guest(site)).token
        small, large = form(ledger(500 << 10)), form(ledger(MAX_IMPORT_BYTES - 70_000))
        assert (await post_import(site, small))[0] == 303
        assert (await post_import(site, large, token))[0] == 303

        async def chunked(body: bytes) -> AsyncIterator[bytes]:
            for start in range(0, len(body), 50_000):
                yield body[start : start + 50_000]

        for body in (large, chunked(large)):
            status, page = await post_import(site, body)
            assert (status, "enter yours on the home page" in page) == (413, True)
        beyond = form(b"x" * MAX_IMPORT_BYTES)
        assert (await post_import(site, beyond, token))[0] == 413
        assert (await post_import(site, chunked(beyond), token))[0] == 413


async def test_nothing_is_read_of_a_body_that_is_too_large() -> None:
    """The Content-Length header is enough to refuse it."""
    async with unlimited_site() as site:
        answers: list[Any] = []

        async def receive() -> Any:
            raise AssertionError("the body was asked for")

        async def send(message: Any) -> None:
            answers.append(message)

        headers = [(b"host", b"leftbower"), (b"content-length", b"%d" % (MAX_ANONYMOUS_IMPORT_BYTES + 1))]
        headers.append((b"content-type", KIND["Content-Type"].encode()))
        scope = {"type": "http", "method": "POST", "path": "/events/import", "query_string": b"", "headers": headers}
        scope |= {"scheme": "http", "client": ("127.0.0.1", 1), "server": ("leftbower", 80), "root_path": ""}
        await site.server.app(scope, receive, send)
        assert answers[0]["status"] == 413


async def test_a_form_of_nothing_but_parts_is_refused_unparsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 MiB of parts: parsing stops at the limit of parts, outside the event loop's thread."""
    async with unlimited_site() as site:
        begun, threads = 0, set()
        begin, parse = form_data._Parts._begin, form_data.parse_multipart

        def begin_counting(parts: Any) -> None:
            nonlocal begun
            begun += 1
            begin(parts)

        def parse_noting_thread(content_type: str, body: bytes) -> dict[str, str]:
            threads.add(current_thread())
            return parse(content_type, body)

        monkeypatch.setattr(form_data._Parts, "_begin", begin_counting)
        monkeypatch.setattr(plans, "parse_multipart", parse_noting_thread)
        part = b"--edge\r\nX: y\r\n\r\n\r\n"
        body = part * (MAX_IMPORT_BYTES // len(part) - 1) + b"--edge--\r\n"
        status, page = await post_import(site, body, (await guest(site)).token)
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
    """For anonymous callers and guests, at both routes that take files."""
    async with unlimited_site() as site:
        tokens = ("", (await guest(site)).token)
        await open_event(site, draw=False)
        for token in tokens:
            status, page = await post_import(site, body, token, **({"Content-Type": kind} if kind else {}))
            assert (status, 'role="alert"' in page) == (422, True)
        headers = {"Content-Type": kind} if kind else KIND
        names = body.replace(b'name="ledger"', b'name="names"')
        response = await site.organizer.http.post(f"/e/{site.event}/desk/import", content=names, headers=headers)
        assert response.status_code == 422


async def test_a_failed_import_leaves_no_event() -> None:
    """The last line is wrong: none of the lines before it is written."""
    async with unlimited_site() as site:
        body = form(ledger(100_000) + b"{}\n")
        assert (await post_import(site, body))[0] == 422
        assert not await site.server.context.store.heads()


async def test_a_long_import_is_written_in_short_commits() -> None:
    """Other writers wait for 50 rows at most; the event is listed as open only with the last commit."""
    async with unlimited_site() as site:
        store = site.server.context.store
        commits: list[tuple[int, int, Any]] = []
        append = store.append_encoded

        async def append_noting_commit(log: str, expected: int, bodies: Any, **options: Any) -> Row:
            commits.append((expected, len(bodies), options["listing"]["closed"]))
            return await append(log, expected, bodies, **options)

        store.append_encoded = append_noting_commit  # type: ignore[method-assign]
        lines = [_line(EventOpened(plan=default_plan("Evening", preset("club"))), "desk")]
        lines += [_line(RoundClockSet(seconds=60 + second), "desk") for second in range(1, 501)]
        assert (await post_import(site, form(b"".join(lines))))[0] == 303
        assert max(rows for _, rows, _ in commits) <= 50
        assert [start for start, _, _ in commits] == list(range(0, 501, 50))
        assert [closed for _, _, closed in commits] == [True] * 10 + [False]
        [log] = await store.heads()
        assert len(await store.read(log)) == 502
