"""The parts of the desk, and what each shows of an event."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from leftbower.errors import LeftbowerError
from leftbower.printing import PRINTOUTS
from leftbower.tournament import (
    AT_ONCE,
    SHEETS,
    Event,
    Format,
    Presence,
    audit,
    estimate,
    offers,
    payouts,
    rounds_planned,
)
from leftbower.tournament.audit import as_words
from leftbower.web.evening import differences, over, ranked, rounds_shown, table_lines, waiting

PARTS: Final = {
    "now": "Now",
    "people": "People",
    "draw": "Draw",
    "standings": "Standings",
    "money": "Money",
    "paper": "Paper",
    "links": "Phones and links",
    "print": "Print and keep",
}
OF_HELPERS_TO_SEE: Final = ("now", "standings", "paper")
Given = dict[str, Any]


def _now(event: Event) -> Given:
    return {
        "lines": table_lines(event, event.now),
        "waiting": waiting(event),
        "over": over(event),
        "estimate": _left(event),
        "differs": differences(event),
    }


def _left(event: Event) -> str:
    """How long the evening will take from now."""
    try:
        found = estimate(event)
    except LeftbowerError:
        return ""
    minutes = found.seconds // 60
    return f"about {minutes // 60} h {minutes % 60:02d} min" if minutes else ""


def _people(event: Event) -> Given:
    everybody = event.entrants.values()
    return {
        "singles": event.plan.stage.singles,
        "schools": event.plan.stage.format is Format.SCHOOLS,
        "present": sum(one.presence is Presence.HERE for one in everybody),
        "owing": sum(one.owes > 0 for one in everybody),
    }


def _draw(event: Event) -> Given:
    told: tuple[str, ...] = ()
    if event.rounds:
        who = [one for one in event.entrants if any(drawn.table_of(one) or one in drawn.byes for drawn in event.rounds)]
        told = tuple(as_words(audit(event.rounds, who, singles=event.plan.stage.singles), _names(event)))
    found = [(one.what, one.cost) for one in offers(event)] if not event.rounds and len(event.field()) > 1 else []
    return {
        "rounds": rounds_shown(event),
        "audit": told,
        "offers": found,
        "planned": rounds_planned(event) if len(event.field()) > 1 else 0,
        "drawn": len(event.rounds_of(len(event.stages) - 1)),
        "ready": event.stage.format in AT_ONCE or not event.open_tables(),
        "over": over(event),
    }


def _standings(event: Event) -> Given:
    return {"r": ranked(event), "over": over(event)}


def _money(event: Event) -> Given:
    try:
        found, trouble = payouts(event), ""
    except LeftbowerError as error:
        found, trouble = None, error.message
    return {"payouts": found, "trouble": trouble, "over": over(event), "names": _names(event)}


def _paper(event: Event) -> Given:
    return {"rounds": rounds_shown(event), "differs": differences(event), "papers": event.hall.papers}


def _print(event: Event) -> Given:
    return {"printouts": tuple(PRINTOUTS), "sheets": tuple(SHEETS), "drawn": bool(event.rounds)}


def _names(event: Event) -> dict[str, str]:
    return {entrant: one.name for entrant, one in event.entrants.items()}


MADE_OF: Final[Mapping[str, Callable[[Event], Given]]] = {
    "now": _now,
    "people": _people,
    "draw": _draw,
    "standings": _standings,
    "money": _money,
    "paper": _paper,
    "print": _print,
}
"""What each part is given of an event, but for the links, which are not in it."""
