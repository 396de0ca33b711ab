"""What a coach says: every choice of a viewer with what it is worth, and the reasons in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from leftbower.engine import (
    Action,
    Contract,
)
from leftbower.kernel import Layouts
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over layouts."""

    mean: float
    error: float | None = None
    """Its standard error; None where no layouts were counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """In which part of the layouts the makers come to what; together they are 1."""

    euchre: float
    made: float
    march: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something the viewer may do, and what comes of it."""

    action: Action
    points: Estimate
    """What the hand brings the viewer's side, less what it brings the others."""
    chance: Estimate
    """The chance to win the game after it."""
    shares: Shares | None = None
    """None where nobody knows yet what will be played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Every choice of a viewer, the best first, and why it is the best."""

    seat: Seat
    layouts: int
    """How many layouts were imagined."""
    choices: tuple[Choice, ...]
    reasons: tuple[str, ...]
    """Sentences."""

    @property
    def best(self) -> Choice:
        """What the coach would do."""
        return self.choices[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tried:
    """A choice with the layouts in which it was tried; none where it was not."""

    choice: Choice
    contract: Contract | None = None
    imagined: Layouts | None = None
    outcomes: Sequence[int] = ()
    """The makers' tricks in each layout, none, three or five."""
    worth: Sequence[float] = ()
    """The points to the viewer by the makers' tricks."""

    @property
    def action(self) -> Action:
        return self.choice.action

    @property
    def points(self) -> list[float]:
        """The points to the viewer in each layout."""
        return [self.worth[tricks] for tricks in self.outcomes]
