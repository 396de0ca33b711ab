"""Twins over the wire: what a client is sent must not depend on anything that the client may not know.

A table is played twice, in two applications that know nothing of each other: once with some decks, once with twins of
them, in which cards out of a watcher's sight lie elsewhere, and yet the engine shows the watcher the same. Everybody
does the same in both. All that the watcher and a spectator are sent, status, headers and body of every answer, every
byte of their feeds, and all that the server logs, must be the same, until the hands are told apart in public. Only
roots, leaves, salts and the time of a log line may differ; fillers of the same length take their places.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from proofs.noninterference import Plan, draw
from proofs.played_tables import Sent, evening

MAX_DIFFERENCES: Final = 5
"""So many differences end a comparison."""
_BEFORE: Final = 60
"""Bytes that are told from before the first one that differs."""
_SECRETS: Final = re.compile(rb'(?<=")(?:[0-9a-f]{64}|[0-9a-f]{32}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?=")')
"""Roots and leaves, salts, and the time of a log line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireDifference:
    """Something that told twins apart."""

    number: int
    """Which table of the seed it was."""
    watcher: str
    source: str
    """Which of the things that were sent."""
    sent: str
    """From a little before the first byte that differs."""
    sent_in_the_twin: str
    position: str
    twin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WireReport:
    """What a comparison found. Reports of one seed add up."""

    seed: int
    tables: int = 0
    hands: int = 0
    answers: int = 0
    bytes: int = 0
    occurred: Mapping[str, int] = field(default_factory=dict)
    """How many hands, answers and feeds there were of each kind."""
    differences: tuple[WireDifference, ...] = ()

    def __add__(self, other: "WireReport") -> "WireReport":
        """Both together."""
        return WireReport(
            seed=self.seed,
            tables=self.tables + other.tables,
            hands=self.hands + other.hands,
            answers=self.answers + other.answers,
            bytes=self.bytes + other.bytes,
            occurred=dict(Counter(self.occurred) + Counter(other.occurred)),
            differences=self.differences + other.differences,
        )


def compare(first: int, tables: int, seed: int) -> WireReport:
    """Play `tables` tables of a seed twice, from number `first` on, and compare what was sent.

    A table depends on the seed and its number alone, so that a long comparison may be cut into any pieces.
    """
    plans = [draw(number, seed) for number in range(first, first + tables)]
    one, other = (asyncio.run(evening(plans, twin)) for twin in (0, 1))
    return sum(map(_compared, plans, one, other), WireReport(seed=seed))


def neutral(sent: bytes) -> bytes:
    """What was sent, with fillers of the same length for everything that must differ."""
    return _SECRETS.sub(lambda found: b"#" * len(found[0]), sent)


def _kinds(plan: Plan) -> Iterator[str]:
    for hand in plan.hands:
        yield "finished hands" if hand.finished else "unfinished hands"
        yield f"hands for {plan.rules.players}"
        yield f"hands on {plan.rules.supervision.value}" if plan.rules.supervision.value == "honor" else "strict hands"
        yield "hands watched from a seat" if plan.watcher else "hands looked on"


def _compared(plan: Plan, one: Sent, other: Sent) -> WireReport:
    found = _difference(plan, one, other)
    return WireReport(
        seed=plan.seed,
        tables=1,
        hands=len(plan.hands),
        answers=len(one),
        bytes=sum(len(sent) for _, sent in one),
        occurred=Counter([*_kinds(plan), *(what for what, _ in one)]),
        differences=(found,) if found else (),
    )


def _difference(plan: Plan, one: Sent, other: Sent) -> WireDifference | None:
    for (what, sent), (other_what, other_sent) in zip(one, other, strict=False):
        here, there = neutral(sent), neutral(other_sent)
        if (what, here) != (other_what, there):
            pairs = enumerate(zip_longest(here, there))
            at = max(next((at for at, (byte, twin) in pairs if byte != twin), 0) - _BEFORE, 0)
            return _named(plan, what, here[at : at + 2 * _BEFORE], there[at : at + 2 * _BEFORE])
    if len(one) != len(other):
        return _named(plan, "number of answers", b"%d" % len(one), b"%d" % len(other))
    return None


def _named(plan: Plan, what: str, here: bytes, there: bytes) -> WireDifference:
    return WireDifference(
        number=plan.number,
        watcher=str(plan.watcher or "outside"),
        source=what,
        sent=here.decode(errors="replace"),
        sent_in_the_twin=there.decode(errors="replace"),
        position=plan.hands[-1].lines[0],
        twin=plan.hands[-1].lines[1],
    )
