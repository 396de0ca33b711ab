"""Valid requests for every route of a world, and mutations of them: method, path, query, headers, body and caller."""

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from random import Random
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from leftbower.engine import Action, Pass, view
from leftbower.notation import action_to_json
from leftbower.notation.tokens import to_token
from leftbower.players.player import proper_actions
from leftbower.printing import PRINTOUTS
from leftbower.rules.formats import to_link
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import presets
from leftbower.table import Table
from leftbower.tournament.text.exports import EXPORTS
from leftbower.web.event.desk_sections import SECTIONS
from leftbower.web.event.forms import COMMANDS
from leftbower.web.rules.routes import rules_view_model
from proofs.fuzz.mutations import (
    CHUNKS,
    TEXTS,
    multipart,
    mutated_bytes,
    mutated_form,
    mutated_json,
    mutated_multipart,
    mutated_text,
    urlencoded,
    written_json,
)
from proofs.fuzz.seeds import BOUNDARY, MULTIPART_TYPE, forms, json_bodies
from proofs.requests.asgi_exchange import Request
from proofs.requests.authenticator import encode_base64url
from proofs.requests.world import (
    FORM_TYPE,
    HOST,
    JSON_TYPE,
    LOGIN,
    PASSWORD,
    Caller,
    World,
    WorldError,
    new_passkey,
    passkey_signature,
)

Fields = list[tuple[str, str]]
_VALID_SHARE: Final = 0.25
"""Share of requests that are sent unchanged, so that tables and events of a world progress."""
_MUTATION_COUNTS: Final = (1, 1, 1, 2, 3)
"""Numbers of mutations of a request: mostly one, so that it passes the first checks."""
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FOO", "get")
_TYPES: Final = (
    *(JSON_TYPE, FORM_TYPE, MULTIPART_TYPE.encode(), b"text/plain", b"application/json; charset=utf-16", b""),
    *(b"multipart/form-data", b"multipart/form-data; boundary=", b"multipart/mixed; boundary=b", b"application/xml"),
    *(b"application/merge-patch+json", b"multipart/form-data; boundary=" + b"(" * 3000, b"APPLICATION/JSON"),
)
_HEADER_VALUES: Final[dict[bytes, tuple[bytes, ...]]] = {
    b"host": (b"", b"a" * 5000, b"evil.example", b"[::1]:99999", b"a:b:c", b"\xc3\xa9", b"localhost", b"a b", b"[::1"),
    b"origin": (b"null", b"https://evil.example", b"http://[", b"https://euchre.example", b"\xff", b"http://" + HOST),
    b"referer": (b"http://[::1", b"https://evil.example/x", b"\xc3\xa9", b"//"),
    b"sec-fetch-site": (b"cross-site", b"same-origin", b"none", b"same-site", b"\xff"),
    b"content-type": _TYPES,
    b"content-length": (b"0", b"-1", b"99999999999", b"1e3", b"\xb2", b"4194305", b"8193", b"1, 2"),
    b"last-event-id": (b"0", b"-1", b"999999999", b"9999999999", b"\xd9\xa3", b"1.5", b"x" * 300, b"12\xff"),
    b"accept": (b"application/json", b"text/html", b"*/*;q=NaN", b"text/event-stream", b"\xff"),
    b"accept-encoding": (b"gzip", b"br, zstd;q=0.5", b"\xff"),
    b"authorization": (b"Bearer", b"Bearer ", b"bearer x", b"Basic \xff", b"Bearer " + b"a" * 5000, b"Bearer \xc3\xa9"),
    b"cookie": (
        *(b"leftbower=", b"leftbower=a; leftbower=b", b"leftbower-preferences=dark.four.x", b"=;=;", b"leftbower=\xff"),
        *(b"leftbower-event=..%2f", b"__Host-leftbower=x; __Secure-leftbower-event=y", b'leftbower="\\000"'),
    ),
    b"x-forwarded-for": (b"::1", b"999.1.1.1", b"\xff"),
    b"x-forwarded-proto": (b"https", b"\xff"),
    b"range": (b"bytes=0-", b"bytes=-1"),
    b"if-none-match": (b"*", b'"x"'),
    b"if-modified-since": (b"0", b"Mon, 99 Foo 0000"),
    b"transfer-encoding": (b"chunked", b"gzip, chunked"),
    b"expect": (b"100-continue",),
    b"upgrade": (b"websocket", b"h2c"),
}


