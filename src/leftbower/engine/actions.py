"""The actions of a hand. Each carries the seat that takes it."""

from dataclasses import dataclass
from enum import Enum

from leftbower.rules import UNKNOWN, Card, Face, Irregularity, Seat, Suit


@dataclass(frozen=True, slots=True)
class _BySeat:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnUp(_BySeat):
    """The dealer turns the up-card and completes the deal. Only an honor table has this as a separate action."""


@dataclass(frozen=True, slots=True)
class KeepHand(_BySeat):
    """Asked about a farmer's hand, a player keeps the cards."""


@dataclass(frozen=True, slots=True)
class ShowFarmersHand(_BySeat):
    """A player shows nines and tens: all five for a redeal, or three to exchange for the kitty."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))


@dataclass(frozen=True, slots=True)
class Pass(_BySeat):
    """A player declines to make trump."""


@dataclass(frozen=True, slots=True)
class Order(_BySeat):
    """Make the up-card's suit trump; the dealer picks up the up-card."""

    alone: bool = False


@dataclass(frozen=True, slots=True)
class Name(_BySeat):
    """Make another suit trump in the second round."""

    suit: Suit
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Bury(_BySeat):
    """The dealer discards a card face down in exchange for the up-card."""

    card: Face


@dataclass(frozen=True, slots=True)
class GoAlone(_BySeat):
    """The maker goes alone: as the answer when asked, or unasked at any time before the first lead."""


@dataclass(frozen=True, slots=True)
class GoTogether(_BySeat):
    """Asked before the first lead, the maker plays with the partner, or takes the dummy if there is one."""


@dataclass(frozen=True, slots=True)
class LayAway(_BySeat):
    """A maker who took the dummy discards three of the eight cards."""

    cards: tuple[Face, ...]

    def __post_init__(self) -> None:
        known = sorted(card for card in self.cards if card is not UNKNOWN)
        unknown = (UNKNOWN,) * (len(self.cards) - len(known))
        object.__setattr__(self, "cards", (*known, *unknown))


@dataclass(frozen=True, slots=True)
class DefendAlone(_BySeat):
    """A defender plays without a partner."""


@dataclass(frozen=True, slots=True)
class DefendTogether(_BySeat):
    """Asked about defending alone, a defender says no."""


@dataclass(frozen=True, slots=True)
class Play(_BySeat):
    """A player plays a card to the trick."""

    card: Card


@dataclass(frozen=True, slots=True)
class CallOut(_BySeat):
    """A player calls an irregularity on an opponent. `trick` counts from 1; 0 means the deal."""

    against: Seat
    irregularity: Irregularity
    trick: int


@dataclass(frozen=True, slots=True)
class Correct(_BySeat):
    """A player corrects a card played to a trick. If it was wrong, play goes back to it."""

    trick: int


class Terms(Enum):
    """How the offended side settles a penalty it may waive."""

    FULL = "full"
    FEWER = "fewer"
    CORRECT = "correct"
    LET_STAND = "let-stand"


@dataclass(frozen=True, slots=True)
class Settle(_BySeat):
    """One player of the offended side settles the penalty; `points` is only used with `Terms.FEWER`."""

    terms: Terms
    points: int = 0


@dataclass(frozen=True, slots=True)
class Claim(_BySeat):
    """A player lays down the remaining cards as sure winners."""


@dataclass(frozen=True, slots=True)
class ThrowIn(_BySeat):
    """A player offers to end the hand as if the makers had taken `makers_tricks` tricks in all."""

    makers_tricks: int


@dataclass(frozen=True, slots=True)
class Agree(_BySeat):
    """A player agrees to a claim or a throw-in."""


@dataclass(frozen=True, slots=True)
class Disagree(_BySeat):
    """A player rejects a claim or a throw-in."""


@dataclass(frozen=True, slots=True)
class Ready(_BySeat):
    """After the last card, a player is ready for the next hand. Once all are, no call is possible."""


Act = (
    TurnUp
    | KeepHand
    | ShowFarmersHand
    | Pass
    | Order
    | Name
    | Bury
    | GoAlone
    | GoTogether
    | LayAway
    | DefendAlone
    | DefendTogether
    | Play
)
"""Actions that move the hand forward, each a decision of one player."""
Talk = CallOut | Correct | Settle | Claim | ThrowIn | Agree | Disagree | Ready
"""Actions that players only say across the table."""
Action = Act | Talk
