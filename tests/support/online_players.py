"""An event online over HTTP: a browser for each player, brought in by a link of the player."""

from typing import Any

import httpx

from event_client import Visitor
from leftbower.tournament import EntrantAdded, EventFact, Role, RoleKind, draw_rounds
from leftbower.web.app import install
from online_event import ORGANIZER, TEAMS, plan
from server_client import AppServer, Client


class OnlineEventSite:
    """An online event of a server, with a browser for each player."""

    def __init__(self, server: AppServer) -> None:
        install(server.app)
        self.server, self.events = server, server.context.events
        self.name = ""
        self._desk = ""
        """The code of the desk."""

    async def begin(self, entrants: tuple[str, ...] = TEAMS, *, draw: bool = True, **terms: Any) -> None:
        self.name, self._desk = await self.events.create(plan(**terms))
        for number, name in enumerate(entrants, 1):
            players = tuple(name.split(" & ")) if " & " in name else ()
            await self.record(EntrantAdded(entrant=f"e{number}", name=name, players=players))
        if draw:
            await self.draw()

    async def draw(self) -> None:
        await self.events.execute(self.name, ORGANIZER, lambda event: draw_rounds(event, "a seed"))

    async def record(self, *facts: EventFact) -> None:
        await self.events.execute(self.name, ORGANIZER, lambda event: facts)

    async def code(self, entrant: str, chair: int = 0) -> str:
        """A new code of a player."""
        role = Role(kind=RoleKind.PLAYER, number=chair, subject=entrant)
        return (await self.events.create_links(self.name, [role]))[role]

    def new_browser(self) -> httpx.AsyncClient:
        """A browser without any cookie."""
        return httpx.AsyncClient(transport=self.server.http._transport, base_url=self.server.http.base_url)

    async def come(self, code: str, page: str = "me", browser: httpx.AsyncClient | None = None) -> httpx.AsyncClient:
        """A browser, brought in by a code."""
        browser = browser or self.new_browser()
        answer = await browser.get(f"/e/{self.name}/join/{code}")
        assert (answer.status_code, answer.headers["location"]) == (303, f"/e/{self.name}/{page}")
        return browser

    async def browser(self, entrant: str, chair: int = 0) -> httpx.AsyncClient:
        """A new browser, brought in by the link of a player."""
        return await self.come(await self.code(entrant, chair))

    async def desk(self) -> Visitor:
        """The organizer, at the desk."""
        return Visitor(await self.come(self._desk, "desk"), self.name)

    async def me(self, browser: httpx.AsyncClient) -> str:
        answer = await browser.get(f"/e/{self.name}/me")
        assert answer.status_code == 200, answer.text
        return answer.text

    async def to_table(self, browser: httpx.AsyncClient) -> str:
        """Where the button leads to."""
        answer = await browser.post(f"/e/{self.name}/me/table")
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    async def player(self, entrant: str, chair: int = 0) -> tuple[Client, str]:
        """A player at their own table, as a client of the API."""
        browser = await self.browser(entrant, chair)
        where = await self.to_table(browser)
        page = await browser.get(where)
        assert page.status_code == 200
        return Client(self.server.http, f"{entrant}.{chair}", token=browser.cookies["leftbower"]), where

    async def players(self, *entrants: str) -> tuple[list[Client], str]:
        """Whole teams that meet at one table."""
        found = [await self.player(entrant, chair) for entrant in entrants for chair in (0, 1)]
        assert len({where for _, where in found}) == 1
        return [client for client, _ in found], found[0][1].removeprefix("/t/")
