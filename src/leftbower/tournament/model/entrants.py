"""Entrants: single players or teams of two, their school and presence."""

from dataclasses import dataclass

from leftbower.rules.choices import Choice


class EntrantPresence(Choice):
    """Is an entrant in the hall?"""

    EXPECTED = "expected"
    PRESENT = "present"
    LATE = "late"
    """On the way: drawn, plays on arrival."""
    ABSENT = "absent"
    """Not drawn until marked present or late."""
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A player or a team. Results belong to the entrant, even if a substitute plays."""

    id: str
    name: str
    players: tuple[str, ...] = ()
    """The two of a team, where both are known by name."""
    school: str = ""
    house_player: bool = False
    """A bot that fills a chair and is not ranked."""
    single: bool = False
    """Is it a single player who waits for a partner?"""
    presence: EntrantPresence = EntrantPresence.EXPECTED
    number: int = 0
    """The number that was drawn; 0 before the draw."""
    rounds_missed: int = 0
    """Rounds that had started before this entrant was added."""
    owes: int = 0
    """Cents of fee and fines that are still to be paid."""
    paid: int = 0
    """Cents that were paid in."""

    @property
    def drawable(self) -> bool:
        """Can the entrant be given an opponent now?"""
        return self.presence not in (EntrantPresence.ABSENT, EntrantPresence.WITHDRAWN) and not self.single

    def player_name(self, second: bool) -> str:
        """The name in the first or second chair of a team, or of the player."""
        return self.players[second] if len(self.players) == 2 else self.name
