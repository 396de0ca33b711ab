"""Errors as answers: one shape, a stable code, and the status that says whose fault it is.

No answer holds a card, a token or a name: what a client sent is not quoted back.
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
    """What is wrong, in one sentence."""

    code: str = Field(description="What is wrong, for programs; it never changes.")
    message: str
    place: str = Field(description="Where in the request it is wrong.")
    version: int | None = Field(None, description="The table's present version, where that matters.")


class ErrorResponse(BaseModel):
    """Every answer that is not what was asked for."""

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
"""The nearest class of an error decides; anything else that is wrong with the input is 422."""
Responses = dict[int | str, dict[str, Any]]
_WAIT: Final = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}, "required": True}}
ERROR_RESPONSES: Final[Responses] = {
    401: {"model": ErrorResponse, "description": "No token, or one that is no longer good."},
    403: {
        "model": ErrorResponse,
        "description": "Only the host may do this, the match was played by others, the token is for another seat, "
        "a password or passkey is wrong, or another site asks.",
    },
    404: {"model": ErrorResponse, "description": "There is no such thing."},
    409: {"model": ErrorResponse, "description": "Not now, not by the rules, or meant for another version."},
    413: {"model": ErrorResponse, "description": "The body is far longer than any honest one."},
    422: {"model": ErrorResponse, "description": "This cannot be read."},
    429: {"model": ErrorResponse, "description": "Too often; `Retry-After` says how long to wait.", "headers": _WAIT},
    503: {
        "model": ErrorResponse,
        "description": "The store takes nothing now, as its disk is full or it cannot be reached; or the log of this "
        "table or event was edited, and it is not served.",
        "headers": _WAIT,
    },
}
_log = logging.getLogger("leftbower.api")
_CARD: Final = re.compile(r"\b[9TJQKA][cdhs]\b")
_EDITED_SECONDS: Final = 3600
"""When to ask again for what an operator has to repair."""
_NO_STORE: Final = "the store cannot do this now; ask again"
_NOTHING_DONE: Final = {
    "store-full": "the disk is full: nothing was done, and nothing can be until there is room",
    "store-unreachable": "the database cannot be reached: what is asked may or may not have been done; ask again",
    "store-read-only": "the store may not be written: nothing was done",
    "log-edited": "the log was changed outside of the server, so this is not served; the operator has to look at it",
    "store-broken": "the disk of the store fails: nothing more is written until the operator has seen to it",
}
"""What the store itself says may name its place."""
_SENTENCES: Final = {
    "json_invalid": "this is not JSON",
    "missing": "this is missing",
    "extra_forbidden": "something here is not known",
    "union_tag_invalid": "there is no such ask",
    "union_tag_not_found": "this says not what is asked",
}
"""In place of sentences that quote what was sent."""


def error_responses(*statuses: int) -> Responses:
    """What a route says it may answer."""
    return {status: ERROR_RESPONSES[status] for status in statuses}


def status_of(error: LeftbowerError) -> int:
    """The status that an error is answered with."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 422)


def error_response(error: LeftbowerError, *, version: int | None = None) -> JSONResponse:
    """The answer."""
    current = error.current if isinstance(error, Stale | Conflict) else version
    status = status_of(error)
    plain = {"code": error.code, "message": error.message, "place": error.place}
    if status == 503:
        plain |= {"message": _NOTHING_DONE.get(error.code, _NO_STORE), "place": ""}
    elif isinstance(error, RuleViolation):
        plain |= {"message": _CARD.sub("that card", error.message)}
    return JSONResponse({"error": plain | ({} if current is None else {"version": current})}, status, _headers(error))


def _headers(error: LeftbowerError) -> dict[str, str] | None:
    match error:
        case TooOften():
            return {"Retry-After": str(max(1, ceil(error.wait)))}
        case NotSignedIn():
            return {"WWW-Authenticate": "Bearer"}
        case LogEdited():
            return {"Retry-After": str(_EDITED_SECONDS)}
        case StoreError() if status_of(error) == 503:
            return {"Retry-After": "1"}
        case _:
            return None


def handle_error(request: Request, error: LeftbowerError) -> JSONResponse:
    """The answer to a request, with the version of the table where one was found; trouble with the store is noticed."""
    trouble = status_of(error) == 503 and not isinstance(error, LogEdited)  # which was logged where it was found
    if trouble and not request.app.state.context.outage.report(error):
        log_error(_log, "the store failed", error)
    return error_response(error, version=getattr(request.state, "version", None))


def internal_error_response() -> JSONResponse:
    """The answer to what was asked well and went wrong."""
    plain = {"code": "error", "message": "the server failed at this, which is its fault and not yours", "place": ""}
    return JSONResponse({"error": plain}, 500)


def install_error_handlers(app: FastAPI) -> None:
    """Have every error answered in the one shape."""

    @app.exception_handler(LeftbowerError)
    async def _refused(request: Request, error: LeftbowerError) -> JSONResponse:
        return handle_error(request, error)

    @app.exception_handler(RequestValidationError)
    async def _unreadable(request: Request, error: RequestValidationError) -> JSONResponse:
        return error_response(validation_error(error))

    @app.exception_handler(ClientDisconnect)
    async def _incomplete(request: Request, error: ClientDisconnect) -> JSONResponse:
        """Keeps a disconnect from being logged as a failure of the server; the response goes nowhere."""
        return error_response(BadRequest("the request ended before its body did"))

    @app.exception_handler(HTTPException)
    async def _nothing(request: Request, error: HTTPException) -> JSONResponse:
        answer = error_response(
            _HTTP.get(error.status_code, BadRequest)(_SAYS.get(error.status_code, "this cannot be read"))
        )
        if error.status_code == 405:
            answer.headers["Allow"] = ", ".join(_allowed_methods(app, request.url.path)) or "GET"
        return answer

    @app.exception_handler(Exception)
    async def _failed(request: Request, error: Exception) -> JSONResponse:
        return internal_error_response()


_HTTP: Final[dict[int, type[LeftbowerError]]] = {404: NotFound, 405: WrongMethod, 413: TooLarge}
_SAYS: Final = {
    404: "there is nothing here",
    405: "this cannot be done here; `Allow` says what can",
    413: "this is far longer than any honest body",
}


def validation_error(error: RequestValidationError) -> BadRequest:
    """What is wrong with a request first of all, and where."""
    first = error.errors()[0]
    kind, place = first["type"], [str(part) for part in first["loc"]]
    known = place[:1] if kind == "json_invalid" else place[:-1] if kind == "extra_forbidden" else place
    says = str(first["msg"])
    return BadRequest(_SENTENCES.get(kind, says[:1].lower() + says[1:]), place=".".join(known)[:80])


def _allowed_methods(app: FastAPI, path: str) -> list[str]:
    """Every method that OpenAPI describes for a path, for the `Allow` header."""
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    templates = (template for template in paths if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path))
    return [method.upper() for template in templates for method in paths[template]]
