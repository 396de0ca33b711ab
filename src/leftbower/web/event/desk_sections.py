"""The desk's sections and the template context of each."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from leftbower.errors import LeftbowerError
from leftbower.i18n import N_, gettext as _
from leftbower.tournament.formats.odd_numbers import seating_options
from leftbower.tournament.formats.pairing import planned_rounds
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.audit import audit_event, describe_audit
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.text.bracket_picture import round_title
from leftbower.tournament.text.duration import estimate_duration
from leftbower.tournament.text.exports import EXPORTS
from leftbower.web.event.entry.dates import format_when, week_later
from leftbower.web.event.entry.plan_form import form_context, form_of, prize_note
from leftbower.web.event.stages import earlier_standings
from leftbower.web.event.view_models import (
    is_stage_over,
    paper_differences,
    round_view_models,
    standings_view_model,
    table_row,
    table_rows,
    tables_waiting,
)
from leftbower.web.responses import as_sentence

PRINTOUT_TEXTS: Final = {
    "tents": N_("Table tents"),
    "sheets": N_("Score sheets to sign"),
    "cards": N_("A card for each player or team"),
    "chart": N_("Chart of all rounds"),
    "rules": N_("Rule card"),
    "standings": N_("Standings"),
    "payouts": N_("Prize list to sign"),
    "audit": N_("Fairness check"),
    "bracket": N_("Bracket"),
}
_TENTS_WITHOUT_CODES: Final = N_("Table tents (for tents with codes, see “Phones and links”)")
EXPORT_TEXTS: Final = {
    "entrants": N_("entries"),
    "pairings": N_("pairings"),
    "results": N_("results"),
    "standings": N_("standings"),
    "payouts": N_("prizes"),
}
PRESENCE_TEXTS: Final = {
    EntrantPresence.EXPECTED: N_("not here yet"),
    EntrantPresence.PRESENT: N_("here"),
    EntrantPresence.LATE: N_("late"),
    EntrantPresence.ABSENT: N_("absent"),
    EntrantPresence.WITHDRAWN: N_("gone home"),
}
_SEATING_OPTION_TEXTS: Final = {
    "byes": N_("Byes: %(cost)s"),
    "three-handed": N_("Tables of three: %(cost)s"),
    "bots": N_("Bots: %(cost)s"),
}
TemplateContext = dict[str, Any]


def _now(event: Event) -> TemplateContext:
    waiting = tables_waiting(event)
    return {
        "round_title": round_title(event, event.current_round) if event.rounds else "",
        "lines": sorted(table_rows(event, event.current_round), key=lambda line: (line not in waiting, line.table)),
        "waiting": waiting,
        "is_over": is_stage_over(event),
        "estimate": _time_left(event),
        "differences": paper_differences(event),
    }


def _time_left(event: Event) -> str:
    try:
        duration = estimate_duration(event)
    except LeftbowerError:
        return ""
    hours, minutes = divmod(duration.seconds // 60, 60)
    if not hours:
        return _("Time left: about %(minutes)d min", minutes=minutes) if minutes else ""
    return _("Time left: about %(hours)d h %(minutes)d min", hours=hours, minutes=minutes)


def _people(event: Event) -> TemplateContext:
    entrants = event.entrants.values()
    return {
        "singles": event.plan.stage.singles,
        "presence_texts": {presence: _(text) for presence, text in PRESENCE_TEXTS.items()},
        "schools": event.plan.stage.definition.by_school,
        "present": sum(entrant.presence is EntrantPresence.PRESENT for entrant in entrants),
        "owing": sum(entrant.owes > 0 for entrant in entrants),
    }


def _draw(event: Event) -> TemplateContext:
    audit_lines = tuple(describe_audit(audit_event(event), event.names)) if event.rounds else ()
    options = (
        [_(_SEATING_OPTION_TEXTS[option.kind], cost=option.cost) for option in seating_options(event)]
        if not event.rounds and len(event.drawable_entrants()) > 1
        else []
    )
    return {
        "rounds": round_view_models(event),
        "audit": audit_lines,
        "offers": options,
        "format_title": _(event.stage.definition.title),
        "planned": planned_rounds(event) if len(event.drawable_entrants()) > 1 else 0,
        "rounds_drawn": len(event.rounds_of(len(event.stages) - 1)),
        "ready": event.stage.definition.scheduled or not event.open_tables(),
        "is_over": is_stage_over(event),
    }


def _standings(event: Event) -> TemplateContext:
    waiting = event.open_tables()[:_MAX_UNFINISHED_LISTED]
    return {
        "standings": standings_view_model(event),
        "earlier": earlier_standings(event),
        "is_over": is_stage_over(event),
        "unfinished": [
            table_row(event, event.round(number), event.seating(number, table)) for number, table in waiting
        ],
    }


_MAX_UNFINISHED_LISTED: Final = 12


def _money(event: Event) -> TemplateContext:
    try:
        payments, trouble = payouts(event), ""
    except LeftbowerError as error:
        payments, trouble = None, as_sentence(error.message)
    return {"payouts": payments, "problem": trouble, "is_over": is_stage_over(event), "names": event.names}


def _paper(event: Event) -> TemplateContext:
    return {
        "rounds": round_view_models(event),
        "differences": paper_differences(event),
        "papers": event.hall.paper_scores,
    }


def _print(event: Event) -> TemplateContext:
    texts = PRINTOUT_TEXTS if event.plan.online else PRINTOUT_TEXTS | {"tents": _TENTS_WITHOUT_CODES}
    return {
        "printouts": {
            printout: _(text)
            for printout, text in texts.items()
            if printout != "bracket" or any(stage.definition.bracket for stage in event.stages)
        },
        "sheets": {export: _(EXPORT_TEXTS[export]) for export in EXPORTS},
        "is_drawn": bool(event.rounds),
    }


def _setup(event: Event) -> TemplateContext:
    form = defaultdict(str, form_of(event.plan))
    return {
        "form": form,
        "locked": bool(event.rounds),
        "prize_note": prize_note(event),
        "next_starts": week_later(event.plan.starts),
        **form_context(form),
    }


def _sign_up(event: Event) -> TemplateContext:
    people = [entrant for entrant in event.entrants.values() if not entrant.house_player]
    present = [entrant for entrant in people if entrant.presence is EntrantPresence.PRESENT]
    absent = (EntrantPresence.ABSENT, EntrantPresence.WITHDRAWN)
    return {
        "signup": event.signup,
        "here": present,
        "missing": [entrant for entrant in people if entrant not in present and entrant.presence not in absent],
        "presence_texts": {presence: _(text) for presence, text in PRESENCE_TEXTS.items()},
        "applicants": tuple(event.applicants.values()),
        "when": format_when(event.plan.starts),
    }


class DeskSection(NamedTuple):
    title: str
    """Message id; translate before showing."""
    context: Callable[[Event], TemplateContext]
    for_helpers: bool = False
    template: str = ""
    """If it is not named after the section."""


SECTIONS: Final[Mapping[str, DeskSection]] = {
    "now": DeskSection(N_("Now"), _now, for_helpers=True),
    "people": DeskSection(N_("People"), _people),
    "sign-up": DeskSection(N_("Sign-up"), _sign_up, template="event/entry/sign_up_desk.html"),
    "draw": DeskSection(N_("Draw"), _draw),
    "standings": DeskSection(N_("Standings"), _standings, for_helpers=True),
    "money": DeskSection(N_("Money"), _money),
    "paper": DeskSection(N_("Paper"), _paper, for_helpers=True),
    "setup": DeskSection(N_("Setup"), _setup, template="event/entry/setup.html"),
    "links": DeskSection(N_("Phones and links"), lambda _event: {}),  # `links_context` reads the store
    "print": DeskSection(N_("Print and save"), _print),
}


def section_template(section: str) -> str:
    return SECTIONS[section].template or f"event/{section}.html"
