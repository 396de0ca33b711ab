"""Who goes on to another stage."""

from leftbower.errors import BadPlan, RoundIsOn, TieStands
from leftbower.tournament.entrants import Presence
from leftbower.tournament.model import Event
from leftbower.tournament.standings import standings


def finalists(event: Event, top: int) -> tuple[str, ...]:
    """The best of the standings who have not left; where two are level for the last place, lots are drawn first."""
    if missing := event.open_tables():
        raise RoundIsOn(f"table {missing[0][1]} has no score yet", place=f"round {missing[0][0]}")
    lines = [one for one in standings(event) if event.entrants[one.entrant].presence is not Presence.WITHDRAWN]
    if not 2 <= top <= len(lines):
        raise BadPlan(f"{top} are to go on, and {len(lines)} are there")
    if len(lines) > top and lines[top - 1].place == lines[top].place:
        level = " and ".join(event.entrants[one.entrant].name for one in lines if one.place == lines[top].place)
        raise TieStands(f"{level} are level for the last place in the final: draw lots")
    return tuple(one.entrant for one in lines[:top])
