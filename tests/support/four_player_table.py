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
        """The table in a browser of whoever sits there; of a spectator without a seat."""
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
        answer = await self.hall.server.http.get(f"{self.path}{path}", headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    async def view(self, seat: str) -> View:
        return view_from_json((await self.people[seat].see(self.table))["hand"])

    async def do(self, seat: str, action: Action) -> View:
        """What everyone sees after an act."""
        version = (await self.people[seat].see(self.table))["version"]
        shown = await self.people[seat].act(self.table, action_to_json(action), version)
        return view_from_json(shown["hand"])

    async def lay(self, card: Card | None = None) -> View:
        """The seat to act plays this card, or the first that follows."""
        seat = str((await self.view("N")).to_act)
        seen = await self.view(seat)
        assert seen.seat is not None
        return await self.do(seat, Play(seen.seat, card or honest(seen)))

    async def trick(self) -> View:
        """Everyone who has not played to the trick does."""
        seen = await self.lay()
        while seen.trick:
            seen = await self.lay()
        return seen

    async def renege(self) -> tuple[str, str]:
        """Tricks are played until a seat withholds the suit led; who that was, and who may call it."""
        while True:
            seat = str((await self.view("N")).to_act)
            seen = await self.view(seat)
            wrong = dishonest(seen)
            if wrong:
                await self.lay(wrong[0])
                while (await self.view("N")).trick:
                    await self.lay()
                return seat, "NESW"[("NESW".index(seat) + 1) % 4]
            assert seen.phase is Phase.PLAYING
            await self.lay()

    async def call(self, caller: str, offender: str) -> View:
        """The caller calls the offender's first renege that can be called."""
        seen = await self.view(caller)
        calls = [one for one in seen.legal if isinstance(one, CallOut) and str(one.against) == offender]
        return await self.do(caller, next(one for one in calls if one.irregularity is Irregularity.RENEGE))


def honest(seen: View) -> Card:
    """The first card that follows."""
    assert seen.contract is not None
    held = [card for card in seen.cards if card is not UNKNOWN]
    led = seen.trick[0].suit_under(seen.contract.trump) if seen.trick else None
    return playable(held, led, seen.contract.trump)[0]


def dishonest(seen: View) -> list[Card]:
    """The cards with which the seat to act would renege."""
    assert seen.contract is not None
    held = [card for card in seen.cards if card is not UNKNOWN]
    led = seen.trick[0].suit_under(seen.contract.trump) if seen.trick else None
    return [card for card in held if card not in playable(held, led, seen.contract.trump)]


@asynccontextmanager
async def four_people(sheet: str, *, seed: int = 3, changes: Any = None, **settings: Any) -> AsyncIterator[FourPeople]:
    """They have agreed to the rules and named trump; the first lead is due."""
    patient = {"reconnect_grace": 1e6, "idle_timeout": 1e6, "blink": 1e6}
    async with browser_hall(entropy=seeded(seed), **patient, **settings) as hall:
        guests = await hall.server.guests("Ann", "Bob", "Cat", "Dan")
        changes = {"deal_cut": "none", **(changes or {})}
        table = await seated(guests[0], guests[1:], rules=sheet, changes=changes)
        four = FourPeople(hall, dict(zip("NESW", guests, strict=True)), table)
        while (shown := await guests[0].see(table))["phase"] != "playing":
            if shown["cutter"]:
                await four.people[shown["cutter"]].ask(table, "cut", number=0)
            if shown["dealing_seat"]:
                await four.people[shown["dealing_seat"]].ask(table, "deal")
        seen = await four.view("N")
        if seen.phase is Phase.FACE_DOWN:
            seen = await four.do(str(seen.dealer), TurnUp(seen.dealer))
        while seen.phase is Phase.BIDDING:
            legal = (await four.view(str(seen.to_act))).legal
            named = [one for one in legal if isinstance(one, Name) and not one.alone]
            passed = [one for one in legal if isinstance(one, Pass)]
            seen = await four.do(str(seen.to_act), (named or passed)[0])
        assert seen.phase is Phase.PLAYING
        yield four
