"""Everybody's view at once is what each would see alone."""

from dataclasses import fields

from hypothesis import given

from leftbower.engine import Own, State, glances, view
from leftbower.testing import states


@given(states())
def test_a_glance_holds_a_spectators_view_and_what_is_each_seats_own(state: State) -> None:
    places = state.hand.rules.places
    spectator, own = glances(state, places)
    assert spectator == view(state, None)
    assert list(own) == list(places)
    for seat, mine in own.items():
        whole = view(state, seat)
        assert all(getattr(mine, one.name) == getattr(whole, one.name) for one in fields(Own))
