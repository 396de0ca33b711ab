"""Single players with rotating partners.

With 4n or 4n+1 players everybody partners everybody once and opposes everybody twice (a whist tournament). With
4n+2 or 4n+3 nobody partners anybody twice, nor opposes anybody more than twice. A whole evening comes out of one base
round in `base_rounds`: add 1 to every number of it, again and again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from leftbower.errors import BadPlan
from leftbower.tournament.base_rounds import BASE_ROUNDS, BY_THREES, FEWEST, MOST, STAYING
from leftbower.tournament.lots import shuffled
from leftbower.tournament.meetings import Meetings
from leftbower.tournament.seating import Draw, players_at_tables
from leftbower.tournament.tables import shared

Numbers = tuple[tuple[int, ...], ...]
"""Tables of one round, each with the numbers of its players clockwise from North, partners opposite."""


@cache
def cycle(players: int) -> tuple[tuple[Numbers, tuple[int, ...]], ...]:
    """Every round for so many players, with who sits out, ordered so that sitting out is shared from the first on."""
    if players not in BASE_ROUNDS:
        raise BadPlan(f"a progressive event has {FEWEST} to {MOST} players, not {players}")
    base = BASE_ROUNDS[players]
    size = players - 1 if players in STAYING else players
    turns = [tuple(_moved(number, turn, size, players) for number in base) for turn in range(size)]
    rounds = [(_tables(turn), turn[len(turn) // 4 * 4 :]) for turn in turns]
    return tuple(_shared(rounds, players))


def _moved(number: int, turn: int, size: int, players: int) -> int:
    """Where a number is after so many turns."""
    if number == size:
        return number
    if players not in BY_THREES:
        return (number + turn) % size
    last = players // 9
    first, second = (number // last // 3 + turn // last // 3) % 3, (number // last + turn // last) % 3
    return (3 * first + second) * last + (number + turn) % last


def _tables(numbers: Sequence[int]) -> Numbers:
    return tuple(tuple(numbers[at : at + 4]) for at in range(0, len(numbers) // 4 * 4, 4))


def _shared(rounds: list[tuple[Numbers, tuple[int, ...]]], players: int) -> Iterable[tuple[Numbers, tuple[int, ...]]]:
    """Always the round next whose sitters have sat out least; of those, one whose sitters have fewest other chances."""
    sat = [0] * players
    left = list(rounds)
    while left:
        fewest = min(_sat(out, sat) for _, out in left)
        best = [one for one in left if _sat(one[1], sat) == fewest]
        chances = Counter(who for _, out in best for who in out)
        chosen = min(best, key=lambda one: sum(chances[who] for who in one[1]))
        left.remove(chosen)
        for who in chosen[1]:
            sat[who] += 1
        yield chosen


def _sat(out: Iterable[int], sat: Sequence[int]) -> list[int]:
    return sorted((sat[who] for who in out), reverse=True)


def progressive(players: Sequence[str], rounds: int = 0, *, threes: bool = False) -> tuple[Draw, ...]:
    """So many rounds, or all there are before anything would come again."""
    drawn = _with_threes(players) if threes and len(players) % 4 else _rotated(_whole(players))
    return tuple(drawn[at % len(drawn)] for at in range(rounds or len(drawn)))


def rest_of(players: Sequence[str], rounds: int, met: Meetings, *, threes: bool = False) -> tuple[Draw, ...]:
    """Rounds for those who are there now, after others were played: the best of many ways to hand out the numbers."""
    in_threes = threes and len(players) % 4
    tries = (_least_met(_with_threes(order) if in_threes else _whole(order), rounds, met) for order in _orders(players))
    best = min(tries, key=lambda drawn: _repeats(drawn, met))
    return best if in_threes else _rotated(best)


def _orders(players: Sequence[str]) -> Iterable[Sequence[str]]:
    yield players
    yield from (shuffled(players, f"again {attempt}") for attempt in range(30))


def _least_met(drawn: Sequence[Draw], rounds: int, met: Meetings) -> tuple[Draw, ...]:
    """The rounds that repeat least of what has been; all of them come before any comes again."""
    ranked = sorted(drawn, key=lambda one: _repeats([one], met))
    return tuple(ranked[at % len(ranked)] for at in range(rounds))


def _repeats(drawn: Iterable[Draw], met: Meetings) -> tuple[int, int, int]:
    """Partners again, opponents a third time, and how unevenly rounds are sat out."""
    tables = [seating for one in drawn for seating in one.tables]
    again = sum(met.partners[pair] > 0 for seating in tables for pair in seating.partners())
    thirds = sum(met.opponents[pair] > 1 for seating in tables for pair in seating.opponents())
    return again, thirds, sum(met.byes[who] for one in drawn for who in one.byes)


def _whole(players: Sequence[str]) -> tuple[Draw, ...]:
    """Every round, with its tables as the base round has them."""
    return tuple(
        players_at_tables(([players[who] for who in table] for table in tables), (players[who] for who in out))
        for tables, out in cycle(len(players))
    )


def _rotated(drawn: Sequence[Draw]) -> tuple[Draw, ...]:
    """The rounds with their tables exchanged, so that nobody sits at one table all evening."""
    seated = shared([list(seating.seats.values()) for seating in one.tables] for one in drawn)
    return tuple(players_at_tables(tables, one.byes) for tables, one in zip(seated, drawn, strict=True))


def length(players: int, *, threes: bool = False) -> int:
    """How many rounds there are before anything would come again."""
    return len(_rounds_with_threes(players)) if threes and players % 4 else len(cycle(players))


def _with_threes(players: Sequence[str]) -> tuple[Draw, ...]:
    """Empty chairs at tables of four, never two at one table: those who sit there play three-handed."""
    chairs = [*players, *[""] * (-len(players) % 4)]
    return tuple(
        players_at_tables(sorted(([chairs[who] for who in table if chairs[who]] for table in tables), key=len)[::-1])
        for tables in _rounds_with_threes(len(players))
    )


def _rounds_with_threes(players: int) -> list[Numbers]:
    empty = -players % 4
    if players < 3 * empty or players + empty > MOST:
        raise BadPlan(f"{players} players cannot all sit at tables of four and three")
    rounds = [tables for tables, _ in cycle(players + empty)]
    return [tables for tables in rounds if all(_room(table, players) for table in tables)]


def _room(table: Iterable[int], players: int) -> bool:
    return sum(who >= players for who in table) <= 1


def chart(players: Sequence[str], rounds: int) -> tuple[Draw, ...]:
    """The movement that is handed round on paper: North stays, South down one table, East up one, West up two."""
    if len(players) % 4 or not players:
        raise BadPlan("this movement takes four players to every table")
    count = len(players) // 4
    north, east, south, west = (players[at * count : (at + 1) * count] for at in range(4))
    return tuple(
        players_at_tables(
            (north[at], east[(at - turn) % count], south[(at + turn) % count], west[(at - 2 * turn) % count])
            for at in range(count)
        )
        for turn in range(rounds or count)
    )
