"""Routes of the matches that a table has played: their results, records and hand lines."""

from typing import Any, Final

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse

from leftbower.server.answers import refusals
from leftbower.server.auth import Viewer
from leftbower.server.desk import AtDesk
from leftbower.server.past_matches import read_match, read_record
from leftbower.server.records import hand_lines
from leftbower.server.shapes import MatchListed
from leftbower.table import finished_matches, match_to_json

_OPTIONAL_TOKEN: Final[dict[str, Any]] = {"security": [{}]}
router = APIRouter(
    prefix="/api/tables/{table}/matches", tags=["tables"], responses=refusals(401, 403, 404, 409, 429, 503)
)


@router.get("", response_model=list[MatchListed], openapi_extra=_OPTIONAL_TOKEN)
async def list_matches(table: str, caller: Viewer, desk: AtDesk) -> JSONResponse:
    """The finished matches of a table that you may read: those you played, and the latest one."""
    latest = await desk.house.latest(table)
    await desk.online.check_opened(latest)
    matches = finished_matches(latest, caller.person)
    names = await desk.people.names(frozenset().union(*(match.people for match in matches)))
    return JSONResponse(
        [match_to_json(match) | {"people": {who: names[who] for who in sorted(match.people)}} for match in matches]
    )


@router.get(
    "/{number}/record",
    response_class=PlainTextResponse,
    responses=refusals(422),
    openapi_extra=_OPTIONAL_TOKEN,
)
async def record_of_match(table: str, number: int, caller: Viewer, desk: AtDesk) -> str:
    """The record of one match, with every seal opened, for those who played it; of the latest match for everyone."""
    return await read_record(desk, table, number, caller.person)


@router.get("/{number}/hands", responses=refusals(422), openapi_extra=_OPTIONAL_TOKEN)
async def hands_of_match(table: str, number: int, caller: Viewer, desk: AtDesk) -> list[str]:
    """The hands of one match, as hand lines, for those who played it; of the latest match for everyone."""
    return await read_match(desk, table, number, caller.person, lambda past, names: hand_lines(past))
