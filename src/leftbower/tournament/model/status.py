"""Status checks: open, running, unpaid."""

from leftbower.errors import EventIsClosed, EventIsPaused
from leftbower.tournament.model.state import Event


def check_running(event: Event) -> None:
    """Raise if the event is closed or paused."""
    check_open(event)
    if event.paused:
        raise EventIsPaused("the event is paused")


def check_open(event: Event) -> None:
    """Raise if the event is closed."""
    if event.closed:
        raise EventIsClosed("the event is closed")


def check_unpaid(event: Event) -> None:
    """Raise if a prize was paid."""
    if event.paid_out:
        raise EventIsClosed("prizes are paid out, so the results stand")
