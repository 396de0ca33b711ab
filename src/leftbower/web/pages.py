"""The pages' routes. Every act is a form that works without script; with it, the same forms are sent by `table.mjs`."""

from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Annotated, Final
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, FastAPI, Header, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import TypeAdapter, ValidationError

from leftbower.errors import BadRequest, LeftbowerError, NotSignedIn, Stale, UnknownTable
from leftbower.notation.words import word
from leftbower.rules.sheets import preset, presets
from leftbower.server.answers import refusal, status_of
from leftbower.server.bodies import Ask, request_of
from leftbower.server.desk import Anybody, AtDesk, Desk, address_of, set_cookie
from leftbower.server.doors import check_feed
from leftbower.server.streaming import EventStream
from leftbower.table import Acted, Agreed, BotSat, Sat, Table, act_key, seen_by
from leftbower.web import learning, rules_page
from leftbower.web.drawing import fragment, page, table_page

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
LEVELS: Final = ("novice", "regular", "expert")
_ASK: Final[TypeAdapter[Ask]] = TypeAdapter(Ask)
_NUMBERS: Final = frozenset({"number", "version"})
_KINDS: Final = {".css": "text/css", ".mjs": "text/javascript", ".svg": "image/svg+xml"}


def install(app: FastAPI) -> None:
    """Add the pages to the server's application."""
    for one in (router, learning.router, rules_page.router):
        app.include_router(one)


@router.get("/")
async def home(asks: Anybody, desk: AtDesk) -> str:
    """What leftbower is, and a way to play at once."""
    name = await desk.people.name(asks.person) if asks.person else ""
    mine = await desk.mine(asks.person) if asks.person else []
    given = {"name": name, "sheets": presets(), "levels": LEVELS, "mine": mine[:8]}
    return page("home.html", title="leftbower: euchre", **given)


@router.post("/play")
async def play_now(request: Request, asks: Anybody, desk: AtDesk) -> Response:
    """A table with bots at every other seat, agreed and begun."""
    form = await form_of(request)
    person, token = await _somebody(request, desk, asks.person, form.get("name", "") or "You")
    name = await _opened(desk, person, form)
    table = await desk.house.table(name)
    own, *others = reversed(table.rules.places)
    await desk.house.ask(name, person, Sat(person=person, seat=own))
    for seat in others:
        await desk.house.ask(name, person, BotSat(seat=seat, level=_level(form)))
    await desk.house.ask(name, person, Agreed(person=person))
    return _to(f"/t/{name}", request, token)


@router.post("/tables")
async def open_a_table(request: Request, asks: Anybody, desk: AtDesk) -> Response:
    """A table for friends; its host has the first seat."""
    form = await form_of(request)
    person, token = await _somebody(request, desk, asks.person, form.get("name", ""))
    name = await _opened(desk, person, form)
    table = await desk.house.table(name)
    await desk.house.ask(name, person, Sat(person=person, seat=table.rules.places[-1]))
    return _to(f"/t/{name}", request, token)


@router.get("/t/{table}")
async def see(table: str, request: Request, asks: Anybody, desk: AtDesk) -> Response:
    """The table as the viewer may see it."""
    return await _page(request, desk, table, asks.person)


