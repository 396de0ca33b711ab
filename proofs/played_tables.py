"""Tables that are played for whoever watches: in an application of their own, with decks that were chosen."""

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
from leftbower.server.http.rate_limit import RateLimit
from leftbower.server.observability.logs import JsonFormatter
from leftbower.store import hash_token
from leftbower.store.memory import MemoryStore
from leftbower.table import CANCELLABLE, Acted, CutOffered, DeckCut, HandDealt, Table, Timeouts, next_due
from proofs.noninterference import Deck, Plan, entropy_of

Plain: TypeAlias = dict[str, Any]
_PROBES: Final = 0.35
"""How often, between two acts, the watcher asks for something that is not needed."""
_TURNS: Final = 20
_NAP: Final = 0.0005
"""So many turns of the loop are enough as a rule; then threads get so many seconds at a time."""
_TERMS: Final = Timeouts(hand_pause=0.0)
_NOTHING: Final = (type(None), *CANCELLABLE)
"""What the house owes when it has done what it can at once."""
Sent: TypeAlias = list[tuple[str, bytes]]
"""Everything that was sent, each with what it is."""


async def evening(plans: Sequence[Plan], twin: int) -> list[Sent]:
    """What was sent at each of these tables, which are played one after another in one application."""
    decks: dict[bytes, Deck] = {}
    entropies: deque[bytes] = deque()
    ticking, salts = count(1_000_000_000, 10), count()
    everybody = RateLimit(burst=10**9, rate=10**9)
    app = create_app(
        MemoryStore(clock=lambda: float(next(ticking))),
        entropy=lambda size: entropies.popleft() if size == dealing.ENTROPY_BYTES else next(salts).to_bytes(size),
        hand_pause=0.0,
        poll_interval=3600.0,
        feed_keep_alive=3600.0,
        reconnect_grace=3600.0,
        blink=3600.0,
        anonymous_limit=everybody,
        token_limit=everybody,
    )
    sent = []
    with _dealing(decks):
        async with app.router.lifespan_context(app):
            for plan in plans:
                chosen = {entropy_of(plan, f"{twin}:{at}"): hand.decks[twin] for at, hand in enumerate(plan.hands)}
                decks.update(chosen)
                entropies.extend([entropy_of(plan, "draw"), *chosen])
                sent.append(await _played(app, plan, twin))
    return sent


async def _played(app: Any, plan: Plan, twin: int) -> Sent:
    """All that the watcher and a spectator were sent at one table, and what was logged."""
    room = _Room(app, plan, twin)
    with _logged() as logged:
        await room.gather()
        for number in range(len(plan.hands)):
            await room.play(number)
        await room.leave()
    return [*room.sent, ("logs", logged.getvalue().encode())]


@contextmanager
def _dealing(decks: Mapping[bytes, Deck]) -> Iterator[None]:
    """Hand in decks: this entropy is no randomness, but the name of a deck that was chosen."""
    honest = dealing.seal

    def chosen(entropy: bytes, deck: Sequence[Card], binding: dealing.Binding) -> dealing.Sealed:
        sealed = honest(entropy, deck, binding)
        return replace(sealed, deck=decks[entropy]) if entropy in decks else sealed

    with patch.object(dealing, "seal", chosen):
        yield


@contextmanager
def _logged() -> Iterator[io.StringIO]:
    """Whatever is logged, as the server writes it."""
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


