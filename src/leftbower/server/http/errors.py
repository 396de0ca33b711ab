"""Error responses: one JSON shape, a stable code, and the status of each error class.

No error response holds a card, a token or a name: what a client sent is not quoted back.
"""

import logging
import re
from math import ceil
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

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
    UnknownTable,
    WrongMethod,
    WrongPassword,
)
from leftbower.server.observability.logs import log_error


class ErrorDetail(BaseModel):
    """An error, in one sentence."""

    code: str = Field(description="The kind of error, for programs; it never changes.")
    message: str
    path: str = Field(description="Where in the request the error is.")
    version: int | None = Field(None, description="The table's current version, where that matters.")


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
    BadPlan: 422,
    BadEntry: 422,
    BadScore: 422,
    BadMoney: 422,
    EventError: 409,
    StoreError: 503,
    BadHost: 400,
    Malformed: 422,
}
"""By the nearest base class of an error; 422 for all others."""
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
        "description": "The store takes nothing now, as its disk is full or it cannot be reached; or the log of this "
        "table or event was edited, and it is not served.",
        "headers": _RETRY_AFTER_HEADER,
    },
}
_log = logging.getLogger("leftbower.api")
_CARD: Final = re.compile(r"\b[9TJQKA][cdhs]\b")
_REPAIR_SECONDS: Final = 3600
"""Retry-After of what an operator has to repair."""
_STORE_MESSAGE: Final = "the store cannot do this now; ask again"
_STORE_MESSAGES: Final = {
    "store-full": "the disk is full: nothing was done, and nothing can be until there is room",
    "store-unreachable": "the database cannot be reached: what is asked may or may not have been done; ask again",
    "store-read-only": "the store may not be written: nothing was done",
    "log-edited": "the log was changed outside of the server, so this is not served; the operator has to look at it",
    "store-broken": "the disk of the store fails: nothing more is written until the operator has seen to it",
}
"""In place of the store's own messages, which may name its location."""
_VALIDATION_MESSAGES: Final = {
    "json_invalid": "this is not JSON",
    "missing": "this is missing",
    "extra_forbidden": "something here is not known",
    "union_tag_invalid": "there is no such ask",
    "union_tag_not_found": "this says not what is asked",
}
"""In place of pydantic's messages that quote the input."""


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
        body |= {"message": _STORE_MESSAGES.get(error.code, _STORE_MESSAGE), "path": ""}
    elif isinstance(error, RuleViolation):
        body |= {"message": _CARD.sub("that card", error.message)}
    return JSONResponse({"error": body | ({} if current is None else {"version": current})}, status, _headers(error))


def _headers(error: LeftbowerError) -> dict[str, str] | None:
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
            return None


def handle_error(request: Request, error: LeftbowerError) -> JSONResponse:
    """The error response with the version of the table, if one was found; reports errors of the store."""
    is_outage = status_of(error) == 503 and not isinstance(error, LogEdited)  # which was logged where it was found
    if is_outage and not request.app.state.context.outage.report(error):
        log_error(_log, "the store failed", error)
    return error_response(error, version=getattr(request.state, "version", None))


def internal_error_response() -> JSONResponse:
    """The response to an unexpected exception."""
    body = {"code": "error", "message": "the server failed at this, which is its fault and not yours", "path": ""}
    return JSONResponse({"error": body}, 500)


def install_error_handlers(app: FastAPI) -> None:
    """Return an `ErrorResponse` for every exception."""

    @app.exception_handler(LeftbowerError)
    async def _handle_error(request: Request, error: LeftbowerError) -> JSONResponse:
        return handle_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def _handle_validation_error(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(validation_error(error))

    @app.exception_handler(ClientDisconnect)
    async def _handle_disconnect(request: Request, error: ClientDisconnect) -> JSONResponse:
        """Keeps a disconnect from being logged as a failure of the server; the response goes nowhere."""
        return error_response(BadRequest("the request ended before its body did"))

    @app.exception_handler(HTTPException)
    async def _handle_http_exception(request: Request, error: HTTPException) -> JSONResponse:
        message = _HTTP_MESSAGES.get(error.status_code, "this cannot be read")
        response = error_response(_HTTP_ERRORS.get(error.status_code, BadRequest)(message))
        if error.status_code == 405:
            response.headers["Allow"] = ", ".join(_allowed_methods(app, request.url.path)) or "GET"
        return response

    @app.exception_handler(Exception)
    async def _handle_exception(request: Request, error: Exception) -> JSONResponse:
        return internal_error_response()


_HTTP_ERRORS: Final[dict[int, type[LeftbowerError]]] = {404: NotFound, 405: WrongMethod, 413: TooLarge}
_HTTP_MESSAGES: Final = {
    404: "there is nothing here",
    405: "this cannot be done here; `Allow` says what can",
    413: "this is far longer than any honest body",
}


def validation_error(error: RequestValidationError) -> BadRequest:
    """The first error of a request, and where it is."""
    first = error.errors()[0]
    kind, path = first["type"], [str(part) for part in first["loc"]]
    known = path[:1] if kind == "json_invalid" else path[:-1] if kind == "extra_forbidden" else path
    message = str(first["msg"])
    return BadRequest(_VALIDATION_MESSAGES.get(kind, message[:1].lower() + message[1:]), path=".".join(known)[:80])


def _allowed_methods(app: FastAPI, path: str) -> list[str]:
    """Every method that OpenAPI describes for a path, for the `Allow` header."""
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    templates = (template for template in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path))
    return [method.upper() for template in templates for method in paths[template]]
