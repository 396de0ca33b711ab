"""Your own page: the name you play under, and for those who want one an account to come back to.

Nobody needs it to play. All of it but passkeys, which browsers keep for scripts, works without script.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import BadRequest, LeftbowerError, NoPasskeys, NotFound
from leftbower.server.accounts import session_id
from leftbower.server.answers import status_of
from leftbower.server.auth import Caller, SignedIn, Visitor, address_of, drop_cookie, set_cookie
from leftbower.server.desk import AtDesk, Desk
from leftbower.server.passkeys import spelled
from leftbower.server.passwords import LONGEST, SHORTEST
from leftbower.server.signing_in import site_of
from leftbower.store import hash_token
from leftbower.web.answering import PageRoute, form_of, page, says, wants_json
from leftbower.web.at_table import signed_in_or_guest

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, route_class=PageRoute)
_DONE: Final = {
    "name": "That is your name from now on.",
    "password": "Your password is set. Sign in with it wherever you like.",
    "passkey": "The passkey is kept. It signs you in from now on.",
    "passkey-removed": "That passkey signs in no more.",
    "ended": "Signed out there.",
}


@dataclass(frozen=True, slots=True)
class Kept:
    """One thing of a list: a session, or a passkey."""

    id: str
    label: str
    since: str
    used: str


@dataclass(frozen=True, slots=True)
class You:
    """Somebody, as their own page shows them."""

    name: str
    login: str | None
    sessions: tuple[Kept, ...]
    passkeys: tuple[Kept, ...]

    @property
    def can_come_back(self) -> bool:
        """Is there a way back for who signs out?"""
        return self.login is not None or bool(self.passkeys)


@router.get("/you")
async def you(request: Request, caller: Visitor, desk: AtDesk, done: str = "") -> HTMLResponse:
    """Whose browser this is, and what they may change of it."""
    return await _page(request, caller, desk, done=_DONE.get(done, ""))


@router.post("/you/{what}")
async def do(what: str, request: Request, caller: Visitor, desk: AtDesk) -> Response:
    """What one of the page's forms asks for; what is refused is said upon the same page."""
    form = await form_of(request)
    try:
        if what == "sign-in":
            return await _sign_in(request, desk, form)
        if what == "begin":
            return await _begin(request, caller, desk, form)
        return await _do(what, caller.signed_in(), request, desk, form)
    except LeftbowerError as error:
        if wants_json(request):
            raise
        return await _page(request, caller, desk, notice=says(error), status=status_of(error))


async def _sign_in(request: Request, desk: Desk, form: Mapping[str, str]) -> Response:
    login, password = form.get("login", ""), form.get("password", "")
    person = await desk.accounts.by_password(login, password, address=address_of(request))
    answer = RedirectResponse("/", 303)
    set_cookie(request, answer, await desk.people.token(person))
    return answer


async def _begin(request: Request, caller: Caller, desk: Desk, form: Mapping[str, str]) -> Response:
    """A name is enough; whoever has one keeps it."""
    _, token = await signed_in_or_guest(request, desk, caller, form.get("name", ""))
    answer = RedirectResponse("/you", 303)
    if token:
        set_cookie(request, answer, token)
    return answer


async def _do(what: str, caller: SignedIn, request: Request, desk: Desk, form: Mapping[str, str]) -> RedirectResponse:
    accounts, chosen, person = desk.accounts, form.get("id", ""), caller.person
    match what:
        case "name":
            await desk.people.rename(person, form.get("name", ""))
        case "password":
            login, password, old = form.get("login", ""), form.get("password", ""), form.get("old")
            await accounts.set_password(person, login, password, old=old, address=address_of(request))
        case "remove-passkey":
            await accounts.remove_passkey(person, chosen)
            return RedirectResponse("/you?done=passkey-removed", 303)
        case "end":
            await accounts.end_session(person, chosen)
            desk.feeds.dismiss(person)
            return RedirectResponse("/you?done=ended", 303)
        case "end-others":
            await accounts.end_others(person, caller.token)
            desk.feeds.dismiss(person)
            return RedirectResponse("/you?done=ended", 303)
        case "sign-out":
            await desk.revoke(person, caller.token)
            return _gone(request)
        case "erase":
            if form.get("sure") != "yes":
                raise BadRequest("tick the box if you mean it; nothing was erased")
            await desk.forget(person)
            return _gone(request)
        case _:
            raise NotFound("there is nothing here")
    return RedirectResponse(f"/you?done={what}", 303)


def _gone(request: Request) -> RedirectResponse:
    answer = RedirectResponse("/", 303)
    drop_cookie(request, answer)
    return answer


async def _page(
    request: Request, caller: Caller, desk: Desk, *, done: str = "", notice: str = "", status: int = 200
) -> HTMLResponse:
    try:
        await site_of(request, desk)
        passkeys = True
    except NoPasskeys:
        passkeys = False
    return page(
        request,
        "you.html",
        status=status,
        title="You" if caller.person else "Sign in",
        you=await _seen(caller, desk),
        passkeys=passkeys,
        done=done,
        notice=notice,
        shortest=SHORTEST,
        longest=LONGEST,
    )


async def _seen(caller: Caller, desk: Desk) -> You | None:
    if caller.person is None:
        return None
    this = hash_token(caller.token or "")
    return You(
        name=await desk.people.name(caller.person),
        login=await desk.accounts.login(caller.person),
        sessions=tuple(
            Kept(
                id="" if one.token == this else session_id(one.token),
                label="This browser" if one.token == this else "One seat at one table" if one.log else "Elsewhere",
                since=_when(one.created),
                used=_when(one.seen),
            )
            for one in await desk.accounts.sessions(caller.person)
        ),
        passkeys=tuple(
            Kept(id=spelled(one.id), label=one.label or "Passkey", since=_when(one.created), used=_when(one.used))
            for one in await desk.accounts.passkeys(caller.person)
        ),
    )


def _when(seconds: float | None) -> str:
    if seconds is None:
        return ""
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"
