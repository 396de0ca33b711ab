"""The referee's wizard as a page: what happened, the facts that matter under the rules, the ruling and its rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from leftbower.errors import LeftbowerError
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import QUESTIONS, Incident, Irregularity, Ruling, facts_needed, ruling
from leftbower.tournament import Event, Place, Seating, seats

SEATS: Final = frozenset({"offender", "maker", "dealer"})
COUNTS: Final = frozenset({"earlier_warnings"})
_FACTS: Final = ("irregularity", *QUESTIONS)


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
    warnings: int
    """How many warnings this match has on its tally: a suggestion."""
    ruling: Ruling | None
    wrong: str
    counts: bool
    """Does the ruling change the score, or end the hand, so that it belongs into the tally?"""


def case_of(event: Event, place: Place, seating: Seating, told: Mapping[str, str]) -> Case:
    """The case as far as it was told."""
    rules = event.rules_of(seating)
    kind = next((one for one in Irregularity if str(one) == told.get("irregularity")), None)
    needed = facts_needed(rules, kind) if kind else ()
    found, wrong = None, ""
    if kind and all(told.get(fact) for fact in needed):
        found, wrong = _ruled(rules, told)
    return Case(
        round=place[0],
        table=place[1],
        kinds=tuple(Irregularity),
        told={name: value[:40] for name, value in told.items() if name in _FACTS},
        needed=needed,
        seats=tuple(seats(event, place[0], seating).items()),
        warnings=_warnings(event, place, rules),
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
        elif name in COUNTS:
            facts[name] = int(value) if value.isdecimal() and len(value) < 3 else value
        else:
            facts[name] = value == "yes"
    return facts


def _ruled(rules: HouseRules, told: Mapping[str, str]) -> tuple[Ruling | None, str]:
    try:
        return ruling(rules, Incident.from_json(incident_of(told))), ""
    except LeftbowerError as error:
        return None, error.message


def _warnings(event: Event, place: Place, rules: HouseRules) -> int:
    kept = event.hall.tallies.get(place)
    hands = [hand for game in (kept.games if kept else ()) for hand in game.hands]
    return sum(isinstance(hand, Incident) and ruling(rules, hand).warning for hand in hands)
