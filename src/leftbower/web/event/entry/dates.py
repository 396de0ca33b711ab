"""Local dates and times of evenings, in words and a week later."""

from datetime import datetime, timedelta
from typing import Final

from leftbower.i18n import N_, gettext as _

MONTHS: Final = (
    *(N_("January"), N_("February"), N_("March"), N_("April"), N_("May"), N_("June")),
    *(N_("July"), N_("August"), N_("September"), N_("October"), N_("November"), N_("December")),
)
_SHORT_MONTHS: Final = (
    *(N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun")),
    *(N_("Jul"), N_("Aug"), N_("Sep"), N_("Oct"), N_("Nov"), N_("Dec")),
)
_WEEKDAYS: Final = (
    *(N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday")),
)


def format_when(starts: str) -> str:
    """`Tuesday, November 24, 7:00 pm`; empty without a date."""
    if not starts:
        return ""
    at = datetime.fromisoformat(starts)
    return _(
        "%(weekday)s, %(month)s %(day)d, %(time)s",
        weekday=_(_WEEKDAYS[at.weekday()]),
        month=_(MONTHS[at.month - 1]),
        day=at.day,
        time=_format_time(at),
    )


def short_month(starts: str) -> str:
    return _(_SHORT_MONTHS[int(starts[5:7]) - 1]) if starts else ""


def week_later(starts: str) -> str:
    """The same weekday and time next week; empty without a date."""
    return (datetime.fromisoformat(starts) + timedelta(days=7)).isoformat(timespec="minutes") if starts else ""


def _format_time(at: datetime) -> str:
    hour, clock = (at.hour + 11) % 12 + 1, at.strftime("%M")
    if at.hour < 12:
        return _("%(hour)d:%(minute)s am", hour=hour, minute=clock)
    return _("%(hour)d:%(minute)s pm", hour=hour, minute=clock)
