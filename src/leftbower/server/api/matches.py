"""Routes of a table's finished matches: results, records and hand lines."""

from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse

from leftbower.server.api.responses import MatchListing
from leftbower.server.auth import Viewer
from leftbower.server.context import Context
from leftbower.server.http.errors import error_responses
from leftbower.server.live.past_matches import read_match, read_record
from leftbower.server.live.records import hand_lines
from leftbower.table import match_to_json, readable_matches

_OPTIONAL_TOKEN: Final[dict[str, Any]] = {"security": [{}]}
router = APIRouter(
    prefix="/api/tables/{table}/matches", tags=["tables"], responses=error_responses(401, 403, 404, 409, 429, 503)
)


@router.get("", response_model=list[MatchListing], openapi_extra=_OPTIONAL_TOKEN)
async def list_matches(table: str, caller: Viewer, context: Context) -> JSONResponse:
    """List the finished matches of a table that you may read: the ones you played, and the latest one."""
    latest = await context.tables.latest(table)
    await context.online.check_round_over(latest)
    matches = readable_matches(latest, caller.person)
    names = await context.people.names(frozenset().union(*(match.people for match in matches)))
    return JSONResponse(
        [match_to_json(match) | {"people": {who: names[who] for who in sorted(match.people)}} for match in matches]
    )


@router.get(
    "/{number}/record",
    response_class=PlainTextResponse,
    responses=error_responses(422),
    openapi_extra=_OPTIONAL_TOKEN,
)
async def get_match_record(table: str, number: int, caller: Viewer, context: Context) -> str:
    """Get the record of a match, all seals opened. Anyone may read the latest match, only its players earlier ones."""
    return await read_record(context, table, number, caller.person)


@router.get("/{number}/hands", responses=error_responses(422), openapi_extra=_OPTIONAL_TOKEN)
async def list_match_hands(table: str, number: int, caller: Viewer, context: Context) -> list[str]:
    """Get the hands of a match as hand lines. Anyone may read the latest match, only its players an earlier one."""
    return await read_match(context, table, number, caller.person, lambda past, names: hand_lines(past))
