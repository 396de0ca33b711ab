"""Swiss pairings: teams meet teams of equal score, without repeats as long as possible.

Minimum-cost matching: first the fewest repeats, then byes to teams with the fewest byes, then similar scores, then
opponents some distance apart in the standings.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from leftbower.i18n import gettext_noop
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.formats.limits import MAX_SWISS_BLOCK_TEAMS
from leftbower.tournament.formats.meetings import Meetings, meetings
from leftbower.tournament.model.choices import ByeValue, TieBreak
from leftbower.tournament.model.seating import Pairings, team_pairings

_NO_OPPONENT: Final = ""
_NEAREST_OPPONENTS: Final = (8, 24)
"""Nearest opponents tried first; nearly always enough, and fast for hundreds of teams."""
_SCORE_GAP_COST: Final = 1_000_000
_REPEAT_COST: Final = 10**15
_EXTRA_BYE_COST: Final = 10**12


def swiss_round(teams: Sequence[str], scores: Mapping[str, Fraction], met: Meetings) -> Pairings:
    """The next round; `teams` are in order of the standings."""
    if len(teams) <= MAX_SWISS_BLOCK_TEAMS:
        chairs = [*teams, *([_NO_OPPONENT] if len(teams) % 2 else [])]
        return _pairings(teams, _match_block(chairs, scores, met, len(chairs)))
    bye_team = _bye_team(teams, met) if len(teams) % 2 else None
    playing = [team for team in teams if team != bye_team]
    pairs = {
        pair for block in _blocks(playing, scores) for pair in _match_block(block, scores, met, _NEAREST_OPPONENTS[-1])
    }
    return _pairings(teams, pairs | ({frozenset((bye_team, _NO_OPPONENT))} if bye_team is not None else set()))


def _bye_team(teams: Sequence[str], met: Meetings) -> str:
    """The lowest-ranked team among those with the fewest byes."""
    return min(reversed(teams), key=met.sat_out)


def _blocks(teams: Sequence[str], scores: Mapping[str, Fraction]) -> Iterator[Sequence[str]]:
    """Split a large field along the standings into even blocks, cut at a score change in the second half if any."""
    start = 0
    while len(teams) - start > MAX_SWISS_BLOCK_TEAMS:
        longest = min(MAX_SWISS_BLOCK_TEAMS, len(teams) - start - MAX_SWISS_BLOCK_TEAMS // 2) // 2 * 2
        ends = range(start + longest, start + longest // 2, -2)
        end = next((end for end in ends if scores[teams[end - 1]] != scores[teams[end]]), start + longest)
        yield teams[start:end]
        start = end
    yield teams[start:]


def _match_block(
    chairs: Sequence[str], scores: Mapping[str, Fraction], met: Meetings, widest: int
) -> set[frozenset[str]]:
    """Pair a block of even length; repeats, among the `widest` nearest, only if unavoidable."""
    for window in _NEAREST_OPPONENTS:
        pairs = _match_teams(chairs, scores, met, window)
        if pairs is not None:
            return pairs
    pairs = _match_teams(chairs, scores, met, widest, repeats=True)
    assert pairs is not None
    return pairs


def _match_teams(
    chairs: Sequence[str], scores: Mapping[str, Fraction], met: Meetings, window: int, *, repeats: bool = False
) -> set[frozenset[str]] | None:
    """A perfect matching among the nearest opponents, or None."""
    import networkx  # noqa: PLC0415 - slow to import and rarely needed

    graph: networkx.Graph[int] = networkx.Graph()
    graph.add_nodes_from(range(len(chairs)))
    fewest = min((met.sat_out(team) for team in chairs if team), default=0)
    for index in range(len(chairs)):
        for other, cost in _choices(chairs, index, scores, met, window, repeats=repeats):
            graph.add_edge(index, other, weight=-cost)
        extra = met.sat_out(chairs[index]) - fewest
        if chairs[-1] == _NO_OPPONENT != chairs[index] and (not extra or repeats):
            cost = _EXTRA_BYE_COST * extra + int(_SCORE_GAP_COST * scores[chairs[index]]) + len(chairs) - index
            graph.add_edge(index, len(chairs) - 1, weight=-cost)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < len(chairs):
        return None
    return {frozenset((chairs[first], chairs[second])) for first, second in matching}


def _choices(
    chairs: Sequence[str],
    index: int,
    scores: Mapping[str, Fraction],
    met: Meetings,
    window: int,
    *,
    repeats: bool,
) -> list[tuple[int, int]]:
    """The nearest lower-ranked opponents a chair may meet, with the cost of each."""
    choices: list[tuple[int, int]] = []
    for other in range(index + 1, len(chairs)):
        first, second = chairs[index], chairs[other]
        if second == _NO_OPPONENT or len(choices) == window:
            break
        times = met.opponents[frozenset((first, second))]
        if not times or repeats:
            choices.append(
                (
                    other,
                    _REPEAT_COST * times + _distance_cost(scores[first] - scores[second], other - index, len(chairs)),
                )
            )
    return choices


def _distance_cost(gap: Fraction, distance: int, count: int) -> int:
    """Square of the score gap; among equal gaps, opponents a quarter of the block apart are cheapest."""
    return int(_SCORE_GAP_COST * gap * gap) + abs(count // 4 - distance)


def _pairings(teams: Sequence[str], matched: set[frozenset[str]]) -> Pairings:
    """Number tables from the top of the standings down."""
    order = {team: index for index, team in enumerate(teams)}
    byes = [team for pair in matched if _NO_OPPONENT in pair for team in pair if team]
    pairs = [tuple(sorted(pair, key=order.__getitem__)) for pair in matched if _NO_OPPONENT not in pair]
    pairs.sort(key=lambda pair: order[pair[0]])
    return team_pairings([(first, second) for first, second in pairs], byes)


class Swiss(TournamentFormat):
    """By default as many rounds as a knockout."""

    def planned_rounds(self, stage: StageView) -> int:
        return stage.rounds or max(1, (len(stage.field) - 1).bit_length())

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        """Pair teams along the standings, without repeats if possible."""
        order, won = stage.ranked(), stage.matches_won()
        scores = {team: won.get(team, Fraction(0)) for team in order}
        return (swiss_round(order, scores, meetings(stage.done)),)


SWISS = Swiss(
    key="swiss",
    title=gettext_noop("Swiss"),
    description=gettext_noop("teams with equal scores meet"),
    tie_breaks=(
        TieBreak.MATCHES,
        TieBreak.OPPONENTS,
        TieBreak.HEAD_TO_HEAD,
        TieBreak.DIFFERENCE,
        TieBreak.DRAW,
    ),
    bye=ByeValue.WIN,
)
