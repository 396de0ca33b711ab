"""What is stopped at the door: bodies too long to be honest, and browsers that another site sent."""

from typing import Final
from urllib.parse import urlsplit

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leftbower.errors import CrossSite, TooLarge
from leftbower.server.answers import refusal

LONGEST: Final = 1 << 16
"""The most bytes of a body; an honest one has some hundred."""
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class ShortBodies:
    """Lets no body through that is longer than any honest one, whatever its header says."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse at once what says that it is too long, and as soon as it shows what does not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"")
        if said.isdigit() and (len(said) > 9 or int(said) > LONGEST):
            await refusal(TooLarge(f"more than {LONGEST} bytes are not read"))(scope, receive, send)
            return
        left = LONGEST

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413)
            return message

        await self._app(scope, counted, send)


def check_site(request: Request) -> None:
    """Browsers send their cookie whoever made the page: refuse what a page of ours would not ask for."""
    if request.method in _SAFE:
        return
    site = request.headers.get("sec-fetch-site")
    if site is None:  # an old browser, or plain HTTP in a hall
        origin = request.headers.get("origin")
        ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    else:
        ours = site in ("same-origin", "none")
    if not ours:
        raise CrossSite("this was asked for by a page of another site")
