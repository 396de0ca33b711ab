"""Types of the coach: what it advises, and what it knows of each choice."""

from collections.abc import Sequence
from dataclasses import dataclass

from leftbower.engine import Action, Contract
from leftbower.kernel import Layouts
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over layouts."""

    mean: float
    error: float | None = None
    """Its standard error; None if no layouts were solved."""


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
    """Points of the viewer's side in this hand minus those of the others."""
    chance: Estimate
    """The chance to win the game."""
    shares: OutcomeShares | None = None
    """None while the contract is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A viewer's choices, the best first, and why it is the best."""

    seat: Seat
    layouts: int
    """The number of layouts sampled."""
    choices: tuple[ValuedChoice, ...]
    headline: str
    """What a good partner would say: the best choice, and a reason if a short one is true."""
    reasons: tuple[str, ...]
    """The numbers behind it, in sentences."""

    @property
    def best(self) -> ValuedChoice:
        return self.choices[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """A choice and the layouts it was solved in, if any."""

    choice: ValuedChoice
    contract: Contract | None = None
    imagined: Layouts | None = None
    outcomes: Sequence[int] = ()
    """The makers' tricks in each layout: 0, 3 or 5."""
    worth: Sequence[float] = ()
    """The points to the viewer by the makers' tricks."""

    @property
    def action(self) -> Action:
        return self.choice.action

    @property
    def points(self) -> list[float]:
        """The points to the viewer in each layout."""
        return [self.worth[tricks] for tricks in self.outcomes]
