"""The course of an event: is it open, does it run, is nothing paid out yet? Each refuses in one sentence."""

from leftbower.errors import EventIsClosed, EventIsPaused
from leftbower.tournament.model import Event


def check_running(event: Event) -> None:
    """It is neither closed nor paused."""
    check_open(event)
    if event.paused:
        raise EventIsPaused("the event is paused")


def check_open(event: Event) -> None:
    """It is not closed."""
    if event.closed:
        raise EventIsClosed("the event is closed")


def check_unpaid(event: Event) -> None:
    """No prize is paid out yet."""
    if event.paid_out:
        raise EventIsClosed("prizes are paid out, so the results stand")
