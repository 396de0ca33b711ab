"""Clients of the phone page of a table: they parse its forms, and post one of them.

They sign in with their links, as people do, and keep the cookie.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Final, Self
from urllib.parse import urlencode

from proofs.crash.http_client import Connection, Response, connect

SAME_ORIGIN: Final = "Sec-Fetch-Site: same-origin"
"""The header of requests from our pages."""
JSON: Final = "Accept: application/json"
"""The header of requests from our script."""
HTML: Final = "Accept: text/html"
_FIELD: Final = re.compile(rb'name="(round|version)" value="(\d+)"')
_TAP: Final = re.compile(rb'name="tap" value="([^"]+)"')
_HANDS: Final = re.compile(rb'data-hands="(\d+)"')
_COMMAND: Final = re.compile(rb'name="command" value="([a-z]+)"')
_ALL_FIVE_ALONE: Final = re.compile(r"[NESW]5!")
_LONER_PROBABILITY: Final = 0.1
"""Independent of the number of loner buttons."""

Form = dict[str, str]


@dataclass(frozen=True, slots=True)
class PhonePage:
    """The forms on the page of a phone."""

    round: str = ""
    version: str = ""
    """The version of the table on the page, which every form sends back."""
    taps: tuple[str, ...] = ()
    commands: frozenset[str] = frozenset()
    hands: int = -1
    """Hands reported at the table, while a phone can report one; else -1."""

    @classmethod
    def of(cls, html: bytes) -> Self:
        """Parse the forms of a page."""
        fields = {name: value.decode() for name, value in _FIELD.findall(html)}
        taps = tuple(word.decode() for word in _TAP.findall(html))
        return cls(
            fields.get(b"round", ""),
            fields.get(b"version", ""),
            taps,
            frozenset(map(bytes.decode, _COMMAND.findall(html))),
            int(hands[1]) if (hands := _HANDS.search(html)) else -1,
        )

    def choose(self, rng: Random) -> Form | None:
        """The form of a player who continues: report a hand, propose or confirm a score; or None."""
        form = {"round": self.round, "version": self.version}
        if self.taps:
            return form | {"tap": _choose_hand(self.taps, rng)}
        for button in ("confirm", "report"):
            if button in self.commands:
                return form | {"command": button}
        return None


def _choose_hand(taps: tuple[str, ...], rng: Random) -> str:
    loners = [word for word in taps if _ALL_FIVE_ALONE.fullmatch(word)]
    others = [word for word in taps if word not in loners]
    return rng.choice(loners if loners and rng.random() < _LONER_PROBABILITY else others)


def encode_form(form: Form) -> bytes:
    """Encode a form as browsers do."""
    return urlencode(form).encode()


async def sign_in_by_link(port: int, event: str, code: str) -> str:
    """Follow the link of a role, and return the cookie header."""
    async with connect(port) as connection:
        response = await connection.request("GET", f"/e/{event}/join/{code}", HTML)
        return cookie_header(response)


def cookie_header(response: Response) -> str:
    """The header that sends back the cookie of a response."""
    if response.status != 303:
        raise RuntimeError(f"no cookie was set; the status is {response.status}: {response.body.decode()}")
    return "Cookie: " + response.headers["set-cookie"].partition(";")[0]


async def post(connection: Connection, path: str, cookie: str, form: Form) -> Response:
    """Post a form as the script of our pages does."""
    return await connection.request("POST", path, cookie, SAME_ORIGIN, JSON, body=encode_form(form))
