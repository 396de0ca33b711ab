"""The account page: display name, password, passkeys, sessions and erasure.

Playing needs no account. Everything except passkeys, which need a browser API, works without script.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from leftbower.errors import BadRequest, LeftbowerError, NoPasskeys, NotFound
from leftbower.i18n import gettext, gettext_noop
from leftbower.server.api.accounts import site_of
from leftbower.server.api.names import rename
from leftbower.server.auth import Caller, SignedIn, Visitor, address_of, drop_cookie, set_cookie
from leftbower.server.context import AppContext, Context
from leftbower.server.http.errors import report_store_error, status_of
from leftbower.server.http.form_data import parse_urlencoded, wants_json
from leftbower.server.people.accounts import session_id
from leftbower.server.people.passkeys import encode_base64url
from leftbower.server.people.passwords import MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH
from leftbower.store import hash_token
from leftbower.web.responses import message_for, page_router, render_page

router = page_router()
_DONE_MESSAGES: Final = {
    "name": gettext_noop("Your name is changed."),
    "password": gettext_noop("Your password is set. You can sign in on any device."),
    "passkey": gettext_noop("Your passkey is ready. You can sign in with it now."),
    "remove-passkey": gettext_noop("The passkey is removed."),
    "end": gettext_noop("That device is signed out."),
    "end-others": gettext_noop("All other devices are signed out."),
}


@dataclass(frozen=True, slots=True)
class CredentialRow:
    """A session or a passkey in a list."""

    id: str
    label: str
    since: str
    used: str


@dataclass(frozen=True, slots=True)
class AccountViewModel:
    name: str
    login: str | None
    sessions: tuple[CredentialRow, ...]
    passkeys: tuple[CredentialRow, ...]

    @property
    def can_sign_in_again(self) -> bool:
        """Is there a password or passkey to sign in with after signing out?"""
        return self.login is not None or bool(self.passkeys)


@router.get("/account")
async def get_account(request: Request, caller: Visitor, context: Context, done: str = "") -> HTMLResponse:
    """The account page, or the sign-in forms for an anonymous caller."""
    return await _render_account(
        request, caller, context, done=gettext(_DONE_MESSAGES[done]) if done in _DONE_MESSAGES else ""
    )


@router.post("/account/{action}")
async def post_account(action: str, request: Request, caller: Visitor, context: Context) -> Response:
    """Run the action of a form; an error is shown on the account page."""
    form = parse_urlencoded(await request.body())
    try:
        if action == "sign-in":
            return await _sign_in(request, context, form)
        if action == "begin":
            return await _create_guest(request, caller, context, form)
        return await _run_action(action, caller.signed_in(), request, context, form)
    except LeftbowerError as error:
        if wants_json(request):
            raise
        report_store_error(request, error)
        return await _render_account(request, caller, context, notice=message_for(error), status=status_of(error))


async def _sign_in(request: Request, context: AppContext, form: Mapping[str, str]) -> Response:
    login, password = form.get("login", ""), form.get("password", "")
    person = await context.accounts.sign_in_with_password(login, password, address=address_of(request))
    response = RedirectResponse("/", 303)
    set_cookie(request, response, await context.people.create_token(person))
    return response


async def _create_guest(request: Request, caller: Caller, context: AppContext, form: Mapping[str, str]) -> Response:
    """Create a guest with this name; a signed-in caller keeps the name."""
    signed = await context.auth.signed_in_or_guest(request, caller, form.get("name", ""))
    response = RedirectResponse("/account", 303)
    if signed.is_new:
        set_cookie(request, response, signed.token)
    return response


async def _run_action(
    action: str, caller: SignedIn, request: Request, context: AppContext, form: Mapping[str, str]
) -> RedirectResponse:
    accounts, credential_id, person = context.accounts, form.get("id", ""), caller.person
    match action:
        case "name":
            await rename(context, person, form.get("name", ""))
        case "password":
            login, password, old = form.get("login", ""), form.get("password", ""), form.get("old")
            await accounts.set_password(person, login, password, old=old, address=address_of(request))
        case "remove-passkey":
            await accounts.remove_passkey(person, credential_id)
        case "end":
            await accounts.end_session(person, credential_id)
        case "end-others":
            await accounts.end_others(person, caller.token)
        case "sign-out":
            await context.people.revoke(person, caller.token)
            return _redirect_signed_out(request)
        case "erase":
            if form.get("sure") != "yes":
                raise BadRequest("check the box to delete your account; nothing was deleted")
            await context.person_tables.leave_all(person)
            await context.people.erase(person)
            return _redirect_signed_out(request)
        case _:
            raise NotFound("page not found")
    return RedirectResponse(f"/account?done={action}", 303)


def _redirect_signed_out(request: Request) -> RedirectResponse:
    response = RedirectResponse("/", 303)
    drop_cookie(request, response)
    return response


async def _render_account(
    request: Request, caller: Caller, context: AppContext, *, done: str = "", notice: str = "", status: int = 200
) -> HTMLResponse:
    try:
        await site_of(request, context)
        passkeys = True
    except NoPasskeys:
        passkeys = False
    return render_page(
        request,
        "account/page.html",
        status=status,
        title=gettext("Your account") if caller.person else gettext("Sign in"),
        account=await _account_view_model(caller, context),
        passkeys=passkeys,
        done=done,
        notice=notice,
        min_length=MIN_PASSWORD_LENGTH,
        max_length=MAX_PASSWORD_LENGTH,
    )


async def _account_view_model(caller: Caller, context: AppContext) -> AccountViewModel | None:
    if caller.person is None:
        return None
    current_token_hash = hash_token(caller.token or "")
    return AccountViewModel(
        name=await context.people.name(caller.person),
        login=await context.accounts.login(caller.person),
        sessions=tuple(
            CredentialRow(
                id="" if session.token == current_token_hash else session_id(session.token),
                label=gettext("This browser")
                if session.token == current_token_hash
                else gettext("One seat at one table")
                if session.log
                else gettext("Another device"),
                since=_format_time(session.created),
                used=_format_time(session.last_used),
            )
            for session in await context.accounts.sessions(caller.person)
        ),
        passkeys=tuple(
            CredentialRow(
                id=encode_base64url(passkey.id),
                label=passkey.label or gettext("Passkey"),
                since=_format_time(passkey.created),
                used=_format_time(passkey.used),
            )
            for passkey in await context.accounts.passkeys(caller.person)
        ),
    )


def _format_time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    moment = datetime.fromtimestamp(seconds, UTC)
    # Translators: month/day/year, the hour of a 24-hour clock and minutes
    return gettext(
        "%(month)s/%(day)s/%(year)s, %(time)s UTC",
        month=moment.month,
        day=moment.day,
        year=moment.year,
        time=f"{moment:%H:%M}",
    )
