"""HTTP clients and servers for tests: an application in this process or behind a real port, and a recount of its logs.

The recount shares nothing with the engine: it knows four players, the usual points, and which card takes a trick.
"""

import asyncio
import json
import re
import ssl
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, fields
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest.mock import patch

import httpx
import trustme
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from leftbower import dealing
from leftbower.notation import action_to_json, view_from_json
from leftbower.players.player import proper_actions
from leftbower.rules import preset
from leftbower.server.app import create_app
from leftbower.server.context import AppContext
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.live.presence import Timing
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from leftbower.store import Store

Plain = dict[str, Any]
FAST: Final[Plain] = {"rules": "club", "changes": {"target": 5}}
"""A short match."""
NO_CUTS: Final[Plain] = {"rules": "club", "changes": {"target": 5, "deal_cut": "none"}}
"""The same without cuts."""
SEATS: Final = {4: "NESW", 3: "NES", 2: "NS"}
CARD: Final = re.compile(rb"\b(?:[9TJQKA][cdhs])+\b")
"""Cards in JSON."""


def seeded(seed: int) -> Callable[[int], bytes]:
    """Entropy that is the same in every run."""
    numbers = count()
    return lambda size: sha256(f"{seed}:{next(numbers)}".encode()).digest()[:size]


def unlimited() -> RateLimit:
    """A rate limit that never refuses."""
    return RateLimit(burst=10**9, rate=1e9)


def free_limits(**changes: Any) -> Limits:
    """Limits that refuse no request of players, except for the `changes`."""
    return Limits(**{"anonymous": unlimited(), "token": unlimited(), "chat": unlimited()} | changes)


def cheap_hashes() -> PasswordHash:
    """Real hashes with the cheapest parameters."""
    return PasswordHash([Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1)])


def with_timing(**settings: Any) -> dict[str, Any]:
    """Settings with the fields of `Timing` collected in one; without pauses unless set."""
    names = {delay.name for delay in fields(Timing)} & settings.keys()
    timing = Timing(**{"hand_pause": 0.0} | {name: settings.pop(name) for name in names})
    return {"timing": timing, **settings}


