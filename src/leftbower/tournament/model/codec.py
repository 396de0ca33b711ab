"""JSON of ledger lines; input is untrusted."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from leftbower.codec import Codec, JsonObject, Scalar
from leftbower.errors import BadLedger, LeftbowerError
from leftbower.i18n import gettext_noop
from leftbower.rules import HouseRules, formats
from leftbower.tournament.model.facts import FACT_KINDS, FACT_VERSION, EventFact, LedgerEntry

_FRACTION: Final = re.compile(r"-?[0-9]{1,18}(/[0-9]{1,18})?")
"""Only what `str(Fraction)` writes: `Fraction` also parses exponents, and a huge one can take hours."""


def entry_to_json(entry: LedgerEntry) -> JsonObject:
    line = _write_entry(entry)
    fact = line.pop("fact")
    data = fact.pop("data")
    return {**fact, **line, "data": data}


def entry_from_json(plain: Mapping[str, Any]) -> LedgerEntry:
    """Parse a line of `entry_to_json`, or raise BadLedger with the path."""
    line, name = dict(plain), plain.get("fact")
    fact = {key: line.pop(key) for key in ("fact", "v", "data") if key in line}
    try:
        entry: LedgerEntry = _read_entry(line | {"fact": fact})
    except LeftbowerError as why:
        error = why if isinstance(why, BadLedger) else BadLedger(str(why))
        raise (error.at(name) if isinstance(name, str) else error) from None
    return entry


def parse_fraction(text: str) -> Fraction:
    if not _FRACTION.fullmatch(text):
        raise ValueError
    return Fraction(text)


_FACTS: Final = Codec[EventFact](
    BadLedger,
    FACT_KINDS,
    version=FACT_VERSION,
    body="data",
    unknown=gettext_noop("%(name)s is not a fact of an event"),
    scalars={HouseRules: Scalar(formats.to_json, formats.from_json, dict), Fraction: Scalar(str, parse_fraction)},
)
_ENTRIES: Final = Codec[LedgerEntry](BadLedger, uses=(_FACTS,), omit=("requested_by", "request_id"))
_write_entry = _ENTRIES.writer(LedgerEntry)
_read_entry = _ENTRIES.reader(LedgerEntry)
