"""The printed chart movement of single players."""

from collections.abc import Sequence

from leftbower.errors import BadPlan
from leftbower.i18n import gettext_noop
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.seating import Pairings, player_pairings


def chart(players: Sequence[str], rounds: int) -> tuple[Pairings, ...]:
    """North stays, South moves down one table, East up one, West up two."""
    if len(players) % 4 or not players:
        raise BadPlan("every table needs four players in this movement")
    count = len(players) // 4
    north, east, south, west = (players[table * count : (table + 1) * count] for table in range(4))
    return tuple(
        player_pairings(
            (
                north[table],
                east[(table - turn) % count],
                south[(table + turn) % count],
                west[(table - 2 * turn) % count],
            )
            for table in range(count)
        )
        for turn in range(rounds or count)
    )


class Chart(TournamentFormat):
    """By default as many rounds as tables."""

    def planned_rounds(self, stage: StageView) -> int:
        return stage.rounds or max(1, len(stage.field) // 4)

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        return chart(stage.ids, self.planned_rounds(stage))[len(stage.done) :]


CHART = Chart(
    key="chart",
    title=gettext_noop("Chart"),
    description=gettext_noop("players move by the printed chart"),
    tie_breaks=(TieBreak.POINTS, TieBreak.GAMES, TieBreak.LONERS, TieBreak.DRAW),
    singles=True,
    scheduled=True,
)
