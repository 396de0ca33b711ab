"""The registry of tournament formats, in the order shown on pages and in help.

To add a format, write its file and add a line here; everything else reads `Format`.
"""

from typing import Self

from leftbower.rules.choices import Choice
from leftbower.tournament.formats.base import TournamentFormat
from leftbower.tournament.formats.chart import CHART
from leftbower.tournament.formats.elimination import DOUBLE, KNOCKOUT
from leftbower.tournament.formats.pods import PODS
from leftbower.tournament.formats.progressive import PROGRESSIVE
from leftbower.tournament.formats.round_robin import ROUND_ROBIN
from leftbower.tournament.formats.schools import SCHOOLS
from leftbower.tournament.formats.swiss import SWISS
from leftbower.tournament.formats.winners_move import WINNERS_MOVE


class Format(Choice):
    """Formats by key; the key is the spelling in ledgers, forms and commands."""

    _value_: str
    definition: TournamentFormat

    def __new__(cls, definition: TournamentFormat) -> Self:
        """Use the key as the member's value, so lookup by value works as for every `Choice`."""
        member = object.__new__(cls)
        member._value_ = definition.key
        member.definition = definition
        return member

    ROUND_ROBIN = ROUND_ROBIN
    SCHOOLS = SCHOOLS
    PROGRESSIVE = PROGRESSIVE
    WINNERS_MOVE = WINNERS_MOVE
    CHART = CHART
    PODS = PODS
    SWISS = SWISS
    KNOCKOUT = KNOCKOUT
    DOUBLE = DOUBLE
