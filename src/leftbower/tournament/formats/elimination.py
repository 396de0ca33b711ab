"""Single and double elimination: the matches of a bracket that are ready, round by round."""

from leftbower.i18n import gettext_noop
from leftbower.tournament.formats.base import StageView, TournamentFormat
from leftbower.tournament.formats.schedules.bracket import elimination_round
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.seating import Pairings

_BY_BRACKET = (TieBreak.BRACKET, TieBreak.MATCHES, TieBreak.DIFFERENCE, TieBreak.DRAW)


class Elimination(TournamentFormat):
    """A bracket that an entrant leaves after `losses` losses."""

    def planned_rounds(self, stage: StageView) -> int:
        """log2 of the field, rounded up; twice that for double elimination."""
        return self.losses * max(1, (len(stage.field) - 1).bit_length())

    def has_rounds_left(self, stage: StageView) -> bool:
        """Always true; `draw` returns nothing once the bracket is finished."""
        return True

    def draw(self, stage: StageView) -> tuple[Pairings, ...]:
        """Matches whose two sides are known."""
        pairings = elimination_round(stage.bracket())
        return (pairings,) if pairings.tables else ()


KNOCKOUT = Elimination(
    key="knockout",
    title=gettext_noop("Knockout"),
    description=gettext_noop("lose once and you're out"),
    tie_breaks=_BY_BRACKET,
    losses=1,
    has_own_byes=True,
)
DOUBLE = Elimination(
    key="double",
    title=gettext_noop("Double elimination"),
    description=gettext_noop("lose twice and you're out"),
    tie_breaks=_BY_BRACKET,
    losses=2,
    has_own_byes=True,
)
