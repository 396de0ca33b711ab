"""View model of a coach's hint: the choices with their values, and the reasons for the best one."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.notation import compass_name
from leftbower.players.coach.advice import Advice
from leftbower.table import Table, hand_view_for
from leftbower.web.table.seat_names import SeatNames, seat_positions
from leftbower.web.table.text import choice_label


@dataclass(frozen=True, slots=True, kw_only=True)
class HintChoice:
    label: str
    points: str
    win_chance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HintViewModel:
    """Choices, the best one first, and the reasons for it."""

    choices: tuple[HintChoice, ...]
    reasons: tuple[str, ...]
    layouts: int


def hint_view_model(advice: Advice, table: Table, person: str, names: Mapping[str, str]) -> HintViewModel:
    """Convert the coach's advice; compass names of seats become players' names."""
    view = hand_view_for(table, person)
    assert view is not None
    seat_name = SeatNames(table.seats, names, advice.seat, seat_positions(table.rules, advice.seat))
    return HintViewModel(
        choices=tuple(
            HintChoice(
                label=choice_label(choice.action, view, seat_name),
                points=f"{choice.points.mean:+.2f}".replace("-", "−"),
                win_chance=f"{100 * choice.chance.mean:.0f} %",
            )
            for choice in advice.choices
        ),
        reasons=tuple(_with_names(reason, table, seat_name) for reason in advice.reasons),
        layouts=advice.layouts,
    )


def _with_names(reason: str, table: Table, seat_name: SeatNames) -> str:
    for seat in table.rules.seats:
        name = seat_name(seat)
        reason = reason.replace(compass_name(seat), name if name != "You" else "you")
    return reason[:1].upper() + reason[1:]
