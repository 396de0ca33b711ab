"""Who may tell an event what: the organiser everything, a helper scores, a side of a table its own, a player little."""

from dataclasses import dataclass
from typing import Final, Self

from leftbower.errors import NotYourRole, NotYourTable
from leftbower.rules.choices import Choice
from leftbower.tournament.facts import (
    EventFact,
    Marked,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    ScoreRuled,
)
from leftbower.tournament.hall_facts import (
    DirectorCalled,
    DirectorCame,
    HandTold,
    Joined,
    KeeperChanged,
    PaperRead,
    TableOpened,
    TakenBack,
)
from leftbower.tournament.model import Event


class Kind(Choice):
    """The roles."""

    ORGANISER = "organiser"
    HELPER = "helper"
    """Enters, rules on and corrects scores."""
    SIDE = "side"
    """The phone of one side of a table, whoever sits there."""
    PLAYER = "player"
    """Somebody who plays online, or looks up the own next table."""
    WALL = "wall"
    """A screen that everybody looks at."""
    HOUSE = "house"
    """The server itself, at tables online."""


_OF_HELPERS: Final = (ScoreEntered, ScoreRuled, ScoreCorrected, PaperRead, DirectorCame)
_OF_SIDES: Final = (ScoreProposed, ScoreConfirmed, ScoreDisputed, HandTold, TakenBack, KeeperChanged, DirectorCalled)
_OF_HOUSE: Final = (ScoreEntered, TableOpened)


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """Somebody's part in an event."""

    kind: Kind
    number: int = 0
    """The table of a side, the chair of a player, or which of several helpers or walls."""
    whose: str = ""
    """The side of a table, or the entrant for whom a player plays."""

    @property
    def word(self) -> str:
        """By which a link says what it is good for: side:3:NS."""
        return f"{self.kind}:{self.number}:{self.whose}".rstrip(":") if self.number or self.whose else str(self.kind)

    @classmethod
    def of(cls, word: str) -> Self | None:
        """The role of a word, if it is one."""
        kind, _, rest = word.partition(":")
        number, _, whose = rest.partition(":")
        if kind not in map(str, Kind) or (rest and not number.isdecimal()):
            return None
        return cls(kind=Kind(kind), number=int(number or 0), whose=whose)

    @property
    def who(self) -> str:
        """Under which the ledger knows it."""
        match self.kind:
            case Kind.ORGANISER:
                return "desk"
            case Kind.SIDE:
                return f"table {self.number} {self.whose}"
            case Kind.PLAYER:
                return f"player {self.whose}"
            case Kind.HOUSE:
                return "house"
            case _:
                return f"{self.kind} {self.number}"

    @property
    def desk(self) -> bool:
        """Does it sit at the desk?"""
        return self.kind in (Kind.ORGANISER, Kind.HELPER)


def asks_as(event: Event, role: Role, fact: EventFact) -> str:
    """The entrant in whose name a role tells something, empty for the desk; or the error that says it may not."""
    match role.kind:
        case Kind.ORGANISER if not isinstance(fact, Joined):
            return ""
        case Kind.HELPER if isinstance(fact, _OF_HELPERS):
            return ""
        case Kind.HOUSE if isinstance(fact, _OF_HOUSE):
            return ""
        case Kind.SIDE if isinstance(fact, _OF_SIDES):
            return _of_side(event, role, fact.round, fact.table, fact.side)
        case Kind.PLAYER if isinstance(fact, Joined):
            if (fact.entrant, fact.chair) != (role.whose, role.number):
                raise NotYourTable("everybody comes in by the own link")
            return ""
        case Kind.PLAYER if isinstance(fact, Marked):
            return role.whose
    raise NotYourRole(f"that is not for a {role.kind} to do")


def _of_side(event: Event, role: Role, round: int, table: int, side: str) -> str:
    seating = event.seating(round, table)
    if (table, side) != (role.number, role.whose):
        raise NotYourTable(f"this phone is for {role.whose} at table {role.number}")
    if side not in seating.labels:
        raise NotYourTable(f"nobody plays {side} at table {table} in round {round}")
    return seating.on(seating.labels.index(side))[0]
