"""My events: those whose ledgers name the caller as an organizer, latest first."""

from dataclasses import dataclass
from typing import Any, Final

from fastapi import Request

from leftbower.errors import LeftbowerError
from leftbower.i18n import gettext as _, ngettext, pgettext
from leftbower.server.context import AppContext
from leftbower.server.live.tables import EVENT_LOG_PREFIX
from leftbower.store import Listing
from leftbower.tournament.entry.facts import OrganizersChanged
from leftbower.tournament.entry.validate import MAX_ORGANIZERS
from leftbower.tournament.model.facts import EventFact
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.web.event.entry.dates import short_month
from leftbower.web.event.view_models import is_stage_over, tables_waiting

MAX_LISTED_EVENTS: Final = 50
_ORGANIZER: Final = Role(kind=RoleKind.ORGANIZER)
_MAX_FOLDED_EVENTS: Final = 8
"""Open events whose state is read for the list; the others show what their listing says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """An event in its organizer's list."""

    name: str
    title: str
    month: str
    """Empty if its date is not set."""
    day: int
    state: str
    """now, open, draft or over."""
    state_text: str
    about: str
    public: bool


async def events_of(context: AppContext, person: str) -> tuple[EventRow, ...]:
    """The person's events: open ones first, each group by date, latest first."""
    if not person:
        return ()
    listings = [
        listing
        for listing in await context.store.listings(person=person, limit=2 * MAX_LISTED_EVENTS)
        if listing.log.startswith(EVENT_LOG_PREFIX)
    ][:MAX_LISTED_EVENTS]
    read = [listing for listing in listings if not listing.body.get("closed")][:_MAX_FOLDED_EVENTS]
    rows = [_row(listing, await _event(context, listing) if listing in read else None) for listing in listings]
    order = ("now", "open", "draft", "over")
    return tuple(sorted(rows, key=lambda row: order.index(row.state)))


async def _event(context: AppContext, listing: Listing) -> Event | None:
    try:
        return await context.events.get(listing.log.removeprefix(EVENT_LOG_PREFIX))
    except LeftbowerError:  # edited, or removed just now
        return None


def _row(listing: Listing, event: Event | None) -> EventRow:
    body = listing.body
    starts = str(body.get("starts", ""))
    state, state_text = _state(body, event)
    return EventRow(
        name=listing.log.removeprefix(EVENT_LOG_PREFIX),
        title=str(body.get("title", "")),
        month=short_month(starts),
        day=int(starts[8:10]) if starts else 0,
        state=state,
        state_text=state_text,
        about=_about(body, event),
        public=event is not None and event.hall.public_page,
    )


def _state(body: Any, event: Event | None) -> tuple[str, str]:
    if body.get("closed"):
        return "over", _("Over")
    if body.get("rounds"):
        return "now", _("Now")
    if event is not None and event.signup is not None and event.signup.open:
        return "open", _("Sign-up open")
    return "draft", pgettext("an event without a draw", "Draft")


def _about(body: Any, event: Event | None) -> str:
    parts = []
    if event is not None:
        parts.append(_(event.stage.definition.title))
    entered = int(body.get("entered", 0))
    if event is not None and event.plan.stage.singles:
        parts.append(ngettext("%(num)d player", "%(num)d players", entered))
    else:
        parts.append(ngettext("%(num)d entry", "%(num)d entries", entered))
    if won := body.get("won"):
        parts.append(_("won by %(names)s", names=won))
    elif event is not None and event.rounds:
        waiting = len(tables_waiting(event))
        parts.append(
            _("all scores are in") if is_stage_over(event) else _("round %(round)d", round=event.current_round)
        )
        if waiting:
            parts.append(ngettext("%(num)d table needs you", "%(num)d tables need you", waiting))
    elif event is not None and event.applicants:
        parts.append(ngettext("%(num)d waiting", "%(num)d waiting", len(event.applicants)))
    return " · ".join(parts)


async def remember_organizer(context: AppContext, request: Request, event: str) -> None:
    """Add the caller's account to the organizers, so that its own list has the event."""
    person = await context.auth.account_of_browser(request)

    def facts(state: Event) -> list[EventFact]:
        if person in state.organizers or len(state.organizers) >= MAX_ORGANIZERS:
            return []
        return [OrganizersChanged(people=(*state.organizers, person))]

    if person:
        await context.events.execute(event, _ORGANIZER, facts)


async def forget_other_organizers(context: AppContext, request: Request, event: str) -> None:
    """Keep only the caller's account among the organizers, when the desk signs out all other devices."""
    person = await context.auth.account_of_browser(request)

    def facts(state: Event) -> list[EventFact]:
        people = tuple(organizer for organizer in state.organizers if organizer == person)
        return [] if people == state.organizers else [OrganizersChanged(people=people)]

    await context.events.execute(event, _ORGANIZER, facts)
