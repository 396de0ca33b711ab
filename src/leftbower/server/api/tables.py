"""Routes of tables: state, commands, actions, feeds, records and invitation links."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from leftbower.errors import LeftbowerError, NotTheHost, UnknownLink
from leftbower.server.api.commands import fact_for
from leftbower.server.api.requests import ActionRequest, TableCommand, TableRequest
from leftbower.server.api.responses import ActionResult, Invitation, TableListing, TableView
from leftbower.server.auth import AccountHolder, MaybeAccount, Player, Viewer
from leftbower.server.context import AppContext, Context
from leftbower.server.feeds.table_feed import follow_table
from leftbower.server.http.errors import error_responses
from leftbower.server.http.fast_path import FastRoute
from leftbower.server.http.middleware import check_feed_origin
from leftbower.server.http.protocol import channel_of
from leftbower.server.http.sse import EventStream
from leftbower.server.live.events import CODE_BYTES
from leftbower.server.live.log_cache import VALID_NAME
from leftbower.server.live.past_matches import write_record
from leftbower.server.live.records import hand_lines
from leftbower.server.people.sanitize import clean_title
from leftbower.store import Link, hash_token
from leftbower.table import Table, TableFact, TimeControl, idempotency_key

_SEAT_LINK: Final = "sit"
"""The kind of link that invites to a table."""
_OPTIONAL_TOKEN: Final[dict[str, Any]] = {"security": [{}]}
router = APIRouter(responses=error_responses(429, 503), route_class=FastRoute)


@router.post(
    "/api/tables/{table}/actions",
    tags=["tables"],
    response_model=ActionResult,
    responses=error_responses(401, 403, 404, 409, 413, 422),
)
async def send_action(table: str, body: ActionRequest, caller: Player, request: Request, context: Context) -> Response:
    """Take an action in the hand: bid, play a card, claim, or call an irregularity. The view lists the legal ones.

    Repeating an `action_id` does nothing: the response has the same `action_version` and the current table.
    """
    person = caller.person
    after = await _execute(context, request, table, person, body.request(), version=body.version)
    version = after.idempotency_keys[idempotency_key(person, body.action_id)]
    return _json(await context.table_json.text(table, after, person, action_version=version))


@router.post(
    "/api/tables/{table}/commands",
    tags=["tables"],
    response_model=TableView,
    responses=error_responses(401, 403, 404, 409, 413, 422),
)
async def send_command(table: str, body: TableCommand, caller: Player, request: Request, context: Context) -> Response:
    """Send a command: sit, leave, seat bots, change rules, agree, cut, undo, chat, rematch. Returns the table."""
    fact = await fact_for(context, table, caller, body)
    after = await _execute(context, request, table, caller.person, fact, version=body.version)
    return _json(await context.table_json.text(table, after, caller.person))


@router.get("/api/tables", tags=["tables"], response_model=list[TableListing], responses=error_responses(401, 403))
async def list_my_tables(caller: AccountHolder, context: Context) -> JSONResponse:
    """List the tables where you sit or are the host, latest first."""
    return JSONResponse(await context.person_tables.list(caller.person))


@router.post(
    "/api/tables",
    status_code=201,
    tags=["tables"],
    response_model=TableView,
    responses=error_responses(401, 403, 409, 413, 422),
)
async def create_table(body: TableRequest, caller: AccountHolder, context: Context) -> Response:
    """Create a table from a preset and your changes to it. You are its host."""
    rules, title = body.house_rules(), clean_title(body.title)
    person = caller.person
    clock = TimeControl(body.clock)
    name, table = await context.person_tables.open(person, rules, body.level, title=title, clock=clock)
    return _json(await context.table_json.text(name, table, person), 201)


@router.get(
    "/api/tables/{table}",
    tags=["tables"],
    response_model=TableView,
    responses=error_responses(401, 403, 404),
    openapi_extra=_OPTIONAL_TOKEN,
)
async def get_table(table: str, caller: Viewer, context: Context) -> Response:
    """Get the table as you may see it: with your cards if you sit there, else as a spectator."""
    if caller.person is not None:
        await context.tables.arrive(table, caller.person)
    return _json(await context.table_json.text(table, await context.tables.latest(table), caller.person))


@router.get(
    "/api/tables/{table}/feed",
    status_code=200,
    tags=["feeds"],
    response_class=EventStream,
    responses=error_responses(401, 403, 404),
    openapi_extra=_OPTIONAL_TOKEN,
    dependencies=[Depends(check_feed_origin)],
)
async def get_table_feed(
    table: str,
    request: Request,
    caller: Viewer,
    context: Context,
    last_event_id: Annotated[str | None, Header()] = None,
) -> EventStream:
    """Stream every new version as you may see it, as server-sent events. `Last-Event-ID` continues after a version."""
    writer = channel_of(request.scope)
    return EventStream(await follow_table(context, table, caller, last_event_id or "", writer=writer))


@router.get(
    "/api/tables/{table}/record",
    tags=["tables"],
    response_class=PlainTextResponse,
    responses=error_responses(401, 403, 404, 409),
    openapi_extra=_OPTIONAL_TOKEN,
)
async def get_record(table: str, caller: Viewer, context: Context) -> str:
    """Get the finished games of the match as a record with all seals opened; check it with `leftbower verify`."""
    current = await context.tables.get(table)
    await context.online.check_round_over(current)
    return await write_record(context, current)


@router.get(
    "/api/tables/{table}/hands",
    tags=["tables"],
    responses=error_responses(401, 403, 404, 409),
    openapi_extra=_OPTIONAL_TOKEN,
)
async def list_hands(table: str, caller: Viewer, context: Context) -> list[str]:
    """Get the hands of the finished games as hand lines."""
    current = await context.tables.get(table)
    await context.online.check_round_over(current)
    return hand_lines(current)


@router.post("/api/tables/{table}/links", status_code=201, tags=["links"], responses=error_responses(401, 403, 404))
async def create_link(table: str, caller: AccountHolder, context: Context) -> Invitation:
    """Create an invitation code; host only. It is shown only here, and the latest 64 codes of a table are valid."""
    await _check_host(context, table, caller.person)
    code = context.entropy(CODE_BYTES).hex()
    await context.store.add_link(hash_token(code), table, _SEAT_LINK)
    return Invitation(code=code, table=table)


@router.get(
    "/api/links/{code}", tags=["links"], responses=error_responses(401, 403, 404), openapi_extra=_OPTIONAL_TOKEN
)
async def resolve_link(code: str, caller: MaybeAccount, context: Context) -> Invitation:
    """Get the table of an invitation code."""
    if caller.person is None:
        context.limits.anonymous.take(caller.address)
    link = await _link(context, code)
    return Invitation(code=code, table=link.log)


@router.delete("/api/links/{code}", status_code=204, tags=["links"], responses=error_responses(401, 403, 404))
async def revoke_link(code: str, caller: AccountHolder, context: Context) -> None:
    """Revoke an invitation code; host only."""
    link = await _link(context, code)
    await _check_host(context, link.log, caller.person)
    await context.store.revoke_link(link.token)


async def _execute(
    context: AppContext, request: Request, name: str, person: str, fact: TableFact, *, version: int | None
) -> Table:
    """Execute a command; an error response has the version of the table."""
    try:
        return await context.tables.execute(name, person, fact, version=version)
    except LeftbowerError:
        request.state.version = context.tables.cached_version(name)
        raise


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/json")


async def _check_host(context: AppContext, table: str, person: str) -> None:
    if (await context.tables.get(table)).host != person:
        raise NotTheHost("only the host can do that")


async def _link(context: AppContext, code: str) -> Link:
    link = await context.store.link(hash_token(code)) if VALID_NAME.fullmatch(code) else None
    if link is None or link.kind != _SEAT_LINK:
        raise UnknownLink("this link doesn't work; ask for a new one")
    return link
