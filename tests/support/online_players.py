"""An online event over HTTP, with a browser for each player, signed in by the player's link."""

from typing import Any

import httpx

from event_client import Visitor
from leftbower.tournament.model.commands import draw_rounds
from leftbower.tournament.model.facts import EntrantAdded, EventFact
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.web.app import install
from online_event import ORGANIZER, TEAMS, plan
from server_client import AppServer, Client


class OnlineEventSite:
    """An online event on an in-process server."""

    def __init__(self, server: AppServer) -> None:
        install(server.app)
        self.server, self.events = server, server.context.events
        self.name = ""
        self._desk = ""
        """The organizer's code."""

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
        """A new code for a player."""
        role = Role(kind=RoleKind.PLAYER, number=chair, subject=entrant)
        return (await self.events.create_links(self.name, [role]))[role]

    def new_browser(self) -> httpx.AsyncClient:
        """A browser without any cookie."""
        return httpx.AsyncClient(transport=self.server.http._transport, base_url=self.server.http.base_url)

    async def follow_link(
        self, code: str, page: str = "me", browser: httpx.AsyncClient | None = None
    ) -> httpx.AsyncClient:
        """A browser that has followed the link with a code."""
        browser = browser or self.new_browser()
        response = await browser.get(f"/e/{self.name}/join/{code}")
        assert (response.status_code, response.headers["location"]) == (303, f"/e/{self.name}/{page}")
        return browser

    async def browser(self, entrant: str, chair: int = 0) -> httpx.AsyncClient:
        """A new browser that has followed a new link of a player."""
        return await self.follow_link(await self.code(entrant, chair))

    async def desk(self) -> Visitor:
        """The organizer, at the desk."""
        return Visitor(await self.follow_link(self._desk, "desk"), self.name)

    async def me(self, browser: httpx.AsyncClient) -> str:
        response = await browser.get(f"/e/{self.name}/me")
        assert response.status_code == 200, response.text
        return response.text

    async def to_table(self, browser: httpx.AsyncClient) -> str:
        """The path that the button redirects to."""
        response = await browser.post(f"/e/{self.name}/me/table")
        assert response.status_code == 303, response.text
        return response.headers["location"]

    async def player(self, entrant: str, chair: int = 0) -> tuple[Client, str]:
        """A player as an API client, and the path of their table."""
        browser = await self.browser(entrant, chair)
        path = await self.to_table(browser)
        page = await browser.get(path)
        assert page.status_code == 200
        return Client(self.server.http, f"{entrant}.{chair}", token=browser.cookies["leftbower"]), path

    async def players(self, *entrants: str) -> tuple[list[Client], str]:
        """The players of teams that meet at one table, and the table's name."""
        players_and_paths = [await self.player(entrant, chair) for entrant in entrants for chair in (0, 1)]
        assert len({path for _, path in players_and_paths}) == 1
        return [client for client, _ in players_and_paths], players_and_paths[0][1].removeprefix("/t/")
