"""Round robin by the circle method: every team meets every other team once, in time linear in the matches.

Teams are numbered 0 to m-1 around a circle, m odd; in round r team r+i meets team r-i at table i. So a team sits at
each table twice, once as the first of its pair and once as the second, and team r has no opponent on the circle: with
an odd number of teams it sits out, with an even number it meets the one team outside the circle.

That team would always sit at table 0. So round r exchanges tables 0 and 2r, counted around the circle; rounds r and -r
share the exchange. If m is not a multiple of three, every team then sits at every table at most twice. If it is, some
teams would sit at table 0 four times, so one of the four is exchanged again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from leftbower.i18n import gettext_noop
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.formats.limits import MAX_MATCHES_PER_DRAW
from leftbower.tournament.formats.meetings import Meetings, Pair, meetings
from leftbower.tournament.formats.schedules.edge_coloring import Edge, matchings
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.seating import Pairings, team_pairings


def round_robin(teams: Sequence[str], rounds: int = 0) -> tuple[Pairings, ...]:
    """The first `rounds` rounds, or all of them; only these are computed."""
    return tuple(circle_rounds(teams, rounds))


def circle_rounds(teams: Sequence[str], rounds: int = 0) -> Iterator[Pairings]:
    """The rounds of `round_robin`, each computed on demand."""
    outside, circle = (teams[:1], teams[1:]) if len(teams) % 2 == 0 else ((), teams)
    exchanges = _exchanges(len(circle)) if outside else {}
    for turn in range(min(rounds or len(circle), len(circle))):
        yield _round(turn, outside, circle, exchanges.get(turn))


def _round(turn: int, outside: Sequence[str], circle: Sequence[str], exchanged: int | None) -> Pairings:
    size = len(circle)
    pairs = [(circle[(turn + step) % size], circle[turn - step]) for step in range(1, size // 2 + 1)]
    if not outside:
        return team_pairings(pairs, (circle[turn],))
    meeting = (outside[0], circle[turn])
    pairs.insert(0, meeting[::-1] if turn % 2 else meeting)
    table = _circle_distance(2 * turn, size)
    pairs[0], pairs[table] = pairs[table], pairs[0]
    if exchanged is not None:
        pairs[0], pairs[exchanged] = pairs[exchanged], pairs[0]
    return team_pairings(pairs)


def _circle_distance(number: int, size: int) -> int:
    """Distance of a number from 0 on the circle."""
    return min(number % size, -number % size)


def _exchanges(size: int) -> dict[int, int]:
    """The second exchange with table 0, by round, if the size of the circle is a multiple of three."""
    if size % 3 or size < 9:
        return {}
    third = size // 3
    at_first = [1 if team % 3 else 4 for team in range(size)]
    moved: set[tuple[int, int]] = set()
    exchanges: dict[int, int] = {}
    for team in range(3, size, 3):
        turn, table = next(
            (turn, table)
            for turn in range(team // 3, size, third)
            for table in _free_tables(turn, size, at_first, moved)
        )
        exchanges[turn] = table
        for arriving in ((turn + table) % size, (turn - table) % size):
            at_first[arriving] += 1
        for leaving in (team, -turn % size):
            at_first[leaving] -= 1
            moved.add((leaving, table))
    return exchanges


def _free_tables(turn: int, size: int, at_first: Sequence[int], moved: set[tuple[int, int]]) -> Iterator[int]:
    """Tables whose teams can sit at table 0 again, and to which the teams leaving table 0 were not moved before."""
    for table in range(1, size // 2 + 1):
        arriving = at_first[(turn + table) % size], at_first[(turn - table) % size]
        taken = any((team % size, table) in moved for team in (3 * turn, -turn))
        if max(arriving) < 3 and not taken and table != _circle_distance(2 * turn, size):
            yield table


def unmet_pairs(teams: Sequence[str], met: Mapping[Pair, int]) -> Iterator[Pair]:
    pairs = (frozenset((first, second)) for index, first in enumerate(teams) for second in teams[:index])
    return (pair for pair in pairs if pair not in met)


def remaining_rounds(
    teams: Sequence[str], met: Meetings, drawn: Sequence[str] = (), rounds: int = 0
) -> tuple[Pairings, ...]:
    """Rounds for all pairs that have not met, after some rounds were played or teams came or left.

    `drawn` are the teams of the first draw, in its order. The rest of that draw is reused: an unchanged field needs no
    additional rounds, a changed one few. For a large field only the first `rounds` are computed.
    """
    order = {team: index for index, team in enumerate(teams)}
    circles = [circle for circle in (drawn, teams) if circle]
    if rounds and len(teams) * (len(teams) - 1) // 2 > MAX_MATCHES_PER_DRAW:
        met_edges = {edge for pair in met.opponents if pair <= order.keys() for edge in _edges([pair], order)}
        last = dict.fromkeys(range(len(teams)), rounds)
        return tuple(_seat_rounds(teams, _fullest_rounds(circles, order, met_edges, rounds), last))
    edges = set(_edges(unmet_pairs(teams, met.opponents), order))
    rounds_of_pairs = matchings(edges, len(teams), [list(_pairs_by_round(circle, order)) for circle in circles])
    last = {team: number for number, pairs in enumerate(rounds_of_pairs) for pair in pairs for team in pair}
    return tuple(_seat_rounds(teams, rounds_of_pairs[: rounds or None], last))


def _edges(pairs: Iterable[Pair], order: Mapping[str, int]) -> Iterator[Edge]:
    """Pairs as team indices, the lower one first."""
    for first, second in pairs:
        yield (order[first], order[second]) if order[first] < order[second] else (order[second], order[first])


def _fullest_rounds(
    circles: Iterable[Sequence[str]], order: Mapping[str, int], met_edges: set[Edge], count: int
) -> list[list[Edge]]:
    """The `count` fullest rounds of one circle after dropping pairs that have met."""
    choices = []
    for circle in circles:
        rounds = [[edge for edge in pairs if edge not in met_edges] for pairs in _pairs_by_round(circle, order)]
        choices.append(sorted((pairs for pairs in rounds if pairs), key=len, reverse=True)[:count])
    return max(choices, key=lambda rounds: sum(map(len, rounds)))


def _pairs_by_round(circle: Sequence[str], order: Mapping[str, int]) -> Iterator[list[Edge]]:
    """Pairs of every round of a circle, as team indices; pairs with a team that left are dropped."""
    indices = [order.get(team) for team in circle]
    outside, indices = (indices[0], indices[1:]) if len(indices) % 2 == 0 else (None, indices)
    size = len(indices)
    for turn in range(size):
        pairs = [(indices[(turn + step) % size], indices[turn - step]) for step in range(1, size // 2 + 1)]
        pairs.append((outside, indices[turn]))
        yield [
            (min(first, second), max(first, second))
            for first, second in pairs
            if first is not None and second is not None
        ]


def _seat_rounds(teams: Sequence[str], rounds: Sequence[Sequence[Edge]], last: Mapping[int, int]) -> Iterator[Pairings]:
    """Seat the rounds, rotating tables by one each round; after its `last` round a team gets no byes."""
    for number, pairs in enumerate(rounds):
        busy = {team for pair in pairs for team in pair}
        waiting = [teams[team] for team in sorted(last) if last[team] > number and team not in busy]
        ordered = sorted(pairs)
        turn = number % len(ordered)
        named = [(teams[first], teams[second]) for first, second in (*ordered[turn:], *ordered[:turn])]
        yield team_pairings([pair if number % 2 == 0 else (pair[1], pair[0]) for pair in named], waiting)


class RoundRobin(TournamentFormat):
    """All pairs that have not met, or as many rounds as the plan allows."""

    def planned_rounds(self, stage: StageView) -> int:
        count = len(stage.field)
        whole = count - 1 + count % 2
        return min(stage.rounds or whole, whole)

    def has_rounds_left(self, stage: StageView) -> bool:
        """A changed field may need more than `planned_rounds`, but the plan's own number is a hard limit."""
        return not stage.rounds or len(stage.done) < stage.rounds

    def draw(self, stage: StageView) -> Iterable[Pairings]:
        if not stage.done:
            return circle_rounds(stage.ids, stage.rounds)
        rounds_left = max(0, stage.rounds - len(stage.done))
        return remaining_rounds(stage.ids, meetings(stage.done), stage.first_draw(), rounds_left)

    def is_finished(self, stage: StageView) -> bool:
        """Is no round left, or have all pairs met? Draws nothing to find out."""
        return not self.has_rounds_left(stage) or not any(unmet_pairs(stage.ids, meetings(stage.done).opponents))


ROUND_ROBIN = RoundRobin(
    key="round-robin",
    title=gettext_noop("Round robin"),
    description=gettext_noop("every team plays every other team"),
    tie_breaks=(
        TieBreak.MATCHES,
        TieBreak.HEAD_TO_HEAD,
        TieBreak.AMONG_TIED,
        TieBreak.DIFFERENCE,
        TieBreak.POINTS,
        TieBreak.DRAW,
    ),
    scheduled=True,
)
