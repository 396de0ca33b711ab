"""What the coach says, for somebody in the middle of a hand: what to do, what the others are worth, and why."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.notation import compass
from leftbower.players.advice import Advice
from leftbower.table import Table, seen_by
from leftbower.web.naming import Called, places_round
from leftbower.web.words import choice


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """One choice, and what it is worth."""

    label: str
    points: str
    chance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """The best choice first, and the reasons for it."""

    choices: tuple[Worth, ...]
    reasons: tuple[str, ...]
    layouts: int


def hint(advice: Advice, table: Table, person: str, names: Mapping[str, str]) -> Hint:
    """The advice in the words of the page: the coach calls seats by the compass, and the page by their names."""
    seen = seen_by(table, person)
    assert seen is not None
    called = Called(table.seats, names, advice.seat, places_round(table.rules, advice.seat))
    return Hint(
        choices=tuple(
            Worth(
                label=choice(one.action, seen, called),
                points=f"{one.points.mean:+.2f}".replace("-", "−"),
                chance=f"{100 * one.chance.mean:.0f} %",
            )
            for one in advice.choices
        ),
        reasons=tuple(_named(reason, table, called) for reason in advice.reasons),
        layouts=advice.layouts,
    )


def _named(reason: str, table: Table, called: Called) -> str:
    for seat in table.rules.places:
        who = called(seat)
        reason = reason.replace(compass(seat), who if who != "You" else "you")
    return reason[:1].upper() + reason[1:]