@dataclass
class Client:
    """A person, or an anonymous caller, over HTTP."""

    http: httpx.AsyncClient
    name: str = ""
    person: str = ""
    token: str = ""
    action_ids: Iterable[int] = field(default_factory=count)

    async def call(self, method: str, path: str, body: object = None, *, status: int = 200, **more: Any) -> Any:
        """The response body; the status must be this one."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= more.pop("headers", {})
        response = await self.http.request(method, path, json=body, headers=headers, **more)
        assert response.status_code == status, (method, path, body, response.status_code, response.text)
        if response.content and response.headers.get("content-type") == "application/json":
            return response.json()
        return response.text

    async def open(self, **body: Any) -> str:
        """Open a table; returns its name."""
        view = await self.call("POST", "/api/tables", body or FAST, status=201)
        name: str = view["table"]
        return name

    async def see(self, table: str) -> Plain:
        """The table as this client may see it."""
        view: Plain = await self.call("GET", f"/api/tables/{table}")
        return view

    async def command(self, table: str, command: str, *, status: int = 200, **body: Any) -> Plain:
        """Send a command to a table; returns the table after it."""
        view: Plain = await self.call(
            "POST", f"/api/tables/{table}/commands", {"command": command, **body}, status=status
        )
        return view

    async def act(
        self, table: str, action: Plain, version: int, *, action_id: str | None = None, status: int = 200
    ) -> Plain:
        """Send an action in the hand; returns the table after it."""
        body = {
            "version": version,
            "action_id": action_id or f"{self.name}-{next(iter(self.action_ids))}",
            "action": action,
        }
        view: Plain = await self.call("POST", f"/api/tables/{table}/actions", body, status=status)
        return view

    async def try_send(self, table: str, route: str, body: Plain) -> bool:
        """Send a command or an action; False if the table has a newer version. No other error may occur."""
        headers = {"Authorization": f"Bearer {self.token}"}
        response = await self.http.post(f"/api/tables/{table}/{route}", json=body, headers=headers)
        if response.status_code == 409:
            checked(response.json(), "stale")
        else:
            assert response.status_code == 200, (body, response.text)
        return response.status_code == 200

    async def refused(self, method: str, path: str, body: object = None, *, status: int, code: str) -> Plain:
        """The error of a refused request, which must have this status and code."""
        return checked(await self.call(method, path, body, status=status), code)


def checked(body: Any, code: str) -> Plain:
    """The error in a response body, which must be an `ErrorResponse` with this code."""
    assert set(body) == {"error"}, body
    error: Plain = body["error"]
    assert {"code", "message", "path"} <= set(error) <= {"code", "message", "path", "version"}, error
    assert error["code"] == code, error
    return error


@dataclass
class AppServer:
    """An application that runs in this process."""

    app: Any
    http: httpx.AsyncClient

    @property
    def context(self) -> AppContext:
        """The application context."""
        context: AppContext = self.app.state.context
        return context

    async def guest(self, name: str) -> Client:
        """A new guest."""
        self.http.cookies.clear()
        client = Client(self.http, name)
        session = await client.call("POST", "/api/guests", {"name": name}, status=201)
        self.http.cookies.clear()
        client.person, client.token = session["person"], session["token"]
        return client

    async def guests(self, *names: str) -> list[Client]:
        """New guests."""
        return [await self.guest(name) for name in names]

    def anonymous(self) -> Client:
        """An anonymous client."""
        return Client(self.http)


class DelayedTransport(httpx.ASGITransport):
    """ASGI transport that delays each request a moment, so that the server can continue."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.001)
        return await super().handle_async_request(request)


@asynccontextmanager
async def serving(store: Store, **settings: Any) -> AsyncIterator[AppServer]:
    """The application, in this process and without a socket."""
    app = create_app(store, **with_timing(**{"limits": free_limits()} | settings))
    transport = DelayedTransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://leftbower") as http,
    ):
        yield AppServer(app, http)


@asynccontextmanager
async def listening(
    database: str = "memory:", *, options: Plain | None = None, **settings: Any
) -> AsyncIterator[tuple[str, AppServer]]:
    """The same behind a real loopback port, stopped as by a signal; `options` are an operator's settings.

    Without process tuning: garbage collection among the objects of all tests takes longer than many of them.
    """
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    apps: list[Any] = []
    task = asyncio.create_task(
        serve(
            Settings(port=0, database=database, log_level="error", **options or {}),
            started=ready.set_result,
            prepare=apps.append,
            **with_timing(**{"limits": free_limits()} | settings),
        )
    )
    with patch("leftbower.server.process.run.tuned", nullcontext):
        while not ready.done() and not task.done():
            await asyncio.sleep(0.001)
    if task.done():
        task.result()
    base = f"http://127.0.0.1:{ready.result()}"
    async with httpx.AsyncClient(
        base_url=base, timeout=10, verify=False
    ) as http:  # no TLS, so no certificates need to be loaded
        yield base, AppServer(apps[0], http)
    apps[0].state.running.stop()
    await task