@router.get("/t/{table}/events", dependencies=[Depends(check_feed)])
async def follow(
    table: str,
    request: Request,
    asks: Anybody,
    desk: AtDesk,
    seen: Annotated[str, Query()] = "",
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Every new version as a line of HTML."""
    known = last_event_id or seen
    version = int(known) if known.isdecimal() and len(known) < 10 else None
    here = await desk.house.table(table, seen=version or 0)
    drawn = _drawing(desk, table, str(request.base_url))
    return EventStream(desk.follow(table, here, asks, version, drawn))


@router.post("/t/{table}/act")
async def act(table: str, request: Request, asks: Anybody, desk: AtDesk) -> Response:
    """One of the acts that the page offers, by its word."""
    form = await form_of(request)

    async def done(person: str) -> None:
        here = await desk.house.table(table)
        version, said = _version(form), form.get("a", "")[:20]
        act = f"page-{version}-{said}"
        if act_key(person, act) in here.acts:
            return  # a double click
        seen = seen_by(here, person)
        asked = next((one for one in (seen.legal if seen else ()) if word(one) == said), None)
        if asked is None:
            raise Stale("the table has moved on", current=here.version)
        await desk.house.ask(table, person, Acted(action=asked, act=act), version=version)

    return await _answered(request, desk, table, asks.person, done)


@router.post("/t/{table}/ask")
async def ask(table: str, request: Request, asks: Anybody, desk: AtDesk) -> Response:
    """Sit, leave, seat bots, agree, cut, play again."""
    form = await form_of(request)
    person, token = await _somebody(request, desk, asks.person, form.get("name", "") or "Guest")

    async def done(person: str) -> None:
        here = await desk.house.table(table)
        try:
            body = _ASK.validate_python({name: _read(name, value) for name, value in form.items() if name != "name"})
        except ValidationError:
            raise BadRequest("this cannot be asked") from None
        await desk.house.ask(table, person, request_of(body, here, person))

    answer = await _answered(request, desk, table, person, done)
    if token:
        set_cookie(request, answer, token)
    return answer


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """A style, a script or a picture of ours."""
    kind = next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), None)
    found = files("leftbower.web").joinpath("static", name)
    if kind is None or "/" in name or not found.is_file():
        raise UnknownTable("there is nothing here")
    return Response(found.read_bytes(), media_type=kind, headers={"Cache-Control": "max-age=60"})


async def form_of(request: Request) -> dict[str, str]:
    """What a form sent."""
    text = (await request.body()).decode("utf-8", "replace")
    return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=40))


async def _answered(
    request: Request, desk: Desk, table: str, person: str | None, done: Callable[[str], Awaitable[None]]
) -> Response:
    """Do it; scripts are answered in JSON, and forms by the table as it stands then, with what went wrong."""
    script = "application/json" in request.headers.get("accept", "")
    try:
        if person is None:
            raise NotSignedIn("take a seat first")
        await done(person)
    except LeftbowerError as error:
        if script:
            return refusal(error, version=desk.house.known(table))
        return await _page(request, desk, table, person, notice=error.message, status=status_of(error))
    return JSONResponse({}) if script else RedirectResponse(f"/t/{table}", 303)


async def _page(
    request: Request, desk: Desk, name: str, person: str | None, *, notice: str = "", status: int = 200
) -> Response:
    if person is not None:
        await desk.house.hear(name, person)
    table = await desk.house.latest(name)
    names = await desk.names(table)
    text = table_page(name, table, person, names, address=_address(str(request.base_url), name), notice=notice)
    return HTMLResponse(text, status)


def _drawing(desk: Desk, name: str, base: str) -> Callable[[Table, str | None], Awaitable[str]]:
    async def drawn(table: Table, person: str | None) -> str:
        return fragment(name, table, person, await desk.names(table), address=_address(base, name))

    return drawn


def _address(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/t/{name}"


async def _somebody(request: Request, desk: Desk, person: str | None, name: str) -> tuple[str, str]:
    """Who asks; a stranger becomes a guest under this name, with a token for the cookie."""
    if person is not None:
        return person, ""
    desk.strangers.ask(address_of(request))
    return await desk.people.welcome(name)


async def _opened(desk: Desk, person: str, form: dict[str, str]) -> str:
    await desk.check_tables(person)
    name = f"t{desk.entropy(8).hex()}"
    await desk.house.create(name, person, preset(form.get("rules") or "club"), _level(form))
    return name


def _read(name: str, value: str) -> str | int:
    """Forms send words only."""
    return int(value) if name in _NUMBERS and value.isdecimal() and len(value) < 10 else value


def _level(form: dict[str, str]) -> str:
    level = form.get("level", "regular")
    return level if level in LEVELS else "regular"


def _version(form: dict[str, str]) -> int:
    version = form.get("v", "")
    if not version.isdecimal() or len(version) > 9:
        raise BadRequest("a form says for which version it is meant", place="v")
    return int(version)


def _to(where: str, request: Request, token: str) -> Response:
    answer = RedirectResponse(where, 303)
    if token:
        set_cookie(request, answer, token)
    return answer
