"""The desk's sections, and a function for each that builds its template context."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from leftbower.errors import LeftbowerError
from leftbower.tournament.formats.odd_numbers import seating_options
from leftbower.tournament.formats.pairing import planned_rounds
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.audit import audit_event, describe_audit
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.text.duration import estimate_duration
from leftbower.tournament.text.exports import EXPORTS
from leftbower.web.event.view_models import (
    is_stage_over,
    paper_differences,
    round_view_models,
    standings_view_model,
    table_rows,
    tables_waiting,
)

PRINTOUT_TEXTS: Final = {
    "tents": "a tent for every table",
    "sheets": "score sheets to sign",
    "cards": "a card for every entrant",
    "chart": "the chart for the wall",
    "rules": "the rule card",
    "standings": "the standings",
    "payouts": "the prizes, to sign",
    "audit": "the fairness audit",
}
_TENTS_WITH_CODES: Final = "a tent for every table; with codes for phones under “Phones and links”"
TemplateContext = dict[str, Any]


def _now(event: Event) -> TemplateContext:
    return {
        "lines": table_rows(event, event.current_round),
        "waiting": tables_waiting(event),
        "is_over": is_stage_over(event),
        "estimate": _time_left(event),
        "differences": paper_differences(event),
    }


def _time_left(event: Event) -> str:
    try:
        duration = estimate_duration(event)
    except LeftbowerError:
        return ""
    minutes = duration.seconds // 60
    return f"about {minutes // 60} h {minutes % 60:02d} min" if minutes else ""


def _people(event: Event) -> TemplateContext:
    entrants = event.entrants.values()
    return {
        "singles": event.plan.stage.singles,
        "schools": event.plan.stage.definition.by_school,
        "present": sum(entrant.presence is EntrantPresence.PRESENT for entrant in entrants),
        "owing": sum(entrant.owes > 0 for entrant in entrants),
    }


def _draw(event: Event) -> TemplateContext:
    audit_lines = tuple(describe_audit(audit_event(event), event.names)) if event.rounds else ()
    options = (
        [(entrant.kind, entrant.cost) for entrant in seating_options(event)]
        if not event.rounds and len(event.drawable_entrants()) > 1
        else []
    )
    return {
        "rounds": round_view_models(event),
        "audit": audit_lines,
        "offers": options,
        "planned": planned_rounds(event) if len(event.drawable_entrants()) > 1 else 0,
        "rounds_drawn": len(event.rounds_of(len(event.stages) - 1)),
        "ready": event.stage.definition.scheduled or not event.open_tables(),
        "is_over": is_stage_over(event),
    }


def _standings(event: Event) -> TemplateContext:
    return {"standings": standings_view_model(event), "is_over": is_stage_over(event)}


def _money(event: Event) -> TemplateContext:
    try:
        payments, trouble = payouts(event), ""
    except LeftbowerError as error:
        payments, trouble = None, error.message
    return {"payouts": payments, "problem": trouble, "is_over": is_stage_over(event), "names": event.names}


def _paper(event: Event) -> TemplateContext:
    return {
        "rounds": round_view_models(event),
        "differences": paper_differences(event),
        "papers": event.hall.paper_scores,
    }


def _print(event: Event) -> TemplateContext:
    printouts = PRINTOUT_TEXTS if event.plan.online else PRINTOUT_TEXTS | {"tents": _TENTS_WITH_CODES}
    return {"printouts": printouts, "sheets": tuple(EXPORTS), "is_drawn": bool(event.rounds)}


class DeskSection(NamedTuple):
    """A section of the desk."""

    title: str
    context: Callable[[Event], TemplateContext]
    """Builds its template context from the event."""
    for_helpers: bool = False


SECTIONS: Final[Mapping[str, DeskSection]] = {
    "now": DeskSection("Now", _now, for_helpers=True),
    "people": DeskSection("People", _people),
    "draw": DeskSection("Draw", _draw),
    "standings": DeskSection("Standings", _standings, for_helpers=True),
    "money": DeskSection("Money", _money),
    "paper": DeskSection("Paper", _paper, for_helpers=True),
    "links": DeskSection("Phones and links", lambda _: {}),  # it reads the store instead
    "print": DeskSection("Print and keep", _print),
}
