"""An evening as an iCalendar file, in local time, without a time zone."""

from datetime import UTC, datetime, timedelta
from typing import Final

from leftbower.tournament.model.state import Event

_EVENING: Final = timedelta(hours=3)
"""Length in the calendar, if its rounds have no clock."""


def evening_ics(event: Event, name: str, address: str) -> bytes:
    """One calendar entry; `address` is the page to follow it."""
    from icalendar import Calendar, Event as Entry  # noqa: PLC0415  # few pages need it, and it is slow to import

    starts, minutes = datetime.fromisoformat(event.plan.starts), event.plan.minutes * event.plan.stage.rounds
    entry = Entry()
    entry.add("uid", f"{name}@leftbower")
    entry.add("dtstamp", datetime.fromtimestamp(event.updated_at, UTC))
    entry.add("dtstart", starts)
    entry.add("dtend", starts + (timedelta(minutes=minutes) if minutes else _EVENING))
    entry.add("summary", event.plan.title)
    entry.add("url", address)
    if event.plan.place:
        entry.add("location", event.plan.place)
    calendar = Calendar()
    calendar.add("prodid", "-//leftbower//EN")
    calendar.add("version", "2.0")
    calendar.add_component(entry)
    text = calendar.to_ical()
    assert isinstance(text, bytes)
    return text
