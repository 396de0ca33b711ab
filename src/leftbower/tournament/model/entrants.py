"""Entrants: single players or teams of two, their school and presence."""

from dataclasses import dataclass

from leftbower.rules.choices import Choice


class EntrantPresence(Choice):
    EXPECTED = "expected"
    PRESENT = "present"
    LATE = "late"
    """On the way; not drawn until here."""
    ABSENT = "absent"
    """Not drawn until here."""
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A player or a team. Results belong to the entrant, even if a substitute plays."""

    id: str
    name: str
    players: tuple[str, ...] = ()
    """The two players of a team, if both names are known."""
    school: str = ""
    house_player: bool = False
    """A bot that fills a chair; not ranked."""
    single: bool = False
    """A single player waiting for a partner."""
    presence: EntrantPresence = EntrantPresence.EXPECTED
    struck: bool = False
    """Left out of the standings, with the results of a team."""
    number: int = 0
    """The drawn number; 0 before the draw."""
    rounds_missed: int = 0
    """Rounds that started before this entrant was added."""
    owes: int = 0
    """Unpaid fee and fines, in cents."""
    paid: int = 0
    """Cents paid in."""

    @property
    def drawable(self) -> bool:
        """Can the entrant be drawn now?"""
        return self.presence in (EntrantPresence.EXPECTED, EntrantPresence.PRESENT) and not (self.single or self.struck)

    def player_name(self, second: bool) -> str:
        """The first or second player of a team, or the single player."""
        return self.players[second] if len(self.players) == 2 else self.name
