"""Single players with rotating partners.

With 4n or 4n+1 players every pair partners once and meets twice as opponents (a whist tournament). With
4n+2 or 4n+3 no pair partners twice or meets more than twice as opponents, except in a few evenings of 15 rounds or
more, where byes would differ by two. One base round in `base_rounds` gives the whole evening: add 1 to each of its
numbers for every next round.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from leftbower.errors import BadPlan
from leftbower.i18n import gettext_noop
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.formats.byes import share_byes
from leftbower.tournament.formats.meetings import Meetings, meetings
from leftbower.tournament.formats.schedules import base_rounds
from leftbower.tournament.formats.schedules.table_rotation import rotate_tables
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.seating import Pairings, player_pairings
from leftbower.tournament.scoring.shuffle import seeded_shuffle

Numbers = tuple[tuple[int, ...], ...]
"""Tables of one round, each with the numbers of its players clockwise from North, partners opposite."""


@cache
def cycle(players: int) -> tuple[tuple[Numbers, tuple[int, ...]], ...]:
    """Every round for this number of players, with its byes, ordered to share byes evenly from the start."""
    if players not in base_rounds.BASE_ROUNDS:
        raise BadPlan(
            "a progressive event needs %(least)s to %(most)s players, not %(players)s",
            least=base_rounds.MIN_PLAYERS,
            most=base_rounds.MAX_PLAYERS,
            players=players,
        )
    base = base_rounds.BASE_ROUNDS[players]
    size = players - 1 if players in base_rounds.LAST_STAYS else players
    turns = [tuple(_turn_number(number, turn, size, players) for number in base) for turn in range(size)]
    rounds = [(_tables(turn), turn[len(turn) // 4 * 4 :]) for turn in turns]
    return tuple(_share_byes(rounds, players))


def _turn_number(number: int, turn: int, size: int, players: int) -> int:
    """The number's position after `turn` rotations."""
    if number == size:
        return number
    if players not in base_rounds.ADDED_BY_THREES:
        return (number + turn) % size
    last = players // 9
    first, second = (number // last // 3 + turn // last // 3) % 3, (number // last + turn // last) % 3
    return (3 * first + second) * last + (number + turn) % last


def _tables(numbers: Sequence[int]) -> Numbers:
    return tuple(tuple(numbers[start : start + 4]) for start in range(0, len(numbers) // 4 * 4, 4))


def _share_byes(
    rounds: list[tuple[Numbers, tuple[int, ...]]], players: int
) -> Iterable[tuple[Numbers, tuple[int, ...]]]:
    """Pick the round whose byes go to players with the fewest byes so far, then with the fewest other byes left."""
    byes = [0] * players
    remaining = list(rounds)
    while remaining:
        fewest = min(_bye_counts(out, byes) for _, out in remaining)
        best = [candidate for candidate in remaining if _bye_counts(candidate[1], byes) == fewest]
        chances = Counter(number for _, out in best for number in out)
        chosen = min(best, key=lambda candidate: sum(chances[number] for number in candidate[1]))
        remaining.remove(chosen)
        for number in chosen[1]:
            byes[number] += 1
        yield chosen


def _bye_counts(out: Iterable[int], byes: Sequence[int]) -> list[int]:
    return sorted((byes[number] for number in out), reverse=True)


def progressive(players: Sequence[str], rounds: int = 0, *, threes: bool = False) -> tuple[Pairings, ...]:
    """The first `rounds` rounds, or the whole cycle."""
    in_threes = threes and len(players) % 4
    whole = _with_threes(players) if in_threes else _all_rounds(players)
    drawn = tuple(whole[number % len(whole)] for number in range(rounds or len(whole)))
    return drawn if in_threes else _rotate_tables(share_byes(drawn, players, Meetings()))


def remaining_rounds(
    players: Sequence[str], rounds: int, met: Meetings, *, threes: bool = False
) -> tuple[Pairings, ...]:
    """Rounds for the current players after some were played: the best of several numberings."""
    in_threes = threes and len(players) % 4
    tries = (
        _fewest_repeats(_with_threes(order) if in_threes else _all_rounds(order), rounds, met)
        for order in _orders(players)
    )
    best = min(tries, key=lambda drawn: _count_repeats(drawn, met))
    return best if in_threes else _rotate_tables(share_byes(best, players, met))


def _orders(players: Sequence[str]) -> Iterable[Sequence[str]]:
    yield players
    yield from (seeded_shuffle(players, f"again {attempt}") for attempt in range(30))


def _fewest_repeats(drawn: Sequence[Pairings], rounds: int, met: Meetings) -> tuple[Pairings, ...]:
    """The rounds with the fewest repeats; each is used once before any is used again."""
    ranked = sorted(drawn, key=lambda pairings: _count_repeats([pairings], met))
    return tuple(ranked[number % len(ranked)] for number in range(rounds))


def _count_repeats(drawn: Iterable[Pairings], met: Meetings) -> tuple[int, int, int]:
    """Repeated partners, third meetings of opponents, and earlier byes of those who sit out."""
    tables = [seating for pairings in drawn for seating in pairings.tables]
    repeated_partners = sum(met.partners[pair] > 0 for seating in tables for pair in seating.partners())
    third_meetings = sum(met.opponents[pair] > 1 for seating in tables for pair in seating.opponents())
    return (
        repeated_partners,
        third_meetings,
        sum(met.sat_out(entrant) for pairings in drawn for entrant in pairings.byes),
    )


def _all_rounds(players: Sequence[str]) -> tuple[Pairings, ...]:
    """Every round, with tables in the order of the base round."""
    return tuple(
        player_pairings(
            ([players[number] for number in table] for table in tables), (players[number] for number in out)
        )
        for tables, out in cycle(len(players))
    )


def _rotate_tables(drawn: Sequence[Pairings]) -> tuple[Pairings, ...]:
    """The rounds with their tables rotated, so no player stays at one table all evening."""
    seated = rotate_tables([list(seating.seats.values()) for seating in pairings.tables] for pairings in drawn)
    return tuple(player_pairings(tables, pairings.byes) for tables, pairings in zip(seated, drawn, strict=True))


def cycle_length(players: int, *, threes: bool = False) -> int:
    """Rounds in the cycle before pairings repeat."""
    return len(_rounds_with_threes(players)) if threes and players % 4 else len(cycle(players))


def _with_threes(players: Sequence[str]) -> tuple[Pairings, ...]:
    """Leave at most one chair empty per table; those tables play three-handed."""
    chairs = [*players, *[""] * (-len(players) % 4)]
    return tuple(
        player_pairings(
            sorted(([chairs[number] for number in table if chairs[number]] for table in tables), key=len)[::-1]
        )
        for tables in _rounds_with_threes(len(players))
    )


def _rounds_with_threes(players: int) -> list[Numbers]:
    empty = -players % 4
    if players < 3 * empty or players + empty > base_rounds.MAX_PLAYERS:
        raise BadPlan("%(players)s players can't fill tables of four and three", players=players)
    rounds = [tables for tables, _ in cycle(players + empty)]
    return [tables for tables in rounds if all(_has_one_empty_chair_at_most(table, players) for table in tables)]


def _has_one_empty_chair_at_most(table: Iterable[int], players: int) -> bool:
    return sum(number >= players for number in table) <= 1


class Progressive(TournamentFormat):
    """A cycle of rounds with changing partners; the table of base rounds limits the field."""

    def planned_rounds(self, stage: StageView) -> int:
        """By default the whole cycle."""
        return stage.rounds or cycle_length(len(stage.field), threes=stage.three_handed)

    def check_size(self, stage: StageView) -> None:
        """No check here: `cycle` refuses more than `MAX_PLAYERS`."""

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        """The cycle; after a change of players, its rounds with the fewest repeats."""
        rounds_left = self.planned_rounds(stage) - len(stage.done)
        if not stage.done:
            return progressive(stage.ids, rounds_left, threes=stage.three_handed)
        return remaining_rounds(stage.ids, rounds_left, meetings(stage.done), threes=stage.three_handed)


PROGRESSIVE = Progressive(
    key="progressive",
    title=gettext_noop("Progressive"),
    description=gettext_noop("you partner everyone"),
    tie_breaks=(TieBreak.POINTS, TieBreak.GAMES, TieBreak.LONERS, TieBreak.DRAW),
    singles=True,
    scheduled=True,
    three_handed=True,
)
