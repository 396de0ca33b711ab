"""Clients of a server for tests: people who speak HTTP, a whole application in this process, and a recount of its logs.

The recount shares nothing with the engine: it knows four players, the usual points, and which card takes a trick.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any, Final
from unittest.mock import patch

import httpx
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from leftbower import dealing
from leftbower.notation import action_to_json, view_from_json
from leftbower.players.player import proper_actions
from leftbower.rules import preset
from leftbower.server.app import create_app
from leftbower.server.context import AppContext
from leftbower.server.http.rate_limit import RateLimit
from leftbower.server.process.run import serve
from leftbower.server.settings import Settings
from leftbower.store import Store

Plain = dict[str, Any]
FAST: Final[Plain] = {"rules": "club", "changes": {"target": 5}}
"""A match that is over soon."""
NO_CUTS: Final[Plain] = {"rules": "club", "changes": {"target": 5, "deal_cut": "none"}}
"""The same, and nobody is offered the cut."""
SEATS: Final = {4: "NESW", 3: "NES", 2: "NS"}
CARD: Final = re.compile(rb"\b(?:[9TJQKA][cdhs])+\b")
"""Cards as they stand in JSON."""


def seeded(seed: int) -> Callable[[int], bytes]:
    """Entropy that is the same in every run."""
    numbers = count()
    return lambda size: sha256(f"{seed}:{next(numbers)}".encode()).digest()[:size]


def unlimited() -> RateLimit:
    """Whoever asks, however often."""
    return RateLimit(burst=10**9, rate=1e9)


def cheap_hashes() -> PasswordHash:
    """The real thing, at its cheapest."""
    return PasswordHash([Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1)])


QUICK: Final[dict[str, Any]] = {"bot_delay": 0.0, "hand_pause": 0.0}


@dataclass
class Client:
    """A person, or nobody, who speaks HTTP."""

    http: httpx.AsyncClient
    name: str = ""
    person: str = ""
    token: str = ""
    acts: Iterable[int] = field(default_factory=count)

    async def call(self, method: str, path: str, body: object = None, *, status: int = 200, **more: Any) -> Any:
        """The answer, which must have this status."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= more.pop("headers", {})
        answer = await self.http.request(method, path, json=body, headers=headers, **more)
        assert answer.status_code == status, (method, path, body, answer.status_code, answer.text)
        if answer.content and answer.headers.get("content-type") == "application/json":
            return answer.json()
        return answer.text

    async def open(self, **body: Any) -> str:
        """A new table, by its name."""
        shown = await self.call("POST", "/api/tables", body or FAST, status=201)
        name: str = shown["table"]
        return name

    async def see(self, table: str) -> Plain:
        """The table as this client may see it."""
        shown: Plain = await self.call("GET", f"/api/tables/{table}")
        return shown

    async def ask(self, table: str, ask: str, *, status: int = 200, **body: Any) -> Plain:
        """Something asked of a table."""
        said: Plain = await self.call("POST", f"/api/tables/{table}/commands", {"command": ask, **body}, status=status)
        return said

    async def act(self, table: str, action: Plain, version: int, *, act: str | None = None, status: int = 200) -> Plain:
        """Something done in the hand."""
        body = {"version": version, "action_id": act or f"{self.name}-{next(iter(self.acts))}", "action": action}
        said: Plain = await self.call("POST", f"/api/tables/{table}/actions", body, status=status)
        return said

    async def tries(self, table: str, what: str, body: Plain) -> bool:
        """Do something, unless the table has moved on meanwhile; nothing else may be wrong with it."""
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = await self.http.post(f"/api/tables/{table}/{what}", json=body, headers=headers)
        if answer.status_code == 409:
            checked(answer.json(), "stale")
        else:
            assert answer.status_code == 200, (body, answer.text)
        return answer.status_code == 200

    async def refused(self, method: str, path: str, body: object = None, *, status: int, code: str) -> Plain:
        """The problem, in the one shape."""
        answer = await self.call(method, path, body, status=status)
        return checked(answer, code)


