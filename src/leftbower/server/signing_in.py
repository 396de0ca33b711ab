"""The routes of accounts: passwords, passkeys and sessions."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from leftbower.server.account_forms import (
    Account,
    ByPasskey,
    ByPassword,
    NewPasskey,
    NewPassword,
    PasskeyShown,
    SessionShown,
)
from leftbower.server.accounts import session_id
from leftbower.server.answers import refusals
from leftbower.server.auth import AccountHolder, address_of, set_cookie
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.passkeys import Site, spelled
from leftbower.server.shapes import Signed
from leftbower.store import Passkey, hash_token

router = APIRouter(tags=["accounts"], responses=refusals(429, 503))


async def site_of(request: Request, desk: AtDesk) -> Site:
    """Where passkeys are good: as the operator says, or at the host that was asked; or NoPasskeys."""
    return desk.site or Site.at(request.url.scheme, request.headers.get("host", ""))


Here = Annotated[Site, Depends(site_of)]


@router.get("/api/me/password", responses=refusals(401, 403))
async def my_login(caller: AccountHolder, desk: AtDesk) -> Account:
    """The login under which you sign in by password, if you have one."""
    return Account(login=await desk.accounts.login(caller.person))


@router.put("/api/me/password", responses=refusals(401, 403, 409, 413, 422))
async def set_my_password(body: NewPassword, caller: AccountHolder, request: Request, desk: AtDesk) -> Account:
    """Get a login and a password, or others in their place; then the old password is needed. You stay who you are."""
    address = address_of(request)
    login = await desk.accounts.set_password(caller.person, body.login, body.password, old=body.old, address=address)
    return Account(login=login)


@router.post("/api/sessions", status_code=201, responses=refusals(403, 413, 422))
async def sign_in_by_password(body: ByPassword, request: Request, response: Response, desk: AtDesk) -> Signed:
    """Come back as yourself: a new token, and the cookie. A wrong login is answered as a wrong password is."""
    person = await desk.accounts.by_password(body.login, body.password, address=address_of(request))
    return await _signed(person, request, response, desk)


@router.post("/api/sessions/passkey-options", responses=refusals(403))
async def ask_to_sign_in_by_passkey(site: Here, request: Request, desk: AtDesk) -> dict[str, Any]:
    """A challenge for any passkey of this site, for the browser's `parseRequestOptionsFromJSON`."""
    return await desk.accounts.ask_to_sign_in(site, address=address_of(request))


@router.post("/api/sessions/passkey", status_code=201, responses=refusals(403, 413, 422))
async def sign_in_by_passkey(body: ByPasskey, site: Here, request: Request, response: Response, desk: AtDesk) -> Signed:
    """Come back as yourself, by a passkey that has signed the challenge."""
    person = await desk.accounts.by_passkey(site, body.credential, address=address_of(request))
    return await _signed(person, request, response, desk)


@router.get("/api/me/sessions", responses=refusals(401, 403))
async def my_sessions(caller: AccountHolder, desk: AtDesk) -> list[SessionShown]:
    """Every token that acts for you, oldest first."""
    this = hash_token(caller.token)
    return [
        SessionShown(
            id=session_id(one.token), created=one.created, seen=one.seen, this=one.token == this, table=one.log
        )
        for one in await desk.accounts.sessions(caller.person)
    ]


@router.delete("/api/me/sessions", status_code=204, responses=refusals(401, 403))
async def end_my_other_sessions(caller: AccountHolder, desk: AtDesk) -> None:
    """End every token that acts for you but this one, those of seats too, and all your feeds."""
    await desk.accounts.end_others(caller.person, caller.token)
    desk.feeds.dismiss(caller.person)


@router.delete("/api/me/sessions/{session}", status_code=204, responses=refusals(401, 403, 404))
async def end_a_session(session: str, caller: AccountHolder, desk: AtDesk) -> None:
    """End one of them, and the feeds that it opened."""
    await desk.accounts.end_session(caller.person, session)
    desk.feeds.dismiss(caller.person)


@router.get("/api/me/passkeys", responses=refusals(401, 403))
async def my_passkeys(caller: AccountHolder, desk: AtDesk) -> list[PasskeyShown]:
    """Every passkey that signs in for you, oldest first."""
    return [_shown(one) for one in await desk.accounts.passkeys(caller.person)]


@router.post("/api/me/passkey-options", responses=refusals(401, 403))
async def ask_for_a_passkey(caller: AccountHolder, site: Here, desk: AtDesk) -> dict[str, Any]:
    """A challenge for a new passkey, for the browser's `parseCreationOptionsFromJSON`."""
    return await desk.accounts.ask_to_register(caller.person, site)


@router.post("/api/me/passkeys", status_code=201, responses=refusals(401, 403, 409, 413, 422))
async def add_a_passkey(body: NewPasskey, caller: AccountHolder, site: Here, desk: AtDesk) -> PasskeyShown:
    """Let a passkey that has signed the challenge sign in for you."""
    return _shown(await desk.accounts.register(caller.person, site, body.credential, body.label))


@router.delete("/api/me/passkeys/{passkey}", status_code=204, responses=refusals(401, 403, 404))
async def remove_a_passkey(passkey: str, caller: AccountHolder, desk: AtDesk) -> None:
    """Let a passkey sign in for you no more."""
    await desk.accounts.remove_passkey(caller.person, passkey)


async def _signed(person: str, request: Request, response: Response, desk: Desk) -> Signed:
    token = await desk.people.token(person)
    set_cookie(request, response, token)
    return Signed(person=person, name=await desk.people.name(person), token=token)


def _shown(passkey: Passkey) -> PasskeyShown:
    return PasskeyShown(id=spelled(passkey.id), label=passkey.label, created=passkey.created, used=passkey.used)
