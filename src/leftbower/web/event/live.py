"""Helpers for an event's live pages: stream rendered fragments and respond to forms."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from leftbower.errors import LeftbowerError, NotYourRole, Stale
from leftbower.i18n import gettext as _
from leftbower.server.auth import address_of
from leftbower.server.context import AppContext
from leftbower.server.feeds.hub import parse_version
from leftbower.server.http.errors import error_response, report_store_error, status_of
from leftbower.server.http.form_data import wants_json
from leftbower.server.http.sse import EventStream
from leftbower.tournament.model.state import Event
from leftbower.web.event.links import request_role, role_limit_key, session_token
from leftbower.web.render import render_fragment
from leftbower.web.responses import message_for, render_page

BuildContext = Callable[[Event], Awaitable[dict[str, Any]]]
RenderFragment = Callable[[Event], Awaitable[str]]
"""Renders the live fragment of a page as one line."""
VersionOf = Callable[[Event], int]
"""The version of the event at which the page last changed."""


async def stream_template(
    context: AppContext,
    request: Request,
    name: str,
    template: str,
    build_context: BuildContext,
    *,
    version_of: VersionOf,
    version: str,
    min_interval: float = 0.0,
) -> EventStream:
    """Stream a template as one line of HTML whenever `version_of` grows."""

    async def render(event: Event) -> str:
        return render_fragment(template, **await build_context(event))

    return await stream_fragment(
        context, request, name, render, version_of=version_of, version=version, min_interval=min_interval
    )


async def stream_fragment(
    context: AppContext,
    request: Request,
    name: str,
    render_fragment_for: RenderFragment,
    *,
    version_of: VersionOf,
    version: str,
    min_interval: float = 0.0,
) -> EventStream:
    """Like `stream_template`, with a renderer that may cache its fragments for all readers."""
    last_seen = parse_version(request.headers.get("last-event-id") or version)
    state = await context.events.get(name, min_version=last_seen or 0)
    role, token, sent_version = request_role(request), session_token(request), last_seen or 0

    async def render(event: Event) -> bytes:
        nonlocal sent_version
        if version_of(event) <= sent_version:
            return b""
        if role is not None and await context.events.role(name, token) != role:  # an ended link raises LinkRevoked
            raise NotYourRole("your session has ended; open your link again")
        sent_version = event.version
        return (await render_fragment_for(event)).encode()

    return EventStream(
        context.event_feeds.listen(
            name,
            None,
            lambda: context.events.get(name),
            render,
            since=state.version,
            last_seen=last_seen,
            reader=address_of(request) if role is None else role_limit_key(name, role),
            max_feeds=context.limits.feeds_per_address if role is None else context.limits.feeds_per_person,
            min_interval=min_interval,
        )
    )


async def respond_to_error(
    request: Request,
    error: LeftbowerError,
    render: Callable[..., Awaitable[Response]],
    current_state: Callable[[], Awaitable[object]],
) -> Response:
    """The page with the error for a form, or JSON for a script; an outdated version gets a 409 with `current_state`."""
    report_store_error(request, error)
    error.message = event_message_for(error)
    if not wants_json(request):
        return await render(notice=error.message, status=status_of(error))
    response = error_response(error)
    if response.status_code != 409:
        return response
    current = error.current if isinstance(error, Stale) else None
    detail = {"code": error.code, "message": error.message, "path": error.path, "version": current}
    return JSONResponse({"error": detail, "now": await current_state()}, 409)


def event_message_for(error: LeftbowerError) -> str:
    if isinstance(error, Stale):
        return _("Someone else just changed this. Here is the current version.")
    message = message_for(error)
    if error.path and error.code.startswith("bad-"):
        return _("%(message)s (%(place)s)", message=message, place=error.path)
    return message


def render_live_page(
    request: Request, template: str, feed_url: str, context: dict[str, Any], *, status: int = 200
) -> Response:
    """Render a full page around a live fragment."""
    return render_page(request, "event/page.html", status=status, fragment_template=template, feed=feed_url, **context)
