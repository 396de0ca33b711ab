"""Play planned tables in an application with chosen decks, and record everything that clients are sent."""

import asyncio
import io
import json
import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random
from typing import Any, Final, TypeAlias
from unittest.mock import patch

from leftbower import dealing
from leftbower.engine import Action, Deal, Play, ToDraw, view
from leftbower.notation import action_to_json
from leftbower.rules.cards import Card
from leftbower.server.app import create_app
from leftbower.server.context import AppContext
from leftbower.server.http.rate_limit import Limits, RateLimit
from leftbower.server.live.presence import Timing
from leftbower.server.observability.logs import JsonFormatter
from leftbower.store import hash_token
from leftbower.store.memory import MemoryStore
from leftbower.table import CANCELLABLE, Acted, CutOffered, DeckCut, HandDealt, Table, Timeouts, next_due
from proofs.noninterference import Deck, Plan, entropy_of

Plain: TypeAlias = dict[str, Any]
_PROBE_PROBABILITY: Final = 0.35
"""How often the watcher sends an extra request between two actions."""
_BUSY_TURNS: Final = 20
"""Turns of the event loop without a pause; usually enough for the server to finish."""
_PAUSE_SECONDS: Final = 0.0005
"""Pause in each later turn, so that threads can run."""
_TIMEOUTS: Final = Timeouts(hand_pause=0.0)
_IDLE: Final = (type(None), *CANCELLABLE)
"""Due actions that leave the server with nothing to do now."""
Sent: TypeAlias = list[tuple[str, bytes]]
"""Everything that was sent, each item with its kind."""


async def play_tables(plans: Sequence[Plan], twin: int) -> list[Sent]:
    """Play these tables one after another in one application; returns what was sent at each."""
    decks: dict[bytes, Deck] = {}
    entropies: deque[bytes] = deque()
    ticking, salts = count(1_000_000_000, 10), count()
    unlimited = RateLimit(burst=10**9, rate=10**9)
    app = create_app(
        MemoryStore(clock=lambda: float(next(ticking))),
        entropy=lambda size: entropies.popleft() if size == dealing.ENTROPY_BYTES else next(salts).to_bytes(size),
        timing=Timing(hand_pause=0.0, poll_interval=3600.0, reconnect_grace=3600.0, disconnect_delay=3600.0),
        feed_keep_alive=3600.0,
        limits=Limits(anonymous=unlimited, token=unlimited),
    )
    sent = []
    with _chosen_decks(decks):
        async with app.router.lifespan_context(app):
            for plan in plans:
                chosen = {entropy_of(plan, f"{twin}:{at}"): hand.decks[twin] for at, hand in enumerate(plan.hands)}
                decks.update(chosen)
                entropies.extend([entropy_of(plan, "draw"), *chosen])
                sent.append(await _play_table(app, plan, twin))
    return sent


async def _play_table(app: Any, plan: Plan, twin: int) -> Sent:
    """Everything that the watcher and a spectator were sent at one table, and the log."""
    played_table = _PlayedTable(app, plan, twin)
    with _capture_log() as log:
        await played_table.seat_people()
        for number in range(len(plan.hands)):
            await played_table.play(number)
        await played_table.close()
    return [*played_table.sent, ("logs", log.getvalue().encode())]


@contextmanager
def _chosen_decks(decks: Mapping[bytes, Deck]) -> Iterator[None]:
    """Replace `dealing.seal`: entropy becomes the key of a chosen deck."""
    real_seal = dealing.seal

    def chosen(entropy: bytes, deck: Sequence[Card], binding: dealing.Binding) -> dealing.Sealed:
        sealed = real_seal(entropy, deck, binding)
        return replace(sealed, deck=decks[entropy]) if entropy in decks else sealed

    with patch.object(dealing, "seal", chosen):
        yield


@contextmanager
def _capture_log() -> Iterator[io.StringIO]:
    """Capture the log as the server writes it."""
    lines = io.StringIO()
    handler, root = logging.StreamHandler(lines), logging.getLogger()
    handler.setFormatter(JsonFormatter())
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


