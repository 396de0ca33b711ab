"""The API matches its OpenAPI schema: every response to any request is one that it describes, and never a 5xx.

Requests go to a real server with valid tokens: of a guest, of an account, and of one seat at one table.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from threading import Event, Thread
from typing import Any, Literal

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from leftbower.server.app import create_app
from leftbower.store.memory import MemoryStore
from proofs.requests.authenticator import Authenticator
from proofs.requests.world import ORIGIN, World, open_world

Kind = Literal["guest", "account", "seat"]
KINDS: tuple[Kind, ...] = ("guest", "account", "seat")
PEOPLE = {"guest": "Ann", "account": "Cid", "seat": "Bob"}
"""The callers; all of them sit at the same tables."""
RAW: Any = create_app(MemoryStore()).openapi()
SCHEMA = schemathesis.openapi.from_dict(RAW)
ROUTES = SCHEMA.exclude(path_regex="/feed$")
OPERATIONS = {
    (method.upper(), path) for path, methods in RAW["paths"].items() for method in methods if not path.endswith("/feed")
}
ALWAYS = {"429", "503"}
pytestmark = pytest.mark.xdist_group("openapi")


@dataclass
class Served:
    """A server with a world of people, tables and links."""

    base: str
    world: World
    http: httpx.Client
    numbers: Iterator[int] = field(default_factory=count)
    lasting: dict[Kind, str] = field(default_factory=dict)
    """Tokens for the table `honor` that stay valid."""

    def say(self, method: str, path: str, token: str = "", body: object = None) -> Any:
        """The response to a request that must succeed."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = self.http.request(method, path, headers=headers, json=body)
        assert answer.status_code < 300, (method, path, body, answer.text)
        return answer.json() if answer.headers.get("content-type") == "application/json" else None

    def token(self, kind: Kind, table: str = "playing") -> str:
        """A valid token of this kind; a seat token is for one of the world's tables."""
        person = self.world.people[PEOPLE[kind]]
        owned = next(caller.token for caller in self.world.callers if caller.person == person and not caller.cookie)
        if kind == "account" and self.say("GET", "/api/me/password", owned)["login"] is None:
            self.say("PUT", "/api/me/password", owned, {"login": "cid", "password": "correct horse battery"})
        return owned if kind != "seat" else self.say("POST", f"/api/tables/{self.named(table)}/token", owned)["token"]

    def fresh(self, kind: Kind) -> str:
        """A token of a new person, which may be used up; for a seat, a new token of the same one."""
        if kind == "seat":
            return self.token("seat")
        token: str = self.say("POST", "/api/guests", body={"name": "Ida"})["token"]
        if kind == "account":
            body = {"login": f"ida{next(self.numbers)}", "password": "correct horse battery"}
            self.say("PUT", "/api/me/password", token, body)
        return token

    def named(self, table: str) -> str:
        return self.world.tables[table]

    def call(self, method: str, path: str, token: str, **case: Any) -> int:
        """The status of a response, which must match its description."""
        return self.send(SCHEMA[path][method].Case(**case), token)

    def send(self, case: Any, token: str) -> int:
        """The same for a case. A body that is too long may have other errors as well, because it is not read."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = case.call(base_url=self.base, headers=headers)
        excluded = [positive_data_acceptance, *([negative_data_rejection] if answer.status_code == 413 else [])]
        case.validate_response(answer, headers=headers, excluded_checks=excluded)
        return int(answer.status_code)


def served(seed: int) -> Iterator[Served]:
    """A server in a thread, whose tables continue between requests."""
    started, stop = Event(), asyncio.Event()
    found: dict[str, Any] = {}

    async def serve() -> None:
        async with open_world(seed) as world:
            config = uvicorn.Config(world.app, port=0, lifespan="off", log_level="critical", access_log=False)
            server = uvicorn.Server(config)
            task = asyncio.create_task(server.serve())
            while not server.started:
                await asyncio.sleep(0.01)
            found.update(world=world, loop=asyncio.get_running_loop())
            found["base"] = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
            started.set()
            await stop.wait()
            server.should_exit = True
            await task

    thread = Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(60)
    with httpx.Client(base_url=found["base"]) as http:
        yield Served(found["base"], found["world"], http)
    found["loop"].call_soon_threadsafe(stop.set)
    thread.join(30)


@pytest.fixture(scope="module")
def honest() -> Iterator[Served]:
    """For valid requests."""
    yield from served(41)


@pytest.fixture(scope="module")
def tried() -> Iterator[Served]:
    """For generated requests."""
    for server in served(42):
        server.lasting = {kind: server.token(kind, "honor") for kind in KINDS}
        yield server


def test_it_is_openapi_3_1_and_every_route_says_what_it_refuses() -> None:
    assert RAW["openapi"].startswith("3.1")
    assert {"HTTPValidationError", "ValidationError"}.isdisjoint(RAW["components"]["schemas"])
    for path, operations in RAW["paths"].items():
        for method, operation in operations.items():
            answers = operation["responses"]
            assert answers.keys() >= ALWAYS, path
            needs_token = {} not in operation.get("security", [{}])
            assert not needs_token or "401" in answers, (method, path)
            assert "requestBody" not in operation or answers.keys() >= {"413", "422"}, (method, path)
            assert not ("{table}" in path or "{code}" in path) or "404" in answers, (method, path)
            error_responses = [answer for status, answer in answers.items() if status >= "400"]
            assert all(list(answer["content"]) == ["application/json"] for answer in error_responses), (method, path)


# Good requests

Good = Callable[[Served, Kind], tuple[str, dict[str, Any]]]
"""The token and the case of a valid request."""


def at(table: str, **more: Any) -> Good:
    """A request to one of the world's tables."""

    def request(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
        path_parameters = {"table": to.named(table), **({"number": 1} if more.get("number") else {})}
        return to.token(kind, table), {
            "path_parameters": path_parameters,
            **({"body": more["body"]} if "body" in more else {}),
        }

    return request


def own(body: object = None) -> Good:
    """A request of a new person about themselves."""
    return lambda to, kind: (to.fresh(kind), {} if body is None else {"body": body})


def act(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """A legal action of this person; others act until it is their turn."""
    person, table = to.world.people[PEOPLE[kind]], to.named("playing")
    tokens = {
        caller.person: caller.token for caller in to.world.callers if caller.kind == "guest" and not caller.cookie
    }
    for number in range(200):
        for whose in (person, *tokens):
            state = to.say("GET", f"/api/tables/{table}", tokens[whose])
            legal = (state.get("hand") or {"legal": ()})["legal"]
            if not legal:
                continue
            body = {"version": state["version"], "action_id": f"{kind}-{number}", "action": legal[0]}
            if whose == person:
                return to.token(kind), {"path_parameters": {"table": table}, "body": body}
            to.say("POST", f"/api/tables/{table}/actions", tokens[whose], body)
            break
    raise AssertionError("it is never their turn")


def link(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """An invitation to a table of their own."""
    token = to.fresh(kind) if kind != "seat" else to.fresh("guest")
    table = to.say("POST", "/api/tables", token, {"rules": "club"})["table"]
    code = to.say("POST", f"/api/tables/{table}/links", token)["code"]
    return token if kind != "seat" else to.fresh("seat"), {"path_parameters": {"code": code}}


def hosted(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """A table that they host; a seat token is for another table."""
    if kind == "seat":
        return to.token("seat"), {"path_parameters": {"table": to.named("playing")}}
    token = to.fresh(kind)
    table = to.say("POST", "/api/tables", token, {"rules": "club"})["table"]
    return token, {"path_parameters": {"table": table}}


def seated(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """A seat at a table of their own."""
    token, case = hosted(to, kind)
    if kind != "seat":
        path = f"/api/tables/{case['path_parameters']['table']}/commands"
        to.say("POST", path, token, {"command": "sit", "seat": "N"})
    return token, case


def session(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """Another session of the same person."""
    token = to.fresh(kind)
    if kind == "seat":
        return token, {"path_parameters": {"session": "x"}}
    to.say("POST", "/api/tokens", token)
    others = [session["id"] for session in to.say("GET", "/api/me/sessions", token) if not session["this"]]
    return token, {"path_parameters": {"session": others[0]}}


def rule_set(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """A rule set of theirs."""
    token = to.fresh(kind)
    if kind != "seat":
        to.say("PUT", "/api/me/rules", token, {"name": "Friday", "rules": "standard"})
    return token, {"query": {"name": "Friday"}}


def sign_in(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    to.token("account")
    return "", {"body": {"login": "cid", "password": "correct horse battery"}}


def created(to: Served, token: str) -> dict[str, Any]:
    device = Authenticator(ORIGIN)
    credential = device.create(to.say("POST", "/api/me/passkey-options", token))
    return {"credential": credential, "label": "phone"}


def new_passkey(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    token = to.fresh(kind)
    body = created(to, token if kind != "seat" else to.fresh("guest"))
    return token, {"body": body}


def passkey(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    """A passkey of theirs."""
    token = to.fresh(kind)
    if kind == "seat":
        return token, {"path_parameters": {"passkey": "x"}}
    passkey = to.say("POST", "/api/me/passkeys", token, created(to, token))
    return token, {"path_parameters": {"passkey": passkey["id"]}}


def sign_in_by_passkey(to: Served, kind: Kind) -> tuple[str, dict[str, Any]]:
    credential = to.world.devices[0].get(to.say("POST", "/api/sessions/passkey-options"))
    return "", {"body": {"credential": credential}}


GOOD: dict[tuple[str, str], Good] = {
    ("POST", "/api/guests"): lambda to, kind: (to.token(kind), {"body": {"name": "Ann"}}),
    ("GET", "/api/me"): own(),
    ("PUT", "/api/me"): own({"name": "Ann"}),
    ("DELETE", "/api/me"): own(),
    ("POST", "/api/tokens"): own(),
    ("DELETE", "/api/tokens/this"): own(),
    ("GET", "/api/tables"): own(),
    ("POST", "/api/tables"): own({"rules": "club", "changes": {"target": 5}, "title": "Friday"}),
    ("GET", "/api/tables/{table}"): at("playing"),
    ("POST", "/api/tables/{table}/commands"): at("playing", body={"command": "say", "phrase": "hello"}),
    ("POST", "/api/tables/{table}/actions"): act,
    ("POST", "/api/tables/{table}/token"): seated,
    ("DELETE", "/api/tables/{table}/token"): seated,
    ("GET", "/api/tables/{table}/record"): at("over"),
    ("GET", "/api/tables/{table}/hands"): at("over"),
    ("POST", "/api/tables/{table}/links"): hosted,
    ("GET", "/api/links/{code}"): link,
    ("DELETE", "/api/links/{code}"): link,
    ("GET", "/api/tables/{table}/matches"): at("again"),
    ("GET", "/api/tables/{table}/matches/{number}/record"): at("again", number=1),
    ("GET", "/api/tables/{table}/matches/{number}/hands"): at("again", number=1),
    ("GET", "/api/me/password"): own(),
    ("PUT", "/api/me/password"): lambda to, kind: (
        to.fresh("guest" if kind == "account" else kind),
        {"body": {"login": f"new{next(to.numbers)}", "password": "correct horse battery"}},
    ),
    ("POST", "/api/sessions"): sign_in,
    ("POST", "/api/sessions/passkey-options"): lambda to, kind: (to.token(kind), {}),
    ("POST", "/api/sessions/passkey"): sign_in_by_passkey,
    ("GET", "/api/me/rules"): own(),
    ("PUT", "/api/me/rules"): own({"name": "Friday", "rules": "standard"}),
    ("DELETE", "/api/me/rules"): rule_set,
    ("GET", "/api/me/sessions"): own(),
    ("DELETE", "/api/me/sessions"): own(),
    ("DELETE", "/api/me/sessions/{session}"): session,
    ("GET", "/api/me/passkeys"): own(),
    ("POST", "/api/me/passkeys"): new_passkey,
    ("POST", "/api/me/passkey-options"): own(),
    ("DELETE", "/api/me/passkeys/{passkey}"): passkey,
    ("GET", "/healthz"): lambda to, kind: (to.token(kind), {}),
}
PLAYING = {
    *(("GET", "/api/me"), ("DELETE", "/api/tokens/this"), ("GET", "/healthz"), ("POST", "/api/guests")),
    *(("POST", "/api/sessions"), ("POST", "/api/sessions/passkey"), ("POST", "/api/sessions/passkey-options")),
    *(
        ("GET", "/api/tables/{table}"),
        ("POST", "/api/tables/{table}/commands"),
        ("POST", "/api/tables/{table}/actions"),
    ),
    *(("GET", f"/api/tables/{{table}}/{what}") for what in ("record", "hands", "matches")),
    *(("GET", f"/api/tables/{{table}}/matches/{{number}}/{what}") for what in ("record", "hands")),
}
"""Operations that accept a seat token, or need no token."""


def test_there_is_a_good_request_for_every_operation() -> None:
    """Feeds, which don't end, have their own tests."""
    assert set(GOOD) == OPERATIONS
    assert PLAYING <= OPERATIONS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("method", "path"), sorted(GOOD))
def test_every_operation_gives_a_good_answer_to_who_may_ask(method: str, path: str, kind: Kind, honest: Served) -> None:
    """2xx for a guest and an account; a seat token is valid for playing, and gets 403 elsewhere."""
    token, case = GOOD[method, path](honest, kind)
    status = honest.call(method, path, token, **case)
    if kind == "seat" and (method, path) not in PLAYING:
        assert status == 403
    else:
        assert 200 <= status < 300


# Requests that were made up


@ROUTES.parametrize()
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=4, phases=[Phase.generate], suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_request_gets_an_answer_that_is_not_described(case: Any, kind: Kind, tried: Served) -> None:
    """As generated, and again with an existing table, match or invitation; with a valid token.

    A text that names no rules, and an object that is not an action, are well-formed but refused with 422.
    """
    destroys = case.path.startswith(("/api/me", "/api/tokens"))
    token = tried.fresh(kind) if destroys else tried.lasting[kind]
    tried.send(case, token)
    there = {"table": tried.named("honor"), "number": 1, "code": tried.world.invitations[0]}
    if known := there.keys() & set(case.path_parameters or {}):
        case.path_parameters.update({name: there[name] for name in known})
        tried.send(case, token)
