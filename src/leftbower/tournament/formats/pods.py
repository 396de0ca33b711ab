"""Pods of four: tables of four stay together, and everyone partners each of the other three."""

from collections.abc import Sequence

from leftbower.i18n import N_
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.seating import Pairings, player_pairings

_SEATS_BY_ROUND = ((0, 1, 3, 2), (0, 1, 2, 3), (0, 2, 1, 3))
"""Members of a pod clockwise: the first partners the last, then the third, then the second."""


def pods(players: Sequence[str], rounds: int) -> tuple[Pairings, ...]:
    """Neighbors by number share a pod; the last ones sit out if the number isn't a multiple of four."""
    seated = len(players) // 4 * 4
    fours = [players[start : start + 4] for start in range(0, seated, 4)]
    return tuple(
        player_pairings(([four[seat] for seat in _SEATS_BY_ROUND[turn % 3]] for four in fours), players[seated:])
        for turn in range(rounds)
    )


class Pods(TournamentFormat):
    """By default three rounds, one with each partner."""

    def planned_rounds(self, stage: StageView) -> int:
        return stage.rounds or 3

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        return pods(stage.ids, self.planned_rounds(stage))[len(stage.done) :]


PODS = Pods(
    key="pods",
    title=N_("Pods of four"),
    description=N_("four stay at a table and partner each other in turn"),
    tie_breaks=(TieBreak.POINTS, TieBreak.DIFFERENCE, TieBreak.LONERS, TieBreak.DRAW),
    singles=True,
    scheduled=True,
)
