"""Noninterference over the wire: the bytes sent to a client must not depend on anything that it can't know.

A table is played twice in separate applications: once with some decks, once with their twins, in which cards hidden
from a watcher are elsewhere but the engine gives the watcher the same views. All players do the same in both. Status,
headers and body of every response to the watcher and a spectator, every byte of their feeds, and the server's log must
be equal until the hands differ in public. Only roots, leaves, salts and the time of a log line may differ; they are
replaced by fillers of the same length.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from proofs.noninterference import Plan, draw
from proofs.played_tables import Sent, play_tables

MAX_DIFFERENCES: Final = 5
"""A comparison ends after this many differences."""
_CONTEXT_BYTES: Final = 60
"""Bytes of an excerpt before the first difference."""
_SECRETS: Final = re.compile(rb'(?<=")(?:[0-9a-f]{64}|[0-9a-f]{32}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)(?=")')
"""Roots and leaves, salts, and the time of a log line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WireDifference:
    """A response, feed or log that differs between twins."""

    number: int
    """The number of the table within the seed."""
    watcher: str
    source: str
    """The kind of message."""
    sent: str
    """Starts a little before the first different byte."""
    sent_in_the_twin: str
    position: str
    twin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WireReport:
    """The result of a comparison. Reports of one seed can be added."""

    seed: int
    tables: int = 0
    hands: int = 0
    answers: int = 0
    bytes: int = 0
    occurred: Mapping[str, int] = field(default_factory=dict)
    """Number of hands, responses and feeds of each kind."""
    differences: tuple[WireDifference, ...] = ()

    def __add__(self, other: "WireReport") -> "WireReport":
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
    """Play `tables` tables of a seed twice, from number `first`, and compare what was sent.

    A table depends only on the seed and its number, so a long comparison can be split.
    """
    plans = [draw(number, seed) for number in range(first, first + tables)]
    originals, twins = (asyncio.run(play_tables(plans, twin)) for twin in (0, 1))
    return sum(map(_compare_table, plans, originals, twins), WireReport(seed=seed))


def neutral(sent: bytes) -> bytes:
    """The bytes sent, with fillers of the same length for everything that must differ."""
    return _SECRETS.sub(lambda match: b"#" * len(match[0]), sent)


def _kinds(plan: Plan) -> Iterator[str]:
    for hand in plan.hands:
        yield "finished hands" if hand.finished else "unfinished hands"
        yield f"hands for {plan.rules.players}"
        yield f"hands on {plan.rules.supervision.value}" if plan.rules.supervision.value == "honor" else "strict hands"
        yield "hands watched from a seat" if plan.watcher else "hands looked on"


def _compare_table(plan: Plan, original: Sent, twin: Sent) -> WireReport:
    difference = _difference(plan, original, twin)
    return WireReport(
        seed=plan.seed,
        tables=1,
        hands=len(plan.hands),
        answers=len(original),
        bytes=sum(len(sent) for _, sent in original),
        occurred=Counter([*_kinds(plan), *(kind for kind, _ in original)]),
        differences=(difference,) if difference else (),
    )


def _difference(plan: Plan, original: Sent, twin: Sent) -> WireDifference | None:
    for (kind, sent), (twin_kind, twin_sent) in zip(original, twin, strict=False):
        data, twin_data = neutral(sent), neutral(twin_sent)
        if (kind, data) != (twin_kind, twin_data):
            pairs = enumerate(zip_longest(data, twin_data))
            start = max(next((at for at, (byte, twin_byte) in pairs if byte != twin_byte), 0) - _CONTEXT_BYTES, 0)
            excerpt = slice(start, start + 2 * _CONTEXT_BYTES)
            return _wire_difference(plan, kind, data[excerpt], twin_data[excerpt])
    if len(original) != len(twin):
        return _wire_difference(plan, "number of answers", b"%d" % len(original), b"%d" % len(twin))
    return None


def _wire_difference(plan: Plan, source: str, data: bytes, twin_data: bytes) -> WireDifference:
    return WireDifference(
        number=plan.number,
        watcher=str(plan.watcher or "outside"),
        source=source,
        sent=data.decode(errors="replace"),
        sent_in_the_twin=twin_data.decode(errors="replace"),
        position=plan.hands[-1].lines[0],
        twin=plan.hands[-1].lines[1],
    )
