"""What is drawn next: from an event as it stands to the rounds that can be drawn now, by its format."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from leftbower.errors import BadPlan, NothingToPair, RoundIsOn
from leftbower.tournament import progressive, round_robin
from leftbower.tournament.brackets import bracket_of
from leftbower.tournament.elimination import elimination_round
from leftbower.tournament.entrants import Entrant
from leftbower.tournament.limits import MAX_MATCHES_PER_DRAW
from leftbower.tournament.meetings import meetings
from leftbower.tournament.model import Event
from leftbower.tournament.plan import AT_ONCE, BRACKETS, Fit, Format
from leftbower.tournament.results import Result, results_at, tallies
from leftbower.tournament.schools import groups
from leftbower.tournament.seating import Draw, Round
from leftbower.tournament.standings import standings
from leftbower.tournament.swiss import swiss_round
from leftbower.tournament.winners_move import first_round, next_round

FEWEST = {True: 4, False: 2}
"""How many single players, and how many teams, it takes."""
USUAL_ROUNDS = 8
"""Of a format that could go on for ever."""


def drawn_next(event: Event) -> tuple[Draw, ...]:
    """The rounds that can be drawn now, or the error that says why there are none."""
    return tuple(drawn_rounds(event))


def drawn_rounds(event: Event) -> Iterator[Draw]:
    """The same rounds one by one, so that a caller can stop between two of them; errors come with the first."""
    field = event.field()
    if len(field) < FEWEST[event.stage.singles]:
        who = "players" if event.stage.singles else "teams"
        raise NothingToPair(f"it takes {FEWEST[event.stage.singles]} {who}, and {len(field)} are here")
    if event.stage.format not in AT_ONCE:
        _check_over(event)
    _check_size(event, len(field))
    rounds = iter(_draw(event, field))
    first = next(rounds, None)
    if first is None:
        raise NothingToPair("every round of this stage is drawn")
    yield first
    yield from rounds


def rounds_planned(event: Event) -> int:
    """How many rounds the stage has when all goes as planned; of a bracket the most there can be."""
    count, stage = len(event.field()), event.stage
    match stage.format:
        case Format.ROUND_ROBIN:
            whole = count - 1 + count % 2
            return min(stage.rounds or whole, whole)
        case Format.SCHOOLS:
            return 1
        case Format.PROGRESSIVE:
            return stage.rounds or progressive.length(count, threes=event.plan.fit is Fit.THREES)
        case Format.CHART:
            return stage.rounds or max(1, count // 4)
        case Format.SWISS:
            return stage.rounds or max(1, (count - 1).bit_length())
        case Format.WINNERS_MOVE:
            return stage.rounds or USUAL_ROUNDS
        case Format.KNOCKOUT:
            return max(1, (count - 1).bit_length())
        case Format.DOUBLE:
            return 2 * max(1, (count - 1).bit_length())


def is_over(event: Event) -> bool:
    """Is every round of the stage drawn, and every score there?"""
    if event.open_tables():
        return False
    if event.stage.format is Format.ROUND_ROBIN:
        return not _pairs_left(event)
    try:
        return next(drawn_rounds(event), None) is None
    except (NothingToPair, BadPlan):
        return True


def _pairs_left(event: Event) -> bool:
    """Has a round robin a round left, and two teams that have not met? Nothing is drawn to find out."""
    done = event.rounds_of(len(event.stages) - 1)
    if event.stage.rounds and len(done) >= event.stage.rounds:
        return False
    return any(round_robin.open_pairs(_ids(event.field()), meetings(done).opponents))


def _check_over(event: Event) -> None:
    """The next round follows from the scores of the last one."""
    if missing := event.open_tables():
        number, table = missing[0]
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise RoundIsOn(f"table {table} has no score yet{more}", place=f"round {number}")


def _check_size(event: Event, count: int) -> None:
    """Refuse a draw of too many matches before any of it is computed."""
    if event.stage.format not in AT_ONCE or event.stage.format is Format.PROGRESSIVE:
        return
    left = max(0, rounds_planned(event) - len(event.rounds_of(len(event.stages) - 1)))
    matches = left * (count // (4 if event.stage.singles else 2))
    if matches > MAX_MATCHES_PER_DRAW:
        raise BadPlan(
            f"{count} teams would play {matches:,} matches; at most {MAX_MATCHES_PER_DRAW:,} are drawn at once. "
            "Plan fewer rounds, or a swiss event",
            place="rounds",
        )


def _draw(event: Event, field: Sequence[Entrant]) -> Iterable[Draw]:
    done = event.rounds_of(len(event.stages) - 1)
    if event.stage.format in BRACKETS:
        return _bracket(event)
    left = rounds_planned(event) - len(done)
    ids = _ids(field)
    match event.stage.format:
        case Format.ROUND_ROBIN:
            return _round_robin(event, ids, done)
        case _ if left <= 0:
            return ()
        case Format.SCHOOLS:
            return (groups(field),)
        case Format.PROGRESSIVE:
            return _progressive(event, ids, done, left)
        case Format.CHART:
            return progressive.chart(ids, left + len(done))[len(done) :]
        case Format.SWISS:
            return (_swiss(event, ids, done),)
        case _:
            return (_winners_move(event, ids, done),)


def _ids(field: Sequence[Entrant]) -> tuple[str, ...]:
    return tuple(one.id for one in field)


def _round_robin(event: Event, ids: Sequence[str], done: Sequence[Round]) -> Iterable[Draw]:
    """All pairs that have not met; a number of rounds on the plan ends it earlier."""
    rounds = event.stage.rounds
    if not done:
        return round_robin.circle_rounds(ids, rounds)
    if rounds and len(done) >= rounds:
        return ()
    return round_robin.rest_of(ids, meetings(done), _first_draw(event, done[0]), max(0, rounds - len(done)))


def _first_draw(event: Event, first: Round) -> list[str]:
    """The teams of the first round in the order in which they were drawn: by number, or as the final lists them."""
    drawn = {*first.byes, *(entrant for seating in first.tables for entrant in seating.entrants)}
    if event.stage.entrants:
        return [entrant for entrant in event.stage.entrants if entrant in drawn]
    return sorted(drawn, key=lambda entrant: event.entrants[entrant].number or len(event.entrants) + 1)


def _progressive(event: Event, ids: Sequence[str], done: Sequence[Round], left: int) -> tuple[Draw, ...]:
    threes = event.plan.fit is Fit.THREES
    if not done:
        return progressive.progressive(ids, left, threes=threes)
    return progressive.rest_of(ids, left, meetings(done), threes=threes)


def _swiss(event: Event, ids: Sequence[str], done: Sequence[Round]) -> Draw:
    """Teams in the order of the standings meet whom they have not met."""
    here = set(ids)
    order = [one.entrant for one in standings(event) if one.entrant in here] if done else list(ids)
    ranked = set(order)
    order += [entrant for entrant in ids if entrant not in ranked]
    scores = {entrant: one.matches for entrant, one in tallies(event, done).items()}
    return swiss_round(order, {entrant: scores.get(entrant, Fraction(0)) for entrant in order}, meetings(done))


def _winners_move(event: Event, ids: Sequence[str], done: Sequence[Round]) -> Draw:
    if not done:
        return first_round(ids)
    last = done[-1]
    won = {}
    for seating in last.tables:
        results = results_at(event, last.number, seating)
        won[seating.table] = next((at for at, one in enumerate(results) if one in (Result.WIN, Result.WALKOVER)), 0)
    return next_round(ids, last, won, meetings(done))


def _bracket(event: Event) -> tuple[Draw, ...]:
    drawn = elimination_round(bracket_of(event, len(event.stages) - 1))
    return (drawn,) if drawn.tables else ()
