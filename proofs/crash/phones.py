"""Phones at the tables of a hall: what their pages offer, read from the HTML, and what is tapped on them.

They come in by their links, as people do, and have a cookie from then on.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Final, Self
from urllib.parse import urlencode

from proofs.crash.http_client import Connection, Response, connect

SAME_ORIGIN: Final = "Sec-Fetch-Site: same-origin"
"""As browsers say that a page of ours asks."""
JSON: Final = "Accept: application/json"
"""As our script asks."""
HTML: Final = "Accept: text/html"
_FIELD: Final = re.compile(rb'name="([rv])" value="(\d+)"')
_TAP: Final = re.compile(rb'name="tap" value="([^"]+)"')
_DO: Final = re.compile(rb'name="do" value="([a-z]+)"')
_ALL_FIVE_ALONE: Final = re.compile(r"[NESW]5!")
_LONERS: Final = 0.1
"""How often a hand is a loner; a button for each player does not make it more."""

Form = dict[str, str]


@dataclass(frozen=True, slots=True)
class PhonePage:
    """What the page of a phone offers."""

    round: str = ""
    moved: str = ""
    """The version of the table that is shown, which every form sends back."""
    taps: tuple[str, ...] = ()
    does: frozenset[str] = frozenset()

    @classmethod
    def of(cls, html: bytes) -> Self:
        """The forms of a page."""
        fields = {name: value.decode() for name, value in _FIELD.findall(html)}
        taps = tuple(word.decode() for word in _TAP.findall(html))
        return cls(fields.get(b"r", ""), fields.get(b"v", ""), taps, frozenset(map(bytes.decode, _DO.findall(html))))

    def chosen(self, rng: Random) -> Form | None:
        """What somebody does on this page who plays on: a hand is told, a score is told or confirmed; or nothing."""
        form = {"r": self.round, "v": self.moved}
        if self.taps:
            return form | {"tap": _hand(self.taps, rng)}
        for what in ("confirm", "tell"):
            if what in self.does:
                return form | {"do": what}
        return None


def _hand(taps: tuple[str, ...], rng: Random) -> str:
    loners = [word for word in taps if _ALL_FIVE_ALONE.fullmatch(word)]
    others = [word for word in taps if word not in loners]
    return rng.choice(loners if loners and rng.random() < _LONERS else others)


def encode_form(form: Form) -> bytes:
    """A form as browsers send it."""
    return urlencode(form).encode()


async def sign_in_by_link(port: int, event: str, code: str) -> str:
    """Follow the link of a role: the header by which the browser has it from then on."""
    async with connect(port) as connection:
        response = await connection.request("GET", f"/e/{event}/join/{code}", HTML)
        return cookie_header(response)


def cookie_header(response: Response) -> str:
    """The header by which a browser sends back the cookie that it was given."""
    if response.status != 303:
        raise RuntimeError(f"nobody was let in, but answered with {response.status}: {response.body.decode()}")
    return "Cookie: " + response.headers["set-cookie"].partition(";")[0]


async def post(connection: Connection, path: str, cookie: str, form: Form) -> Response:
    """Send a form as the script of our pages does."""
    return await connection.request("POST", path, cookie, SAME_ORIGIN, JSON, body=encode_form(form))
