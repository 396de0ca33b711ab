"""The JSON API: everything a page can do, for every program that can speak HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, FastAPI, Header, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from leftbower.errors import NotTheHost, UnknownLink
from leftbower.server import match_routes, signing_in
from leftbower.server.answers import install, refusals
from leftbower.server.auth import AccountHolder, MaybeAccount, Player, TokenHolder, Viewer, set_cookie
from leftbower.server.bodies import Act, Ask, Guest, NewTable
from leftbower.server.describing import describe
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.doors import Doors, check_feed
from leftbower.server.events import CODE_BYTES
from leftbower.server.house import is_name
from leftbower.server.names import cleaned_title
from leftbower.server.operating import Readers, operators
from leftbower.server.past_matches import write_record
from leftbower.server.quick import Quick
from leftbower.server.records import hand_lines
from leftbower.server.rendering import with_member
from leftbower.server.shapes import Invitation, Listed, Me, Shown, ShownAfterAct, Signed, Token
from leftbower.server.streaming import EventStream, Tap
from leftbower.store import Link, Store, hash_token
from leftbower.table import Clock, act_key

_SIT: Final = "sit"
"""The kind of link that invites to a table."""
_ANYBODY: Final[dict[str, Any]] = {"security": [{}]}
"""Tokens are welcome and not needed."""
acts = APIRouter(responses=refusals(429, 503))
"""What is asked most often, and answered at the door."""
router = APIRouter(responses=refusals(429, 503))


def application(store: Store, *, metrics: str = "loopback", **settings: Any) -> FastAPI:
    """The application that serves a store; settings are those of the `Desk` and its `House`.

    `metrics` says who may read them: "loopback", "off", or networks.
    """
    desk = Desk(store, **settings)

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        await desk.open()
        try:
            yield
        finally:
            await desk.close()

    app = Doors(
        check=desk.outage.check,
        title="leftbower",
        description="Tables of euchre: sit down, agree, play. Every answered act is durable.",
        version="1",
        lifespan=alive,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.server = desk
    app.state.readers = Readers(metrics)
    install(app)
    app.include_router(acts)
    app.include_router(router)
    app.include_router(match_routes.router)
    app.include_router(signing_in.router)
    app.include_router(operators)
    describe(app)
    app.at_the_door = Quick.of(acts)
    return app


@router.post("/api/guests", status_code=201, tags=["people"], responses=refusals(413, 422))
async def become_a_guest(body: Guest, request: Request, response: Response, desk: AtDesk) -> Signed:
    """Play under any name, at once."""
    person, token = await desk.new_guest(request, body.name)
    set_cookie(request, response, token)
    return Signed(person=person, name=await desk.people.name(person), token=token)


@router.get("/api/me", tags=["people"], responses=refusals(401))
async def who_am_i(caller: TokenHolder, desk: AtDesk) -> Me:
    """Whom the token acts for."""
    return Me(person=caller.person, name=await desk.people.name(caller.person))


@router.put("/api/me", tags=["people"], responses=refusals(401, 403, 413, 422))
async def call_me(body: Guest, caller: AccountHolder, desk: AtDesk) -> Me:
    """Take another name."""
    return Me(person=caller.person, name=await desk.people.rename(caller.person, body.name))


@router.delete("/api/me", status_code=204, tags=["people"], responses=refusals(401, 403))
async def forget_me(caller: AccountHolder, desk: AtDesk) -> None:
    """Be forgotten: you leave every table, name and tokens are erased, logs keep an id that means nobody."""
    await desk.forget(caller.person)


@router.post("/api/tokens", status_code=201, tags=["people"], responses=refusals(401, 403))
async def one_more_token(caller: AccountHolder, desk: AtDesk) -> Token:
    """A token for a program that plays for you."""
    desk.strangers.ask(f"tokens of {caller.person}")
    return Token(token=await desk.people.token(caller.person))


@router.delete("/api/tokens/this", status_code=204, tags=["people"], responses=refusals(401, 403))
async def revoke_this_token(caller: TokenHolder, desk: AtDesk) -> None:
    """End the token that this request came with."""
    await desk.revoke(caller.person, caller.token)


@router.post("/api/tables/{table}/token", status_code=201, tags=["people"], responses=refusals(401, 403, 404, 409))
async def a_token_for_my_seat(table: str, caller: AccountHolder, desk: AtDesk) -> Token:
    """A token for a program that plays for you here and nowhere else. The one before it is ended."""
    return Token(token=await desk.seat_token(caller.person, table))


@router.delete("/api/tables/{table}/token", status_code=204, tags=["people"], responses=refusals(401, 403, 404))
async def revoke_the_token_of_my_seat(table: str, caller: AccountHolder, desk: AtDesk) -> None:
    """End the token that plays for you here and nowhere else."""
    await desk.house.table(table)
    await desk.revoke_seat_token(caller.person, table)


@router.get("/api/tables", tags=["tables"], response_model=list[Listed], responses=refusals(401, 403))
async def my_tables(caller: AccountHolder, desk: AtDesk) -> JSONResponse:
    """The tables at which you sit, or whose host you are; the latest first."""
    return JSONResponse(await desk.mine(caller.person))


@router.post(
    "/api/tables",
    status_code=201,
    tags=["tables"],
    response_model=Shown,
    responses=refusals(401, 403, 409, 413, 422),
)
async def open_a_table(body: NewTable, caller: AccountHolder, desk: AtDesk) -> Response:
    """Open a table, by a preset and what is changed of it. You are its host."""
    rules, title = body.house_rules(), cleaned_title(body.title)
    person = caller.person
    name, table = await desk.open_table(person, rules, body.level, title=title, clock=Clock(body.clock))
    return _json(await desk.shown(name, table, person), 201)


@router.get(
    "/api/tables/{table}",
    tags=["tables"],
    response_model=Shown,
    responses=refusals(401, 403, 404),
    openapi_extra=_ANYBODY,
)
async def see_a_table(table: str, caller: Viewer, desk: AtDesk) -> Response:
    """The table as you may see it: your cards if you sit there, else what a spectator sees."""
    if caller.person is not None:
        await desk.house.hear(table, caller.person)
    return _json(await desk.shown(table, await desk.house.latest(table), caller.person))


@acts.post(
    "/api/tables/{table}/asks",
    tags=["tables"],
    response_model=Shown,
    responses=refusals(401, 403, 404, 409, 413, 422),
)
async def ask_at_a_table(table: str, body: Ask, caller: Player, request: Request, desk: AtDesk) -> Response:
    """Sit, leave, seat bots, change rules, agree, cut, undo, talk, play again. The table after it."""
    fact = await desk.fact_of(body, await desk.house.table(table), caller)
    after = await desk.ask(request, table, caller.person, fact, version=body.version)
    return _json(await desk.shown(table, after, caller.person))


@acts.post(
    "/api/tables/{table}/acts",
    tags=["tables"],
    response_model=ShownAfterAct,
    responses=refusals(401, 403, 404, 409, 413, 422),
)
async def act_at_a_table(table: str, body: Act, caller: Player, request: Request, desk: AtDesk) -> Response:
    """Call, play, claim, or call an irregularity: one of the actions that the view lists as legal.

    The same `act` id again does nothing more: it is answered with the same `acted` and the table as it stands.
    """
    person = caller.person
    after = await desk.ask(request, table, person, body.request(), version=body.version)
    acted = after.acts[act_key(person, body.act)]
    return _json(with_member(await desk.shown(table, after, person), "acted", acted))


@router.get(
    "/api/tables/{table}/feed",
    status_code=200,
    tags=["feeds"],
    response_class=EventStream,
    responses=refusals(401, 403, 404),
    openapi_extra=_ANYBODY,
    dependencies=[Depends(check_feed)],
)
async def follow_a_table(
    table: str, caller: Viewer, desk: AtDesk, last_event_id: Annotated[str | None, Header()] = None
) -> EventStream:
    """Every new version as you may see it, as server-sent events; `Last-Event-ID` goes on from a version."""
    seen = int(last_event_id) if last_event_id and last_event_id.isdecimal() and len(last_event_id) < 10 else None
    here = await desk.house.table(table, seen=seen or 0)
    tap = Tap()
    return EventStream(desk.follow(table, here, caller, seen, outlet=tap), tap)


@router.get(
    "/api/tables/{table}/record",
    tags=["tables"],
    response_class=PlainTextResponse,
    responses=refusals(401, 403, 404, 409),
    openapi_extra=_ANYBODY,
)
async def record_of_a_table(table: str, caller: Viewer, desk: AtDesk) -> str:
    """The games of the match that are over, as a record with every seal opened; `leftbower verify` checks it."""
    here = await desk.house.table(table)
    await desk.online.check_opened(here)
    return await write_record(desk, here)


@router.get(
    "/api/tables/{table}/hands", tags=["tables"], responses=refusals(401, 403, 404, 409), openapi_extra=_ANYBODY
)
async def hands_of_a_table(table: str, caller: Viewer, desk: AtDesk) -> list[str]:
    """The hands of the games that are over, as hand lines."""
    here = await desk.house.table(table)
    await desk.online.check_opened(here)
    return hand_lines(here)


@router.post("/api/tables/{table}/links", status_code=201, tags=["links"], responses=refusals(401, 403, 404))
async def invite_to_a_table(table: str, caller: AccountHolder, desk: AtDesk) -> Invitation:
    """A code to send to friends; only the host makes one. It is shown once; the latest 64 of a table are good."""
    await _host(desk, table, caller.person)
    code = desk.entropy(CODE_BYTES).hex()
    await desk.store.add_link(hash_token(code), table, _SIT)
    return Invitation(code=code, table=table)


@router.get("/api/links/{code}", tags=["links"], responses=refusals(401, 403, 404), openapi_extra=_ANYBODY)
async def where_a_link_leads(code: str, caller: MaybeAccount, desk: AtDesk) -> Invitation:
    """The table of a code."""
    if caller.person is None:
        desk.strangers.ask(caller.address)
    link = await _link(desk, code)
    return Invitation(code=code, table=link.log)


@router.delete("/api/links/{code}", status_code=204, tags=["links"], responses=refusals(401, 403, 404))
async def revoke_a_link(code: str, caller: AccountHolder, desk: AtDesk) -> None:
    """End a code; only the host of its table does."""
    link = await _link(desk, code)
    await _host(desk, link.log, caller.person)
    await desk.store.revoke_link(link.token)


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/json")


async def _host(desk: Desk, table: str, who: str) -> None:
    if (await desk.house.table(table)).host != who:
        raise NotTheHost("only the host does that")


async def _link(desk: Desk, code: str) -> Link:
    link = await desk.store.link(hash_token(code)) if is_name(code) else None
    if link is None or link.kind != _SIT:
        raise UnknownLink("this link leads nowhere, or no longer")
    return link