@asynccontextmanager
async def listening_with_tls(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server behind HTTPS; the certificate and its key are written to the folder."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_pem.write_to_path(folder / "key.pem")
    for part in certificate.cert_chain_pems:
        part.write_to_path(folder / "certificate.pem", append=True)
    context = ssl.create_default_context()
    authority.configure_trust(context)
    options = {"certificate": str(folder / "certificate.pem"), "key": str(folder / "key.pem")}
    async with (
        listening(options=options) as (base, _),
        httpx.AsyncClient(base_url=base.replace("http:", "https:"), verify=context, timeout=10) as http,
    ):
        yield http


# Playing


async def seated(host: Client, others: Sequence[Client] = (), *, bots: str = "", **rules: Any) -> str:
    """A table where these people sit from the first seat on, with bots in these seats; all have agreed."""
    table = await host.open(**rules)
    view = await host.see(table)
    free = [seat for seat in view["seats"] if seat not in bots]
    people = [host, *others]
    for client, seat in zip(people, free, strict=True):
        await client.command(table, "sit", seat=seat)
    for seat in bots:
        await host.command(table, "seat-bot", seat=seat, level="novice")
    for client in people:
        await client.command(table, "agree")
    return table


def choose(hand: Plain, rng: Random) -> Plain | None:
    """A random regular action for the player to act; None on another player's turn."""
    view = view_from_json(hand)
    if view.seat is None or not view.legal:
        return None
    must_act = view.to_act is view.seat or any(action["act"] == "bury" for action in hand["legal"])
    return action_to_json(rng.choice(proper_actions(view))) if must_act else None


async def play_step(client: Client, table: str, view: Plain, rng: Random) -> bool:
    """Do what this client has to do at this version of the table; False if that is nothing, or it came too late."""
    version = view["version"]
    if view["cutter"] is not None and view["cutter"] == view["you"]["seat"]:
        return await client.try_send(
            table, "commands", {"command": "cut", "number": rng.randrange(20), "version": version}
        )
    if view["dealing_seat"] is not None and view["dealing_seat"] == view["you"]["seat"]:
        command = "offer-cut" if view["may_offer_cut"] else "deal"
        return await client.try_send(table, "commands", {"command": command, "version": version})
    if view["phase"] != "playing" or not view["you"]["plays"]:
        return False
    action = choose(view["hand"], rng)
    if action is None:
        return False
    action_id = f"{client.name}-{next(iter(client.action_ids))}"
    return await client.try_send(table, "actions", {"version": version, "action_id": action_id, "action": action})


async def play_on(
    clients: Sequence[Client],
    table: str,
    *,
    until: Callable[[Plain], bool] = lambda view: view["phase"] == "over",
    rng: Random | None = None,
    steps: int = 20_000,
    rest: float = 0.0,
) -> Plain:
    """Let clients act at random until the condition holds; `rest` seconds between steps keep within rate limits."""
    rng = rng or Random(1)
    for _ in range(steps):
        for client in clients:
            view = await client.see(table)
            if until(view):
                return view
            await play_step(client, table, view, rng)
            if rest:
                await asyncio.sleep(rest)
    raise AssertionError(f"not reached in {steps} steps")


# Feeds


async def events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[int, Plain]]:
    """The messages of a feed with their versions; comments and `retry` are skipped, and nothing else may occur."""
    message: dict[str, str] = {}
    async for line in lines:
        if not line:
            if message:
                assert list(message) == ["id", "event", "data"], message
                assert message["event"] == "table"
                yield int(message["id"]), json.loads(message["data"])
            message = {}
        elif not line.startswith((":", "retry: ")):
            name, _, value = line.partition(": ")
            message[name] = value


# The recount


_ORDER: Final = "9TJQKA"
_SISTER: Final = {"c": "s", "s": "c", "d": "h", "h": "d"}


def recount(facts: Iterable[Mapping[str, Any]]) -> list[int]:
    """The score of a table's current or last game, from the JSON facts of its log; without undo."""
    book = ScoreRecount()
    for fact in facts:
        book.read(fact)
    return book.scores