class _PlayedTable:
    """A table with its people. The watcher does the same in both twins."""

    def __init__(self, app: Any, plan: Plan, twin: int) -> None:
        self._app, self._plan, self._twin = app, plan, twin
        self._context: AppContext = app.state.context
        self._rng = Random(f"{plan.seed}:{plan.number}:watching")
        self._name = f"t{plan.number}"
        self._people = {seat: f"{seat}-{plan.number}" for seat in plan.rules.seats}
        self._host, self._outside = f"host-{plan.number}", f"outside-{plan.number}"
        self._watcher = self._people[plan.watcher] if plan.watcher else self._outside
        self._listeners = self._rng.choice(((self._watcher,), (self._watcher, ""))) if plan.watcher else ("",)
        self._acts = count()
        self._feeds: dict[str, _Feed] = {}
        self.sent: list[tuple[str, bytes]] = []

    async def seat_people(self) -> None:
        """Open the table; people sit down and agree over HTTP."""
        for person in (*self._people.values(), self._outside, self._host):
            await self._context.store.add_person(person, f"name of {person}")
            await self._context.store.add_session(hash_token(f"token-of-{person}"), person)
        await self._context.tables.create(self._name, self._host, self._plan.rules, "regular")
        for person in self._listeners:
            self._listen(person)
        await self._wait_until_idle()
        for seat, person in self._people.items():
            await self._post(person, "commands", {"command": "sit", "seat": str(seat)})
        if not self._plan.helped:
            for person in self._people.values():
                await self._post(person, "commands", {"command": "last-card", "manual": True})
        for person in self._people.values():
            await self._post(person, "commands", {"command": "agree"})
        await self._wait_until_idle()

    async def play(self, number: int) -> None:
        """Play one hand up to the point where the twins are compared."""
        hand = self._plan.hands[number]
        table = await self._wait_until_idle()
        if isinstance(table.match, ToDraw) and table.cutter is not None:
            await self._cut(table, 0)
            table = await self._wait_until_idle()
        if table.may_offer_cut and hand.way.offered:
            table = await self._deal(table, {"command": "offer-cut"}, CutOffered)
        if table.cutter is not None:
            await self._probe(table)
            await self._cut(table, hand.way.cut)
            table = await self._wait_until_idle()
        if table.dealing_seat is not None:
            await self._deal(
                table,
                {"command": "deal", "packets": list(hand.way.packets)},
                partial(HandDealt, packets=hand.way.packets),
            )
        acts = hand.acts[self._twin]
        while (done := self._done(table := await self._wait_until_idle(), number)) < len(acts):
            await self._probe(table)
            await self._act(table, acts[done])
        await self._probe(table)

    async def close(self) -> None:
        """Close all feeds."""
        for person in list(self._feeds):
            await self._close_feed(person)

    async def _deal(self, table: Table, body: Plain, fact: Callable[..., CutOffered | HandDealt]) -> Table:
        """Offer the cut, or deal, as the dealer at an honor table."""
        assert table.dealing_seat is not None
        await self._probe(table)
        person = self._people[table.dealing_seat]
        if person == self._watcher:
            await self._post(person, "commands", body)
        else:
            await self._context.tables.execute(self._name, person, fact(seat=table.dealing_seat))
        return await self._wait_until_idle()

    async def _cut(self, table: Table, number: int) -> None:
        assert table.cutter is not None
        person = self._people[table.cutter]
        if person == self._watcher:
            await self._post(person, "commands", {"command": "cut", "number": number})
        else:
            await self._context.tables.execute(self._name, person, DeckCut(seat=table.cutter, lifted=number))

    def _done(self, table: Table, number: int) -> int:
        """Number of actions of a hand so far; all of them if the next hand was dealt."""
        dealt = sum(isinstance(fact, Deal) for fact in table.history)
        if dealt - 1 > number or table.hand is None:
            return len(self._plan.hands[number].acts[self._twin])
        return len(table.hand.actions)

    async def _act(self, table: Table, action: Action) -> None:
        person, act = self._people[action.seat], f"act-{next(self._acts)}"
        if person == self._watcher:
            body = {"version": table.version, "action_id": act, "action": action_to_json(action)}
            await self._post(person, "actions", body)
            if self._rng.random() < 0.2:
                await self._post(person, "actions", body)
        else:
            await self._context.tables.execute(
                self._name, person, Acted(action=action, action_id=act), version=table.version
            )

    async def _wait_until_idle(self) -> Table:
        """Wait until the server has nothing to do and every feed has the latest version; returns the table."""
        turn = 0
        while True:
            table = await self._context.tables.get(self._name)
            all_sent = all(feed.version == table.version for feed in self._feeds.values())
            if all_sent and isinstance(next_due(table, _TIMEOUTS), _IDLE) and not self._context.tables.busy:
                return table
            turn += 1
            await asyncio.sleep(0.0 if turn < _BUSY_TURNS else _PAUSE_SECONDS)

    # Extra requests of the watcher

    async def _probe(self, table: Table) -> None:
        if self._rng.random() < _PROBE_PROBABILITY:
            probe = self._rng.choice(
                (
                    self._read,
                    self._read_as_spectator,
                    self._reconnect,
                    self._send_wrong_request,
                    self._send_wrong_request,
                )
            )
            await probe(table)

    async def _read(self, table: Table) -> None:
        path = self._rng.choice(("", "/record", "/hands", "/matches/1/record"))
        await self._record("look", self._watcher, "GET", f"/api/tables/{self._name}{path}")
        await self._record("list", self._watcher, "GET", "/api/tables")

    async def _read_as_spectator(self, table: Table) -> None:
        await self._record("look on", "", "GET", f"/api/tables/{self._name}")
        await self._record("health", "", "GET", "/healthz")

    async def _reconnect(self, table: Table) -> None:
        person = self._rng.choice(self._listeners)
        await self._close_feed(person)
        self._listen(person, last_version=table.version - self._rng.randrange(3))
        await self._wait_until_idle()

    async def _send_wrong_request(self, table: Table) -> None:
        """Send a request that is refused no matter which cards the others have."""
        body, path, person = self._wrong_request(table)
        before = table.version
        await self._record("mistake", person, "POST", f"/api/tables/{self._name}/{path}", body)
        assert (await self._wait_until_idle()).version == before, "a wrong request changed the table"

    def _wrong_request(self, table: Table) -> tuple[object, str, str]:
        rules, seat = self._plan.rules, self._plan.watcher
        own_seat = seat or rules.seats[0]
        legal = view(table.hand, seat).legal if table.hand and seat else ()
        refused = [Play(own_seat, card) for card in rules.deck if Play(own_seat, card) not in legal]
        play = action_to_json(self._rng.choice(refused))
        others = action_to_json(Play(rules.left_of(own_seat), self._rng.choice(rules.deck)))
        wrong: tuple[tuple[object, str, str], ...] = (
            ({"version": table.version, "action_id": "x", "action": play}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": play}, "actions", self._watcher),
            ({"version": table.version - 1, "action_id": "x", "action": play}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": others}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": {"action": "play"}}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": play}, "actions", ""),
            ({"command": "sit", "seat": str(rules.left_of(own_seat))}, "commands", self._watcher),
            ({"command": "undo"}, "commands", self._watcher),
            ([], "actions", self._watcher),
        )
        return self._rng.choice(wrong)

    # Requests and feeds

    async def _post(self, person: str, path: str, body: Plain) -> None:
        """Post over HTTP; record the response if the person is the watcher."""
        status, sent = await self._call(person, "POST", f"/api/tables/{self._name}/{path}", body)
        if status != 200:
            raise RuntimeError(f"{path} {body} got {sent.decode()}")
        if person == self._watcher:
            self.sent.append((path, sent))
        await self._wait_until_idle()

    async def _record(self, what: str, person: str, method: str, path: str, body: object = None) -> None:
        status, sent = await self._call(person, method, path, body)
        self.sent.append((f"{what} {status}", sent))

    async def _call(self, person: str, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        content = b"" if body is None else json.dumps(body).encode()
        messages: list[Plain] = []

        async def receive() -> Plain:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Plain) -> None:
            messages.append(message)

        await self._app(_scope(method, path, person), receive, send)
        return messages[0]["status"], _head(messages[0]) + b"".join(message["body"] for message in messages[1:])

    def _listen(self, person: str, last_version: int | None = None) -> None:
        self._feeds[person] = _Feed(self._app, self._name, person, last_version)

    async def _close_feed(self, person: str) -> None:
        feed = self._feeds.pop(person)
        self.sent.append(("feed", await feed.end()))


class _Feed:
    """One client of the feed."""

    def __init__(self, app: Any, table: str, person: str, last_version: int | None) -> None:
        self._closed, self._sent = asyncio.Event(), bytearray()
        self._requested = False
        self._last_version = last_version or 0
        self.version = -1
        """The last version it was sent; -1 before the first message."""
        more = [] if last_version is None else [(b"last-event-id", str(last_version).encode())]
        scope = _scope("GET", f"/api/tables/{table}/feed", person, *more)
        self._task = asyncio.create_task(app(scope, self._receive, self._send))

    async def end(self) -> bytes:
        """Disconnect; returns everything it was sent."""
        self._closed.set()
        await self._task
        return bytes(self._sent)

    async def _receive(self) -> Plain:
        if not self._requested:
            self._requested = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._closed.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Plain) -> None:
        self._sent += _head(message) if message["type"] == "http.response.start" else message["body"]
        sent = message.get("body", b"")
        if sent.startswith(b"id: "):
            self.version = int(sent.split(b"\n", 1)[0][4:])
        elif sent and self.version < 0:
            self.version = self._last_version


def _scope(method: str, path: str, person: str, *more: tuple[bytes, bytes]) -> Plain:
    token = [(b"authorization", f"Bearer token-of-{person}".encode())] if person else []
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json"), *token, *more],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }


def _head(message: Plain) -> bytes:
    lines = (name + b": " + value for name, value in message["headers"])
    return b"%d\r\n%s\r\n\r\n" % (message["status"], b"\r\n".join(lines))
