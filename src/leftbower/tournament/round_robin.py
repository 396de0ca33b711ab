"""Round robin: every team meets every other team once; where the number is odd, everybody sits out once."""

from collections.abc import Sequence

from leftbower.tournament.meetings import Meetings
from leftbower.tournament.seating import Draw, teams_at_tables
from leftbower.tournament.tables import shared

_NOBODY = ""


def round_robin(teams: Sequence[str]) -> tuple[Draw, ...]:
    """All rounds: one team stays, the others go round it."""
    circle = [*teams, *([_NOBODY] if len(teams) % 2 else [])]
    rounds = []
    for _ in range(len(circle) - 1):
        rounds.append([(circle[at], circle[-1 - at]) for at in range(len(circle) // 2)])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    meeting = shared([pair for pair in one if _NOBODY not in pair] for one in rounds)
    return tuple(teams_at_tables(pairs, _out(one)) for pairs, one in zip(meeting, rounds, strict=True))


def _out(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Whoever stands opposite nobody."""
    return [team for pair in pairs if _NOBODY in pair for team in pair if team]


def rest_of(teams: Sequence[str], met: Meetings) -> tuple[Draw, ...]:
    """The rounds that are left when some were played, or teams came or went: whoever has not met still does."""
    open_pairs = {frozenset((one, two)) for at, one in enumerate(teams) for two in teams[:at]} - met.opponents.keys()
    order = {team: at for at, team in enumerate(teams)}
    byes = dict(met.byes)
    rounds = []
    while open_pairs:
        chosen = _matched(open_pairs, byes)
        pairs = sorted((tuple(sorted(pair, key=order.__getitem__)) for pair in chosen), key=lambda pair: order[pair[0]])
        busy = {team for pair in pairs for team in pair}
        waiting = {team for pair in open_pairs for team in pair} - busy
        rounds.append(teams_at_tables([(one, two) for one, two in pairs], sorted(waiting, key=order.__getitem__)))
        byes |= {team: byes.get(team, 0) + 1 for team in waiting}
        open_pairs -= chosen
    return tuple(rounds)


def _matched(open_pairs: set[frozenset[str]], byes: dict[str, int]) -> set[frozenset[str]]:
    """As many matches at once as can be, first for those who have most before them or have waited most."""
    import networkx  # noqa: PLC0415 - slow to import, and few need it

    left = {team: sum(team in pair for pair in open_pairs) for pair in open_pairs for team in pair}
    graph: networkx.Graph[str] = networkx.Graph()
    for pair in sorted(map(sorted, open_pairs)):
        one, two = pair
        worth = 10 * (left[one] + left[two]) + byes.get(one, 0) + byes.get(two, 0)
        graph.add_edge(one, two, weight=worth)
    return {frozenset(pair) for pair in networkx.max_weight_matching(graph, maxcardinality=True)}
