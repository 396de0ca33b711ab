"""Simulated players over HTTP, and the history of all responses and views that they got.

They reconnect after a crash and resend every unanswered request with the same id.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
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
"""A table, and the key of an action there: its seat and id."""
SHEETS: Final = ("club", "round-robin", "campus", "school-cup", "prize-night", "club3", "club2")
"""The rule sheets, in turn by table."""
REPEAT_PROBABILITY: Final = 0.08
"""How often an answered action is resent, as by a double click."""
_RETRY_SECONDS: Final = 0.02


class ServerAddress:
    """The port of the server; clients wait for it while no server runs."""

    def __init__(self) -> None:
        self._port = 0
        self._listening = asyncio.Event()

    def open(self, port: int) -> None:
        """A server listens: let clients connect."""
        self._port = port
        self._listening.set()

    def close(self) -> None:
        """No server runs: let clients wait."""
        self._listening.clear()

    async def port(self) -> int:
        """Wait for a server, and return its port."""
        await self._listening.wait()
        return self._port


@dataclass(slots=True)
class ClientHistory:
    """The responses and views that clients got, to compare with the logs."""

    answered: dict[Act, tuple[int, Plain]] = field(default_factory=dict)
    """Actions answered with 200, each with the version it created and its content."""
    refused: set[Act] = field(default_factory=set)
    """Actions refused as stale."""
    view_digests: dict[str, dict[int, dict[str | None, bytes]]] = field(default_factory=dict)
    """By table, version and person: a digest of the view that was sent; None is a spectator."""
    views: int = 0
    resent: int = 0
    """Actions resent because the connection was lost before the response."""
    repeated: int = 0
    """Actions resent although they had been answered."""
    failed: int = 0
    """Requests answered neither with 200 nor as stale."""
    version_times: dict[tuple[str, str | None], list[tuple[float, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """By table and person: when each new version first arrived."""
    wrong: list[str] = field(default_factory=list)
    """Responses that should not have been sent, one sentence each."""

    def record_view(self, table: str, person: str | None, view: Plain) -> None:
        """Add a view; the same version must always look the same."""
        versions = self.view_digests.setdefault(table, defaultdict(dict))
        first = versions[view["version"]].setdefault(person, digest(view))
        self.views += 1
        version_times = self.version_times[table, person]
        if not version_times or version_times[-1][1] < view["version"]:
            version_times.append((time(), view["version"]))
        if first != digest(view):
            self.wrong.append(f"version {view['version']} of {table} was shown in two different ways")


def digest(view: Plain) -> bytes:
    """A hash of the view, for comparison."""
    return sha256(json.dumps(view, sort_keys=True).encode()).digest()


@dataclass(slots=True)
class PendingRequest:
    """An unanswered request."""

    path: str
    body: Plain
    version: int
    act: Act | None
    """None for a command, which has no id."""
    times: int = 0


class Client(Protocol):
    """Any client of the server."""

    async def stay(self) -> None:
        """Listen and act until canceled; reconnect whenever the server is back."""


class SimulatedPlayer:
    """A player at a table, or a spectator without a token."""

    def __init__(
        self,
        address: ServerAddress,
        history: ClientHistory,
        rng: Random,
        table: str,
        guest: Plain | None,
        *,
        repeat: float = REPEAT_PROBABILITY,
        think: float = 0.0,
    ) -> None:
        """Resends an answered action with probability `repeat`; waits `think` seconds before each request."""
        self._repeat, self._think = repeat, think
        self._address, self._history, self._rng, self.table = address, history, rng, table
        self.person: str | None = guest["person"] if guest else None
        self._token: str = guest["token"] if guest else ""
        self.latest: Plain = {"version": 0}
        self.sent: PendingRequest | None = None
        """The unanswered request."""
        self._done_version = 0
        self._count = 0
        self._news = asyncio.Event()

    async def stay(self) -> None:
        """Listen and play until canceled; reconnect whenever the server is back."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._reconnecting(self._listen))
            if self.person:
                group.create_task(self._reconnecting(self._play))

    async def _reconnecting(self, use: Callable[[Connection], Awaitable[None]]) -> None:
        while True:
            try:
                connection = await Connection.open(await self._address.port())
            except CONNECTION_ERRORS:
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            try:
                await use(connection)
            except CONNECTION_ERRORS:
                await asyncio.sleep(_RETRY_SECONDS)
            finally:
                await connection.close()

    async def _listen(self, connection: Connection) -> None:
        last_version = self.latest["version"] or None
        path = f"/api/tables/{self.table}/feed"
        async for version, data in connection.events(path, token=self._token, last_id=last_version):
            view = json.loads(data)
            if version != view["version"]:
                self._history.wrong.append(f"message {version} of {self.table} has version {view['version']}")
            self._record_view(view)

    async def _play(self, connection: Connection) -> None:
        while not connection.is_closing():
            sent = self.sent = self.sent or await self._wait_for_request()
            await asyncio.sleep(self._think)
            self._history.resent += sent.times == 1 and sent.act is not None
            sent.times += 1
            self._record(sent, await connection.request("POST", sent.path, token=self._token, body=sent.body))
            self.sent = None
            answered = sent.act in self._history.answered and not connection.is_closing()
            if answered and self._rng.random() < self._repeat:
                self._history.repeated += 1
                self._record(sent, await connection.request("POST", sent.path, token=self._token, body=sent.body))

    def _record(self, sent: PendingRequest, response: Response) -> None:
        self._done_version = max(self._done_version, sent.version)
        if response.status == 200:
            view = response.json
            if sent.act:
                done = (view.pop("action_version"), sent.body["action"])
                if self._history.answered.setdefault(sent.act, done) != done:
                    self._history.wrong.append(f"action {sent.act[1]} of {self.table} got two different responses")
            self._record_view(view)
        elif sent.act in self._history.answered:
            self._history.wrong.append(
                f"action {sent.act[1]} of {self.table} was accepted, and then refused when resent"
            )
        elif response.status != 409 or (sent.act and response.json["error"]["code"] != "stale"):
            self._history.failed += 1
            self._history.wrong.append(f"{sent.path} got {response.status}: {response.body.decode()}")
        elif sent.act:
            self._history.refused.add(sent.act)

    def _record_view(self, view: Plain) -> None:
        self._history.record_view(self.table, self.person, view)
        if view["version"] > self.latest["version"]:
            self.latest = view
            self._news.set()

    async def _wait_for_request(self) -> PendingRequest:
        """Wait for the next request."""
        while (sent := self._next_request()) is None:
            self._news.clear()
            await self._news.wait()
        return sent

    def _next_request(self) -> PendingRequest | None:
        """The request that this version of the table calls for; None if there is none or it was already sent."""
        view = self.latest
        version = view["version"]
        if version <= self._done_version or not view["you"]["plays"]:
            return None
        seat, commands = view["you"]["seat"], f"/api/tables/{self.table}/commands"
        if view["phase"] == "over" and self.person not in view["rematch"]:
            return PendingRequest(commands, {"command": "rematch"}, version, None)
        if view["cutter"] == seat:
            return PendingRequest(commands, {"command": "cut", "number": self._rng.randrange(16)}, version, None)
        if view["dealing_seat"] == seat:
            return PendingRequest(
                commands, {"command": "offer-cut" if view["may_offer_cut"] else "deal"}, version, None
            )
        if view["phase"] != "playing" or view["hand"]["to_act"] != seat:
            return None
        action = action_to_json(self._rng.choice(proper_actions(view_from_json(view["hand"]))))
        self._count += 1
        act = f"{self.person}-{self._count}"
        body = {"version": version, "action_id": act, "action": action}
        return PendingRequest(f"/api/tables/{self.table}/actions", body, version, (self.table, f"{seat}:{act}"))