def checked(answer: Any, code: str) -> Plain:
    """The problem of an answer in the one shape, with this code."""
    assert set(answer) == {"error"}, answer
    problem: Plain = answer["error"]
    assert {"code", "message", "place"} <= set(problem) <= {"code", "message", "place", "version"}, problem
    assert problem["code"] == code, problem
    return problem


@dataclass
class AppServer:
    """An application that runs in this process."""

    app: Any
    http: httpx.AsyncClient

    @property
    def context(self) -> AppContext:
        """What its routes share."""
        context: AppContext = self.app.state.context
        return context

    async def guest(self, name: str) -> Client:
        """A new guest."""
        self.http.cookies.clear()
        client = Client(self.http, name)
        signed = await client.call("POST", "/api/guests", {"name": name}, status=201)
        self.http.cookies.clear()
        client.person, client.token = signed["person"], signed["token"]
        return client

    async def guests(self, *names: str) -> list[Client]:
        """New guests."""
        return [await self.guest(name) for name in names]

    def stranger(self) -> Client:
        """Somebody without a token."""
        return Client(self.http)


class DelayedTransport(httpx.ASGITransport):
    """No socket, but a request is on its way for a moment all the same, in which the house can go on."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Wait, and pass it on."""
        await asyncio.sleep(0.001)
        return await super().handle_async_request(request)


@asynccontextmanager
async def serving(store: Store, **settings: Any) -> AsyncIterator[AppServer]:
    """The application, in this process and without a socket."""
    free = {name: unlimited() for name in ("anonymous_limit", "token_limit", "chat_limit")}
    app = create_app(store, **free | QUICK | settings)
    transport = DelayedTransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://leftbower") as http,
    ):
        yield AppServer(app, http)


@asynccontextmanager
async def listening(
    database: str = "memory:", *, given: Plain | None = None, **settings: Any
) -> AsyncIterator[tuple[str, AppServer]]:
    """The same behind a real port of the loopback, stopped as a signal would stop it; `given` is what operators set.

    Untuned, unlike one in a process of its own: to look for garbage among all tests takes longer than many of them do.
    """
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    apps: list[Any] = []
    task = asyncio.create_task(
        serve(
            Settings(port=0, database=database, log_level="error", **given or {}),
            started=ready.set_result,
            prepare=apps.append,
            **{"anonymous_limit": unlimited(), "token_limit": unlimited(), "chat_limit": unlimited()}
            | QUICK
            | settings,
        )
    )
    with patch("leftbower.server.process.run.tuned", nullcontext):
        while not ready.done() and not task.done():
            await asyncio.sleep(0.001)
    if task.done():
        task.result()
    base = f"http://127.0.0.1:{ready.result()}"
    async with httpx.AsyncClient(base_url=base, timeout=10, verify=False) as http:  # no TLS: nothing to read for it
        yield base, AppServer(apps[0], http)
    apps[0].state.running.stop()
    await task


# Playing


async def seated(host: Client, others: Sequence[Client] = (), *, bots: str = "", **rules: Any) -> str:
    """A table at which these people sit from the first seat on, and bots at these seats; all have agreed."""
    table = await host.open(**rules)
    shown = await host.see(table)
    free = [seat for seat in shown["seats"] if seat not in bots]
    people = [host, *others]
    for client, seat in zip(people, free, strict=True):
        await client.ask(table, "sit", seat=seat)
    for seat in bots:
        await host.ask(table, "seat-bot", seat=seat, level="novice")
    for client in people:
        await client.ask(table, "agree")
    return table


def choose(hand: Plain, rng: Random) -> Plain | None:
    """What a person does who is asked: any proper act. None for one who is not."""
    view = view_from_json(hand)
    if view.seat is None or not view.legal:
        return None
    asked = view.to_act is view.seat or any(action["act"] == "bury" for action in hand["legal"])
    return action_to_json(rng.choice(proper_actions(view))) if asked else None


