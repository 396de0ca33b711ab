"""View models of a person's latest tables on the home page: results of matches, and tables still open."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from leftbower.i18n import N_, gettext as _
from leftbower.notation.describe import join_list
from leftbower.rules.seats import Seat
from leftbower.rules.sheets import presets
from leftbower.store import Listing
from leftbower.table import Seats, occupant_from_json, seat_names
from leftbower.web.event.entry.dates import short_month

_PHASES: Final = {
    "gathering": N_("Waiting for players"),
    **dict.fromkeys(("drawing", "cutting", "dealing", "playing"), N_("In play")),
    "closed": N_("Closed"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LastGame:
    table: str
    title: str
    """`With Nora`, or the table's name."""
    details: str
    """`vs. Wade and Ellis`, or how far the table is."""
    score: str
    """`10–7`, the person's side first; empty before the end of a match."""
    outcome: str
    """`won`, `lost` or `tied`; empty before the end of a match."""
    day: str
    date: str
    """In ISO format."""


def last_games(listings: Iterable[Listing], person: str, names: Mapping[str, str]) -> tuple[LastGame, ...]:
    return tuple(_last_game(listing, person, names) for listing in listings)


def listed_ids(listings: Iterable[Listing]) -> set[str]:
    """The people whose names these tables need."""
    seats = [_result(listing).get("seats", {}) for listing in listings]
    return {sitter["person"] for sitters in seats for sitter in sitters.values() if "person" in sitter}


def _last_game(listing: Listing, person: str, names: Mapping[str, str]) -> LastGame:
    body, result = listing.body, _result(listing)
    at = datetime.fromtimestamp(listing.updated, UTC).date().isoformat()
    titles = {preset.name: preset.title for preset in presets()}
    table = {
        "table": listing.log,
        "date": at,
        "day": _("%(month)s %(day)d", month=short_month(at), day=int(at[8:])),
    }
    title = body.get("title") or _(titles.get(body.get("sheet", ""), N_("House rules")))
    own = next((seat for seat, sitter in result.get("seats", {}).items() if sitter.get("person") == person), None)
    if own is None or body.get("phase") not in ("over", "closed"):
        phase = _(_PHASES[body["phase"]]) if body.get("phase") in _PHASES else ""
        return LastGame(**table, title=title, details=phase, score="", outcome="")
    sides = sorted(zip(result["sides"], result["scores"], strict=True), key=lambda entry: own not in entry[0])
    called = seat_names(_seats(result["seats"]), names)
    partners = [called[Seat(seat)] for seat in sides[0][0] if seat != own]
    opponents = [called[Seat(seat)] for side, _score in sides[1:] for seat in side]
    return LastGame(
        **table,
        title=body.get("title") or (_("With %(name)s", name=partners[0]) if partners else title),
        details=_("vs. %(names)s", names=_both(opponents) if len(opponents) == 2 else join_list(opponents)),
        score="–".join(str(score) for _side, score in sides),
        outcome="won" if own in result["winners"] else "lost" if result["winners"] else "tied",
    )


def _both(names: list[str]) -> str:
    return _("%(first)s and %(second)s", first=names[0], second=names[1])


def _result(listing: Listing) -> Mapping[str, Any]:
    return listing.body.get("last") or {}


def _seats(seats: Mapping[str, Mapping[str, str]]) -> Seats:
    return {Seat(seat): occupant_from_json(sitter) for seat, sitter in seats.items()}
