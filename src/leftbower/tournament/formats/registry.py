"""The registry of tournament formats, in the order in which pages and help list them.

To add a format, write its file and add its line; everything else reads it from `Format`.
"""

from typing import Self

from leftbower.rules.choices import Choice
from leftbower.tournament.formats.base import TournamentFormat
from leftbower.tournament.formats.chart import CHART
from leftbower.tournament.formats.elimination import DOUBLE, KNOCKOUT
from leftbower.tournament.formats.progressive import PROGRESSIVE
from leftbower.tournament.formats.round_robin import ROUND_ROBIN
from leftbower.tournament.formats.schools import SCHOOLS
from leftbower.tournament.formats.swiss import SWISS
from leftbower.tournament.formats.winners_move import WINNERS_MOVE


class Format(Choice):
    """A format by its key, which is its spelling in ledgers, forms and commands."""

    _value_: str
    definition: TournamentFormat

    def __new__(cls, definition: TournamentFormat) -> Self:
        """Make the key the value of the member, so that a lookup by value, as of every choice, finds it."""
        member = object.__new__(cls)
        member._value_ = definition.key
        member.definition = definition
        return member

    ROUND_ROBIN = ROUND_ROBIN
    SCHOOLS = SCHOOLS
    PROGRESSIVE = PROGRESSIVE
    WINNERS_MOVE = WINNERS_MOVE
    CHART = CHART
    SWISS = SWISS
    KNOCKOUT = KNOCKOUT
    DOUBLE = DOUBLE
