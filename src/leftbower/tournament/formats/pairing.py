"""What is drawn next: from an event as it stands to the rounds that can be drawn now, by its format."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from leftbower.errors import BadPlan, NothingToPair, RoundIsOn
from leftbower.tournament.formats import progressive, round_robin
from leftbower.tournament.formats.brackets import bracket_of
from leftbower.tournament.formats.elimination import elimination_round
from leftbower.tournament.formats.limits import MAX_MATCHES_PER_DRAW
from leftbower.tournament.formats.meetings import meetings
from leftbower.tournament.formats.schools import school_pairings
from leftbower.tournament.formats.swiss import swiss_round
from leftbower.tournament.formats.winners_move import first_round, next_round
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.plan import BRACKET_FORMATS, SCHEDULED_FORMATS, Format, OddNumbers
from leftbower.tournament.model.seating import Pairings, Round
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.results import RoundResult, entrant_tallies, table_results
from leftbower.tournament.scoring.standings import standings

MIN_ENTRANTS = {True: 4, False: 2}
"""How many single players, and how many teams, it takes."""
DEFAULT_ROUNDS = 8
"""Of a format that could go on for ever."""


def next_rounds(event: Event) -> tuple[Pairings, ...]:
    """The rounds that can be drawn now, or the error that says why there are none."""
    return tuple(iter_next_rounds(event))


def iter_next_rounds(event: Event) -> Iterator[Pairings]:
    """The same rounds one by one, so that a caller can stop between two of them; errors come with the first."""
    field = event.drawable_entrants()
    if len(field) < MIN_ENTRANTS[event.stage.singles]:
        noun = "players" if event.stage.singles else "teams"
        raise NothingToPair(f"it takes {MIN_ENTRANTS[event.stage.singles]} {noun}, and {len(field)} are here")
    if event.stage.format not in SCHEDULED_FORMATS:
        _check_over(event)
    _check_size(event, len(field))
    rounds = iter(_draw(event, field))
    first = next(rounds, None)
    if first is None:
        raise NothingToPair("every round of this stage is drawn")
    yield first
    yield from rounds


def planned_rounds(event: Event) -> int:
    """How many rounds the stage has when all goes as planned; of a bracket the most there can be."""
    count, stage = len(event.drawable_entrants()), event.stage
    match stage.format:
        case Format.ROUND_ROBIN:
            whole = count - 1 + count % 2
            return min(stage.rounds or whole, whole)
        case Format.SCHOOLS:
            return 1
        case Format.PROGRESSIVE:
            return stage.rounds or progressive.cycle_length(
                count, threes=event.plan.odd_numbers is OddNumbers.THREE_HANDED
            )
        case Format.CHART:
            return stage.rounds or max(1, count // 4)
        case Format.SWISS:
            return stage.rounds or max(1, (count - 1).bit_length())
        case Format.WINNERS_MOVE:
            return stage.rounds or DEFAULT_ROUNDS
        case Format.KNOCKOUT:
            return max(1, (count - 1).bit_length())
        case Format.DOUBLE:
            return 2 * max(1, (count - 1).bit_length())


def is_stage_finished(event: Event) -> bool:
    """Is every round of the stage drawn, and every score there?"""
    if event.open_tables():
        return False
    if event.stage.format is Format.ROUND_ROBIN:
        return not _has_pairs_left(event)
    try:
        return next(iter_next_rounds(event), None) is None
    except (NothingToPair, BadPlan):
        return True


def _has_pairs_left(event: Event) -> bool:
    """Has a round robin a round left, and two teams that have not met? Nothing is drawn to find out."""
    done = event.rounds_of(len(event.stages) - 1)
    if event.stage.rounds and len(done) >= event.stage.rounds:
        return False
    return any(round_robin.unmet_pairs(_ids(event.drawable_entrants()), meetings(done).opponents))


def _check_over(event: Event) -> None:
    """The next round follows from the scores of the last one."""
    if missing := event.open_tables():
        number, table = missing[0]
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise RoundIsOn(f"table {table} has no score yet{more}", path=f"round {number}")


def _check_size(event: Event, count: int) -> None:
    """Refuse a draw of too many matches before any of it is computed."""
    if event.stage.format not in SCHEDULED_FORMATS or event.stage.format is Format.PROGRESSIVE:
        return
    rounds_left = max(0, planned_rounds(event) - len(event.rounds_of(len(event.stages) - 1)))
    matches = rounds_left * (count // (4 if event.stage.singles else 2))
    if matches > MAX_MATCHES_PER_DRAW:
        raise BadPlan(
            f"{count} teams would play {matches:,} matches; at most {MAX_MATCHES_PER_DRAW:,} are drawn at once. "
            "Plan fewer rounds, or a swiss event",
            path="rounds",
        )


def _draw(event: Event, field: Sequence[Entrant]) -> Iterable[Pairings]:
    done = event.rounds_of(len(event.stages) - 1)
    if event.stage.format in BRACKET_FORMATS:
        return _bracket(event)
    rounds_left = planned_rounds(event) - len(done)
    ids = _ids(field)
    match event.stage.format:
        case Format.ROUND_ROBIN:
            return _round_robin(event, ids, done)
        case _ if rounds_left <= 0:
            return ()
        case Format.SCHOOLS:
            return (school_pairings(field),)
        case Format.PROGRESSIVE:
            return _progressive(event, ids, done, rounds_left)
        case Format.CHART:
            return progressive.chart(ids, rounds_left + len(done))[len(done) :]
        case Format.SWISS:
            return (_swiss(event, ids, done),)
        case _:
            return (_winners_move(event, ids, done),)


def _ids(field: Sequence[Entrant]) -> tuple[str, ...]:
    return tuple(entrant.id for entrant in field)


def _round_robin(event: Event, ids: Sequence[str], done: Sequence[Round]) -> Iterable[Pairings]:
    """All pairs that have not met; a number of rounds on the plan ends it earlier."""
    rounds = event.stage.rounds
    if not done:
        return round_robin.circle_rounds(ids, rounds)
    if rounds and len(done) >= rounds:
        return ()
    return round_robin.remaining_rounds(
        ids, meetings(done), _first_draw_order(event, done[0]), max(0, rounds - len(done))
    )


def _first_draw_order(event: Event, first: Round) -> list[str]:
    """The teams of the first round in the order in which they were drawn: by number, or as the final lists them."""
    drawn = {*first.byes, *(entrant for seating in first.tables for entrant in seating.entrants)}
    if event.stage.entrants:
        return [entrant for entrant in event.stage.entrants if entrant in drawn]
    return sorted(drawn, key=lambda entrant: event.entrants[entrant].number or len(event.entrants) + 1)


def _progressive(event: Event, ids: Sequence[str], done: Sequence[Round], rounds_left: int) -> tuple[Pairings, ...]:
    threes = event.plan.odd_numbers is OddNumbers.THREE_HANDED
    if not done:
        return progressive.progressive(ids, rounds_left, threes=threes)
    return progressive.remaining_rounds(ids, rounds_left, meetings(done), threes=threes)


def _swiss(event: Event, ids: Sequence[str], done: Sequence[Round]) -> Pairings:
    """Teams in the order of the standings meet whom they have not met."""
    order = _by_standings(event, ids, done)
    scores = {entrant: tally.matches for entrant, tally in entrant_tallies(event, done).items()}
    return swiss_round(order, {entrant: scores.get(entrant, Fraction(0)) for entrant in order}, meetings(done))


def _by_standings(event: Event, ids: Sequence[str], done: Sequence[Round]) -> list[str]:
    """Entrants best first, those without a place last; before the first round as they are numbered."""
    playing = set(ids)
    order = [line.entrant for line in standings(event) if line.entrant in playing] if done else list(ids)
    ranked = set(order)
    return order + [entrant for entrant in ids if entrant not in ranked]


def _winners_move(event: Event, ids: Sequence[str], done: Sequence[Round]) -> Pairings:
    if not done:
        return first_round(ids)
    last = done[-1]
    won = {}
    for seating in last.tables:
        results = table_results(event, last.number, seating)
        won[seating.table] = next(
            (side for side, result in enumerate(results) if result in (RoundResult.WIN, RoundResult.WALKOVER)), 0
        )
    return next_round(ids, last, won, meetings(done))


def _bracket(event: Event) -> tuple[Pairings, ...]:
    pairings = elimination_round(bracket_of(event, len(event.stages) - 1))
    return (pairings,) if pairings.tables else ()
