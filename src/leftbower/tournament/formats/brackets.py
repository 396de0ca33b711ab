"""Build the bracket of an elimination stage from its scores."""

from leftbower.tournament.formats.schedules.bracket import Bracket
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.results import RoundResult, table_results

_WINS = (RoundResult.WIN, RoundResult.WALKOVER)


def bracket_of(event: Event, stage: int) -> Bracket:
    """The bracket of a stage, with every finished match."""
    won: dict[str, str] = {}
    for round_ in event.rounds_of(stage):
        for seating in round_.tables:
            results = table_results(event, round_.number, seating)
            if RoundResult.PENDING not in results:
                ahead = [seating.entrants_on(side)[0] for side, result in enumerate(results) if result in _WINS]
                won[seating.slot] = ahead[0] if ahead else ""
    return Bracket(seeds=_seeds(event, stage), winners=won, double=event.stages[stage].definition.losses > 1)


def _seeds(event: Event, stage: int) -> tuple[str, ...]:
    """Entrants of the bracket, fixed by its first round; late entries are not added."""
    rounds = event.rounds_of(stage)
    if event.stages[stage].entrants:
        return event.stages[stage].entrants
    if not rounds:
        return tuple(member.id for member in event.drawable_entrants())
    drawn = {player for seating in rounds[0].tables for player in seating.entrants} | set(rounds[0].byes)
    return tuple(sorted(drawn, key=lambda entrant: event.entrants[entrant].number))
