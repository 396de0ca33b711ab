"""Finalists of the next stage."""

from leftbower.errors import BadPlan, RoundIsOn, TieStands
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.standings import standings


def finalists(event: Event, top: int) -> tuple[str, ...]:
    """The top of the standings without withdrawn entrants; raises TieStands on a tie for the last place."""
    if missing := event.open_tables():
        raise RoundIsOn("table %(table)s has no score yet", path=f"round {missing[0][0]}", table=missing[0][1])
    lines = [
        line for line in standings(event) if event.entrants[line.entrant].presence is not EntrantPresence.WITHDRAWN
    ]
    if not 2 <= top <= len(lines):
        raise BadPlan("%(top)s entrants can't advance; there are %(count)s", top=top, count=len(lines))
    if len(lines) > top and lines[top - 1].place == lines[top].place:
        level = " and ".join(event.entrants[line.entrant].name for line in lines if line.place == lines[top].place)
        raise TieStands("%(names)s are tied for the last place in the final; draw lots", names=level)
    return tuple(line.entrant for line in lines[:top])
