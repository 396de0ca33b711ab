"""The pages' routes: home, tables, what pages are made of; `install` joins them to the server's application."""

import re
from hmac import compare_digest
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import NotFound
from leftbower.printing import Paper, css
from leftbower.rules.house import HouseRules
from leftbower.rules.sheets import presets
from leftbower.server.auth import MaybeAccount, Visitor, set_cookie
from leftbower.server.bodies import LEVELS, Rules
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.names import cleaned_title
from leftbower.table import Agreed, BotSat, Sat
from leftbower.web import (
    account,
    at_table,
    event_desk,
    event_links,
    event_phone,
    event_plans,
    event_player,
    event_wall,
    learning,
    rules_page,
)
from leftbower.web.answering import PageRoute, form_of, install_trouble, page
from leftbower.web.at_table import signed_in_or_guest
from leftbower.web.look import COOKIE, OPTIONS, look_from

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute)
_KINDS: Final = {".css": "text/css", ".mjs": "text/javascript", ".svg": "image/svg+xml"}
_YEAR: Final = 31_536_000
_STATIC_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
"""A file system refuses names of more than 255 bytes, and some characters, with an error of its own."""
_LOCAL_PATH: Final = re.compile(r"/(?!/)[^\\\x00-\x20\x7f-\xa0\u2028\u2029]*")
ROUTERS: Final = (
    router,
    account.router,
    at_table.router,
    learning.router,
    rules_page.router,
    event_plans.router,
    event_links.router,
    event_desk.router,
    event_phone.router,
    event_player.router,
    event_wall.router,
)


def install(app: FastAPI, *, start: str = "") -> None:
    """Add the pages to the server's application; whoever knows the `start` word is brought to a table with bots."""
    app.state.start = start
    for one in ROUTERS:
        app.include_router(one)
    install_trouble(app)


@router.get("/")
async def home(request: Request, caller: Visitor, desk: AtDesk) -> HTMLResponse:
    """What leftbower is, and a way to play at once."""
    name = await desk.people.name(caller.person) if caller.person else ""
    mine = await desk.mine(caller.person) if caller.person else []
    return page(
        request, "home.html", title="leftbower: euchre", name=name, sheets=presets(), levels=LEVELS, mine=mine[:8]
    )


@router.post("/play")
async def play_now(request: Request, caller: MaybeAccount, desk: AtDesk) -> Response:
    """A table with bots at every other seat, agreed and begun."""
    form = await form_of(request)
    signed, token = await signed_in_or_guest(request, desk, caller, form.get("name", "") or "You")
    return _to(await _with_bots(desk, signed.person, form), request, token)


@router.get("/start/{word}")
async def start(word: str, request: Request, caller: MaybeAccount, desk: AtDesk) -> Response:
    """The same for whoever started the server, once."""
    known, request.app.state.start = request.app.state.start, ""
    if not known or not compare_digest(known.encode(), word.encode()):
        request.app.state.start = known
        return RedirectResponse("/", 303)
    signed, token = await signed_in_or_guest(request, desk, caller, "You")
    return _to(await _with_bots(desk, signed.person, {}), request, token)


@router.post("/tables")
async def open_a_table(request: Request, caller: MaybeAccount, desk: AtDesk) -> Response:
    """A table for friends; whoever opens it has a seat at once."""
    form = await form_of(request)
    signed, token = await signed_in_or_guest(request, desk, caller, form.get("name", "") or "Host")
    person = signed.person
    name = await _opened(desk, person, form)
    table = await desk.house.table(name)
    await desk.house.ask(name, person, Sat(person=person, seat=table.rules.places[-1]))
    return _to(name, request, token)


@router.get("/look")
async def see_look(request: Request, back: str = "/") -> HTMLResponse:
    """What everybody may have as they like."""
    return page(request, "look.html", title="Look and sound", back=_here(back), options=OPTIONS)


@router.post("/look")
async def set_look(request: Request) -> Response:
    """Keep what was chosen, and go back to where it was chosen."""
    form = await form_of(request)
    answer = RedirectResponse(_here(form.get("back", "/")), 303)
    answer.set_cookie(COOKIE, look_from(form), max_age=_YEAR, samesite="lax", httponly=True)
    return answer


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """A style, a script or a picture of ours."""
    if paper := next((one for one in Paper if name == f"print-{one.value}.css"), None):
        return Response(css(paper), media_type="text/css", headers={"Cache-Control": "max-age=60"})
    kind = next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), None)
    found = files("leftbower.web").joinpath("static", name) if _STATIC_NAME.fullmatch(name) else None
    if kind is None or found is None or not found.is_file():
        raise NotFound("there is nothing here")
    return Response(found.read_bytes(), media_type=kind, headers={"Cache-Control": "max-age=60"})


def rules_of(form: dict[str, str]) -> HouseRules:
    """The rule set that a form names: a preset, or a link."""
    return Rules(rules=(form.get("rules") or "club")[:100]).house_rules()


async def _with_bots(desk: Desk, person: str, form: dict[str, str]) -> str:
    name = await _opened(desk, person, form)
    table = await desk.house.table(name)
    own, *others = reversed(table.rules.places)
    await desk.house.ask(name, person, Sat(person=person, seat=own))
    for seat in others:
        await desk.house.ask(name, person, BotSat(seat=seat, level=_level(form)))
    await desk.house.ask(name, person, Agreed(person=person))
    return name


async def _opened(desk: Desk, person: str, form: dict[str, str]) -> str:
    title, rules = cleaned_title(form.get("title", "")), rules_of(form)
    name, _ = await desk.open_table(person, rules, _level(form), title=title)
    return name


def _level(form: dict[str, str]) -> str:
    level = form.get("level", "regular")
    return level if level in LEVELS else "regular"


def _here(where: str) -> str:
    """A path of ours, or home: nobody is led to another site.

    Browsers drop tabs and line ends from addresses and read a backslash as a slash, so none of these is allowed.
    """
    return where if _LOCAL_PATH.fullmatch(where) else "/"


def _to(name: str, request: Request, token: str) -> Response:
    answer = RedirectResponse(f"/t/{name}", 303)
    if token:
        set_cookie(request, answer, token)
    return answer
