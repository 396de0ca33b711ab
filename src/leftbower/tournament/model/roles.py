"""Roles and their permissions: organizer, helper, side of a table, player, wall, server."""

from dataclasses import dataclass
from typing import Final, Self
from zlib import crc32

from leftbower.errors import NotYourRole, NotYourTable
from leftbower.rules.choices import Choice
from leftbower.tournament.entry.facts import EntrantDeleted, SignedUp
from leftbower.tournament.hall.facts import DirectorArrived, PaperScoreEntered, PlayerJoined, TableOpened
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import EventFact, PresenceMarked, ScoreCorrected, ScoreEntered, ScoreRuled
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.table_map import FactBySide


class RoleKind(Choice):
    ORGANIZER = "organizer"
    HELPER = "helper"
    """Enters, rules on and corrects scores."""
    SIDE = "side"
    """The phone of one side of a table."""
    PLAYER = "player"
    """Plays online, or looks up the next table."""
    WALL = "wall"
    """A public screen."""
    GUEST = "guest"
    """Someone at the sign-up page or at the door; with a subject, the one who signed up."""
    SERVER = "server"
    """The server itself, for online tables."""


_HELPER_FACTS: Final = (ScoreEntered, ScoreRuled, ScoreCorrected, PaperScoreEntered, DirectorArrived)
_SERVER_FACTS: Final = (ScoreEntered, TableOpened)
_AUTHOR_PARTS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    kind: RoleKind
    number: int = 0
    """Table of a side, chair of a player, or index of a helper or wall."""
    subject: str = ""
    """The side of a table, or a player's entrant."""

    @property
    def key(self) -> str:
        """The role as stored in links: side:3:NS."""
        return (
            f"{self.kind}:{self.number}:{self.subject}".rstrip(":") if self.number or self.subject else str(self.kind)
        )

    @classmethod
    def parse(cls, key: str) -> Self | None:
        """Parse a key; None if it is invalid."""
        kind, _, rest = key.partition(":")
        number, _, whose = rest.partition(":")
        if kind not in map(str, RoleKind) or (rest and not number.isdecimal()):
            return None
        return cls(kind=RoleKind(kind), number=int(number or 0), subject=whose)

    @property
    def author(self) -> str:
        match self.kind:
            case RoleKind.ORGANIZER:
                return "desk"
            case RoleKind.SIDE:
                return f"table {self.number} {self.subject}"
            case RoleKind.PLAYER:
                return f"player {self.subject}"
            case RoleKind.SERVER:
                return "server"
            case RoleKind.GUEST:
                return "guest"
            case _:
                return f"{self.kind} {self.number}"


def authorize(event: Event, role: Role, fact: EventFact) -> str:
    """Return the entrant the role records this fact for, empty for the desk; raise if it may not."""
    match role.kind:
        case RoleKind.ORGANIZER if not isinstance(fact, PlayerJoined):
            return ""
        case RoleKind.HELPER if isinstance(fact, _HELPER_FACTS):
            return ""
        case RoleKind.SERVER if isinstance(fact, _SERVER_FACTS):
            return ""
        case RoleKind.SIDE if isinstance(fact, FactBySide):
            seating = event.seating(*fact.key)
            if (fact.table, fact.side) != (role.number, role.subject):
                raise NotYourTable(
                    "this phone is for %(side)s at table %(table)s", side=role.subject, table=role.number
                )
            if fact.side not in seating.labels:
                raise NotYourTable(
                    "%(side)s has no match at table %(table)s in round %(round)s",
                    side=fact.side,
                    table=fact.table,
                    round=fact.round,
                )
            return seating.entrants_on(seating.labels.index(fact.side))[0]
        case RoleKind.PLAYER if isinstance(fact, PlayerJoined):
            if (fact.entrant, fact.chair) != (role.subject, role.number):
                raise NotYourTable("use your own link")
            return ""
        case RoleKind.PLAYER if isinstance(fact, PresenceMarked):
            return role.subject
        case RoleKind.GUEST if isinstance(fact, SignedUp):
            return ""
        case RoleKind.GUEST if isinstance(fact, EntrantDeleted) and fact.entrant == role.subject:
            return ""
        case RoleKind.GUEST if isinstance(fact, PresenceMarked) and fact.presence is EntrantPresence.PRESENT:
            return fact.entrant
    raise NotYourRole("your link doesn't allow this; ask the organizer")


def author_key(author: str) -> tuple[int, str]:
    """Key of `Event.author_counts`: a hash bucket and the author's role; a player's role omits the person's id."""
    kind, _, rest = author.partition(" ")
    role = f"{kind} {rest.partition(' ')[0]}" if kind == "player" else author
    return crc32(role.encode(errors="surrogatepass")) % _AUTHOR_PARTS, role
