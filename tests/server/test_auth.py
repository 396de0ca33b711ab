"""Routes get a person only from `server/auth.py`; a seat token may send only the listed commands."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from leftbower.errors import SeatOnly
from leftbower.server.api import requests
from leftbower.server.auth import SignedIn, check_command

SOURCE = Path(__file__).parents[2] / "src" / "leftbower"
LAYERS = ("server", "web")
AUTH = "server/auth.py"
ALLOWED: dict[str, set[str]] = {
    ".session": {
        AUTH,
        "server/live/events.py",  # is the row of a link a session?
        "server/people/service.py",
    },
    ".peek_session": {AUTH, "server/people/service.py"},
    ".sessions_by_token": {"server/people/service.py"},
    ".cookies": {
        AUTH,
        "server/http/middleware.py",  # is there a session cookie at all?
        "web/responses.py",  # the appearance of pages
        "web/event/links.py",  # the session of an event's or a season's link
    },
    "cookie_name": {AUTH},
    "fastapi.security": {AUTH},
    "SeatTokens": set(),
    "Caller()": {AUTH},
    "SignedIn()": {AUTH},
    "'authorization'": {
        "server/http/middleware.py",  # is there a bearer token at all?
        "server/http/fast_path.py",  # passes the token to `player_by_token`
        "web/event/links.py",  # the session of an event's link
    },
    "'cookie'": {AUTH},
}
"""Names by which a module could read the token of a request, and the modules that may use them."""


def uses(text: str) -> Iterator[tuple[str, int]]:
    """Every use of those names in a module, with its line."""
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
    paths = [path for layer in LAYERS for path in sorted((SOURCE / layer).rglob("*.py"))]
    return {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_only_auth_reads_the_token_of_a_request() -> None:
    """So every page and API route has passed the scope check before it knows a person."""
    assert [breach for module, text in modules().items() for breach in breaches(module, text)] == []


def test_every_exception_is_still_used() -> None:
    for use, allowed in ALLOWED.items():
        for module in allowed:
            assert use in {name for name, _ in uses(modules()[module])}, f"{module} no longer uses {use}"


@pytest.mark.parametrize(
    "planted",
    [
        "async def read(context): return await context.people.session('token')",
        "def read(context): return context.people.peek_session('key')",
        "async def read(context): return await context.store.session('key')",
        "async def read(context): return await context.store.sessions_by_token(['key'])",
        "def read(request): return request.cookies['leftbower']",
        "def read(request): return request.headers['Authorization']",
        "def read(request): return dict(request.scope['headers'])[b'cookie']",
        "from leftbower.server.http.middleware import cookie_name",
        "from fastapi.security import HTTPBearer",
        "import fastapi.security",
        "from leftbower.server.auth import SeatTokens",
        "def read(): return Caller(person='ann')",
        "def read(): return SignedIn(person='ann', token='')",
    ],
)
def test_a_planted_reader_of_tokens_is_found(planted: str) -> None:
    assert breaches("web/new_page.py", planted)


PLAYER_COMMANDS = {
    *("agree", "rematch", "cut", "offer-cut", "deal", "last-card", "undo", "answer-undo"),
    *("say", "chat", "mute"),
}
EXAMPLES: dict[type[BaseModel], dict[str, Any]] = {
    requests.Sit: {"seat": "N"},
    requests.SeatBot: {"seat": "N"},
    requests.RemoveBot: {"seat": "N"},
    requests.Swap: {"seat": "N", "other": "E"},
    requests.Remove: {"person": "p"},
    requests.HandOver: {"person": "p"},
    requests.CutDeck: {"number": 1},
    requests.LastCard: {"manual": True},
    requests.AnswerUndo: {"agreed": True},
    requests.SetClock: {"clock": "off"},
    requests.Say: {"phrase": "hello"},
    requests.Chat: {"text": "hello"},
    requests.Mute: {"person": "p", "muted": True},
    requests.AllowChat: {"allowed": True},
    requests.SetTempo: {"tempo": "slow"},
    requests.AllowHints: {"allowed": True},
    requests.AllowWatching: {"allowed": True},
}


def commands() -> list[Any]:
    """One command of every kind."""
    kinds: tuple[type[BaseModel], ...] = get_args(get_args(requests.TableCommand)[0])
    return [
        kind(command=get_args(kind.model_fields["command"].annotation)[0], **EXAMPLES.get(kind, {})) for kind in kinds
    ]


def may_send(caller: SignedIn, command: Any) -> bool:
    try:
        check_command(caller, command)
    except SeatOnly:
        return False
    return True


def test_a_seat_token_sends_only_listed_commands() -> None:
    """A new command is refused to seat tokens until it is listed; an account token may send every command."""
    seat, account = SignedIn(person="ann", token="t", table="t1"), SignedIn(person="ann", token="t")
    assert {command.command for command in commands() if may_send(seat, command)} == PLAYER_COMMANDS
    assert all(may_send(account, command) for command in commands())
