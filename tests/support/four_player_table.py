"""Four people at a table of a real server: a suit is named in round two, then tricks are played, honestly or not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from browser_table import BrowserHall, browser_hall
from leftbower.engine import Action, CallOut, Name, Pass, Phase, Play, TurnUp, View
from leftbower.notation import action_to_json, view_from_json
from leftbower.rules import UNKNOWN, Card
from leftbower.rules.referee import Irregularity
from leftbower.rules.tricks import playable
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from server_client import Client, seated, seeded


@dataclass
class FourPeople:
    """A table with a person at every seat, in a hand whose trump was named in round two."""

    hall: BrowserHall
    people: dict[str, Client]
    table: str

    @property
    def path(self) -> str:
        return f"/t/{self.table}"

    async def page(self, seat: str | None, **context: Any) -> Any:
        """The table in the browser of the player at `seat`, or of a spectator for None."""
        page = await self.hall.person(**context)
        if seat is not None:
            cookie = {"name": SESSION_COOKIE_NAME, "value": self.people[seat].token, "url": self.hall.base}
            await page.context.add_cookies([cookie])
        await page.goto(f"{self.hall.base}{self.path}")
        await page.wait_for_selector("#table")
        return page

    async def html(self, seat: str | None, path: str = "") -> str:
        """A page of the table, as the server sends it to a seat or to a spectator."""
        headers = {} if seat is None else {"Cookie": f"{SESSION_COOKIE_NAME}={self.people[seat].token}"}
        self.hall.server.http.cookies.clear()
        response = await self.hall.server.http.get(f"{self.path}{path}", headers=headers)
        assert response.status_code == 200, response.text
        return response.text

    async def view(self, seat: str) -> View:
        return view_from_json((await self.people[seat].see(self.table))["hand"])

    async def do(self, seat: str, action: Action) -> View:
        """The seat's view after an action."""
        version = (await self.people[seat].see(self.table))["version"]
        response = await self.people[seat].act(self.table, action_to_json(action), version)
        return view_from_json(response["hand"])

    async def lay(self, card: Card | None = None) -> View:
        """The seat to act plays this card, or the first that follows."""
        seat = str((await self.view("N")).to_act)
        view = await self.view(seat)
        assert view.seat is not None
        return await self.do(seat, Play(view.seat, card or following_card(view)))

    async def trick(self) -> View:
        """Everyone who has not played to the trick does so."""
        view = await self.lay()
        while view.trick:
            view = await self.lay()
        return view

    async def renege(self) -> tuple[str, str]:
        """Play tricks until a seat reneges; returns that seat and one that may call it."""
        while True:
            seat = str((await self.view("N")).to_act)
            view = await self.view(seat)
            wrong = reneging_cards(view)
            if wrong:
                await self.lay(wrong[0])
                while (await self.view("N")).trick:
                    await self.lay()
                return seat, "NESW"[("NESW".index(seat) + 1) % 4]
            assert view.phase is Phase.PLAYING
            await self.lay()

    async def call(self, caller: str, offender: str) -> View:
        """The caller calls the offender's first renege that can be called."""
        view = await self.view(caller)
        calls = [act for act in view.legal if isinstance(act, CallOut) and str(act.against) == offender]
        return await self.do(caller, next(call for call in calls if call.irregularity is Irregularity.RENEGE))


def following_card(view: View) -> Card:
    """The first card that follows."""
    assert view.contract is not None
    held = [card for card in view.cards if card is not UNKNOWN]
    led = view.trick[0].suit_under(view.contract.trump) if view.trick else None
    return playable(held, led, view.contract.trump)[0]


def reneging_cards(view: View) -> list[Card]:
    """The cards with which the seat to act would renege."""
    assert view.contract is not None
    held = [card for card in view.cards if card is not UNKNOWN]
    led = view.trick[0].suit_under(view.contract.trump) if view.trick else None
    return [card for card in held if card not in playable(held, led, view.contract.trump)]


@asynccontextmanager
async def four_people(sheet: str, *, seed: int = 3, changes: Any = None, **settings: Any) -> AsyncIterator[FourPeople]:
    """They have agreed to the rules and named trump; the first lead is next."""
    patient = {"reconnect_grace": 1e6, "idle_timeout": 1e6, "disconnect_delay": 1e6}
    async with browser_hall(entropy=seeded(seed), **patient, **settings) as hall:
        guests = await hall.server.guests("Ann", "Bob", "Cat", "Dan")
        changes = {"deal_cut": "none", **(changes or {})}
        table = await seated(guests[0], guests[1:], rules=sheet, changes=changes)
        four = FourPeople(hall, dict(zip("NESW", guests, strict=True)), table)
        while (table_json := await guests[0].see(table))["phase"] != "playing":
            if table_json["cutter"]:
                await four.people[table_json["cutter"]].command(table, "cut", number=0)
            if table_json["dealing_seat"]:
                await four.people[table_json["dealing_seat"]].command(table, "deal")
        view = await four.view("N")
        if view.phase is Phase.FACE_DOWN:
            view = await four.do(str(view.dealer), TurnUp(view.dealer))
        while view.phase is Phase.BIDDING:
            legal = (await four.view(str(view.to_act))).legal
            named = [bid for bid in legal if isinstance(bid, Name) and not bid.alone]
            passed = [bid for bid in legal if isinstance(bid, Pass)]
            view = await four.do(str(view.to_act), (named or passed)[0])
        assert view.phase is Phase.PLAYING
        yield four
