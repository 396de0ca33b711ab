"""`views_for_all` equals the views computed one by one."""

from dataclasses import fields

import pytest
from hypothesis import given

from leftbower.engine import PrivateView, State, view, views_for_all
from leftbower.notation import parse_hand_line
from leftbower.testing import states

DEAL = "E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs"


def check(state: State) -> None:
    """A glance holds a spectator's view, and what is each seat's own; every view holds the spectator's actions."""
    seats = state.hand.rules.seats
    spectator, own = views_for_all(state, seats)
    assert spectator == view(state, None)
    assert list(own) == list(seats)
    for seat, mine in own.items():
        whole = view(state, seat)
        assert whole.public_actions == spectator.actions
        assert all(getattr(mine, field.name) == getattr(whole, field.name) for field in fields(PrivateView))


@pytest.mark.parametrize("acts", ["", "| p p", "| p p p o -9s", "| p p p p h"])
def test_a_glance_is_everybodys_view(acts: str) -> None:
    check(parse_hand_line(f"{{club}} {DEAL} {acts}"))


@given(states())
def test_a_glance_is_everybodys_view_at_any_table(state: State) -> None:
    check(state)
