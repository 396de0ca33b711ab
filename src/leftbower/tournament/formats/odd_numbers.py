"""Options when the entrants don't fill the tables, and what each costs."""

from collections.abc import Iterator
from dataclasses import dataclass

from leftbower.i18n import gettext as _, ngettext
from leftbower.tournament.formats.pairing import planned_rounds
from leftbower.tournament.model.state import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatingOption:
    """One way to seat all entrants, and its cost."""

    kind: str
    """byes, three-handed or bots."""
    count: int
    """How many per round."""
    cost: str
    """Shown to people; no period at the end."""


def seating_options(event: Event) -> tuple[SeatingOption, ...]:
    """The options; none if the entrants fill the tables."""
    return tuple(_seating_options(event, len(event.drawable_entrants())))


def _seating_options(event: Event, count: int) -> Iterator[SeatingOption]:
    definition = event.stage.definition
    if definition.has_own_byes:
        return
    size = definition.entrants_per_table
    spare = count % size
    if not spare or count < size:
        return
    rounds = planned_rounds(event)
    yield SeatingOption(kind="byes", count=spare, cost=_bye_cost(spare, count, rounds, singles=definition.singles))
    threes = size - spare
    if definition.three_handed and count >= 3 * threes:
        yield SeatingOption(kind="three-handed", count=threes, cost=_three_handed_cost(threes, count, rounds))
    bots = size - spare if definition.singles else 1
    yield SeatingOption(kind="bots", count=bots, cost=_bot_cost(bots, singles=definition.singles))


def _bye_cost(spare: int, count: int, rounds: int, *, singles: bool) -> str:
    values = {"count": count, "each": f"{spare * rounds / count:.1f}", "rounds": rounds}
    if singles:
        return ngettext(
            "%(num)d of %(count)d players sits out each round, about %(each)s of %(rounds)d rounds each",
            "%(num)d of %(count)d players sit out each round, about %(each)s of %(rounds)d rounds each",
            spare,
            **values,
        )
    return _(
        "one of %(count)d teams sits out each round, about %(each)s of %(rounds)d rounds each",
        **values,
    )


def _three_handed_cost(threes: int, count: int, rounds: int) -> str:
    return ngettext(
        "%(num)d table plays three-handed each round, without partners; everyone plays every round, about "
        "%(each)s of %(rounds)d at such a table",
        "%(num)d tables play three-handed each round, without partners; everyone plays every round, about "
        "%(each)s of %(rounds)d at such a table",
        threes,
        each=f"{3 * threes * rounds / count:.1f}",
        rounds=rounds,
    )


def _bot_cost(bots: int, *, singles: bool) -> str:
    if not singles:
        return _("add a team of bots (online only); everyone plays every round, some against bots")
    return ngettext(
        "add %(num)d bot (online only); everyone plays every round, some with or against a bot",
        "add %(num)d bots (online only); everyone plays every round, some with or against a bot",
        bots,
    )
