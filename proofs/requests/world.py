"""A world for mutated requests: an application with people, tables in many phases, events, and links of all roles."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any, Final

from fastapi import FastAPI
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from leftbower.engine import view
from leftbower.notation import action_to_json
from leftbower.players.player import proper_actions
from leftbower.server.app import create_app
from leftbower.server.context import AppContext
from leftbower.server.http.rate_limit import Backoff, Limits, RateLimit
from leftbower.server.live.presence import Timing
from leftbower.server.live.seasons import SeasonRole
from leftbower.server.people.passwords import Passwords
from leftbower.server.quotas import Quotas
from leftbower.store.memory import MemoryStore
from leftbower.table import SeatedPerson, Table
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.season.commands import add_evening
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.web.app import install
from leftbower.web.event.desk_links import side_roles
from proofs.fuzz.mutations import urlencoded
from proofs.requests.asgi_exchange import Answer, Headers, Request, exchange
from proofs.requests.authenticator import Authenticator

HOST: Final = b"euchre.example"
ORIGIN: Final = "https://euchre.example"
LOGIN, PASSWORD = "ann", "correct horse battery staple"
_NEVER_SECONDS: Final = 36_000.0
"""Longer than a world lives."""
_MAX_ACTS: Final = 3000
_MAX_BOT_TURNS: Final = 60
"""Turns of the event loop for bots before the next request."""
JSON_TYPE: Final = b"application/json"
FORM_TYPE: Final = b"application/x-www-form-urlencoded"


class WorldError(Exception):
    """A valid request was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A client with its credentials."""

    kind: str
    token: str = ""
    cookie: bytes = b""
    """The name of the cookie with the token; empty if the token is in a header."""
    event: str = ""
    """The event of the token."""
    tables: tuple[str, ...] = ()
    """Tables of the caller."""
    person: str = ""
    """The person of the token, if it matters."""

    def headers(self) -> Headers:
        """The headers with the credentials."""
        if not self.token:
            return []
        if self.cookie:
            return [(b"cookie", self.cookie + b"=" + self.token.encode())]
        return [(b"authorization", b"Bearer " + self.token.encode())]


@dataclass(slots=True, kw_only=True)
class World:
    """An application with people, tables and events."""

    app: FastAPI
    callers: list[Caller] = field(default_factory=list)
    people: dict[str, str] = field(default_factory=dict)
    """Ids by name."""
    tables: dict[str, str] = field(default_factory=dict)
    """Tables by the phase they are an example of."""
    events: dict[str, str] = field(default_factory=dict)
    invitations: list[str] = field(default_factory=list)
    """Codes of tables."""
    codes: list[str] = field(default_factory=list)
    """Links of events."""
    roles: list[str] = field(default_factory=lambda: [str(RoleKind.ORGANIZER)])
    """Roles that events have links for, as forms name them."""
    sessions: list[str] = field(default_factory=list)
    """Ids of sessions."""
    devices: list[Authenticator] = field(default_factory=list)
    """Devices, each with a passkey of the account; the first ones are registered."""
    account: str = ""
    """A token of the account."""
    ledger: str = ""
    """A ledger that was exported."""
    season: str = ""
    season_code: str = ""
    """The code of its readers."""
    season_events: list[str] = field(default_factory=list)

    @property
    def context(self) -> AppContext:
        """The context of the application."""
        context: AppContext = self.app.state.context
        return context

    def kinds(self) -> set[str]:
        """The kinds of callers there are."""
        return {caller.kind for caller in self.callers}

    async def call(
        self, method: str, path: str, token: str = "", body: object = None, *, form: Mapping[str, str] | None = None
    ) -> Answer:
        """Send a valid request; any response other than 2xx or 3xx raises WorldError."""
        headers: Headers = [(b"host", HOST)]
        content = b""
        if body is not None:
            content = json.dumps(body).encode()
            headers.append((b"content-type", JSON_TYPE))
        elif form is not None:
            content = urlencoded([*form.items()])
            headers.append((b"content-type", FORM_TYPE))
        headers += Caller(kind="", token=token).headers()
        answer = await exchange(self.app, Request(method=method, path=path, headers=headers, body=content))
        if not 200 <= answer.status < 400:
            raise WorldError(f"{method} {path} was answered {answer.status}: {answer.body[:300]!r}")
        return answer

    async def wait_for_bots(self) -> None:
        """Let the bots act for some turns of the event loop."""
        for turn in range(_MAX_BOT_TURNS):
            if not self.context.tables.busy:
                return
            await asyncio.sleep(0 if turn < _MAX_BOT_TURNS // 2 else 0.0005)

    async def table(self, name: str) -> Table:
        """The current state of a table."""
        return await self.context.tables.get(name)

    async def event(self, name: str) -> Event:
        """The current state of an event."""
        return await self.context.events.get(name)


def seeded_entropy(seed: int) -> Callable[[int], bytes]:
    """Random bytes that are the same in every run."""
    numbers = count()
    return lambda size: sha256(f"{seed}:{next(numbers)}".encode()).digest()[:size]


@asynccontextmanager
async def open_world(seed: int) -> AsyncIterator[World]:
    """A world, always the same for the same seed; rate limits and quotas are disabled."""
    ticking = count(1_000_000_000, 1)

    names = ("anonymous", "token", "chat", "event_pages", "imports", "wrong_codes", "join_codes", "sign_ins")
    buckets: dict[str, Any] = {name: RateLimit(burst=10**9, rate=1e9) for name in names}
    app = create_app(
        MemoryStore(clock=lambda: float(next(ticking))),
        entropy=seeded_entropy(seed),
        origin=ORIGIN,
        passwords=Passwords(PasswordHash([Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1)])),
        limits=Limits(login_attempts=Backoff(free=10**9), **buckets),
        quotas=Quotas(**{field.name: 10**9 for field in fields(Quotas)}),
        timing=Timing(
            hand_pause=0.0,
            reconnect_grace=_NEVER_SECONDS,
            idle_timeout=_NEVER_SECONDS,
            disconnect_delay=_NEVER_SECONDS,
            poll_interval=_NEVER_SECONDS,
        ),
        feed_keep_alive=_NEVER_SECONDS,
        minute=_NEVER_SECONDS,
        metrics="127.0.0.0/8",
    )
    install(app, start_code="start")
    world = World(app=app)
    async with app.router.lifespan_context(app):
        await _fill(world, Random(seed))
        yield world


async def _fill(world: World, rng: Random) -> None:
    tokens = {name: await _guest(world, name) for name in ("Ann", "Bob", "Cid", "Dot", "Eve")}
    for name in ("Ann", "Bob"):
        await _tables(world, rng, tokens, name)
    all_tables = tuple(world.tables.values())
    for name, token in tokens.items():
        world.callers += [
            Caller(kind="guest", token=token, tables=all_tables, person=world.people[name]),
            Caller(kind="guest", token=token, cookie=b"leftbower", tables=all_tables, person=world.people[name]),
        ]
        if name in ("Ann", "Bob"):
            for table in ("playing", "honor"):
                seat = await world.call("POST", f"/api/tables/{world.tables[table]}/token", token)
                own = json.loads(seat.body)["token"]
                world.callers.append(Caller(kind="seat", token=own, tables=(world.tables[table],)))
    await _account(world)
    await _invalid_callers(world)
    await _spare_accounts(world)
    for what in ("swiss", "online", "closed"):
        await _event(world, what)
    await _season(world)
    world.callers.append(Caller(kind="anonymous", tables=all_tables))


async def _guest(world: World, name: str) -> str:
    guest = json.loads((await world.call("POST", "/api/guests", body={"name": name})).body)
    world.people[name] = guest["person"]
    token: str = guest["token"]
    return token


async def _account(world: World) -> None:
    token = await _guest(world, "Fay")
    await world.call("PUT", "/api/me/password", token, {"login": LOGIN, "password": PASSWORD})
    again = json.loads((await world.call("POST", "/api/sessions", body={"login": LOGIN, "password": PASSWORD})).body)
    listed = json.loads((await world.call("GET", "/api/me/sessions", token)).body)
    world.sessions += [session["id"] for session in listed]
    world.account = token
    for label in ("phone", "laptop"):
        await world.call("POST", "/api/me/passkeys", token, {"credential": await new_passkey(world), "label": label})
    for session_token in (token, again["token"]):
        world.callers.append(Caller(kind="account", token=session_token))
    world.callers.append(Caller(kind="account", token=token, cookie=b"leftbower"))


async def new_passkey(world: World) -> dict[str, Any]:
    """A credential for a passkey that a new device of the account has just created."""
    options = json.loads((await world.call("POST", "/api/me/passkey-options", world.account)).body)
    world.devices.append(device := Authenticator(ORIGIN))
    return device.create(options)


async def passkey_signature(world: World) -> dict[str, Any]:
    """A credential with which a device of the account signs in."""
    return world.devices[0].get(json.loads((await world.call("POST", "/api/sessions/passkey-options")).body))


async def _invalid_callers(world: World) -> None:
    erased = await _guest(world, "Gus")
    await world.call("DELETE", "/api/me", erased)
    revoked = await _guest(world, "Hal")
    await world.call("DELETE", "/api/tokens/this", revoked)
    world.callers += [
        Caller(kind="erased", token=erased),
        Caller(kind="erased", token=erased, cookie=b"leftbower"),
        Caller(kind="revoked", token=revoked),
        Caller(kind="unknown", token="0" * 40),
    ]


async def _spare_accounts(world: World) -> None:
    """Accounts that requests may erase; nothing else uses them."""
    for number in range(12):
        world.callers.append(Caller(kind="spare", token=await _guest(world, f"Spare {number}")))


async def _tables(world: World, rng: Random, tokens: Mapping[str, str], host: str) -> None:
    """Tables in many phases; Ann's are for four, Bob's are others."""
    if host == "Ann":
        quick = {"rules": "club", "changes": {"target": 5, "deal_cut": "none"}}
        await _open(world, tokens, "lobby", "Ann", (), {"rules": "campus", "title": "Friday"})
        await _open(world, tokens, "gathering", "Ann", ("Ann", "Bob"), {"rules": "prize-night"})
        playing = await _open(world, tokens, "playing", "Ann", ("Ann", "Bob", "Cid", "Dot"), quick, agree=True)
        await _play(world, playing, tokens, rng, acts=9)
        over = await _open(world, tokens, "over", "Ann", ("Ann", "Bob", "Cid", "Dot"), quick, agree=True)
        await _play(world, over, tokens, rng)
        again = await _open(world, tokens, "again", "Ann", ("Ann", "Bob", "Cid", "Dot"), quick, agree=True)
        await _play(world, again, tokens, rng)
        for name in ("Ann", "Bob", "Cid", "Dot"):
            await world.call("POST", f"/api/tables/{again}/commands", tokens[name], {"command": "rematch"})
        await _play(world, again, tokens, rng, acts=3)
        invited = json.loads((await world.call("POST", f"/api/tables/{playing}/links", tokens["Ann"])).body)
        world.invitations.append(invited["code"])
    else:
        honor = {"rules": "club", "changes": {"supervision": "honor", "target": 5}}
        table = await _open(world, tokens, "honor", "Bob", ("Ann", "Bob", "Cid", "Dot"), honor, agree=True)
        await _play(world, table, tokens, rng, acts=12)
        over = await _open(world, tokens, "honor-over", "Bob", ("Ann", "Bob", "Cid", "Dot"), honor, agree=True)
        await _play(world, over, tokens, rng)
        await _open(world, tokens, "honor-deal", "Bob", ("Ann", "Bob", "Cid", "Dot"), honor, agree=True)
        for seats, who in ((2, ("Ann", "Bob")), (3, ("Ann", "Bob", "Cid"))):
            rules = {"rules": "club", "changes": {"players": seats, "target": 5}, "clock": "relaxed"}
            table = await _open(world, tokens, f"{seats} seats", "Bob", who, rules, agree=True)
            await _play(world, table, tokens, rng, acts=4)
        bots = await _open(world, tokens, "bots", "Bob", ("Bob",), {"rules": "club", "level": "novice"}, agree=True)
        await _play(world, bots, tokens, rng, acts=2)


async def _open(
    world: World,
    tokens: Mapping[str, str],
    what: str,
    host: str,
    who: Iterable[str],
    rules: Mapping[str, Any],
    *,
    agree: bool = False,
) -> str:
    opened = json.loads((await world.call("POST", "/api/tables", tokens[host], dict(rules))).body)
    name: str = opened["table"]
    world.tables[what] = name
    seats = [str(seat) for seat in (await world.table(name)).rules.seats]
    commands = f"/api/tables/{name}/commands"
    for seat, person in zip(seats, who, strict=False):
        await world.call("POST", commands, tokens[person], {"command": "sit", "seat": seat})
    if agree:
        for seat in seats[len(tuple(who)) :]:
            await world.call("POST", commands, tokens[host], {"command": "seat-bot", "seat": seat, "level": "novice"})
        for person in who:
            await world.call("POST", commands, tokens[person], {"command": "agree"})
    await world.wait_for_bots()
    return name


async def _play(world: World, name: str, tokens: Mapping[str, str], rng: Random, *, acts: int = _MAX_ACTS) -> None:
    """Keep playing as people would, for some actions or to the end of the match."""
    by_id = {world.people[person]: token for person, token in tokens.items()}
    for number in range(acts):
        await world.wait_for_bots()
        table = await world.table(name)
        if table.match is not None and table.gathering:
            return
        path, token, body = _next_request(table, by_id, rng, number)
        if path:
            await world.call("POST", f"/api/tables/{name}/{path}", token, body)
        else:
            await asyncio.sleep(0.001)


def _next_request(table: Table, by_id: Mapping[str, str], rng: Random, number: int) -> tuple[str, str, dict[str, Any]]:
    people = {
        seat: by_id[sitter.id]
        for seat, sitter in table.seats.items()
        if isinstance(sitter, SeatedPerson) and sitter.id in by_id
    }
    if table.cutter in people:
        return "commands", people[table.cutter], {"command": "cut", "number": 5}
    if table.dealing_seat in people:
        return "commands", people[table.dealing_seat], {"command": "deal"}
    for seat, token in people.items():
        legal = proper_actions(view(table.hand, seat)) if table.hand else ()
        if legal:
            action = action_to_json(rng.choice(legal))
            return "actions", token, {"version": table.version, "action_id": f"w-{number}", "action": action}
    return "", "", {}


async def _event(world: World, what: str) -> None:
    """An event: entered and drawn, with some scores; links of every role, and a revoked one."""
    plan = {"title": "Prize night", "rules": "prize-night", "format": "swiss", "rounds": "3", "fee": "5"}
    plan |= {"format": "round-robin", "online": "yes", "no_show_minutes": "600"} if what == "online" else {}
    answer = await world.call("POST", "/events", form=plan)
    name, code = answer.header(b"location").split("/")[2], answer.cookie("__Secure-leftbower-event")
    code = code or answer.cookie("leftbower-event")
    world.events[what] = name
    organizer = Caller(kind="organizer", token=code, event=name)
    await _desk(world, organizer, {"command": "enter", "names": "Ann & Bob\nCid & Dot\nEve & Fay\nGus & Hal"})
    await _desk(world, organizer, {"command": "publish", "page": "yes", "standings": "yes"})
    if what != "closed":
        await _desk(world, organizer, {"command": "sign-up", "open": "yes", "door": "yes"})
    await _desk(world, organizer, {"command": "draw"})
    event = await world.event(name)
    if what != "online":
        await _desk(world, organizer, {"command": "score", "round": "1", "table": "1", "games": "10-6"})
    world.callers += [organizer, Caller(kind="organizer", token=code, cookie=b"leftbower-event", event=name)]
    entrant = next(iter(event.entrants))
    sides = side_roles(event)[:4]
    roles = [Role(kind=RoleKind.HELPER, number=1), Role(kind=RoleKind.WALL, number=1), *sides]
    roles += [Role(kind=RoleKind.PLAYER, number=at, subject=entrant) for at in (0, 1)]
    for role in roles:
        code, session = (
            await world.context.events.create_link(name, role),
            await world.context.events.create_session(name, role),
        )
        world.codes.append(code)
        world.roles.append(role.key)
        world.callers += [
            Caller(kind=str(role.kind), token=code, event=name),
            Caller(kind=str(role.kind), token=session, cookie=b"leftbower-event", event=name),
        ]
    ended = await world.context.events.create_link(name, Role(kind=RoleKind.HELPER, number=2))
    await world.context.events.revoke_links(name, Role(kind=RoleKind.HELPER, number=2))
    world.codes.append(ended)
    world.callers.append(Caller(kind="ended", token=ended, event=name))
    if what == "swiss":
        ledger = await world.call("GET", f"/e/{name}/desk/ledger.jsonl", organizer.token)
        world.ledger = ledger.body.decode()
    if what == "closed":
        await _desk(world, organizer, {"command": "close"})


async def _season(world: World) -> None:
    """A season with one of the events as its evening; callers for both of its links."""
    seasons = world.context.seasons
    world.season, code = await seasons.create(SeasonPlan(title="Fall"))
    world.season_code = await seasons.create_link(world.season, SeasonRole.READER)
    world.season_events.append(event := world.events["closed"])
    await seasons.execute(world.season, lambda view: add_evening(view, event), event)
    for kind, token in (("season-organizer", code), ("season-reader", world.season_code)):
        world.callers.append(Caller(kind=kind, token=token))


async def _desk(world: World, organizer: Caller, form: dict[str, str]) -> None:
    event = await world.event(organizer.event)
    version = event.table_version((int(form["round"]), int(form["table"]))) if "round" in form else event.version
    await world.call(
        "POST", f"/e/{organizer.event}/desk/commands", organizer.token, form={"version": str(version), **form}
    )
