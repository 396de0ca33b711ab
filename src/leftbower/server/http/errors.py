"""Error responses: one JSON shape, stable codes, and the HTTP status of each error class.

No error response contains a card, a token or a name, so client input is never quoted.
"""

import logging
import re
from math import ceil
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from leftbower.errors import (
    BadEntry,
    BadHost,
    BadMoney,
    BadPlan,
    BadRequest,
    BadScore,
    Conflict,
    CrossSite,
    EventError,
    LeftbowerError,
    LinkRevoked,
    LogEdited,
    LoginTaken,
    Malformed,
    NoPasskeys,
    NotFound,
    NotSignedIn,
    NotTheHost,
    NotYourMatch,
    NotYourRole,
    NotYourTable,
    PasskeyRefused,
    QuotaExceeded,
    RuleViolation,
    SeatOnly,
    Stale,
    StoreError,
    TableError,
    TooLarge,
    TooOften,
    UnknownEvent,
    UnknownLink,
    UnknownMatch,
    UnknownSeason,
    UnknownTable,
    WrongMethod,
    WrongPassword,
)
from leftbower.i18n import gettext, gettext_noop
from leftbower.server.observability.logs import log_error


class ErrorDetail(BaseModel):
    """An error, in one sentence."""

    code: str = Field(description="The kind of error, for programs; codes never change.")
    message: str
    path: str = Field(description="The part of the request with the error.")
    version: int | None = Field(None, description="The table's current version, if that matters.")


class ErrorResponse(BaseModel):
    """The body of every error response."""

    error: ErrorDetail


STATUS: Final[dict[type[LeftbowerError], int]] = {
    NotSignedIn: 401,
    NotTheHost: 403,
    SeatOnly: 403,
    NotYourMatch: 403,
    CrossSite: 403,
    WrongPassword: 403,
    PasskeyRefused: 403,
    NoPasskeys: 403,
    LoginTaken: 409,
    QuotaExceeded: 409,
    NotFound: 404,
    UnknownTable: 404,
    UnknownMatch: 404,
    UnknownLink: 404,
    WrongMethod: 405,
    TooLarge: 413,
    TooOften: 429,
    RuleViolation: 409,
    TableError: 409,
    Conflict: 409,
    NotYourRole: 403,
    NotYourTable: 403,
    LinkRevoked: 403,
    UnknownEvent: 404,
    UnknownSeason: 404,
    BadPlan: 422,
    BadEntry: 422,
    BadScore: 422,
    BadMoney: 422,
    EventError: 409,
    StoreError: 503,
    BadHost: 400,
    Malformed: 422,
}
"""HTTP status by the nearest base class of an error; 422 for all others."""
Responses = dict[int | str, dict[str, Any]]
_RETRY_AFTER_HEADER: Final = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}, "required": True}
}
ERROR_RESPONSES: Final[Responses] = {
    401: {"model": ErrorResponse, "description": "No token, or an invalid one."},
    403: {
        "model": ErrorResponse,
        "description": "Only the host may do this, the match was played by others, the token is for another seat, "
        "a password or passkey is wrong, or the request is cross-site.",
    },
    404: {"model": ErrorResponse, "description": "Not found."},
    409: {"model": ErrorResponse, "description": "Not now, not by the rules, or meant for another version."},
    413: {"model": ErrorResponse, "description": "The body is too large."},
    422: {"model": ErrorResponse, "description": "The request is malformed."},
    429: {
        "model": ErrorResponse,
        "description": "Too many requests; `Retry-After` says how long to wait.",
        "headers": _RETRY_AFTER_HEADER,
    },
    503: {
        "model": ErrorResponse,
        "description": "The store can't be written: its disk is full or it can't be reached; or the log of this "
        "table or event was edited, so it isn't served.",
        "headers": _RETRY_AFTER_HEADER,
    },
}
_log = logging.getLogger("leftbower.api")
_CARD: Final = re.compile(r"\b[9TJQKA][cdhs]\b")
_REPAIR_SECONDS: Final = 3600
"""Retry-After if an operator must fix the problem."""
_STORE_MESSAGE: Final = gettext_noop("the store can't do this now; try again")
_STORE_MESSAGES: Final = {
    "store-full": gettext_noop("the server's disk is full; nothing was done"),
    "store-unreachable": gettext_noop("can't reach the database; check whether this was done, then try again"),
    "store-read-only": gettext_noop("the store is read-only; nothing was done"),
    "log-edited": gettext_noop("the log was changed outside the server and isn't served; tell the operator"),
    "store-broken": gettext_noop("the server's disk is failing; nothing is written until the operator fixes it"),
}
"""Used instead of the store's messages, which may name its location."""
_VALIDATION_MESSAGES: Final = {
    "json_invalid": gettext_noop("this is not JSON"),
    "missing": gettext_noop("this field is missing"),
    "extra_forbidden": gettext_noop("there is an unknown field"),
    "union_tag_invalid": gettext_noop("unknown command"),
    "union_tag_not_found": gettext_noop("the command is missing"),
}
"""Used instead of pydantic's messages, which quote the input."""


