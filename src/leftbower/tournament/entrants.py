"""Who takes part: single players, teams of two, their schools, and whether they are here."""

from dataclasses import dataclass

from leftbower.rules.choices import Choice


class Presence(Choice):
    """What the desk knows of an entrant."""

    EXPECTED = "expected"
    HERE = "here"
    LATE = "late"
    """On the way: is drawn, and plays when there."""
    ABSENT = "absent"
    """Is not drawn until somebody says otherwise."""
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A player or a team. Results belong to the entrant, whoever sits in the chair."""

    id: str
    name: str
    players: tuple[str, ...] = ()
    """The two of a team, where both are known by name."""
    school: str = ""
    house: bool = False
    """A bot of the house, which fills a chair and has no place in the standings."""
    single: bool = False
    """Is it a single player who waits for a partner?"""
    presence: Presence = Presence.EXPECTED
    number: int = 0
    """The number that was drawn; 0 before the draw."""
    entered: int = 0
    """After how many rounds that had begun? Whoever comes later was too late for those."""
    owes: int = 0
    """Cents of fee and fines that are still to be paid."""
    paid: int = 0
    """Cents that were paid in."""

    @property
    def drawable(self) -> bool:
        """Can the entrant be given an opponent now?"""
        return self.presence not in (Presence.ABSENT, Presence.WITHDRAWN) and not self.single

    def at(self, second: bool) -> str:
        """The name in the first or second chair of a team, or of the player."""
        return self.players[second] if len(self.players) == 2 else self.name
