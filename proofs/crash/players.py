"""Company for a server that is put to the test: people who play over HTTP, and remember all they were told.

They lose connections, come back, and send again, under the same id, whatever they have had no answer to.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from time import time
from typing import Any, Final, Protocol, TypeAlias

from leftbower.notation import action_to_json, view_from_json
from leftbower.players.player import proper_actions
from leftbower.rules.sheets import preset
from proofs.crash.http_client import CONNECTION_ERRORS, Connection, Response

Plain: TypeAlias = dict[str, Any]
Act: TypeAlias = tuple[str, str]
"""A table, and under which key an act is known there: its seat and its id."""
SHEETS: Final = ("club", "round-robin", "campus", "school-cup", "prize-night", "club3", "club2")
"""What is played, table by table."""
REPEAT_PROBABILITY: Final = 0.08
"""How often somebody clicks twice."""
_WAIT: Final = 0.02


class ServerAddress:
    """Where the server is found, while there is one."""

    def __init__(self) -> None:
        self._port = 0
        self._there = asyncio.Event()

    def open(self, port: int) -> None:
        """Let everybody in."""
        self._port = port
        self._there.set()

    def close(self) -> None:
        """Nobody is there any more."""
        self._there.clear()

    async def port(self) -> int:
        """The port, once there is one."""
        await self._there.wait()
        return self._port


@dataclass(slots=True)
class ClientHistory:
    """What people were told, and must find again."""

    answered: dict[Act, tuple[int, Plain]] = field(default_factory=dict)
    """Acts that were answered with yes, each with the version that came of it and what was done."""
    refused: set[Act] = field(default_factory=set)
    """Acts that were answered with no."""
    shown: dict[str, dict[int, dict[str | None, bytes]]] = field(default_factory=dict)
    """By table, version and person: a digest of what the person saw; None looked on."""
    views: int = 0
    resent: int = 0
    """Acts sent again, as the connection was lost before the answer."""
    repeated: int = 0
    """Acts sent again though they had been answered."""
    failed: int = 0
    """Requests that were answered neither with yes nor with the news that the table has moved on."""
    sights: dict[tuple[str, str | None], list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    """By table and person: when each new version was seen first."""
    wrong: list[str] = field(default_factory=list)
    """What nobody should be told, in one sentence each."""

    def see(self, table: str, person: str | None, view: Plain) -> None:
        """Remember a view; the same version must always look the same."""
        versions = self.shown.setdefault(table, defaultdict(dict))
        before = versions[view["version"]].setdefault(person, digest(view))
        self.views += 1
        sights = self.sights[table, person]
        if not sights or sights[-1][1] < view["version"]:
            sights.append((time(), view["version"]))
        if before != digest(view):
            self.wrong.append(f"version {view['version']} of {table} was shown in two ways")


def digest(view: Plain) -> bytes:
    """As good as the view itself, for comparing."""
    return sha256(json.dumps(view, sort_keys=True).encode()).digest()


@dataclass(slots=True)
class PendingRequest:
    """A request on its way."""

    path: str
    body: Plain
    version: int
    act: Act | None
    """None where a table is asked for something else than an act."""
    times: int = 0


class Client(Protocol):
    """Uses the server until it is canceled."""

    async def stay(self) -> None:
        """Listen and act; reconnect whenever the server is back."""


class SimulatedPlayer:
    """Somebody at a table, or, without a token, beside it."""

    def __init__(
        self,
        door: ServerAddress,
        memory: ClientHistory,
        rng: Random,
        table: str,
        signed: Plain | None,
        *,
        again: float = REPEAT_PROBABILITY,
        think: float = 0.0,
    ) -> None:
        """`again` is how often an act is sent twice for no reason; they `think` so many seconds before each."""
        self._again, self._think = again, think
        self._door, self._memory, self._chance, self.table = door, memory, rng, table
        self.person: str | None = signed["person"] if signed else None
        self._token: str = signed["token"] if signed else ""
        self.latest: Plain = {"version": 0}
        self.sent: PendingRequest | None = None
        """What has had no answer yet."""
        self._done = 0
        self._count = 0
        self._news = asyncio.Event()

    async def stay(self) -> None:
        """Listen and play, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._coming_back(self._listen))
            if self.person:
                group.create_task(self._coming_back(self._play))

    async def _coming_back(self, what: Any) -> None:
        while True:
            try:
                connection = await Connection.open(await self._door.port())
            except CONNECTION_ERRORS:
                await asyncio.sleep(_WAIT)
                continue
            try:
                await what(connection)
            except CONNECTION_ERRORS:
                await asyncio.sleep(_WAIT)
            finally:
                await connection.close()

    async def _listen(self, connection: Connection) -> None:
        seen = self.latest["version"] or None
        path = f"/api/tables/{self.table}/feed"
        async for version, data in connection.events(path, token=self._token, seen=seen):
            view = json.loads(data)
            if version != view["version"]:
                self._memory.wrong.append(f"event {version} of {self.table} shows version {view['version']}")
            self._look(view)

    async def _play(self, connection: Connection) -> None:
        while not connection.is_closing():
            sent = self.sent = self.sent or await self._wanted()
            await asyncio.sleep(self._think)
            self._memory.resent += sent.times == 1 and sent.act is not None
            sent.times += 1
            self._hear(sent, await connection.request("POST", sent.path, token=self._token, body=sent.body))
            self.sent = None
            known = sent.act in self._memory.answered and not connection.is_closing()
            if known and self._chance.random() < self._again:
                self._memory.repeated += 1
                self._hear(sent, await connection.request("POST", sent.path, token=self._token, body=sent.body))

    def _hear(self, sent: PendingRequest, response: Response) -> None:
        self._done = max(self._done, sent.version)
        if response.status == 200:
            view = response.json
            if sent.act:
                done = (view.pop("action_version"), sent.body["action"])
                if self._memory.answered.setdefault(sent.act, done) != done:
                    self._memory.wrong.append(f"act {sent.act[1]} of {self.table} was answered in two ways")
            self._look(view)
        elif sent.act in self._memory.answered:
            self._memory.wrong.append(f"act {sent.act[1]} of {self.table} was answered with yes, and then not again")
        elif response.status != 409 or (sent.act and response.json["error"]["code"] != "stale"):
            self._memory.failed += 1
            self._memory.wrong.append(f"{sent.path} was answered with {response.status}: {response.body.decode()}")
        elif sent.act:
            self._memory.refused.add(sent.act)

    def _look(self, view: Plain) -> None:
        self._memory.see(self.table, self.person, view)
        if view["version"] > self.latest["version"]:
            self.latest = view
            self._news.set()

    async def _wanted(self) -> PendingRequest:
        """The next thing to be done, once there is one."""
        while (sent := self._next()) is None:
            self._news.clear()
            await self._news.wait()
        return sent

    def _next(self) -> PendingRequest | None:
        """What is to be done now, if anything is, and was not tried already."""
        view = self.latest
        version = view["version"]
        if version <= self._done or not view["you"]["plays"]:
            return None
        seat, asks = view["you"]["seat"], f"/api/tables/{self.table}/commands"
        if view["phase"] == "over" and self.person not in view["rematch"]:
            return PendingRequest(asks, {"command": "rematch"}, version, None)
        if view["cutter"] == seat:
            return PendingRequest(asks, {"command": "cut", "number": self._chance.randrange(16)}, version, None)
        if view["dealing_seat"] == seat:
            return PendingRequest(asks, {"command": "offer-cut" if view["may_offer_cut"] else "deal"}, version, None)
        if view["phase"] != "playing" or view["hand"]["to_act"] != seat:
            return None
        action = action_to_json(self._chance.choice(proper_actions(view_from_json(view["hand"]))))
        self._count += 1
        act = f"{self.person}-{self._count}"
        body = {"version": version, "action_id": act, "action": action}
        return PendingRequest(f"/api/tables/{self.table}/actions", body, version, (self.table, f"{seat}:{act}"))


