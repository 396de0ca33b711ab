"""Swiss: teams meet teams of their own score, and nobody meets anybody twice while that is possible.

First of all as few repeats as can be, then byes to whoever has had fewest, then opponents of like score, then
opponents at some distance in the order of their group.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from leftbower.tournament.limits import MAX_SWISS_BLOCK_TEAMS
from leftbower.tournament.meetings import Meetings
from leftbower.tournament.seating import Draw, teams_at_tables

_NOBODY: Final = ""
_WINDOWS: Final = (8, 24)
"""How many of the nearest opponents are tried first; nearly always enough, and quick for hundreds of teams."""
_SAME: Final = 1_000_000
_REPEAT: Final = 10**15
_BYE: Final = 10**12


def swiss_round(teams: Sequence[str], scores: Mapping[str, Fraction], met: Meetings) -> Draw:
    """The next round for teams in the order of their standing."""
    if len(teams) <= MAX_SWISS_BLOCK_TEAMS:
        chairs = [*teams, *([_NOBODY] if len(teams) % 2 else [])]
        return _drawn(teams, _block(chairs, scores, met, len(chairs)))
    sitting_out = _sitting_out(teams, met) if len(teams) % 2 else None
    playing = [team for team in teams if team != sitting_out]
    found = {pair for block in _blocks(playing, scores) for pair in _block(block, scores, met, _WINDOWS[-1])}
    return _drawn(teams, found | ({frozenset((sitting_out, _NOBODY))} if sitting_out is not None else set()))


def _sitting_out(teams: Sequence[str], met: Meetings) -> str:
    """The last in the standings of those who have had the fewest byes."""
    return min(reversed(teams), key=lambda team: met.byes[team])


def _blocks(teams: Sequence[str], scores: Mapping[str, Fraction]) -> Iterator[Sequence[str]]:
    """A large field in blocks along the standings, each even, cut where the score changes if that is near its end."""
    start = 0
    while len(teams) - start > MAX_SWISS_BLOCK_TEAMS:
        longest = min(MAX_SWISS_BLOCK_TEAMS, len(teams) - start - MAX_SWISS_BLOCK_TEAMS // 2) // 2 * 2
        ends = range(start + longest, start + longest // 2, -2)
        end = next((end for end in ends if scores[teams[end - 1]] != scores[teams[end]]), start + longest)
        yield teams[start:end]
        start = end
    yield teams[start:]


def _block(chairs: Sequence[str], scores: Mapping[str, Fraction], met: Meetings, widest: int) -> set[frozenset[str]]:
    """A match for everybody in a block of even length; repeats, among the `widest` nearest, only where it must be."""
    for window in _WINDOWS:
        found = _matched(chairs, scores, met, window)
        if found is not None:
            return found
    found = _matched(chairs, scores, met, widest, repeats=True)
    assert found is not None
    return found


def _matched(
    chairs: Sequence[str], scores: Mapping[str, Fraction], met: Meetings, window: int, *, repeats: bool = False
) -> set[frozenset[str]] | None:
    """A match for everybody among the nearest opponents, or None where there is none."""
    import networkx  # noqa: PLC0415 - slow to import, and few need it

    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(len(chairs)))
    fewest = min((met.byes[team] for team in chairs if team), default=0)
    for at in range(len(chairs)):
        for other, cost in _choices(chairs, at, scores, met, window, repeats=repeats):
            graph.add_edge(at, other, weight=-cost)
        extra = met.byes[chairs[at]] - fewest
        if chairs[-1] == _NOBODY != chairs[at] and (not extra or repeats):
            cost = _BYE * extra + int(_SAME * scores[chairs[at]]) + len(chairs) - at
            graph.add_edge(at, len(chairs) - 1, weight=-cost)
    found = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(found) < len(chairs):
        return None
    return {frozenset((chairs[one], chairs[two])) for one, two in found}


def _choices(
    chairs: Sequence[str],
    at: int,
    scores: Mapping[str, Fraction],
    met: Meetings,
    window: int,
    *,
    repeats: bool,
) -> list[tuple[int, int]]:
    """The nearest behind a chair whom it may meet, and what each would cost."""
    found: list[tuple[int, int]] = []
    for other in range(at + 1, len(chairs)):
        one, two = chairs[at], chairs[other]
        if two == _NOBODY or len(found) == window:
            break
        times = met.opponents[frozenset((one, two))]
        if not times or repeats:
            found.append((other, _REPEAT * times + _apart(scores[one] - scores[two], other - at, len(chairs))))
    return found


def _apart(gap: Fraction, places: int, count: int) -> int:
    """Unlike scores cost by their square; neighbours cost a little more than those half a group away."""
    return int(_SAME * gap * gap) + abs(count // 4 - places)


def _drawn(teams: Sequence[str], found: set[frozenset[str]]) -> Draw:
    """Tables from the top of the standings down."""
    order = {team: at for at, team in enumerate(teams)}
    byes = [team for pair in found if _NOBODY in pair for team in pair if team]
    pairs = [tuple(sorted(pair, key=order.__getitem__)) for pair in found if _NOBODY not in pair]
    pairs.sort(key=lambda pair: order[pair[0]])
    return teams_at_tables([(one, two) for one, two in pairs], byes)
