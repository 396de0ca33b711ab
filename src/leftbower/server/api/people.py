"""Routes of people: guests, names and tokens."""

from fastapi import APIRouter, Request, Response

from leftbower.errors import NotSeated
from leftbower.server.api.names import rename
from leftbower.server.api.requests import NameRequest
from leftbower.server.api.responses import Me, NewSession, Token
from leftbower.server.auth import AccountHolder, TokenHolder, set_cookie
from leftbower.server.context import Context
from leftbower.server.http.errors import error_responses

router = APIRouter(tags=["people"], responses=error_responses(429, 503))


@router.post("/api/guests", status_code=201, responses=error_responses(413, 422))
async def create_guest(body: NameRequest, request: Request, response: Response, context: Context) -> NewSession:
    """Create a guest. Returns a token and sets the session cookie."""
    guest = await context.auth.create_guest(request, body.name)
    set_cookie(request, response, guest.token)
    return NewSession(person=guest.person, name=await context.people.name(guest.person), token=guest.token)


@router.get("/api/me", responses=error_responses(401))
async def get_me(caller: TokenHolder, context: Context) -> Me:
    """Get the person that the token acts for."""
    return Me(person=caller.person, name=await context.people.name(caller.person))


@router.put("/api/me", responses=error_responses(401, 403, 409, 413, 422))
async def rename_me(body: NameRequest, caller: AccountHolder, context: Context) -> Me:
    """Change your name. No two players at a table have names that look the same."""
    return Me(person=caller.person, name=await rename(context, caller.person, body.name))


@router.delete("/api/me", status_code=204, responses=error_responses(401, 403))
async def erase_me(caller: AccountHolder, context: Context) -> None:
    """Delete yourself: you leave every table, and your name and tokens are erased. Logs keep an id without a name."""
    await context.person_tables.leave_all(caller.person)
    await context.people.erase(caller.person)


@router.post("/api/tokens", status_code=201, responses=error_responses(401, 403))
async def create_token(caller: AccountHolder, context: Context) -> Token:
    """Create a token for a program that plays for you."""
    context.limits.anonymous.take(f"tokens of {caller.person}")
    return Token(token=await context.people.create_token(caller.person))


@router.delete("/api/tokens/this", status_code=204, responses=error_responses(401, 403))
async def revoke_token(caller: TokenHolder, context: Context) -> None:
    """Revoke the token of this request."""
    await context.people.revoke(caller.person, caller.token)


@router.post("/api/tables/{table}/token", status_code=201, responses=error_responses(401, 403, 404, 409))
async def create_seat_token(table: str, caller: AccountHolder, context: Context) -> Token:
    """Create a token for a program that plays for you at this table only. It replaces the previous one."""
    if (await context.tables.refresh(table)).seat_of(caller.person) is None:
        raise NotSeated("you have no seat at this table")
    return Token(token=await context.people.create_token(caller.person, log=table))


@router.delete("/api/tables/{table}/token", status_code=204, responses=error_responses(401, 403, 404))
async def revoke_seat_token(table: str, caller: AccountHolder, context: Context) -> None:
    """Revoke the token that plays for you at this table only."""
    await context.tables.get(table)
    await context.people.revoke_seat_token(caller.person, table)