@dataclass(frozen=True, slots=True)
class Route:
    """One method at one path template."""

    method: str
    path: str


@dataclass(frozen=True, slots=True)
class _TableBody:
    """A body for a specific table."""

    table: str
    body: Any


def routes_of(app: FastAPI) -> tuple[Route, ...]:
    """All routes of an application, from its own routing table."""
    found = []
    for context in iter_route_contexts(app.routes):
        methods = getattr(context, "methods", None) or ()
        path = getattr(context, "path", None) or ""
        found += [Route(method, path) for method in sorted(methods)]
    return tuple(found)


class Corpus:
    """Makes requests to a world. The same world in the same state with the same random numbers gives the same
    requests."""

    def __init__(self, world: World, rng: Random) -> None:
        self._world, self._rng = world, rng
        self._routes = [route for route in routes_of(world.app) for _ in range(_weight(route))]
        self._static = [file.name for file in files("leftbower.web").joinpath("static").iterdir()]
        self._forms = list(forms())
        self._credentials: dict[str, Any] = {}
        self._bodies = [json.loads(body) for body in json_bodies()]

    async def next_request(self) -> Request:
        """A valid request, or a mutated one."""
        request = await self.valid_request(self._rng.choice(self._routes))
        return request if self._rng.random() < _VALID_SHARE else self._mutated(request)

    async def valid_request(self, route: Route) -> Request:
        """A request that the route is made for, by a caller who may send it."""
        caller = self._caller(route)
        request = Request(method=route.method, path=route.path, headers=[(b"host", HOST), *caller.headers()])
        await self._add_body(request, route, caller)
        while "{" in request.path:
            name = request.path.partition("{")[2].partition("}")[0]
            value = quote(self._parameter(name, route, caller), safe="")
            request.path = request.path.replace(f"{{{name}}}", value, 1)
        request.query = self._query(route)
        if self._rng.random() < 0.3:
            request.headers.append((b"accept", self._rng.choice((b"application/json", b"text/html"))))
        if route.path.endswith("/feed"):
            request.headers.append((b"sec-fetch-site", b"same-origin"))
        return request

    # Who and where

    def _caller(self, route: Route) -> Caller:
        kinds = next((kinds for begins, kinds in _CALLERS if route.path.startswith(begins)), ("guest", "account"))
        if _destroys(route):
            kinds = ("spare",)
        callers = self._world.callers
        if self._rng.random() < 0.85:
            callers = [caller for caller in callers if caller.kind in kinds] or callers
        return self._rng.choice(callers)

    def _parameter(self, name: str, route: Route, caller: Caller) -> str:
        rng, world = self._rng, self._world
        match name:
            case "table":
                return rng.choice(caller.tables or tuple(world.tables.values()))
            case "event" if route.path.startswith("/seasons"):
                return rng.choice(world.season_events)
            case "event":
                return caller.event or rng.choice(tuple(world.events.values()))
            case "season":
                return world.season
            case "entrant":
                return "e1"
            case "code" if route.path.startswith("/seasons"):
                return world.season_code
            case "code" if route.path.startswith("/start"):
                return rng.choice(("start", "x"))
            case "code":
                return rng.choice(world.invitations if route.path.startswith("/api/") else world.codes)
            case "number":
                return str(rng.randint(1, 3))
            case "name":
                return rng.choice((*self._static, "print-letter.css", "print-a4.css"))
            case "section":
                return rng.choice(tuple(SECTIONS))
            case "rules":
                sheet = rng.choice(presets())
                return rng.choice((sheet.name, to_link(sheet.rules)))
            case "action":
                return rng.choice(("name", "password", "sign-in", "begin", "end", "remove-passkey"))
            case "printout":
                return rng.choice(tuple(PRINTOUTS))
            case "export":
                return rng.choice(tuple(EXPORTS))
            case "passkey":
                return encode_base64url(rng.choice(world.devices).keys[0].id)
            case _:
                return rng.choice(world.sessions)

    def _query(self, route: Route) -> bytes:
        rng = self._rng
        if route.path.endswith("/ruling"):
            fields = [("round", "1"), ("table", "1"), ("irregularity", "renege"), ("offender", "N"), ("maker", "E")]
            return urlencoded(fields[: rng.randint(2, 5)])
        known = {
            "/learn/{number}": b"action=o",
            "/preferences": b"back=/t/x",
            "/account": b"done=name",
            "/events": b"rules=campus",
            "/api/me/rules": b"name=Friday",
        }
        if route.path in known and route.method in ("GET", "DELETE"):
            return known[route.path]
        if route.path.endswith("/feed") or "printout" in route.path or route.path.endswith("/tricks"):
            return rng.choice((b"", b"version=3", b"paper=a4", b"trick=2"))
        return b""

    # Bodies

    async def _own_rules(self, route: Route, caller: Caller) -> Any:
        return {"name": "Friday", "rules": self._rng.choice(presets()).name}

    async def _add_body(self, request: Request, route: Route, caller: Caller) -> None:
        make = BODIES.get((route.method, route.path))
        if make is None:
            return
        body = await make(self, route, caller)
        if isinstance(body, _TableBody):
            request.path, body = request.path.replace("{table}", body.table), body.body
        if isinstance(body, bytes):
            request.body, kind = body, MULTIPART_TYPE.encode()
        elif isinstance(body, list):
            request.body, kind = urlencoded(body), FORM_TYPE
        else:
            request.body, kind = json.dumps(body).encode(), JSON_TYPE
        request.headers.append((b"content-type", kind))

    async def _json_of_api(self, route: Route, caller: Caller) -> Any:
        names = {"/api/guests": "name", "/api/me": "name", "/api/tables": "rules", "/api/me/password": "login"}
        names |= {"/api/sessions": "login", "/api/tables/{table}/commands": "command"}
        wanted = names.get(route.path, "credential")
        bodies = [body for body in self._bodies if wanted in body and ("command" in body) == (wanted == "command")]
        body = dict(self._rng.choice(bodies))
        if wanted == "login":
            body = {"login": LOGIN, "password": PASSWORD}
            body |= {"old": PASSWORD} if route.method == "PUT" else {}
        if "person" in body:
            body["person"] = self._rng.choice(tuple(self._world.people.values()))
        if body.get("level") == "expert":
            body["level"] = "novice"
        return body | {"version": None} if "version" in body and wanted == "command" else body

    async def _passkey(self, route: Route, caller: Caller) -> Any:
        """A credential for a new challenge; mostly an old one, because new ones are expensive."""
        if self._rng.random() < 0.3:
            make = passkey_signature if "sessions" in route.path else new_passkey
            with suppress(WorldError):  # a mutated request may have erased the account
                self._credentials[route.path] = await make(self._world)
        credential = self._credentials.get(route.path, {})
        return {"credential": credential} | ({} if "sessions" in route.path else {"label": "key"})

    async def _act(self, route: Route, caller: Caller) -> Any:
        name, table, action = await self._legal(caller)
        body = {
            "version": table.version,
            "action_id": f"r-{self._rng.randrange(10**9)}",
            "action": action_to_json(action),
        }
        return _TableBody(name, body)

    async def _act_form(self, route: Route, caller: Caller) -> Any:
        name, table, action = await self._legal(caller)
        fields = [("version", str(table.version)), ("action", to_token(action))]
        return _TableBody(name, [*fields, ("alone", "yes")] if self._rng.random() < 0.2 else fields)

    async def _legal(self, caller: Caller) -> tuple[str, Table, Action]:
        """An action that is legal at a table for the caller, or sometimes only for another player."""
        names = list(caller.tables or self._world.tables.values())
        self._rng.shuffle(names)
        for name in names:
            table = await self._world.table(name)
            seat = table.seat_of(caller.person) if caller.person else None
            legal = proper_actions(view(table.hand, seat)) if table.hand and seat else ()
            if legal:
                return name, table, self._rng.choice(legal)
        return names[0], await self._world.table(names[0]), Pass(Seat.N)

    async def _form(self, route: Route, caller: Caller) -> Fields:
        """One of the forms of this page, found by a field that only its forms have."""
        path, rng, world = route.path, self._rng, self._world
        if path == "/rules":
            options = [
                option for group in rules_view_model(rng.choice(presets()).rules).groups for option in group.options
            ]
            return [("sheet", "club"), *((option.name, option.value) for option in options)]
        if path == "/learn/{number}":
            return [("action", rng.choice(("o", "p", "h", "Jd")))]
        if path in ("/play", "/tables"):
            return [("rules", rng.choice(presets()).name), ("level", "novice"), ("name", "Nan"), ("title", "Friday")]
        if path == "/e/{event}/desk/links":
            what = rng.choice(("helper", "wall", "new", "tables", "players", "rejoin", "end"))
            return [
                ("command", what),
                ("role", rng.choice(world.roles)),
                ("which", rng.choice(("all", "missing", "1"))),
            ]
        if path in _PLAIN_FORMS:
            return [(name, rng.choice(values)) for name, *values in _PLAIN_FORMS[path]]
        if path == "/seasons/{season}/desk/commands":
            command = rng.choice(("plan", "add", "remove", "confirm", "rate", "divide", "playoffs", "close", "reopen"))
            event = rng.choice(world.season_events)
            return [("command", command), ("event", event), ("player", "p1"), ("title", "Fall"), ("why", "late")]
        if path == "/e/{event}/desk/printouts/tents":
            return [("which", rng.choice(("all", "missing", "1"))), ("paper", "a4")]
        wanted = {
            "/preferences": "theme",
            "/account/{action}": "login",
            "/t/{table}/commands": "command",
            "/events": "title",
        }.get(path)
        if wanted:
            fields = rng.choice([form for form in self._forms if wanted in dict(form) and not _is_event_form(form)])
            return [(name, self._own(name, value)) for name, value in fields]
        desk = path.startswith("/e/{event}/desk")
        fields = rng.choice([form for form in self._forms if _is_event_form(form) and _is_desk(form) == desk])
        return await self._fresh(fields, caller)

    def _own(self, name: str, value: str) -> str:
        own = {"login": LOGIN, "password": PASSWORD, "old": PASSWORD, "id": self._rng.choice(self._world.sessions)}
        return self._rng.choice(tuple(self._world.people.values())) if name == "person" else own.get(name, value)

    async def _fresh(self, fields: Fields, caller: Caller) -> Fields:
        """The form for the current version of the event."""
        event = await self._world.event(caller.event or self._rng.choice(tuple(self._world.events.values())))
        key = self._rng.randint(1, max(1, event.current_round)), self._rng.randint(1, 2)
        now = {"round": str(key[0]), "table": str(key[1]), "version": str(event.version)}
        return [
            *((name, now.get(name, value)) for name, value in fields if name != "version"),
            ("version", now["version"]),
        ]

    async def _import(self, route: Route, caller: Caller) -> Fields | bytes:
        text = self._world.ledger if route.path == "/events/import" else "Ida & Jon\nKim & Lee\n"
        name = "ledger" if route.path == "/events/import" else "names"
        if self._rng.random() < 0.3:
            return [(name, text[:6000])]
        return multipart([(name, text)], BOUNDARY, files=(name,))

    # Mutations

    def _mutated(self, request: Request) -> Request:
        for _ in range(self._rng.choice(_MUTATION_COUNTS)):
            self._rng.choice(_MUTATIONS)(self, request)
        request.path = quote(request.path or "/", safe="/%:@!$&'()*+,;=~-._")
        request.path = request.path if request.path.startswith("/") else f"/{request.path}"
        request.headers = [(_token(name), _field_value(value)) for name, value in request.headers]
        return request

    def mutate_method(self, request: Request) -> None:
        request.method = self._rng.choice(_METHODS)

    def mutate_path(self, request: Request) -> None:
        rng, parts = self._rng, request.path.split("/")
        at = rng.randrange(1, len(parts)) if len(parts) > 1 else 0
        kind = rng.randrange(7)
        if kind == 0:
            parts.insert(at, rng.choice(TEXTS))
        elif kind == 1:
            del parts[at]
        elif kind == 2:
            parts[at] = rng.choice(
                (
                    *self._world.tables.values(),
                    *self._world.events.values(),
                    *self._world.codes,
                    *self._world.invitations,
                )
            )
        elif kind == 3:
            parts[at] = rng.choice(("..", ".", "", "%2e%2e", "%2F", "%00", "%ff", "a" * 3000, "events", "desk"))
        elif kind == 4:
            parts[at] = parts[at].upper()
        else:
            parts[at] = mutated_text(parts[at], rng)
        request.path = "/".join(quote(part.encode("utf-8", "surrogatepass"), safe="%") for part in parts)

    def mutate_query(self, request: Request) -> None:
        rng = self._rng
        if rng.random() < 0.5:
            known = (
                "seen",
                "back",
                "rules",
                "done",
                "action",
                "trick",
                "paper",
                "round",
                "table",
                "version",
                "irregularity",
                "offender",
            )
            request.query += b"&" + urlencoded([(rng.choice(known), rng.choice(TEXTS))])
        else:
            request.query = mutated_bytes(request.query, rng)

    def mutate_header(self, request: Request) -> None:
        rng = self._rng
        name = rng.choice(tuple(_HEADER_VALUES))
        value = rng.choice((*_HEADER_VALUES[name], request.header(name), rng.choice(CHUNKS)))
        value = mutated_bytes(value, rng) if rng.random() < 0.3 else value
        if rng.random() < 0.2:
            request.headers.append((name, value))
        else:
            request.set_header(name, value)

    def mutate_caller(self, request: Request) -> None:
        others = [(name, value) for name, value in request.headers if name not in (b"authorization", b"cookie")]
        request.headers = others + self._rng.choice(self._world.callers).headers()

    def mutate_body(self, request: Request) -> None:
        """Mutate values, fields or parts by content type, or just bytes."""
        rng, kind = self._rng, request.header(b"content-type")
        if rng.random() < 0.25 or not request.body:
            request.body = mutated_bytes(request.body, rng)
        elif kind == JSON_TYPE:
            try:
                request.body = written_json(mutated_json(json.loads(request.body), rng), rng)
            except (ValueError, RecursionError):
                request.body = mutated_bytes(request.body, rng)
        elif kind.startswith(b"multipart/"):
            request.body = mutated_multipart(request.body, BOUNDARY, rng)
        else:
            request.body = urlencoded(mutated_form(_fields(request.body), rng))
        if rng.random() < 0.02:
            request.disconnect_after = rng.randrange(len(request.body) + 1)

    def mutate_encoding(self, request: Request) -> None:
        """Send the fields of a form in another encoding, or the same bytes under another content type."""
        rng, kind = self._rng, request.header(b"content-type")
        if kind == FORM_TYPE and rng.random() < 0.6:
            fields = mutated_form(_fields(request.body), rng) if rng.random() < 0.5 else _fields(request.body)
            request.body = multipart(fields, BOUNDARY, files=("names", "ledger"))
            request.set_header(b"content-type", MULTIPART_TYPE.encode())
        else:
            request.set_header(b"content-type", rng.choice(_TYPES))


