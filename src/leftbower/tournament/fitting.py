"""Numbers that do not fit: what can be done, and what each choice costs."""

from collections.abc import Iterator
from dataclasses import dataclass

from leftbower.tournament.model import Event
from leftbower.tournament.pairing import rounds_planned
from leftbower.tournament.plan import BRACKETS, Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One way to seat everybody, and its price."""

    what: str
    """byes, three-handed or bots."""
    how_many: int
    """Of them, in each round."""
    cost: str


def offers(event: Event) -> tuple[Offer, ...]:
    """The ways to go on where the numbers do not fit; none where they do."""
    return tuple(_offers(event, len(event.field())))


def _offers(event: Event, count: int) -> Iterator[Offer]:
    if event.stage.format is Format.SCHOOLS or event.stage.format in BRACKETS:
        return  # teams without opponents, and byes of the best seeds, belong to these
    size = 4 if event.stage.singles else 2
    spare = count % size
    if not spare or count < size:
        return
    who = "players" if event.stage.singles else "teams"
    rounds = rounds_planned(event)
    each = spare * rounds / count
    yield Offer(
        what="byes",
        how_many=spare,
        cost=f"{spare} of {count} {who} sit out each round, about {each:.1f} rounds each out of {rounds}",
    )
    threes = size - spare
    if event.stage.format is Format.PROGRESSIVE and count >= 3 * threes:
        yield Offer(
            what="three-handed",
            how_many=threes,
            cost=f"{threes} table{'s' * (threes > 1)} of three each round, under the club's rules, without partners; "
            f"everybody plays every round, about {3 * threes * rounds / count:.1f} of {rounds} at such a table",
        )
    bots = size - spare if event.stage.singles else 1
    yield Offer(
        what="bots",
        how_many=bots,
        cost=f"{bots} {'player' if event.stage.singles else 'team'}{'s' * (bots > 1)} of the house, only where play is "
        "online; everybody plays every round, some with or against a bot",
    )
