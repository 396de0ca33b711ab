"""Facts before play: a changed plan, sign-ups, deleted entrants, who opened it, and the next evening."""

from dataclasses import dataclass

from leftbower.tournament.model.plan import EventPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanged:
    """The organizer changed the plan; after the first draw only what is safe, with a reason."""

    plan: EventPlan
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantDeleted:
    """An entrant or a sign-up was deleted before the first draw."""

    entrant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizersChanged:
    """The people who opened the event or its organizer's link; their own lists have it."""

    people: tuple[str, ...]
    """Opaque ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUpChanged:
    """The sign-up page was opened, closed or changed."""

    open: bool
    seats: int = 0
    """Maximum number of people; 0 for no maximum."""
    confirm: bool = False
    """Does the desk confirm each sign-up?"""
    door_code: str = ""
    """The code at the door, with which people check themselves in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedUp:
    """Someone signed up; they are entered at once if there are seats and the desk needn't confirm."""

    entrant: str
    name: str
    players: tuple[str, ...] = ()
    school: str = ""
    single: bool = False
    """A single player who needs a partner."""

    @property
    def people(self) -> int:
        """Seats it takes."""
        return max(1, len(self.players))


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUpAccepted:
    """The desk accepted a sign-up, even beyond the maximum."""

    entrant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NextEventOpened:
    """The organizer opened the next evening, with the same plan and people."""

    event: str
    """The name in its address."""


EntryFact = (
    PlanChanged | EntrantDeleted | OrganizersChanged | SignUpChanged | SignedUp | SignUpAccepted | NextEventOpened
)
