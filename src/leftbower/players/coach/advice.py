"""Advice: every choice of a viewer with its value, error bar and reasons."""

from collections.abc import Sequence
from dataclasses import dataclass

from leftbower.engine.actions import Action
from leftbower.engine.states import Contract
from leftbower.kernel import Layouts
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over layouts."""

    mean: float
    error: float | None = None
    """Its standard error; None where no layouts were counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeShares:
    """Shares of the layouts by outcome; they sum to 1."""

    euchre: float
    made_it: float
    march: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuedChoice:
    """A legal action with its estimated value."""

    action: Action
    points: Estimate
    """What the hand brings the viewer's side, less what it brings the others."""
    chance: Estimate
    """The chance to win the game after it."""
    shares: OutcomeShares | None = None
    """None where the contract is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Every choice of a viewer, the best first, and why it is the best."""

    seat: Seat
    layouts: int
    """How many layouts were imagined."""
    choices: tuple[ValuedChoice, ...]
    reasons: tuple[str, ...]
    """Sentences."""

    @property
    def best(self) -> ValuedChoice:
        """What the coach would do."""
        return self.choices[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """A choice with the layouts it was solved in, if any."""

    choice: ValuedChoice
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
