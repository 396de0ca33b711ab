"""Phones at the tables of a hall: what their pages offer, read from the HTML, and what is tapped on them.

They come in by their links, as people do, and have a cookie from then on.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Final, Self
from urllib.parse import urlencode

from leftbower.bench.speaking import Answer, Connection, connected

OURS: Final = "Sec-Fetch-Site: same-origin"
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
class Offer:
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

    def chosen(self, chance: Random) -> Form | None:
        """What somebody does on this page who plays on: a hand is told, a score is told or confirmed; or nothing."""
        form = {"r": self.round, "v": self.moved}
        if self.taps:
            return form | {"tap": _hand(self.taps, chance)}
        for what in ("confirm", "tell"):
            if what in self.does:
                return form | {"do": what}
        return None


def _hand(taps: tuple[str, ...], chance: Random) -> str:
    loners = [word for word in taps if _ALL_FIVE_ALONE.fullmatch(word)]
    others = [word for word in taps if word not in loners]
    return chance.choice(loners if loners and chance.random() < _LONERS else others)


def spelled(form: Form) -> bytes:
    """A form as browsers send it."""
    return urlencode(form).encode()


async def come_in(port: int, event: str, code: str) -> str:
    """Follow the link of a role: the header by which the browser has it from then on."""
    async with connected(port) as connection:
        answer = await connection.ask("GET", f"/e/{event}/in/{code}", HTML)
        return cookie_of(answer)


def cookie_of(answer: Answer) -> str:
    """The header by which a browser sends back the cookie that it was given."""
    if answer.status != 303:
        raise RuntimeError(f"nobody was let in, but answered with {answer.status}: {answer.body.decode()}")
    return "Cookie: " + answer.headers["set-cookie"].partition(";")[0]


async def post(connection: Connection, path: str, cookie: str, form: Form) -> Answer:
    """Send a form as the script of our pages does."""
    return await connection.ask("POST", path, cookie, OURS, JSON, body=spelled(form))