_PLAIN_FORMS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "/rules/own": (("rules", "club", "campus"), ("name", "Friday", "Sunday"), ("do", "keep", "keep", "delete")),
    "/e/{event}/sign-up": (("name", "Ida", "Jon"), ("partner_kind", "find", "named"), ("partner", "Kim", "Lee")),
    "/e/{event}/sign-up/cancel": (("who", "e1", "e5"),),
    "/e/{event}/sign-up/here": (("door", "DOOR", "NONE"), ("who", "e1", "e2")),
    "/e/{event}/desk/again": (("starts", "2026-12-01T19:00", ""),),
    "/e/{event}/desk/open": (("version", "1"),),
    "/e/{event}/desk/printouts/cards": (("paper", "a4", "letter"),),
    "/seasons": (("title", "Fall", "Spring"), ("counting", "points", "matches"), ("best", "", "5")),
    "/seasons/{season}/open": (("version", "1"),),
}
"""Forms by path: each field with its values."""
Make = Callable[[Corpus, Route, Caller], Awaitable[Any]]
_MUTATIONS: Final[Sequence[Callable[[Corpus, Request], None]]] = (
    *(Corpus.mutate_body,) * 6,
    *(Corpus.mutate_header,) * 3,
    *(Corpus.mutate_path,) * 2,
    *(Corpus.mutate_caller,) * 2,
    Corpus.mutate_query,
    Corpus.mutate_method,
    Corpus.mutate_encoding,
)
_CALLERS: Final = (
    ("/e/{event}/desk", ("organizer", "organizer", "helper")),
    ("/e/{event}/table", ("side",)),
    ("/e/{event}/me", ("player",)),
    ("/e/{event}/wall", ("wall",)),
    ("/e/{event}", ("anonymous", "organizer", "player")),
    ("/events", ("anonymous",)),
    ("/seasons/{season}/desk", ("season-organizer",)),
    ("/seasons/{season}/standings", ("season-reader",)),
    ("/seasons", ("anonymous", "guest")),
    ("/rules/own", ("guest", "anonymous")),
    ("/api/sessions", ("anonymous",)),
    ("/api/guests", ("anonymous",)),
    ("/api/me", ("account", "guest")),
    ("/api/tables/{table}", ("guest", "guest", "seat", "anonymous")),
    ("/t/{table}", ("guest", "guest", "seat", "anonymous")),
    ("/play", ("anonymous", "guest")),
)
"""Callers allowed on routes, by path prefix."""
BODIES: Final[dict[tuple[str, str], Make]] = {
    **dict.fromkeys(
        (
            *(("POST", "/api/guests"), ("PUT", "/api/me"), ("POST", "/api/tables"), ("PUT", "/api/me/password")),
            *(("POST", "/api/sessions"), ("POST", "/api/tables/{table}/commands")),
        ),
        Corpus._json_of_api,
    ),
    ("POST", "/api/sessions/passkey"): Corpus._passkey,
    ("POST", "/api/me/passkeys"): Corpus._passkey,
    ("PUT", "/api/me/rules"): Corpus._own_rules,
    ("POST", "/api/tables/{table}/actions"): Corpus._act,
    ("POST", "/t/{table}/actions"): Corpus._act_form,
    **{
        ("POST", path): Corpus._form
        for path in (
            *(
                "/play",
                "/tables",
                "/preferences",
                "/account/{action}",
                "/t/{table}/commands",
                "/learn/{number}",
                "/rules",
                "/events",
            ),
            *(
                "/e/{event}/desk/commands",
                "/e/{event}/desk/links",
                "/e/{event}/desk/printouts/tents",
                "/e/{event}/table/commands",
                "/e/{event}/me/table",
            ),
            *(*_PLAIN_FORMS, "/seasons/{season}/desk/commands"),
        )
    },
    ("POST", "/events/import"): Corpus._import,
    ("POST", "/e/{event}/desk/import"): Corpus._import,
}
"""The bodies for each route that reads one."""


