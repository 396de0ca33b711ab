"""A route learns a person from `server/auth.py` alone; a seat token may ask for what is listed, and nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from leftbower.errors import SeatOnly
from leftbower.server import bodies
from leftbower.server.auth import SignedIn, check_ask

SOURCE = Path(__file__).parents[2] / "src" / "leftbower"
LAYERS = ("server", "web")
AUTH = "server/auth.py"
ALLOWED: dict[str, set[str]] = {
    ".session": {
        AUTH,
        "server/events.py",  # is a link's row that of a session?
        "server/people.py",
    },
    ".session_of": {AUTH, "server/people.py"},
    ".session_at_hand": {AUTH, "server/people.py"},
    ".some_sessions": {"server/people.py"},
    ".cookies": {
        AUTH,
        "server/doors.py",  # is there a session cookie at all?
        "web/answering.py",  # how pages look
        "web/event_desk.py",  # the desk's code, for the page that shows it once
        "web/event_links.py",  # the session of an event's link
    },
    "cookie_name": {AUTH},
    "fastapi.security": {AUTH},
    "SeatTokens": set(),
    "Caller()": {AUTH},
    "SignedIn()": {AUTH},
    "'authorization'": {
        "server/doors.py",  # is there a bearer token at all?
        "server/quick.py",  # hands the token to `player_by_token`
        "web/event_links.py",  # the session of an event's link
    },
    "'cookie'": {AUTH},
}
"""By what a module could learn whose token a request holds, and the modules that may use it."""


def uses(text: str) -> Iterator[tuple[str, int]]:
    """Every use of those in the text of a module, with its line."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(attr=name):
                yield f".{name}", node.lineno
            case ast.ImportFrom(module=str(module), names=names):
                yield module, node.lineno
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.Import(names=names):
                yield from ((alias.name, node.lineno) for alias in names)
            case ast.Constant(value=str(value)):
                yield repr(value.casefold()), node.lineno
            case ast.Constant(value=bytes(value)):
                yield repr(value.decode("latin-1").casefold()), node.lineno
            case ast.Call(func=ast.Name(id=name)):
                yield f"{name}()", node.lineno


def breaches(module: str, text: str) -> list[str]:
    return [f"{module}:{line} uses {use}" for use, line in uses(text) if module not in ALLOWED.get(use, {module})]


def modules() -> dict[str, str]:
    found = [path for layer in LAYERS for path in sorted((SOURCE / layer).rglob("*.py"))]
    return {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in found}


def test_only_auth_learns_whose_token_a_request_holds() -> None:
    """So every page and every API route has passed the scope check when it knows a person."""
    assert [breach for module, text in modules().items() for breach in breaches(module, text)] == []


def test_every_exception_is_still_used() -> None:
    for use, allowed in ALLOWED.items():
        for module in allowed:
            assert use in {found for found, _ in uses(modules()[module])}, f"{module} no longer uses {use}"


@pytest.mark.parametrize(
    "planted",
    [
        "async def see(desk): return await desk.people.session('token')",
        "async def see(desk): return await desk.people.session_of('key')",
        "async def see(desk): return await desk.store.session('key')",
        "async def see(desk): return await desk.store.some_sessions(['key'])",
        "def see(request): return request.cookies['leftbower']",
        "def see(request): return request.headers['Authorization']",
        "def see(request): return dict(request.scope['headers'])[b'cookie']",
        "from leftbower.server.doors import cookie_name",
        "from fastapi.security import HTTPBearer",
        "import fastapi.security",
        "from leftbower.server.auth import SeatTokens",
        "def see(): return Caller(person='ann')",
        "def see(): return SignedIn(person='ann', token='')",
    ],
)
def test_a_planted_reader_of_tokens_is_found(planted: str) -> None:
    assert breaches("web/new_page.py", planted)


ASKS_OF_A_PLAYER = {
    *("agree", "again", "cut", "offer-cut", "deal", "last-card", "undo", "answer-undo"),
    *("say", "tell", "mute"),
}
EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    bodies.Sit: {"seat": "N"},
    bodies.SeatBot: {"seat": "N"},
    bodies.Clear: {"seat": "N"},
    bodies.Swap: {"seat": "N", "other": "E"},
    bodies.Remove: {"person": "p"},
    bodies.HandOver: {"person": "p"},
    bodies.CutDeck: {"number": 1},
    bodies.LastCard: {"kept": True},
    bodies.AnswerUndo: {"agreed": True},
    bodies.SetClock: {"clock": "off"},
    bodies.Say: {"phrase": "hello"},
    bodies.Tell: {"words": "hello"},
    bodies.Mute: {"person": "p", "muted": True},
    bodies.Talk: {"free": True},
    bodies.SetTempo: {"tempo": "slow"},
    bodies.AllowHints: {"allowed": True},
}


def asks() -> list[Any]:
    """One of every ask that there is."""
    kinds: tuple[type[BaseModel], ...] = get_args(get_args(bodies.Ask)[0])
    return [kind(ask=get_args(kind.model_fields["ask"].annotation)[0], **EXAMPLES.get(kind, {})) for kind in kinds]


def may(caller: SignedIn, ask: Any) -> bool:
    try:
        check_ask(caller, ask)
    except SeatOnly:
        return False
    return True


def test_a_seat_token_asks_for_what_is_listed_and_no_more() -> None:
    """A new ask is refused to seat tokens until it is listed; an account token asks for everything."""
    seat, account = SignedIn(person="ann", token="t", table="t1"), SignedIn(person="ann", token="t")
    assert {ask.ask for ask in asks() if may(seat, ask)} == ASKS_OF_A_PLAYER
    assert all(may(account, ask) for ask in asks())
