"""What the live pages of an event share: a feed of their main part, and forms that are answered by the page again."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from leftbower.errors import BadRequest, LeftbowerError, NotYourRole, Stale
from leftbower.server.answers import refusal, status_of
from leftbower.server.auth import address_of
from leftbower.server.desk import FROM_ONE_PLACE, Desk
from leftbower.server.feeds import EACH
from leftbower.server.streaming import EventStream
from leftbower.tournament import Event
from leftbower.web.answering import page, says, wants_json
from leftbower.web.drawing import part
from leftbower.web.event_links import asked_as, link_key, token_of

Given = Callable[[Event], Awaitable[dict[str, Any]]]
"""What a template is given of an event as it stands."""
Drawn = Callable[[Event], Awaitable[str]]
"""The live part of a page, as one line."""
Marked = Callable[[Event], int]
"""The version since which a page has not changed."""


async def follow(
    desk: Desk,
    request: Request,
    name: str,
    template: str,
    given: Given,
    *,
    mark: Marked,
    seen: str,
    rest: float = 0.0,
) -> EventStream:
    """Every new version of a page's main part, as a line of HTML; what the page does not show is not sent."""

    async def drawn(event: Event) -> str:
        return part(template, **await given(event))

    return await follow_drawn(desk, request, name, drawn, mark=mark, seen=seen, rest=rest)


async def follow_drawn(
    desk: Desk, request: Request, name: str, drawn: Drawn, *, mark: Marked, seen: str, rest: float = 0.0
) -> EventStream:
    """The same, drawn by somebody else, who may have it drawn already for others."""
    known = request.headers.get("last-event-id") or seen
    version = int(known) if known.isdecimal() and len(known) < 10 else None
    here = await desk.events.event(name, seen=version or 0)
    role, token, last = asked_as(request), token_of(request), version or 0

    async def render(event: Event) -> str:
        nonlocal last
        if mark(event) <= last:
            return ""
        if role is not None and await desk.events.role(name, token) != role:  # an ended link raises LinkRevoked
            raise NotYourRole("this session is over; use your link again")
        last = event.version
        return await drawn(event)

    return EventStream(
        desk.event_feeds.listen(
            name,
            None,
            lambda: desk.events.event(name),
            render,
            since=here.version,
            seen=version,
            reader=address_of(request) if role is None else link_key(name, role),
            most=FROM_ONE_PLACE if role is None else EACH,
            rest=rest,
        )
    )


async def answered(
    request: Request,
    done: Callable[[], Awaitable[Any]],
    shown: Callable[[str, int], Awaitable[Response]],
    *,
    back: str,
    now: Callable[[], Awaitable[object]] | None = None,
) -> Response:
    """Do what a form asks for; then back to the page, or the page with what went wrong, or JSON for a script.

    Whoever wrote on an old page is told 409, with what is there `now`.
    """
    try:
        await done()
    except LeftbowerError as error:
        if not wants_json(request):
            return await shown(says_of(error), status_of(error))
        error.message = says_of(error)
        answer = refusal(error)
        if now is not None and answer.status_code == 409:
            current = error.current if isinstance(error, Stale) else None
            told = {"code": error.code, "message": error.message, "place": error.place, "version": current}
            return JSONResponse({"error": told, "now": await now()}, 409)
        return answer
    return JSONResponse({"new": False}) if wants_json(request) else RedirectResponse(back, 303)


def says_of(error: LeftbowerError) -> str:
    """What somebody at an event is told."""
    if isinstance(error, Stale):
        return "Somebody has changed this meanwhile; here is what is there now."
    return says(error) + (f" ({error.place})" if error.place and error.code.startswith("bad-") else "")


def act_of(form: dict[str, str]) -> str:
    """The name of what a form does: the same form sent twice does it once."""
    spelled = "\n".join(f"{name}={value}" for name, value in sorted(form.items()))
    return sha256(spelled.encode()).hexdigest()[:16]


def number(form: dict[str, str], name: str) -> int:
    """A number that a form sends."""
    value = form.get(name, "")
    if not value.isdecimal() or len(value) > 9:
        raise BadRequest("a number is missing here", place=name)
    return int(value)


def live_page(request: Request, inner: str, feed: str, given: dict[str, Any], *, status: int = 200) -> Response:
    """A page round a part that is live."""
    return page(request, "event_page.html", status=status, inner=inner, feed=feed, **given)
