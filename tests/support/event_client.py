"""HTTP clients of an event that send forms like a browser without script."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any, Final

import httpx

from leftbower.store import Store
from leftbower.store.memory import MemoryStore
from leftbower.web.app import install
from server_client import AppServer, serving

TEAMS: Final = (
    *("Ann & Bob", "Cid & Dot", "Eve & Fay", "Gus & Hal", "Ida & Jon", "Kim & Lee"),
    *("Max & Ned", "Ora & Pat", "Quin & Ray", "Sue & Tom", "Uma & Vic", "Wes & Xia"),
)
_LINK: Final = re.compile(r"<b>([^<]+)</b> <output>https?://[^/]+(/e/\w+/join/\w+)</output>")
_ROLE: Final = re.compile(r'name="role" value="([^"]+)"')


@dataclass
class Visitor:
    """An HTTP client with its own cookies."""

    http: httpx.AsyncClient
    event: str = ""

    async def see(self, path: str, *, status: int = 200) -> str:
        """Get a page."""
        response = await self.http.get(path)
        assert response.status_code == status, (path, response.status_code, response.text[:400])
        return response.text

    async def send(self, path: str, *, status: int = 303, script: bool = False, **form: Any) -> httpx.Response:
        """Send a form; as a script, which accepts JSON, if `script`."""
        headers = {"Accept": "application/json"} if script else {}
        response = await self.http.post(path, data={name: str(value) for name, value in form.items()}, headers=headers)
        assert response.status_code == status, (path, form, response.status_code, response.text[:600])
        return response

    async def do(self, command: str, /, *, status: int = 303, script: bool = False, **form: Any) -> httpx.Response:
        """Send a command to the desk with its current version."""
        version = version_of(await self.see(f"/e/{self.event}/desk"))
        form = {"version": version, **form}
        return await self.send(f"/e/{self.event}/desk/commands", command=command, status=status, script=script, **form)

    async def new_links(self, **form: Any) -> dict[str, str]:
        """Create links with a form of the links section; returns the links by title."""
        response = await self.send(f"/e/{self.event}/desk/links", status=200, **form)
        return new_links_in(response.text)

    async def links(self) -> dict[str, str]:
        """Create a new link for every role on the desk; returns the links by title."""
        page = await self.see(f"/e/{self.event}/desk/links")
        found: dict[str, str] = {}
        for role in map(unescape, _ROLE.findall(page)):
            found |= await self.new_links(command="new", role=role)
        return found

    async def phone(self) -> dict[str, Any]:
        """The round and version of the phone's page."""
        page = await self.see(f"/e/{self.event}/table")
        fields = dict(re.findall(r'<input type="hidden" name="(round|version)" value="(\d+)">', page))
        return {"round": fields.get("round", "1"), "version": fields.get("version", "0")}

    async def tap(self, *, status: int = 303, script: bool = False, **form: Any) -> httpx.Response:
        """Press a button of the phone, with the version of a fresh page unless `form` has one."""
        version = {} if {"round", "version"} <= form.keys() else await self.phone()
        return await self.send(f"/e/{self.event}/table/commands", status=status, script=script, **{**version, **form})


def new_links_in(page: str) -> dict[str, str]:
    """The new links on a page, by title."""
    return {unescape(title): path for title, path in _LINK.findall(page)}


def phone_line(base: str) -> httpx.AsyncClient:
    """A phone's HTTP client: a new connection per tap, because the server closes idle ones."""
    return httpx.AsyncClient(base_url=base, limits=httpx.Limits(max_keepalive_connections=0))


def version_of(page: str) -> int:
    """The version of the event that a page shows."""
    found = re.search(r'data-version="(\d+)"', page)
    assert found, page[:300]
    return int(found[1])


@dataclass
class EventSite:
    """An event on an in-process server."""

    server: AppServer
    organizer: Visitor
    event: str

    def anonymous(self) -> Visitor:
        """A visitor without a link."""
        transport = httpx.ASGITransport(self.server.app, raise_app_exceptions=False)
        return Visitor(httpx.AsyncClient(transport=transport, base_url="http://leftbower"), self.event)

    async def follow_link(self, link: str) -> Visitor:
        """A visitor who has followed a link."""
        visitor = self.anonymous()
        response = await visitor.http.get(link)
        assert response.status_code == 303, response.text
        return visitor

    async def phones(self, table: int = 1) -> tuple[Visitor, Visitor]:
        """The phones of both sides of a table."""
        links = await self.organizer.links()
        return await self.follow_link(links[f"Table {table}, NS"]), await self.follow_link(links[f"Table {table}, EW"])

    async def settle(self, round: int, table: int, score: str) -> None:
        """Enter a score at the desk."""
        now = await self.server.context.events.get(self.event)
        await self.organizer.do(
            "score", round=round, table=table, version=now.table_version((round, table)), games=score
        )


@asynccontextmanager
async def event_site(store: Store | None = None, **settings: Any) -> AsyncIterator[EventSite]:
    """An in-process server with pages, before an event is created."""
    async with serving(store or MemoryStore(), **settings) as server:
        install(server.app)
        visitor = Visitor(server.http)
        yield EventSite(server, visitor, "")


async def open_event(site: EventSite, *, teams: tuple[str, ...] = TEAMS, draw: bool = True, **form: Any) -> None:
    """Create an event, enter teams and draw."""
    plan = {"title": "Prize night", "rules": "prize-night", "format": "swiss", "rounds": 3, **form}
    response = await site.organizer.send("/events", **plan)
    site.event = site.organizer.event = response.headers["location"].split("/")[2]
    await site.organizer.do("enter", names="\n".join(teams))
    if draw:
        await site.organizer.do("draw")
