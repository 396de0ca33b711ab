"""Malformed requests are refused without an error in the log."""

import logging

import pytest

from event_client import EventSite, event_site, open_event
from leftbower.errors import LeftbowerError, LinkRevoked, NotSignedIn, NotYourRole
from leftbower.tournament.model.state import Event
from proofs.requests.asgi_exchange import Request, exchange

HOST = (b"host", b"leftbower")
FORM = (b"content-type", b"application/x-www-form-urlencoded")
JSON = (b"content-type", b"application/json")


async def status_of(site: EventSite, request: Request) -> int:
    return (await exchange(site.server.app, request)).status


@pytest.mark.parametrize(
    "name",
    [
        *("a" * 300 + ".css", "%00.css", "%ff.css", "a%2Fb.css", ".css", "%F0%9F%83%8F.svg"),
        *("..", ".", "%2e%2e", "..%2fapp.py", "%2e%2e%2fapp.py", "..%5capp.py", "%2fetc%2fpasswd", "%0a", "*", "~"),
    ],
)
async def test_a_static_file_that_no_system_could_have_is_not_found(name: str) -> None:
    """File systems raise an error for names of more than 255 bytes."""
    async with event_site() as site:
        assert await status_of(site, Request(method="GET", path=f"/static/{name}", headers=[HOST])) == 404


async def test_a_query_that_is_not_percent_encoded_is_refused() -> None:
    """Uvicorn rejects it; another server may not."""
    async with event_site() as site:
        for path in ("/", "/api/me", "/nowhere", "/e/x/desk"):
            assert await status_of(site, Request(method="GET", path=path, query=b"\xff", headers=[HOST])) == 422


@pytest.mark.parametrize("length", [b"\xb2", b"9" * 5000, b"-1", b"1e3", b""])
async def test_an_odd_length_of_an_import_is_refused_or_counted(length: bytes) -> None:
    """`²` is a digit to Python, but `int` rejects it."""
    async with event_site() as site:
        headers = [HOST, FORM, (b"content-length", length)]
        request = Request(method="POST", path="/events/import", headers=headers, body=b"ledger=x")
        assert await status_of(site, request) in (413, 422)


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/preferences", FORM), ("/events", FORM), ("/api/guests", JSON), ("/api/tables/t1/actions", JSON)],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_client_that_disconnects_within_a_body_is_no_error(
    path: str, kind: tuple[bytes, bytes], caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is raised that the server would log as an application error."""
    async with event_site() as site:
        token = (await site.server.guest("Ann")).token
        headers = [HOST, kind, (b"authorization", b"Bearer " + token.encode())]
        request = Request(method="POST", path=path, headers=headers, body=b'{"name": "Ann"}', disconnect_after=4)
        assert await status_of(site, request) == 422
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("error", [LinkRevoked, NotYourRole, NotSignedIn])
async def test_an_ended_token_ends_its_feed_without_an_error_log(
    error: type[LeftbowerError], caplog: pytest.LogCaptureFixture
) -> None:
    """Otherwise open pages of an ended link would fill the log with errors."""
    async with event_site() as site:
        await open_event(site)
        events = site.server.context.events

        async def ended(event: Event) -> bytes:
            raise error("this link has ended")

        async def now() -> Event:
            return await events.get(site.event)

        feed = site.server.context.event_feeds.listen(
            site.event, None, now, ended, since=0, last_seen=None, reader="x", max_feeds=9
        )
        assert [message async for message in feed] == []
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
