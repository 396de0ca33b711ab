"""The bracket of an elimination stage as it stands."""

from leftbower.tournament.elimination import Bracket
from leftbower.tournament.model import Event
from leftbower.tournament.plan import Format
from leftbower.tournament.results import Result, results_at

_ON = (Result.WIN, Result.WALKOVER)


def bracket_of(event: Event, stage: int) -> Bracket:
    """Everybody who was drawn for it, with every match that is over."""
    won: dict[str, str] = {}
    for one in event.rounds_of(stage):
        for seating in one.tables:
            results = results_at(event, one.number, seating)
            if Result.PENDING not in results:
                ahead = [seating.on(side)[0] for side, result in enumerate(results) if result in _ON]
                won[seating.slot] = ahead[0] if ahead else ""
    return Bracket(seeds=_seeds(event, stage), won=won, double=event.stages[stage].format is Format.DOUBLE)


def _seeds(event: Event, stage: int) -> tuple[str, ...]:
    """Who is in the bracket: fixed by its first round, for nobody gets in later."""
    rounds = event.rounds_of(stage)
    if event.stages[stage].entrants:
        return event.stages[stage].entrants
    if not rounds:
        return tuple(one.id for one in event.field())
    drawn = {who for seating in rounds[0].tables for who in seating.entrants} | set(rounds[0].byes)
    return tuple(sorted(drawn, key=lambda entrant: event.entrants[entrant].number))
