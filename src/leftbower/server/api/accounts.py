"""The routes of accounts: passwords, passkeys and sessions."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from leftbower.server.api.account_models import (
    Account,
    ByPasskey,
    ByPassword,
    NewPasskey,
    NewPassword,
    PasskeyView,
    SessionView,
)
from leftbower.server.api.responses import NewSession
from leftbower.server.auth import AccountHolder, address_of, set_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import error_responses
from leftbower.server.people.accounts import session_id
from leftbower.server.people.passkeys import Site, encode_base64url
from leftbower.store import Passkey, hash_token

router = APIRouter(tags=["accounts"], responses=error_responses(429, 503))


async def site_of(request: Request, context: Context) -> Site:
    """Where passkeys are good: as the operator says, or at the host that was asked; or NoPasskeys."""
    return context.site or Site.at(request.url.scheme, request.headers.get("host", ""))


Here = Annotated[Site, Depends(site_of)]


@router.get("/api/me/password", responses=error_responses(401, 403))
async def my_login(caller: AccountHolder, context: Context) -> Account:
    """The login under which you sign in by password, if you have one."""
    return Account(login=await context.accounts.login(caller.person))


@router.put("/api/me/password", responses=error_responses(401, 403, 409, 413, 422))
async def set_my_password(body: NewPassword, caller: AccountHolder, request: Request, context: Context) -> Account:
    """Get a login and a password, or others in their place; then the old password is needed. You stay who you are."""
    address = address_of(request)
    login = await context.accounts.set_password(caller.person, body.login, body.password, old=body.old, address=address)
    return Account(login=login)


@router.post("/api/sessions", status_code=201, responses=error_responses(403, 413, 422))
async def sign_in_by_password(body: ByPassword, request: Request, response: Response, context: Context) -> NewSession:
    """Come back as yourself: a new token, and the cookie. A wrong login is answered as a wrong password is."""
    person = await context.accounts.sign_in_with_password(body.login, body.password, address=address_of(request))
    return await _signed(person, request, response, context)


@router.post("/api/sessions/passkey-options", responses=error_responses(403))
async def ask_to_sign_in_by_passkey(site: Here, request: Request, context: Context) -> dict[str, Any]:
    """A challenge for any passkey of this site, for the browser's `parseRequestOptionsFromJSON`."""
    return await context.accounts.sign_in_options(site, address=address_of(request))


@router.post("/api/sessions/passkey", status_code=201, responses=error_responses(403, 413, 422))
async def sign_in_by_passkey(
    body: ByPasskey, site: Here, request: Request, response: Response, context: Context
) -> NewSession:
    """Come back as yourself, by a passkey that has signed the challenge."""
    person = await context.accounts.sign_in_with_passkey(site, body.credential, address=address_of(request))
    return await _signed(person, request, response, context)


@router.get("/api/me/sessions", responses=error_responses(401, 403))
async def my_sessions(caller: AccountHolder, context: Context) -> list[SessionView]:
    """Every token that acts for you, oldest first."""
    this = hash_token(caller.token)
    return [
        SessionView(
            id=session_id(one.token), created=one.created, seen=one.last_used, this=one.token == this, table=one.log
        )
        for one in await context.accounts.sessions(caller.person)
    ]


@router.delete("/api/me/sessions", status_code=204, responses=error_responses(401, 403))
async def end_my_other_sessions(caller: AccountHolder, context: Context) -> None:
    """End every token that acts for you but this one, those of seats too, and all your feeds."""
    await context.accounts.end_others(caller.person, caller.token)
    context.feeds.end_for_person(caller.person)


@router.delete("/api/me/sessions/{session}", status_code=204, responses=error_responses(401, 403, 404))
async def end_a_session(session: str, caller: AccountHolder, context: Context) -> None:
    """End one of them, and the feeds that it opened."""
    await context.accounts.end_session(caller.person, session)
    context.feeds.end_for_person(caller.person)


@router.get("/api/me/passkeys", responses=error_responses(401, 403))
async def my_passkeys(caller: AccountHolder, context: Context) -> list[PasskeyView]:
    """Every passkey that signs in for you, oldest first."""
    return [_shown(one) for one in await context.accounts.passkeys(caller.person)]


@router.post("/api/me/passkey-options", responses=error_responses(401, 403))
async def ask_for_a_passkey(caller: AccountHolder, site: Here, context: Context) -> dict[str, Any]:
    """A challenge for a new passkey, for the browser's `parseCreationOptionsFromJSON`."""
    return await context.accounts.registration_options(caller.person, site)


@router.post("/api/me/passkeys", status_code=201, responses=error_responses(401, 403, 409, 413, 422))
async def add_a_passkey(body: NewPasskey, caller: AccountHolder, site: Here, context: Context) -> PasskeyView:
    """Let a passkey that has signed the challenge sign in for you."""
    return _shown(await context.accounts.register(caller.person, site, body.credential, body.label))


@router.delete("/api/me/passkeys/{passkey}", status_code=204, responses=error_responses(401, 403, 404))
async def remove_a_passkey(passkey: str, caller: AccountHolder, context: Context) -> None:
    """Let a passkey sign in for you no more."""
    await context.accounts.remove_passkey(caller.person, passkey)


async def _signed(person: str, request: Request, response: Response, context: AppContext) -> NewSession:
    token = await context.people.create_token(person)
    set_cookie(request, response, token)
    return NewSession(person=person, name=await context.people.name(person), token=token)


def _shown(passkey: Passkey) -> PasskeyView:
    return PasskeyView(id=encode_base64url(passkey.id), label=passkey.label, created=passkey.created, used=passkey.used)
