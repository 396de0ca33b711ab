"""The server of the route matrix: callers, and people, tables and events created when a row first names them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, TypeVar
from urllib.parse import quote, quote_plus

from asgi_request import HOST, send_request
from leftbower.engine import Action, view, whose_turn
from leftbower.players.player import proper_actions
from leftbower.rules import Seat, preset
from leftbower.server.api.requests import RulesRequest
from leftbower.server.app import create_app
from leftbower.server.context import AppContext
from leftbower.server.http.middleware import SESSION_COOKIE_NAME
from leftbower.server.http.rate_limit import Backoff
from leftbower.server.live.presence import Timing
from leftbower.server.live.seasons import SeasonRole
from leftbower.server.live.tables import EVENT_LOG_PREFIX, SEASON_LOG_PREFIX
from leftbower.server.people.passkeys import Site, encode_base64url
from leftbower.server.people.passwords import Passwords
from leftbower.store import hash_token
from leftbower.store.memory import MemoryStore
from leftbower.table import Acted, Agreed, RematchRequested, Sat, SeatedPerson, Table
from leftbower.tournament.entry.facts import SignUpChanged
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import VisibilityChanged
from leftbower.tournament.model.codec import entry_to_json
from leftbower.tournament.model.commands import draw_rounds
from leftbower.tournament.model.facts import EntrantAdded, EventFact
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.web.app import install
from leftbower.web.event.links import SESSION_COOKIE as EVENT_COOKIE
from leftbower.web.season.links import SESSION_COOKIE as SEASON_COOKIE
from proofs.requests.authenticator import Authenticator
from season_world import SeasonOnServer, open_season
from server_client import cheap_hashes, free_limits, seeded, unlimited

T = TypeVar("T")
CALLERS: Final = (
    *("anonymous", "guest", "account", "seat", "other-seat"),
    *("organizer", "helper", "side", "player", "wall", "ended-link", "other-organizer", "erased"),
)
"""Every kind of caller: the columns of the matrix."""
ROLES: Final = {
    "organizer": Role(kind=RoleKind.ORGANIZER),
    "helper": Role(kind=RoleKind.HELPER, number=1),
    "side": Role(kind=RoleKind.SIDE, number=1, subject="NS"),
    "player": Role(kind=RoleKind.PLAYER, subject="e1"),
    "wall": Role(kind=RoleKind.WALL, number=1),
}
WAYS: Final = ("bearer", "cookie")
"""How a caller sends a token or a code."""
PASSWORD: Final = "correct horse battery"
_RULES: Final = RulesRequest(rules="club", changes={"target": 5, "deal_cut": "none"}).house_rules()
_ORGANIZER: Final = ROLES["organizer"]
_TEAMS: Final = ("Ann & Bob", "Cid & Dot", "Eve & Fay", "Gus & Hal")
_PLACEHOLDER: Final = re.compile(r"\$([a-z_]+)")
_STILL: Final = Timing(hand_pause=0.0, reconnect_grace=1e6, idle_timeout=1e6, disconnect_delay=1e6)
"""Nothing happens at a table while its people do nothing."""


@asynccontextmanager
async def matrix_server() -> AsyncIterator[Any]:
    """The whole application, pages and API, on a store in memory, without rate limits."""
    buckets = ("event_pages", "imports", "wrong_codes", "join_codes", "sign_ins")
    limits = free_limits(login_attempts=Backoff(free=10**9), **{name: unlimited() for name in buckets})
    passwords = Passwords(cheap_hashes())
    app = create_app(MemoryStore(), limits=limits, passwords=passwords, entropy=seeded(23), timing=_STILL)
    install(app)
    async with app.router.lifespan_context(app):
        yield app


@dataclass
class World:
    """Ann has an account, hosts two tables and sits at both; the guest has no seat, and Eve was erased.

    `is_played` gives the first table a finished match before the current one, which takes a while.
    """

    app: Any
    is_played: bool = False
    _values: dict[str, Any] = field(default_factory=dict)

    @property
    def context(self) -> AppContext:
        context: AppContext = self.app.state.context
        return context

    async def fill(self, text: str, caller: str, quoted: Callable[[str], str]) -> str:
        """The text with the value of every `$name` in it."""
        values = {name: quoted(await self.value(name, caller)) for name in _PLACEHOLDER.findall(text)}
        return _PLACEHOLDER.sub(lambda found: values[found[1]], text)

    async def url(self, path: str, params: dict[str, str], caller: str) -> str:
        """The path of a route with its parameters filled in; other parameters go into the query."""
        query = []
        for name, value in params.items():
            filled = await self.fill(value, caller, lambda text: quote(text, safe=""))
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", filled)
            else:
                query.append(f"{name}={filled}")
        return f"{path}?{'&'.join(query)}" if query else path

    async def body(self, body: str, caller: str) -> tuple[bytes, str]:
        """A body and its content type: JSON in braces, or a form."""
        if body.startswith("{"):
            return (await self.fill(body, caller, str)).encode(), "application/json"
        return (await self.fill(body, caller, quote_plus)).encode(), "application/x-www-form-urlencoded"

    async def headers(self, caller: str, way: str, event: str) -> dict[str, str]:
        """The credentials of a caller; `event` is the event whose links the roles have."""
        if caller == "anonymous":
            return {}
        token, cookie = await self.credential(caller, event)
        return {"authorization": f"Bearer {token}"} if way == "bearer" else {"cookie": f"{cookie}={token}"}

    async def credential(self, caller: str, event: str) -> tuple[str, str]:
        """The token or code of a caller, and the name of its cookie."""
        match caller:
            case "guest" | "account" | "erased":
                return (await self.person(caller))[1], SESSION_COOKIE_NAME
            case "seat" | "other-seat":
                table = await self.value("table" if caller == "seat" else "other", caller)
                return await self.get_or_create(
                    f"token at {table}", lambda: self._seat_token(table)
                ), SESSION_COOKIE_NAME
            case "organizer" | "player" | "other-organizer" | "ended-link" if event == "season":
                return await self._season_code(caller), SEASON_COOKIE
            case _ if event == "season":
                return await self.code(caller, "event"), SEASON_COOKIE
            case "other-organizer":
                return await self.code("organizer", "another_event"), EVENT_COOKIE
            case "ended-link":
                name = await self.value(event, caller)
                return await self.get_or_create(f"ended link of {name}", lambda: self._ended_link(name)), EVENT_COOKIE
        return await self.code(caller, event), EVENT_COOKIE

    async def value(self, name: str, caller: str) -> str:
        """The value of a `$name` in a row."""
        match name:
            case "table" | "other":
                return await self.get_or_create(name, lambda: self._table(is_played=self.is_played and name == "table"))
            case "event" | "online" | "another_event":
                return await self.get_or_create(name, lambda: self._event(online=name == "online"))
            case "season" | "another_season":
                return (await self.get_or_create(name, lambda: open_season(self.context, weeks=2))).name
            case "season_event":
                await self.value("season", caller)
                return str(self._values["season"].events[0])
            case "reader_code":
                await self.value("season", caller)
                return str(self._values["season"].reader_code)
            case "bob":
                return (await self.person("bob"))[0]
            case "version":
                return str((await self.context.tables.get(await self.value("table", caller))).version)
            case "table_version":
                event = await self.context.events.get(await self.value("event", caller))
                return str(event.table_version((1, 1)))
            case "event_version":
                return str((await self.context.events.get(await self.value("event", caller))).version)
            case "login" | "free_login":
                person, _ = await self.person("account")
                return f"{name}-{person}"
            case "link":
                table = await self.value("table", caller)
                return await self.get_or_create(name, lambda: self._link(table))
            case "session":
                return await self.get_or_create(name, self._session)
            case "passkey":
                return await self.get_or_create(name, self._passkey)
            case "new_credential":
                return await self._new_credential(caller)
            case "signed_credential":
                return await self._signed_credential()
            case "helper_code":
                return await self.code("helper", "event")
            case "ledger":
                entries = await self.context.events.entries(await self.value("another_event", caller))
                return "".join(f"{json.dumps(entry_to_json(entry))}\n" for entry in entries)
            case "start_code":
                self.app.state.start_code = "start-code"
                return "start-code"
        raise AssertionError(f"tests/support/matrix_world.py does not know ${name}; add it to World.value")

    async def heads(self) -> dict[str, Any]:
        """The last fact of every log of this world, except online events, which change by themselves."""
        logs = [self._values.get(name) for name in ("table", "other")]
        logs += [SEASON_LOG_PREFIX + self._values["season"].name] if "season" in self._values else []
        logs += [EVENT_LOG_PREFIX + self._values[name] for name in ("event", "another_event") if name in self._values]
        return {log: head for log, head in (await self.context.store.heads()).items() if log in logs}

    async def get_or_create(self, name: str, create: Callable[[], Awaitable[T]]) -> T:
        """The value under a name, created at first use."""
        if name not in self._values:
            self._values[name] = await create()
        value: T = self._values[name]
        return value

    # People

    async def person(self, name: str) -> tuple[str, str]:
        """Id and token of a person; the account is Ann's, signed in by password, and `erased` has been erased."""
        return await self.get_or_create(f"person {name}", lambda: self._person(name))

    async def _person(self, name: str) -> tuple[str, str]:
        person, token = await self.context.people.create_guest(name.capitalize())
        accounts = self.context.accounts
        if name == "account":
            await accounts.set_password(person, f"login-{person}", PASSWORD, old=None, address="here")
            assert await accounts.sign_in_with_password(f"login-{person}", PASSWORD, address="here") == person
            token = await self.context.people.create_token(person)
        elif name == "erased":
            await self.context.people.erase(person)
        return person, token

    async def _seat_token(self, table: str) -> str:
        return await self.context.people.create_token((await self.person("account"))[0], log=table)

    async def _session(self) -> str:
        """The id of another session of Ann."""
        person, _ = await self.person("account")
        await self.context.people.create_token(person)
        return str((await self.context.accounts.sessions(person))[-1].token[:16])

    async def _passkey(self) -> str:
        person, _ = await self.person("account")
        await self.context.store.add_passkey(person.encode(), person, b"key")
        return encode_base64url(person.encode())

    async def _new_credential(self, caller: str) -> str:
        """A new passkey for the caller, or else for Ann."""
        person, _ = await self.person(caller if caller in ("guest", "account") else "account")
        options = await self.context.accounts.registration_options(person, Site.at("http", HOST))
        return json.dumps(Authenticator(f"http://{HOST}").create(options))

    async def _signed_credential(self) -> str:
        """A challenge signed by a passkey of Ann."""
        person, _ = await self.person("account")
        accounts, site, device = self.context.accounts, Site.at("http", HOST), Authenticator(f"http://{HOST}")
        await accounts.register(person, site, device.create(await accounts.registration_options(person, site)), "")
        return json.dumps(device.get(await accounts.sign_in_options(site, address="here")))

    # Tables

    async def _table(self, *, is_played: bool) -> str:
        """Ann and three others in a hand in which Ann is to bid."""
        tables, name = self.context.tables, f"t{self.context.entropy(8).hex()}"
        people = [(await self.person(caller))[0] for caller in ("account", "bob", "cat", "dan")]
        await tables.create(name, people[0], _RULES, "novice")
        for person, seat in zip(people, Seat, strict=True):
            await tables.execute(name, person, Sat(person=person, seat=seat))
        for person in people:
            await tables.execute(name, person, Agreed(person=person))
        if is_played:
            await self._play_to_the_end(name)
            for person in people:
                await tables.execute(name, person, RematchRequested(person=person))
        while not _is_norths_turn(table := await self._dealt(name)):
            await self._act(name, table, lambda actions: actions[0])
        return name

    async def _play_to_the_end(self, name: str) -> None:
        while not (table := await self._dealt(name)).gathering:
            await self._act(name, table, Random(1).choice)

    async def _dealt(self, name: str) -> Table:
        """The table after the server has done its due work."""
        async with asyncio.timeout(60):
            while (table := await self.context.tables.get(name)).hand is None and not (table.gathering and table.match):
                await asyncio.sleep(0)
        return table

    async def _act(self, name: str, table: Table, choose: Callable[[Sequence[Action]], Action]) -> None:
        assert table.hand is not None
        seat = whose_turn(table.hand)
        sitter, action = table.seats[seat], choose(proper_actions(view(table.hand, seat)))
        assert isinstance(sitter, SeatedPerson)
        await self.context.tables.execute(name, sitter.id, Acted(action=action, action_id=f"a{table.version}"))

    async def _link(self, table: str) -> str:
        """The code of Ann's invitation to a table."""
        headers = {"authorization": f"Bearer {(await self.person('account'))[1]}"}
        answer = await send_request(self.app, "POST", f"/api/tables/{table}/links", headers=headers)
        code: str = json.loads(answer.body)["code"]
        return code

    # Events

    async def _event(self, *, online: bool) -> str:
        """An event of four teams, drawn and published."""
        rules = replace(preset("campus"), target=5, best_of=1)
        terms = {"online": online, "seeded": True, "starts": "2026-11-20T19:00"}
        plan = default_plan("Friday", rules, Stage(format=Format.ROUND_ROBIN), **terms)
        name, code = await self.context.events.create(plan)
        self._values[f"organizer of {name}"] = code
        facts: list[EventFact] = [
            EntrantAdded(entrant=f"e{number}", name=team, players=tuple(team.split(" & ")))
            for number, team in enumerate(_TEAMS, 1)
        ]
        await self.context.events.execute(name, _ORGANIZER, lambda event: facts)
        await self.context.events.execute(name, _ORGANIZER, lambda event: draw_rounds(event, "a seed"))
        published = VisibilityChanged(public_page=True, show_standings=True)
        sign_up = SignUpChanged(open=True, door_code="DOOR")
        await self.context.events.execute(name, _ORGANIZER, lambda event: [published, sign_up])
        return name

    async def code(self, caller: str, event: str) -> str:
        """The code of a role's link."""
        name = await self.value(event, caller)
        return await self.get_or_create(f"{caller} of {name}", lambda: self._code(name, ROLES[caller]))

    async def _code(self, event: str, role: Role) -> str:
        return await self.context.events.create_link(event, role)

    async def _season_code(self, caller: str) -> str:
        """The code of a season's organizer, of a player, of another season's organizer, or one that has ended."""
        await self.value("another_season" if caller == "other-organizer" else "season", caller)
        season: SeasonOnServer = self._values["another_season" if caller == "other-organizer" else "season"]
        match caller:
            case "ended-link":
                return await self.get_or_create("ended season link", lambda: self._ended_season_link(season))
            case "player":
                return season.reader_code
        return season.organizer_code

    async def _ended_season_link(self, season: SeasonOnServer) -> str:
        """A session of a player that the organizer has ended."""
        token = await self.context.seasons.create_session(season.name, SeasonRole.READER)
        await self.context.store.revoke_link(hash_token(token))
        return token

    async def _ended_link(self, event: str) -> str:
        """A helper's link that the organizer has revoked."""
        role = Role(kind=RoleKind.HELPER, number=2)
        code = await self._code(event, role)
        await self.context.events.revoke_links(event, role)
        return code


def _is_norths_turn(table: Table) -> bool:
    return table.hand is not None and whose_turn(table.hand) is Seat.N