class ScoreRecount:
    """Keeps score as with pencil and paper: trump, makers, tricks, points, and whose turn it is."""

    def __init__(self) -> None:
        self.scores = [0, 0]
        self._deck: list[str] = []
        self._reset()

    def _reset(self) -> None:
        self._maker, self._trump = "", ""
        self._alone, self._defender = False, ""
        self._trick: list[tuple[str, str]] = []
        self._taken = [0, 0]
        self._proposal: Mapping[str, Any] = {}
        self._agreed = 0
        self._passes = 0
        self._winner = ""

    def turn(self, dealer: str) -> str:
        """The seat to call or play; empty while a claim or throw-in is open."""
        if not self._maker:
            return "NESW"[("NESW".index(dealer) + 1 + self._passes) % 4]
        if self._proposal:
            return ""
        if not self._trick:
            return self._winner
        at = "NESW".index(self._trick[-1][0])
        return next(seat for seat in (("NESW" * 2)[at + 1 : at + 5]) if seat not in self._sitting_out)

    @property
    def _sitting_out(self) -> str:
        alone = [self._maker] if self._alone else []
        return "".join("NESW"[("NESW".index(seat) + 2) % 4] for seat in (*alone, *self._defender))

    def read(self, fact: Mapping[str, Any]) -> None:
        match fact["fact"]:
            case "draw-deck-sealed":
                self.scores = [0, 0]
            case "deck-sealed":
                sealed = dealing.seal(bytes.fromhex(fact["entropy"]), preset("club").deck)
                self._deck = [str(card) for card in sealed.deck]
                self._reset()
            case "deck-cut":
                self._deck = self._deck[fact["lifted"] :] + self._deck[: fact["lifted"]]
            case "acted":
                self._act(fact["action"])

    def _act(self, action: Mapping[str, Any]) -> None:
        match action["act"]:
            case "pass":
                self._passes += 1
            case "disagree":
                self._proposal = {}
            case "order":
                self._make_trump(action, self._deck[20][1])
            case "name":
                self._make_trump(action, action["suit"])
            case "alone":
                self._alone = True
            case "defend-alone":
                self._defender = action["seat"]
            case "play":
                self._play(action["seat"], action["card"])
            case "claim" | "throw-in":
                self._proposal, self._agreed = action, 0
            case "agree":
                self._agreed += 1
                if self._agreed == self._players - 1:
                    self._settle_proposal()

    def _make_trump(self, action: Mapping[str, Any], trump: str) -> None:
        self._maker, self._trump, self._alone = action["seat"], trump, action.get("alone", False)

    @property
    def _players(self) -> int:
        return 4 - self._alone - bool(self._defender)

    def _play(self, seat: str, card: str) -> None:
        self._trick.append((seat, card))
        if len(self._trick) == self._players:
            led = self._suit(self._trick[0][1])
            winner, _ = max(self._trick, key=lambda play: self._strength(play[1], led))
            self._taken[_side(winner)] += 1
            self._winner = winner
            self._trick = []
            if sum(self._taken) == 5:
                self._score(self._taken[_side(self._maker)])

    def _settle_proposal(self) -> None:
        makers = self._taken[_side(self._maker)]
        if self._proposal["act"] == "throw-in":
            makers = self._proposal["makers_tricks"]
        elif _side(self._proposal["seat"]) == _side(self._maker):
            makers += 5 - sum(self._taken)
        self._score(makers)

    def _score(self, tricks: int) -> None:
        if tricks < 3:
            points = 4 if self._alone or self._defender else 2
            self.scores[1 - _side(self._maker)] += points
        else:
            self.scores[_side(self._maker)] += (4 if self._alone else 2) if tricks == 5 else 1
        self._trick, self._taken = [], [0, 0]

    def _suit(self, card: str) -> str:
        return self._trump if card == f"J{_SISTER[self._trump]}" else card[1]

    def _strength(self, card: str, led: str) -> int:
        if card[0] == "J" and self._suit(card) == self._trump:
            return 40 if card[1] == self._trump else 30
        if card[1] == self._trump:
            return 20 + _ORDER.index(card[0])
        return _ORDER.index(card[0]) if card[1] == led else -1


def _side(seat: str) -> int:
    return "NESW".index(seat) % 2