def error_responses(*statuses: int) -> Responses:
    """The error responses of a route, for OpenAPI."""
    return {status: ERROR_RESPONSES[status] for status in statuses}


def status_of(error: LeftbowerError) -> int:
    """The HTTP status of an error."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 422)


def error_response(error: LeftbowerError, *, version: int | None = None) -> JSONResponse:
    """The response to a request that failed with this error."""
    current = error.current if isinstance(error, Stale | Conflict) else version
    status = status_of(error)
    body = {"code": error.code, "message": error.message, "path": error.path}
    if status == 503:
        body |= {"message": gettext(_STORE_MESSAGES.get(error.code, _STORE_MESSAGE)), "path": ""}
    elif isinstance(error, RuleViolation):
        body |= {"message": _CARD.sub("that card", error.message)}
    return JSONResponse({"error": body | ({} if current is None else {"version": current})}, status, _headers(error))


def _headers(error: LeftbowerError) -> dict[str, str]:
    match error:
        case TooOften():
            return {"Retry-After": str(max(1, ceil(error.wait)))}
        case NotSignedIn():
            return {"WWW-Authenticate": "Bearer"}
        case LogEdited():
            return {"Retry-After": str(_REPAIR_SECONDS)}
        case StoreError() if status_of(error) == 503:
            return {"Retry-After": "1"}
        case _:
            return {}


def respond(request: Request, error: LeftbowerError) -> Response:
    """The response to a failed request: JSON, or an error page if the application has pages and the client accepts
    HTML.

    The JSON has the version of the table, if it is known.
    """
    report_store_error(request, error)
    page: Response | None = request.app.state.error_page(request, error)
    if page is None:
        return error_response(error, version=getattr(request.state, "version", None))
    page.headers.update(_headers(error))
    return page


def report_store_error(request: Request, error: LeftbowerError) -> None:
    """Log a store error and start probing the store; every error response calls this first."""
    is_outage = status_of(error) == 503 and not isinstance(error, LogEdited)  # logged where it was found
    if is_outage and not request.app.state.context.outage.report(error):
        log_error(_log, "the store failed", error)


def install_error_handlers(app: FastAPI) -> None:
    """Return an `ErrorResponse` for every exception, or a page if `app.state.error_page` returns one."""
    app.state.error_page = lambda request, error: None
    for kind in (LeftbowerError, RequestValidationError, ClientDisconnect, HTTPException):
        app.add_exception_handler(kind, _handle)
    app.add_exception_handler(Exception, _handle_unexpected)


async def _handle(request: Request, exception: Exception) -> Response:
    match exception:
        case LeftbowerError():
            return respond(request, exception)
        case RequestValidationError():
            return respond(request, validation_error(exception))
        case HTTPException(status_code=404):
            return respond(request, NotFound("page not found"))
        case HTTPException(status_code=405):
            response = respond(request, WrongMethod("this method isn't allowed here; see the Allow header"))
            response.headers["Allow"] = ", ".join(_allowed_methods(request))
            return response
        case HTTPException(status_code=413):
            return respond(request, TooLarge("the request is too large"))
        case ClientDisconnect():  # not a server failure, so not logged; no one gets the response
            return respond(request, BadRequest("the request ended too early; send it again"))
        case _:
            return respond(request, BadRequest("the request can't be read"))


async def _handle_unexpected(request: Request, exception: Exception) -> JSONResponse:
    body = {"code": "error", "message": gettext("the server failed; this is not your fault"), "path": ""}
    return JSONResponse({"error": body}, 500)


def validation_error(error: RequestValidationError) -> BadRequest:
    """The first validation error of a request, with its path."""
    first = error.errors()[0]
    kind, path = first["type"], [str(part) for part in first["loc"]]
    known = path[:1] if kind == "json_invalid" else path[:-1] if kind == "extra_forbidden" else path
    message = str(first["msg"])
    return BadRequest(_VALIDATION_MESSAGES.get(kind, message[:1].lower() + message[1:]), path=".".join(known)[:80])


def _allowed_methods(request: Request) -> list[str]:
    """All methods that some route has for the path."""
    scopes = [{**request.scope, "method": method} for method in ("GET", "POST", "PUT", "PATCH", "DELETE")]
    return [
        scope["method"]
        for scope in scopes
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    ]
