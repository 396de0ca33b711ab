"""Winners move: winners go up a table, losers stay, and all partners change."""

from collections.abc import Mapping, Sequence

from leftbower.i18n import gettext_noop
from leftbower.tournament.formats.base import DEFAULT_ROUNDS, StageView, TournamentFormat
from leftbower.tournament.formats.meetings import Meetings, meetings
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.seating import Pairings, Round, Seating, player_pairings


def first_round(players: Sequence[str]) -> Pairings:
    """Seat players by number; the last ones sit out."""
    seated = len(players) // 4 * 4
    fours = [players[start : start + 4] for start in range(0, seated, 4)]
    return player_pairings(((first, two, three, four) for first, three, two, four in fours), players[seated:])


def next_round(players: Sequence[str], last: Round, won: Mapping[int, int], met: Meetings) -> Pairings:
    """The next pairings from the last round and each table's winning side; without a winner, North and South move."""
    playing = set(players)
    order = [player for player in _ladder(last, won) if player in playing]
    ranked = set(order)
    order += [player for player in players if player not in ranked]
    byes = _bye_players(order, len(order) % 4, met)
    order = [player for player in order if player not in byes]
    fours = [order[start : start + 4] for start in range(0, len(order), 4)]
    return player_pairings((seat_with_new_partners(four, met) for four in fours), byes)


def _ladder(last: Round, won: Mapping[int, int]) -> list[str]:
    """Players from the head table down: at each table, those who moved up, then those who stayed."""
    tables = sorted(last.tables, key=lambda seating: seating.table)
    moves = [_winners_and_others(seating, won.get(seating.table, 0)) for seating in tables]
    top = moves[0][0] if moves else ()
    arriving = [*(up for up, _ in moves[1:]), moves[0][1] if moves else ()]
    staying = [top, *(stays for _, stays in moves[1:])]
    if len(moves) == 1:
        return [*moves[0][0], *moves[0][1], *last.byes]
    return [player for up, stays in zip(arriving, staying, strict=True) for player in (*up, *stays)] + list(last.byes)


def _winners_and_others(seating: Seating, winners: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    others = (player for side in range(len(seating.sides)) if side != winners for player in seating.entrants_on(side))
    return seating.entrants_on(winners), tuple(others)


def _bye_players(order: Sequence[str], count: int, met: Meetings) -> tuple[str, ...]:
    """Players with the fewest byes, from the last table up."""
    ranked = sorted(range(len(order)), key=lambda index: (met.sat_out(order[index]), -index))
    return tuple(order[index] for index in sorted(ranked[:count]))


def seat_with_new_partners(four: Sequence[str], met: Meetings) -> tuple[str, ...]:
    """Seat four players so that the partners have partnered least; on a tie, a mover partners a stayer."""
    first, second, third, fourth = four
    seatings = ((first, second, third, fourth), (first, second, fourth, third), (first, third, second, fourth))
    return min(seatings, key=lambda seats: _partnership_count(seats, met))


def _partnership_count(seats: Sequence[str], met: Meetings) -> int:
    return met.partners[frozenset((seats[0], seats[2]))] + met.partners[frozenset((seats[1], seats[3]))]


class WinnersMove(TournamentFormat):
    """A ladder of tables; it has no natural end."""

    def planned_rounds(self, stage: StageView) -> int:
        return stage.rounds or DEFAULT_ROUNDS

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        if not stage.done:
            return (first_round(stage.ids),)
        return (next_round(stage.ids, stage.done[-1], stage.winning_sides(), meetings(stage.done)),)


WINNERS_MOVE = WinnersMove(
    key="winners-move",
    title=gettext_noop("Winners move"),
    description=gettext_noop("winners move up a table"),
    tie_breaks=(TieBreak.MATCHES, TieBreak.POINTS, TieBreak.LONERS, TieBreak.DRAW),
    singles=True,
)
