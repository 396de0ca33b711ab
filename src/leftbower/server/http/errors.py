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

from leftbower import errors
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


STATUS: Final[dict[type[errors.LeftbowerError], int]] = {
    errors.NotSignedIn: 401,
    errors.NotTheHost: 403,
    errors.SeatOnly: 403,
    errors.NotYourMatch: 403,
    errors.CrossSite: 403,
    errors.WrongPassword: 403,
    errors.PasskeyRefused: 403,
    errors.NoPasskeys: 403,
    errors.LoginTaken: 409,
    errors.QuotaExceeded: 409,
    errors.NotFound: 404,
    errors.UnknownTable: 404,
    errors.UnknownMatch: 404,
    errors.UnknownLink: 404,
    errors.WrongMethod: 405,
    errors.TooLarge: 413,
    errors.TooOften: 429,
    errors.RuleViolation: 409,
    errors.TableError: 409,
    errors.Conflict: 409,
    errors.NotYourRole: 403,
    errors.NotYourTable: 403,
    errors.LinkRevoked: 403,
    errors.UnknownEvent: 404,
    errors.UnknownSeason: 404,
    errors.BadPlan: 422,
    errors.BadEntry: 422,
    errors.BadScore: 422,
    errors.BadMoney: 422,
    errors.EventError: 409,
    errors.StoreError: 503,
    errors.BadHost: 400,
    errors.Malformed: 422,
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


def status_of(error: errors.LeftbowerError) -> int:
    """The HTTP status of an error."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 422)


def error_response(error: errors.LeftbowerError, *, version: int | None = None) -> JSONResponse:
    """The response to a request that failed with this error."""
    current = error.current if isinstance(error, errors.Stale | errors.Conflict) else version
    status = status_of(error)
    body = {"code": error.code, "message": error.message, "path": error.path}
    if status == 503:
        body |= {"message": gettext(_STORE_MESSAGES.get(error.code, _STORE_MESSAGE)), "path": ""}
    elif isinstance(error, errors.RuleViolation):
        body |= {"message": _CARD.sub("that card", error.message)}
    return JSONResponse({"error": body | ({} if current is None else {"version": current})}, status, _headers(error))


def _headers(error: errors.LeftbowerError) -> dict[str, str]:
    match error:
        case errors.TooOften():
            return {"Retry-After": str(max(1, ceil(error.wait)))}
        case errors.NotSignedIn():
            return {"WWW-Authenticate": "Bearer"}
        case errors.LogEdited():
            return {"Retry-After": str(_REPAIR_SECONDS)}
        case errors.StoreError() if status_of(error) == 503:
            return {"Retry-After": "1"}
        case _:
            return {}


def respond(request: Request, error: errors.LeftbowerError) -> Response:
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


def report_store_error(request: Request, error: errors.LeftbowerError) -> None:
    """Log a store error and start probing the store; every error response calls this first."""
    is_outage = status_of(error) == 503 and not isinstance(error, errors.LogEdited)  # logged where it was found
    if is_outage and not request.app.state.context.outage.report(error):
        log_error(_log, "the store failed", error)


def install_error_handlers(app: FastAPI) -> None:
    """Return an `ErrorResponse` for every exception, or a page if `app.state.error_page` returns one."""
    app.state.error_page = lambda request, error: None
    for kind in (errors.LeftbowerError, RequestValidationError, ClientDisconnect, HTTPException):
        app.add_exception_handler(kind, _handle)
    app.add_exception_handler(Exception, _handle_unexpected)


async def _handle(request: Request, exception: Exception) -> Response:
    match exception:
        case errors.LeftbowerError():
            return respond(request, exception)
        case RequestValidationError():
            return respond(request, validation_error(exception))
        case HTTPException(status_code=404):
            return respond(request, errors.NotFound("page not found"))
        case HTTPException(status_code=405):
            response = respond(request, errors.WrongMethod("this method isn't allowed here; see the Allow header"))
            response.headers["Allow"] = ", ".join(_allowed_methods(request))
            return response
        case HTTPException(status_code=413):
            return respond(request, errors.TooLarge("the request is too large"))
        case ClientDisconnect():  # not a server failure, so not logged; no one gets the response
            return respond(request, errors.BadRequest("the request ended too early; send it again"))
        case _:
            return respond(request, errors.BadRequest("the request can't be read"))


async def _handle_unexpected(request: Request, exception: Exception) -> JSONResponse:
    body = {"code": "error", "message": gettext("the server failed; this is not your fault"), "path": ""}
    return JSONResponse({"error": body}, 500)


def validation_error(error: RequestValidationError) -> errors.BadRequest:
    """The first validation error of a request, with its path."""
    first = error.errors()[0]
    kind, path = first["type"], [str(part) for part in first["loc"]]
    known = path[:1] if kind == "json_invalid" else path[:-1] if kind == "extra_forbidden" else path
    message = str(first["msg"])
    return errors.BadRequest(
        _VALIDATION_MESSAGES.get(kind, message[:1].lower() + message[1:]), path=".".join(known)[:80]
    )


def _allowed_methods(request: Request) -> list[str]:
    """All methods that some route has for the path."""
    scopes = [{**request.scope, "method": method} for method in ("GET", "POST", "PUT", "PATCH", "DELETE")]
    return [
        scope["method"]
        for scope in scopes
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    ]
