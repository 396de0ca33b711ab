"""Account routes: passwords, passkeys and sessions."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from leftbower.server.api.requests import RequestModel
from leftbower.server.api.responses import NewSession, ResponseModel
from leftbower.server.auth import AccountHolder, address_of, set_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import error_responses
from leftbower.server.people.accounts import session_id
from leftbower.server.people.passkeys import Site, encode_base64url
from leftbower.server.people.passwords import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from leftbower.store import Passkey, hash_token

router = APIRouter(tags=["accounts"], responses=error_responses(429, 503))
LoginName = Annotated[str, Field(min_length=1, max_length=40)]
Password = Annotated[str, Field(min_length=MIN_PASSWORD_LENGTH, max_length=MAX_PASSWORD_LENGTH)]
Credential = Annotated[dict[str, Any], Field(description="The result of `toJSON()` of the browser's credential.")]


class NewPassword(RequestModel):
    """A login and a password for the caller."""

    login: LoginName
    password: Password
    old: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)] | None = None
    """The current password, if there is one."""


class ByPassword(RequestModel):
    """A sign-in with a password."""

    login: LoginName
    password: Password


class NewPasskey(RequestModel):
    """A new passkey, created for a challenge of this server."""

    credential: Credential
    label: Annotated[str, Field(max_length=40)] = ""
    """The owner's name for it."""


class ByPasskey(RequestModel):
    """A sign-in with a passkey."""

    credential: Credential


class Account(ResponseModel):
    """How a person can sign in."""

    login: str | None = Field(description="The normalized login; null if there is no password.")


class SessionView(ResponseModel):
    """A token that acts for the person."""

    id: str = Field(description="The id of the session; not its token.")
    created: float = Field(description="Seconds since 1970.")
    last_used: float = Field(description="Seconds since 1970, accurate to about a minute.")
    this: bool = Field(description="Is this the session of the request?")
    table: str | None = Field(description="The only table where it acts; null for an account token.")


class PasskeyView(ResponseModel):
    """A passkey of the person."""

    id: str
    label: str
    created: float = Field(description="Seconds since 1970.")
    used: float | None = Field(description="The last sign-in with it, in seconds since 1970.")


async def site_of(request: Request, context: Context) -> Site:
    """The site of passkeys: the configured origin, or the host of the request; or NoPasskeys."""
    return context.site or Site.at(request.url.scheme, request.headers.get("host", ""))


PasskeySite = Annotated[Site, Depends(site_of)]


@router.get("/api/me/password", responses=error_responses(401, 403))
async def get_login(caller: AccountHolder, context: Context) -> Account:
    """Get your login; null if you have no password."""
    return Account(login=await context.accounts.login(caller.person))


@router.put("/api/me/password", responses=error_responses(401, 403, 409, 413, 422))
async def set_password(body: NewPassword, caller: AccountHolder, request: Request, context: Context) -> Account:
    """Set or change your login and password. A change needs the old password. You keep your name and tables."""
    address = address_of(request)
    login = await context.accounts.set_password(caller.person, body.login, body.password, old=body.old, address=address)
    return Account(login=login)


@router.post("/api/sessions", status_code=201, responses=error_responses(403, 413, 422))
async def sign_in_with_password(body: ByPassword, request: Request, response: Response, context: Context) -> NewSession:
    """Sign in with a password. Returns a new token and sets the session cookie. A wrong login and a wrong password get
    the same error."""
    person = await context.accounts.sign_in_with_password(body.login, body.password, address=address_of(request))
    return await _new_session(person, request, response, context)


@router.post("/api/sessions/passkey-options", responses=error_responses(403))
async def create_sign_in_challenge(site: PasskeySite, request: Request, context: Context) -> dict[str, Any]:
    """Create a challenge for any passkey of this site, for the browser's `parseRequestOptionsFromJSON`."""
    return await context.accounts.sign_in_options(site, address=address_of(request))


@router.post("/api/sessions/passkey", status_code=201, responses=error_responses(403, 413, 422))
async def sign_in_with_passkey(
    body: ByPasskey, site: PasskeySite, request: Request, response: Response, context: Context
) -> NewSession:
    """Sign in with a passkey that signed the challenge."""
    person = await context.accounts.sign_in_with_passkey(site, body.credential, address=address_of(request))
    return await _new_session(person, request, response, context)


@router.get("/api/me/sessions", responses=error_responses(401, 403))
async def list_sessions(caller: AccountHolder, context: Context) -> list[SessionView]:
    """List the tokens that act for you, oldest first."""
    current = hash_token(caller.token)
    return [
        SessionView(
            id=session_id(session.token),
            created=session.created,
            last_used=session.last_used,
            this=session.token == current,
            table=session.log,
        )
        for session in await context.accounts.sessions(caller.person)
    ]


@router.delete("/api/me/sessions", status_code=204, responses=error_responses(401, 403))
async def revoke_other_sessions(caller: AccountHolder, context: Context) -> None:
    """Revoke all your other tokens, including seat tokens, and end all your feeds."""
    await context.accounts.end_others(caller.person, caller.token)


@router.delete("/api/me/sessions/{session}", status_code=204, responses=error_responses(401, 403, 404))
async def revoke_session(session: str, caller: AccountHolder, context: Context) -> None:
    """Revoke one of your tokens and end all your feeds; clients with other tokens reconnect."""
    await context.accounts.end_session(caller.person, session)


@router.get("/api/me/passkeys", responses=error_responses(401, 403))
async def list_passkeys(caller: AccountHolder, context: Context) -> list[PasskeyView]:
    """List your passkeys, oldest first."""
    return [_passkey_view(passkey) for passkey in await context.accounts.passkeys(caller.person)]


@router.post("/api/me/passkey-options", responses=error_responses(401, 403))
async def create_passkey_challenge(caller: AccountHolder, site: PasskeySite, context: Context) -> dict[str, Any]:
    """Create a challenge for a new passkey, for the browser's `parseCreationOptionsFromJSON`."""
    return await context.accounts.registration_options(caller.person, site)


@router.post("/api/me/passkeys", status_code=201, responses=error_responses(401, 403, 409, 413, 422))
async def add_passkey(body: NewPasskey, caller: AccountHolder, site: PasskeySite, context: Context) -> PasskeyView:
    """Add a passkey that signed the challenge."""
    return _passkey_view(await context.accounts.register(caller.person, site, body.credential, body.label))


@router.delete("/api/me/passkeys/{passkey}", status_code=204, responses=error_responses(401, 403, 404))
async def remove_passkey(passkey: str, caller: AccountHolder, context: Context) -> None:
    """Remove a passkey."""
    await context.accounts.remove_passkey(caller.person, passkey)


async def _new_session(person: str, request: Request, response: Response, context: AppContext) -> NewSession:
    token = await context.people.create_token(person)
    set_cookie(request, response, token)
    return NewSession(person=person, name=await context.people.name(person), token=token)


def _passkey_view(passkey: Passkey) -> PasskeyView:
    return PasskeyView(id=encode_base64url(passkey.id), label=passkey.label, created=passkey.created, used=passkey.used)
