"""Results of a replay: the hands up to the first error, and the error."""

from dataclasses import dataclass, replace

from leftbower.engine import Scored, Scores, State, add_points
from leftbower.errors import LeftbowerError
from leftbower.rules import Card, HouseRules, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Where a replay stopped: the error, with its hand and trick."""

    error: LeftbowerError
    hand: int | None = None
    """Counted from 1; None outside any hand."""
    trick: int | None = None
    """Counted from 1; None before the play."""
    seat: Seat | None = None
    card: Card | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedHand:
    """A hand up to the first error."""

    state: State
    fault: Fault | None = None

    def as_game(self) -> "ReplayedGame":
        """The hand as a game of one hand."""
        rules, scores = self.state.hand.rules, self.state.hand.scores
        fault = replace(self.fault, hand=1) if self.fault else None
        if isinstance(self.state, Scored):
            after = add_points(rules, scores, self.state.points)
            return ReplayedGame(rules=rules, hands=(self.state,), scores=after, fault=fault)
        return ReplayedGame(rules=rules, hands=(), scores=scores, unfinished=self.state, fault=fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedGame:
    """Hands up to the first error, and the score after them."""

    rules: HouseRules
    hands: tuple[Scored, ...]
    """The finished hands."""
    scores: Scores
    """The score of each side at the end of the replay."""
    unfinished: State | None = None
    """The hand in which the record stops, if any."""
    warnings: tuple[str, ...] = ()
    """Oddities of the record that aren't errors of play."""
    fault: Fault | None = None