def _weight(route: Route) -> int:
    """Weight of a route: higher if it reads bodies, lower if it is slow."""
    if route.path in ("/t/{table}/hint", "/play", "/api/openapi.json"):
        return 2
    if route.path in _PLAYED:
        return 30
    return 12 if route.method in ("POST", "PUT") else 4


_PLAYED: Final = (
    "/api/tables/{table}/actions",
    "/t/{table}/actions",
    "/e/{event}/desk/commands",
    "/e/{event}/table/commands",
)
"""Routes that advance tables and events."""


def _destroys(route: Route) -> bool:
    return route.method == "DELETE" and route.path in ("/api/me", "/api/me/sessions", "/api/tokens/this")


def _is_event_form(fields: Fields) -> bool:
    """Is it a command of the desk or of a phone rather than a table?"""
    return "command" in dict(fields) and ("round" in dict(fields) or _is_desk(fields))


def _is_desk(fields: Fields) -> bool:
    """Is it a form of the desk rather than a phone?"""
    return dict(fields)["command"] in COMMANDS


def _fields(body: bytes) -> Fields:
    pairs = (field.partition(b"=") for field in body.split(b"&") if field)
    return [(_plain(name), _plain(value)) for name, _, value in pairs]


def _plain(word: bytes) -> str:
    return unquote_to_bytes(word.replace(b"+", b" ")).decode("utf-8", "replace")


def _token(name: bytes) -> bytes:
    """Make it a valid header name for a server."""
    return bytes(byte for byte in name.lower() if 33 <= byte < 127 and byte not in b"():") or b"x"


def _field_value(value: bytes) -> bytes:
    """Make it a valid header value for a server: no control characters."""
    return bytes(byte for byte in value if (byte >= 32 and byte != 127) or byte == 9)[:30_000].strip()
