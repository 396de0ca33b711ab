"""The referee's wizard as a page: what happened, the facts that matter under the rules, the ruling and its rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from leftbower.errors import LeftbowerError
from leftbower.rules.choices import WarningsFor, WarningsLast
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import QUESTIONS, Incident, Irregularity, Ruling, facts_needed
from leftbower.rules.seats import Seat
from leftbower.tournament import (
    Event,
    HandResult,
    Place,
    Seating,
    earlier_warnings,
    games_in_play,
    hand_results,
    rule_on,
    seats,
)

SEATS: Final = frozenset({"offender", "maker", "dealer"})
_COUNTED: Final = "earlier_warnings"
"""The one fact that is not asked for: it is counted from the hands entered so far."""
_FACTS: Final = ("irregularity", *(fact for fact in QUESTIONS if fact != _COUNTED))
_Results = Sequence[Sequence[HandResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An irregularity on its way to a ruling."""

    round: int
    table: int
    kinds: tuple[Irregularity, ...]
    told: Mapping[str, str]
    needed: tuple[str, ...]
    """The facts that matter, once it is known what happened."""
    seats: tuple[tuple[str, str], ...]
    warnings: str
    """How many warnings count against the offender, as a sentence; empty where none plays a part."""
    ruling: Ruling | None
    wrong: str
    counts: bool
    """Does the ruling change the score, or end the hand, so that it belongs into the tally?"""


def case_of(event: Event, place: Place, seating: Seating, told: Mapping[str, str]) -> Case:
    """The case as far as it was told."""
    rules = event.rules_of(seating)
    kind = next((one for one in Irregularity if str(one) == told.get("irregularity")), None)
    facts = facts_needed(rules, kind) if kind else ()
    needed = tuple(fact for fact in facts if fact != _COUNTED)
    results, names = _results(event, place, seating), seats(event, place[0], seating)
    found, wrong = None, ""
    if kind and all(told.get(fact) for fact in needed):
        found, wrong = _ruled(rules, results, told)
    return Case(
        round=place[0],
        table=place[1],
        kinds=tuple(Irregularity),
        told={name: value[:40] for name, value in told.items() if name in _FACTS},
        needed=needed,
        seats=tuple(names.items()),
        warnings=_warnings(rules, results, told["offender"], names) if found and _COUNTED in facts else "",
        ruling=found,
        wrong=wrong,
        counts=found is not None and (bool(found.points) or found.warning or found.deal_passes),
    )


def incident_of(form: Mapping[str, str]) -> dict[str, Any]:
    """What a form tells of an irregularity, as the referee is told it."""
    facts: dict[str, Any] = {}
    for name in _FACTS:
        value = form.get(name, "")
        if not value:
            continue
        if name in SEATS or name == "irregularity":
            facts[name] = value
        else:
            facts[name] = value == "yes"
    return facts


def _results(event: Event, place: Place, seating: Seating) -> _Results:
    """The hands of a table's match so far, the game in play last."""
    rules, tally = event.rules_of(seating), event.hall.tallies.get(place)
    return hand_results(rules, games_in_play(rules, event.match_of(place[0], seating), tally.games if tally else ()))


def _ruled(rules: HouseRules, results: _Results, told: Mapping[str, str]) -> tuple[Ruling | None, str]:
    try:
        return rule_on(rules, results, Incident.from_json(incident_of(told))), ""
    except LeftbowerError as error:
        return None, error.message


def _warnings(rules: HouseRules, results: _Results, offender: str, names: Mapping[str, str]) -> str:
    seat = Seat.parse(offender)
    count = earlier_warnings(rules, results, seat)
    warned = rules.side_of(seat) if rules.warnings_for is WarningsFor.SIDE else (seat,)
    who = " and ".join(f"{names[str(one)]} ({one})" for one in warned)
    verb = "has" if len(warned) == 1 else "have"
    span = "game" if rules.warnings_last is WarningsLast.GAME else "match"
    return f"{who} {verb} {count or 'no'} earlier warning{'s' * (count != 1)} in this {span}."
