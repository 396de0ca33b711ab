"""Winners move: who wins goes up a table, who loses stays, and everybody gets another partner."""

from collections.abc import Mapping, Sequence

from leftbower.tournament.meetings import Meetings
from leftbower.tournament.seating import Draw, Round, Seating, players_at_tables


def first_round(players: Sequence[str]) -> Draw:
    """As the numbers were drawn; whoever is too many sits out."""
    seated = len(players) // 4 * 4
    fours = [players[at : at + 4] for at in range(0, seated, 4)]
    return players_at_tables(((one, two, three, four) for one, three, two, four in fours), players[seated:])


def next_round(players: Sequence[str], last: Round, won: Mapping[int, int], met: Meetings) -> Draw:
    """From the last round and the side that won at each table; where nobody did, North and South move."""
    here = set(players)
    order = [who for who in _ladder(last, won) if who in here]
    ranked = set(order)
    order += [who for who in players if who not in ranked]
    out = _sitting_out(order, len(order) % 4, met)
    order = [who for who in order if who not in out]
    fours = [order[at : at + 4] for at in range(0, len(order), 4)]
    return players_at_tables((split(four, met) for four in fours), out)


def _ladder(last: Round, won: Mapping[int, int]) -> list[str]:
    """Everybody from the head table down: those who came up, then those who stayed."""
    tables = sorted(last.tables, key=lambda one: one.table)
    moves = [_moving(one, won.get(one.table, 0)) for one in tables]
    top = moves[0][0] if moves else ()
    arriving = [*(up for up, _ in moves[1:]), moves[0][1] if moves else ()]
    staying = [top, *(stays for _, stays in moves[1:])]
    if len(moves) == 1:
        return [*moves[0][0], *moves[0][1], *last.byes]
    return [who for up, stays in zip(arriving, staying, strict=True) for who in (*up, *stays)] + list(last.byes)


def _moving(seating: Seating, winners: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of a table who won, and those who did not."""
    others = (who for side in range(len(seating.sides)) if side != winners for who in seating.on(side))
    return seating.on(winners), tuple(others)


def _sitting_out(order: Sequence[str], count: int, met: Meetings) -> tuple[str, ...]:
    """Whoever sat out least, from the last table up."""
    ranked = sorted(range(len(order)), key=lambda at: (met.byes[order[at]], -at))
    return tuple(order[at] for at in sorted(ranked[:count]))


def split(four: Sequence[str], met: Meetings) -> tuple[str, ...]:
    """Around a table so that partners know each other least; who came up sits with who stayed where it is the same."""
    first, second, third, fourth = four
    ways = ((first, second, third, fourth), (first, second, fourth, third), (first, third, second, fourth))
    return min(ways, key=lambda way: _familiar(way, met))


def _familiar(way: Sequence[str], met: Meetings) -> int:
    return met.partners[frozenset((way[0], way[2]))] + met.partners[frozenset((way[1], way[3]))]
