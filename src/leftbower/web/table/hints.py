"""View model of a hint: the coach's headline, then the choices with their values, and the reasons."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine.actions import Action, Bury, LayAway, Name, Order, Play
from leftbower.i18n import signed
from leftbower.notation import compass_name
from leftbower.notation.tokens import to_token
from leftbower.players.coach.advice import Advice
from leftbower.players.coach.phrases import percent
from leftbower.table import Table, hand_view_for
from leftbower.web.table.seat_names import SeatNames
from leftbower.web.table.text import choice_label


@dataclass(frozen=True, slots=True, kw_only=True)
class HintChoice:
    label: str
    points: str
    win_chance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HintViewModel:
    headline: str
    """One sentence: what to do."""
    controls: tuple[str, ...]
    """The cards to choose in the hand, or the values of the button and of the switch for going alone."""
    choices: tuple[HintChoice, ...]
    reasons: tuple[str, ...]
    layouts: str
    """Number of layouts of the unseen cards that were tried: `1,000`."""


def hint_view_model(advice: Advice, table: Table, person: str, names: Mapping[str, str]) -> HintViewModel:
    """Convert the coach's advice, with players' names instead of compass seats."""
    view = hand_view_for(table, person)
    assert view is not None
    seat_name = SeatNames(table.seats, names, advice.seat)
    return HintViewModel(
        headline=advice.headline,
        controls=_controls(advice.choices[0].action),
        choices=tuple(
            HintChoice(
                label=choice_label(choice.action, view, seat_name),
                points=signed(choice.points.mean),
                win_chance=percent(choice.chance.mean),
            )
            for choice in advice.choices
        ),
        reasons=tuple(_with_names(reason, table, seat_name) for reason in advice.reasons),
        layouts=f"{advice.layouts:,}",
    )


def _controls(action: Action) -> tuple[str, ...]:
    match action:
        case Play() | Bury():
            return (str(action.card),)
        case LayAway():
            return tuple(map(str, action.cards))
        case Order(alone=True) | Name(alone=True):
            return to_token(action).removesuffix("!"), "yes"
        case _:
            return (to_token(action),)


def _with_names(reason: str, table: Table, seat_name: SeatNames) -> str:
    names = {compass_name(seat): seat_name(seat) for seat in table.rules.seats}
    return re.sub("|".join(names), lambda found: names[found[0]], reason)