async def open_tables(
    door: ServerAddress,
    memory: ClientHistory,
    rng: Random,
    tables: int,
    *,
    again: float = REPEAT_PROBABILITY,
    think: float = 0.0,
) -> list[SimulatedPlayer]:
    """Open tables, let people and bots sit down and agree, and one look on at each; all that is before the storm."""
    connection = await Connection.open(await door.port())
    try:
        parties = [await _party(connection, rng, SHEETS[number % len(SHEETS)]) for number in range(tables)]
    finally:
        await connection.close()
    return [
        SimulatedPlayer(door, memory, Random(rng.random()), table, signed, again=again, think=think)
        for table, people in parties
        for signed in (*people, None)
    ]


@asynccontextmanager
async def playing(clients: Iterable[Client]) -> AsyncIterator[None]:
    """Run clients until the block is left; a client that fails ends the block with its error."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(client.stay()) for client in clients]
            yield
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as errors:
        raise _first_error(errors) from None


def _first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error in nested groups: how it all began."""
    first = errors.exceptions[0]
    return _first_error(first) if isinstance(first, BaseExceptionGroup) else first


async def _party(connection: Connection, rng: Random, sheet: str) -> tuple[str, list[Plain]]:
    places = preset(sheet).seats
    sitting = rng.sample(places, rng.randint(1, len(places)))
    people = [await _done(connection, "/api/guests", {"name": f"at {seat}"}) for seat in sitting]
    host: str = people[0]["token"]
    table: str = (await _done(connection, "/api/tables", {"rules": sheet, "level": "novice"}, host))["table"]
    asks = f"/api/tables/{table}/commands"
    for seat, signed in zip(sitting, people, strict=True):
        await _done(connection, asks, {"command": "sit", "seat": str(seat)}, signed["token"])
    for seat in set(places) - set(sitting):
        await _done(connection, asks, {"command": "seat-bot", "seat": str(seat), "level": "novice"}, host)
    for signed in people:
        await _done(connection, asks, {"command": "agree"}, signed["token"])
    return table, people


async def _done(connection: Connection, path: str, body: Plain, token: str = "") -> Plain:
    response = await connection.request("POST", path, token=token, body=body)
    if response.status >= 300:
        raise RuntimeError(f"{path} was answered with {response.status}: {response.body.decode()}")
    plain: Plain = response.json
    return plain


def unanswered_requests(guests: Sequence[SimulatedPlayer]) -> list[PendingRequest]:
    """The acts that have had no answer yet."""
    return [one.sent for one in guests if one.sent and one.sent.act and one.sent.times]
