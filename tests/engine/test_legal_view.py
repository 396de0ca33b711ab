"""`HandViews` returns the same views as separate calls, and computes legality only once."""

from dataclasses import fields

import pytest
from hypothesis import given

from leftbower.engine import HandViews, State, View, hand as hand_module, legal_actions, legal_view, view
from leftbower.notation import parse_hand_line
from leftbower.testing import states

DEAL = "E Td N:AcAdQcQhQs E:9sAsJcKdTh S:9cAhKcKsQd W:9hJsKhTcTs"


def check(state: State) -> None:
    """Each seat and a spectator get their own view, and every view has the spectator's actions."""
    views = HandViews(state)
    for seat in (None, *state.hand.rules.seats):
        assert views.of(seat) == view(state, seat)
        assert views.of(seat) is views.of(seat)
        assert vars(views.of(seat)).keys() == {field.name for field in fields(View)}
        assert views.of(seat).public_actions == views.of(None).actions
        assert views.of(seat).legal == tuple(action for action in legal_actions(state) if action.seat is seat)


@pytest.mark.parametrize("acts", ["", "| p p", "| p p p o -9s", "| p p p p h"])
def test_each_seat_gets_its_own_view(acts: str) -> None:
    check(parse_hand_line(f"{{club}} {DEAL} {acts}"))


@given(states())
def test_each_seat_gets_its_own_view_at_any_table(state: State) -> None:
    check(state)


def test_all_views_of_a_state_compute_legality_once(monkeypatch: pytest.MonkeyPatch) -> None:
    state = parse_hand_line(f"{{club}} {DEAL} | p p p o -9s")
    computed: list[State] = []

    def counted(of: State) -> object:
        computed.append(of)
        return hand_module.legal_actions(of)

    monkeypatch.setattr(legal_view, "legal_actions", counted)
    views = HandViews(state)
    for seat in (None, *state.hand.rules.seats, *state.hand.rules.seats):
        views.of(seat)
    assert computed == [state]