async def open_tables(
    address: ServerAddress,
    history: ClientHistory,
    rng: Random,
    tables: int,
    *,
    repeat: float = REPEAT_PROBABILITY,
    think: float = 0.0,
) -> list[SimulatedPlayer]:
    """Open tables, seat people and bots, and let them agree; with one spectator each."""
    connection = await Connection.open(await address.port())
    try:
        parties = [await _open_table(connection, rng, SHEETS[number % len(SHEETS)]) for number in range(tables)]
    finally:
        await connection.close()
    return [
        SimulatedPlayer(address, history, Random(rng.random()), table, guest, repeat=repeat, think=think)
        for table, people in parties
        for guest in (*people, None)
    ]


@asynccontextmanager
async def playing(clients: Iterable[Client]) -> AsyncIterator[None]:
    """Run clients until the block ends; a client that fails ends the block with its error."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(client.stay()) for client in clients]
            yield
            for task in tasks:
                task.cancel()
    except BaseExceptionGroup as errors:
        raise _first_error(errors) from None


def _first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error in nested groups, which is the root cause."""
    first = errors.exceptions[0]
    return _first_error(first) if isinstance(first, BaseExceptionGroup) else first


async def _open_table(connection: Connection, rng: Random, sheet: str) -> tuple[str, list[Plain]]:
    seats = preset(sheet).seats
    seated = rng.sample(seats, rng.randint(1, len(seats)))
    people = [await _post(connection, "/api/guests", {"name": f"at {seat}"}) for seat in seated]
    host: str = people[0]["token"]
    table: str = (await _post(connection, "/api/tables", {"rules": sheet, "level": "novice"}, host))["table"]
    commands = f"/api/tables/{table}/commands"
    for seat, guest in zip(seated, people, strict=True):
        await _post(connection, commands, {"command": "sit", "seat": str(seat)}, guest["token"])
    for seat in set(seats) - set(seated):
        await _post(connection, commands, {"command": "seat-bot", "seat": str(seat), "level": "novice"}, host)
    for guest in people:
        await _post(connection, commands, {"command": "agree"}, guest["token"])
    return table, people


async def _post(connection: Connection, path: str, body: Plain, token: str = "") -> Plain:
    response = await connection.request("POST", path, token=token, body=body)
    if response.status >= 300:
        raise RuntimeError(f"{path} got {response.status}: {response.body.decode()}")
    plain: Plain = response.json
    return plain


def unanswered_requests(players: Sequence[SimulatedPlayer]) -> list[PendingRequest]:
    """The actions that were sent but not answered yet."""
    return [player.sent for player in players if player.sent and player.sent.act and player.sent.times]