class _Room:
    """One table in an application of its own, and who is at it. Who watches does the same in every twin."""

    def __init__(self, app: Any, plan: Plan, twin: int) -> None:
        self._app, self._plan, self._twin = app, plan, twin
        self._context: AppContext = app.state.context
        self._chance = Random(f"{plan.seed}:{plan.number}:watching")
        self._name = f"t{plan.number}"
        self._people = {seat: f"{seat}-{plan.number}" for seat in plan.rules.seats}
        self._host, self._outside = f"host-{plan.number}", f"outside-{plan.number}"
        self._watcher = self._people[plan.watcher] if plan.watcher else self._outside
        self._listeners = self._chance.choice(((self._watcher,), (self._watcher, ""))) if plan.watcher else ("",)
        self._acts = count()
        self._feeds: dict[str, _Feed] = {}
        self.sent: list[tuple[str, bytes]] = []

    async def gather(self) -> None:
        """People come in, sit down and agree, all but the host's opening of the table over HTTP."""
        for person in (*self._people.values(), self._outside, self._host):
            await self._context.store.add_person(person, f"name of {person}")
            await self._context.store.add_session(hash_token(f"token-of-{person}"), person)
        await self._context.tables.create(self._name, self._host, self._plan.rules, "regular")
        for person in self._listeners:
            self._listen(person)
        await self._settle()
        for seat, person in self._people.items():
            await self._ask(person, "commands", {"command": "sit", "seat": str(seat)})
        if not self._plan.helped:
            for person in self._people.values():
                await self._ask(person, "commands", {"command": "last-card", "manual": True})
        for person in self._people.values():
            await self._ask(person, "commands", {"command": "agree"})
        await self._settle()

    async def play(self, number: int) -> None:
        """One hand, up to where the twins are compared."""
        hand = self._plan.hands[number]
        table = await self._settle()
        if isinstance(table.match, ToDraw) and table.cutter is not None:
            await self._cut(table, 0)
            table = await self._settle()
        if table.may_offer_cut and hand.way.offered:
            table = await self._deal(table, {"command": "offer-cut"}, CutOffered)
        if table.cutter is not None:
            await self._probe(table)
            await self._cut(table, hand.way.cut)
            table = await self._settle()
        if table.dealing_seat is not None:
            await self._deal(
                table,
                {"command": "deal", "packets": list(hand.way.packets)},
                partial(HandDealt, packets=hand.way.packets),
            )
        acts = hand.acts[self._twin]
        while (done := self._done(table := await self._settle(), number)) < len(acts):
            await self._probe(table)
            await self._act(table, acts[done])
        await self._probe(table)

    async def leave(self) -> None:
        """Everybody hangs up."""
        for person in list(self._feeds):
            await self._hang_up(person)

    async def _deal(self, table: Table, body: Plain, fact: Callable[..., CutOffered | HandDealt]) -> Table:
        """What the dealer of an honor table does with the sealed deck."""
        assert table.dealing_seat is not None
        await self._probe(table)
        person = self._people[table.dealing_seat]
        if person == self._watcher:
            await self._ask(person, "commands", body)
        else:
            await self._context.tables.execute(self._name, person, fact(seat=table.dealing_seat))
        return await self._settle()

    async def _cut(self, table: Table, number: int) -> None:
        assert table.cutter is not None
        person = self._people[table.cutter]
        if person == self._watcher:
            await self._ask(person, "commands", {"command": "cut", "number": number})
        else:
            await self._context.tables.execute(self._name, person, DeckCut(seat=table.cutter, lifted=number))

    def _done(self, table: Table, number: int) -> int:
        """How many acts of a hand were done; all of them, when the next one has been dealt."""
        dealt = sum(isinstance(fact, Deal) for fact in table.history)
        if dealt - 1 > number or table.hand is None:
            return len(self._plan.hands[number].acts[self._twin])
        return len(table.hand.actions)

    async def _act(self, table: Table, action: Action) -> None:
        person, act = self._people[action.seat], f"act-{next(self._acts)}"
        if person == self._watcher:
            body = {"version": table.version, "action_id": act, "action": action_to_json(action)}
            await self._ask(person, "actions", body)
            if self._chance.random() < 0.2:
                await self._ask(person, "actions", body)
        else:
            await self._context.tables.execute(
                self._name, person, Acted(action=action, action_id=act), version=table.version
            )

    async def _settle(self) -> Table:
        """The table when the house has done what it owes, and everybody has heard of it."""
        turn = 0
        while True:
            table = await self._context.tables.table(self._name)
            heard = all(feed.version == table.version for feed in self._feeds.values())
            if heard and isinstance(next_due(table, _TERMS), _NOTHING) and not self._context.tables.busy:
                return table
            turn += 1
            await asyncio.sleep(0.0 if turn < _TURNS else _NAP)

    # What the watcher does beside playing

    async def _probe(self, table: Table) -> None:
        if self._chance.random() < _PROBES:
            probe = self._chance.choice((self._look, self._look_on, self._come_back, self._mistake, self._mistake))
            await probe(table)

    async def _look(self, table: Table) -> None:
        path = self._chance.choice(("", "/record", "/hands", "/matches/1/record"))
        await self._keep("look", self._watcher, "GET", f"/api/tables/{self._name}{path}")
        await self._keep("list", self._watcher, "GET", "/api/tables")

    async def _look_on(self, table: Table) -> None:
        await self._keep("look on", "", "GET", f"/api/tables/{self._name}")
        await self._keep("health", "", "GET", "/healthz")

    async def _come_back(self, table: Table) -> None:
        person = self._chance.choice(self._listeners)
        await self._hang_up(person)
        self._listen(person, seen=table.version - self._chance.randrange(3))
        await self._settle()

    async def _mistake(self, table: Table) -> None:
        """Something that is refused, whatever the others hold."""
        body, path, person = self._wrong(table)
        before = table.version
        await self._keep("mistake", person, "POST", f"/api/tables/{self._name}/{path}", body)
        assert (await self._settle()).version == before, "a mistake was no mistake"

    def _wrong(self, table: Table) -> tuple[object, str, str]:
        rules, seat = self._plan.rules, self._plan.watcher
        mine = seat or rules.seats[0]
        legal = view(table.hand, seat).legal if table.hand and seat else ()
        refused = [Play(mine, card) for card in rules.deck if Play(mine, card) not in legal]
        play = action_to_json(self._chance.choice(refused))
        others = action_to_json(Play(rules.left_of(mine), self._chance.choice(rules.deck)))
        wrong: tuple[tuple[object, str, str], ...] = (
            ({"version": table.version, "action_id": "x", "action": play}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": play}, "actions", self._watcher),
            ({"version": table.version - 1, "action_id": "x", "action": play}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": others}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": {"action": "play"}}, "actions", self._watcher),
            ({"version": table.version, "action_id": "x", "action": play}, "actions", ""),
            ({"command": "sit", "seat": str(rules.left_of(mine))}, "commands", self._watcher),
            ({"command": "undo"}, "commands", self._watcher),
            ([], "actions", self._watcher),
        )
        return self._chance.choice(wrong)

    # What is sent

    async def _ask(self, person: str, path: str, body: Plain) -> None:
        """Ask for something over HTTP; only what the watcher is answered is kept."""
        status, sent = await self._call(person, "POST", f"/api/tables/{self._name}/{path}", body)
        if status != 200:
            raise RuntimeError(f"{path} {body} was answered with {sent.decode()}")
        if person == self._watcher:
            self.sent.append((path, sent))
        await self._settle()

    async def _keep(self, what: str, person: str, method: str, path: str, body: object = None) -> None:
        status, sent = await self._call(person, method, path, body)
        self.sent.append((f"{what} {status}", sent))

    async def _call(self, person: str, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        content = b"" if body is None else json.dumps(body).encode()
        kept: list[Plain] = []

        async def receive() -> Plain:
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message: Plain) -> None:
            kept.append(message)

        await self._app(_scope(method, path, person), receive, send)
        return kept[0]["status"], _head(kept[0]) + b"".join(message["body"] for message in kept[1:])

    def _listen(self, person: str, seen: int | None = None) -> None:
        self._feeds[person] = _Feed(self._app, self._name, person, seen)

    async def _hang_up(self, person: str) -> None:
        feed = self._feeds.pop(person)
        self.sent.append(("feed", await feed.end()))


class _Feed:
    """One client that listens."""

    def __init__(self, app: Any, table: str, person: str, seen: int | None) -> None:
        self._gone, self._sent = asyncio.Event(), bytearray()
        self._asked = False
        self._seen = seen or 0
        self.version = -1
        """The last one it was sent; none before the first word."""
        more = [] if seen is None else [(b"last-event-id", str(seen).encode())]
        scope = _scope("GET", f"/api/tables/{table}/feed", person, *more)
        self._task = asyncio.create_task(app(scope, self._receive, self._send))

    async def end(self) -> bytes:
        """Hang up; everything it was sent."""
        self._gone.set()
        await self._task
        return bytes(self._sent)

    async def _receive(self) -> Plain:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Plain) -> None:
        self._sent += _head(message) if message["type"] == "http.response.start" else message["body"]
        sent = message.get("body", b"")
        if sent.startswith(b"id: "):
            self.version = int(sent.split(b"\n", 1)[0][4:])
        elif sent and self.version < 0:
            self.version = self._seen


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
