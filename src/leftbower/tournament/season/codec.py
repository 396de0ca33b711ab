"""JSON of a season's log; input is untrusted."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from leftbower.codec import Codec, JsonObject, Scalar
from leftbower.errors import BadLedger
from leftbower.i18n import N_
from leftbower.tournament.model.codec import parse_fraction
from leftbower.tournament.season.facts import FACT_KINDS, FACT_VERSION, SeasonEntry, SeasonFact


def entry_to_json(entry: SeasonEntry) -> JsonObject:
    return {**_FACTS.to_json(entry.fact), "by": entry.by, "at": entry.at}


def entry_from_json(plain: Mapping[str, Any]) -> SeasonEntry:
    """Parse a line of `entry_to_json`, or raise BadLedger with the path."""
    line = dict(plain)
    head = {key: line.pop(key, None) for key in ("by", "at")}
    by, at = _read_head(head)
    return SeasonEntry(fact=_FACTS.from_json(line), by=by, at=at)


def _read_head(head: Mapping[str, Any]) -> tuple[str, float]:
    return _FACTS.reader(str, "by")(head["by"]), _FACTS.reader(float, "at")(head["at"])


_FACTS: Final = Codec[SeasonFact](
    BadLedger,
    FACT_KINDS,
    version=FACT_VERSION,
    body="data",
    unknown=N_("%(name)s is not a fact of a season"),
    scalars={Fraction: Scalar(str, parse_fraction)},
)
