"""Desk commands before play: change the plan, delete entrants, open the sign-up page, accept sign-ups."""

from collections.abc import Sequence

from leftbower.errors import BadEntry
from leftbower.server.http.form_data import parse_number
from leftbower.server.people.sanitize import strip_invisible
from leftbower.tournament.entry.facts import EntrantDeleted, PlanChanged, SignUpAccepted, SignUpChanged
from leftbower.tournament.model.facts import EventFact
from leftbower.tournament.model.state import Event
from leftbower.web.event.entry.plan_form import changed_plan

_CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 4


def change_plan(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Change the plan; no fact if it stays the same."""
    plan = changed_plan(event, form)
    return [] if plan == event.plan else [PlanChanged(plan=plan, why=strip_invisible(form.get("why", ""))[:140])]


def delete_entrants(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Delete the ticked entrants or sign-ups."""
    if not (chosen := form.get("who", "").split()):
        raise BadEntry("select at least one entrant")
    return [EntrantDeleted(entrant=entrant) for entrant in chosen]


def accept_sign_ups(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Enter the ticked sign-ups, or all that wait."""
    chosen = form.get("who", "").split() or [*event.applicants]
    return [SignUpAccepted(entrant=entrant) for entrant in chosen]


def change_sign_up(event: Event, form: dict[str, str], seed: str) -> Sequence[EventFact]:
    """Open, change or close the sign-up page; the code at the door stays the same."""
    changed = SignUpChanged(
        open=form.get("open") == "yes",
        seats=parse_number(form, "seats") if form.get("seats", "").strip() else 0,
        confirm=form.get("confirm") == "yes",
        door_code=event.signup.door_code if event.signup else _door_code(seed),
    )
    return [] if changed == event.signup else [changed]


def _door_code(seed: str) -> str:
    number = int(seed, 16)
    return "".join(_CODE_LETTERS[number >> 5 * place & 31] for place in range(_CODE_LENGTH))