async def play_one(client: Client, table: str, shown: Plain, rng: Random) -> bool:
    """What this client is asked for at this version of the table; False when that is nothing, or who was faster."""
    version = shown["version"]
    if shown["cutter"] is not None and shown["cutter"] == shown["you"]["seat"]:
        return await client.tries(
            table, "commands", {"command": "cut", "number": rng.randrange(20), "version": version}
        )
    if shown["dealing_seat"] is not None and shown["dealing_seat"] == shown["you"]["seat"]:
        ask = "offer-cut" if shown["may_offer_cut"] else "deal"
        return await client.tries(table, "commands", {"command": ask, "version": version})
    if shown["phase"] != "playing" or not shown["you"]["plays"]:
        return False
    action = choose(shown["hand"], rng)
    if action is None:
        return False
    act = f"{client.name}-{next(iter(client.acts))}"
    return await client.tries(table, "actions", {"version": version, "action_id": act, "action": action})


async def play_on(
    clients: Sequence[Client],
    table: str,
    *,
    until: Callable[[Plain], bool] = lambda shown: shown["phase"] == "over",
    rng: Random | None = None,
    steps: int = 3000,
    rest: float = 0.0,
) -> Plain:
    """Each client that is asked does something proper, until it is so; `rest` seconds keep within a server's limits."""
    rng = rng or Random(1)
    for _ in range(steps):
        for client in clients:
            shown = await client.see(table)
            if until(shown):
                return shown
            await play_one(client, table, shown, rng)
            if rest:
                await asyncio.sleep(rest)
    raise AssertionError("this takes too long")


# Feeds


async def events(lines: AsyncIterator[str]) -> AsyncIterator[tuple[int, Plain]]:
    """The events of a feed; comments and when to come back are passed over, and nothing else may stand in it."""
    event: dict[str, str] = {}
    async for line in lines:
        if not line:
            if event:
                assert list(event) == ["id", "event", "data"], event
                assert event["event"] == "table"
                yield int(event["id"]), json.loads(event["data"])
            event = {}
        elif not line.startswith((":", "retry: ")):
            name, _, value = line.partition(": ")
            event[name] = value


# The recount


_ORDER: Final = "9TJQKA"
_SISTER: Final = {"c": "s", "s": "c", "d": "h", "h": "d"}


def recount(facts: Iterable[Mapping[str, Any]]) -> list[int]:
    """The score of the game a table is in, or of its last one, from the plain facts of its log; no undo."""
    book = ScoreRecount()
    for fact in facts:
        book.read(fact)
    return book.scores


class ScoreRecount:
    """What somebody with a pencil writes down: trump, makers, tricks, points, and whose turn it is."""

    def __init__(self) -> None:
        self.scores = [0, 0]
        self._deck: list[str] = []
        self._fresh()

    def _fresh(self) -> None:
        self._maker, self._trump = "", ""
        self._alone, self._defender = False, ""
        self._trick: list[tuple[str, str]] = []
        self._taken = [0, 0]
        self._proposal: Mapping[str, Any] = {}
        self._agreed = 0
        self._passes = 0
        self._winner = ""

    def turn(self, dealer: str) -> str:
        """Who is to call or to play, as far as that is plain; nothing where somebody is asked for something else."""
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
        """One more fact."""
        match fact["fact"]:
            case "draw-deck-sealed":
                self.scores = [0, 0]
            case "deck-sealed":
                sealed = dealing.seal(bytes.fromhex(fact["entropy"]), preset("club").deck)
                self._deck = [str(card) for card in sealed.deck]
                self._fresh()
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
                self._made(action, self._deck[20][1])
            case "name":
                self._made(action, action["suit"])
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
                    self._granted()

    def _made(self, action: Mapping[str, Any], trump: str) -> None:
        self._maker, self._trump, self._alone = action["seat"], trump, action.get("alone", False)

    @property
    def _players(self) -> int:
        return 4 - self._alone - bool(self._defender)

    def _play(self, seat: str, card: str) -> None:
        self._trick.append((seat, card))
        if len(self._trick) == self._players:
            led = self._suit(self._trick[0][1])
            winner, _ = max(self._trick, key=lambda one: self._strength(one[1], led))
            self._taken[_side(winner)] += 1
            self._winner = winner
            self._trick = []
            if sum(self._taken) == 5:
                self._score(self._taken[_side(self._maker)])

    def _granted(self) -> None:
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
