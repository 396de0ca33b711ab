"""What a player can do in a hand. Every action carries the seat that does it."""

from dataclasses import dataclass
from enum import Enum

from leftbower.rules.cards import UNKNOWN, Card, Face, Suit
from leftbower.rules.referee import Irregularity
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True)
class _BySeat:
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnUp(_BySeat):
    """The dealer turns the up-card, which completes the deal; only at an honor table is this an act of its own."""


@dataclass(frozen=True, slots=True)
class KeepHand(_BySeat):
    """Asked about a farmer's hand, a player keeps the cards, whatever they are."""


@dataclass(frozen=True, slots=True)
class ShowFarmersHand(_BySeat):
    """A player shows nines and tens: all five for a new deal, or three to change for the closed kitty cards."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))


@dataclass(frozen=True, slots=True)
class Pass(_BySeat):
    """A player does not make trump."""


@dataclass(frozen=True, slots=True)
class Order(_BySeat):
    """A player makes the up-card's suit trump; the dealer takes the up-card."""

    alone: bool = False


@dataclass(frozen=True, slots=True)
class Name(_BySeat):
    """In the second round a player makes another suit trump."""

    suit: Suit
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Bury(_BySeat):
    """The dealer discards a card face down for the up-card."""

    card: Face


@dataclass(frozen=True, slots=True)
class GoAlone(_BySeat):
    """The maker goes alone: the answer when asked, or said earlier or later, until the first card is led."""


@dataclass(frozen=True, slots=True)
class GoTogether(_BySeat):
    """Asked before the first lead, the maker plays with the partner, or takes the dummy where there is one."""


@dataclass(frozen=True, slots=True)
class LayAway(_BySeat):
    """A maker who took the dummy lays three of the eight cards away."""

    cards: tuple[Face, ...]

    def __post_init__(self) -> None:
        known = sorted(card for card in self.cards if card is not UNKNOWN)
        unknown = (UNKNOWN,) * (len(self.cards) - len(known))
        object.__setattr__(self, "cards", (*known, *unknown))


@dataclass(frozen=True, slots=True)
class DefendAlone(_BySeat):
    """A defender plays without the partner."""


@dataclass(frozen=True, slots=True)
class DefendTogether(_BySeat):
    """Asked about defending alone, a defender does not."""


@dataclass(frozen=True, slots=True)
class Play(_BySeat):
    """A player lays a card to the trick."""

    card: Card


@dataclass(frozen=True, slots=True)
class CallOut(_BySeat):
    """A player calls an irregularity against an opponent: in a trick, counted from 1, or in the deal (0)."""

    against: Seat
    irregularity: Irregularity
    trick: int


@dataclass(frozen=True, slots=True)
class Correct(_BySeat):
    """A player corrects the card laid to a trick; play goes back to it, if it was wrong."""

    trick: int


class Terms(Enum):
    """What the wronged side makes of a penalty it may waive."""

    FULL = "full"
    FEWER = "fewer"
    CORRECT = "correct"
    LET_STAND = "let-stand"


@dataclass(frozen=True, slots=True)
class Settle(_BySeat):
    """A player of the wronged side says what becomes of the penalty; `points` belong to fewer of them."""

    terms: Terms
    points: int = 0


@dataclass(frozen=True, slots=True)
class Claim(_BySeat):
    """A player lays down all cards as certain winners."""


@dataclass(frozen=True, slots=True)
class ThrowIn(_BySeat):
    """A player proposes to end the hand as if the makers had taken `makers_tricks` tricks in all."""

    makers_tricks: int


@dataclass(frozen=True, slots=True)
class Agree(_BySeat):
    """A player agrees to a claim or a throw-in."""


@dataclass(frozen=True, slots=True)
class Disagree(_BySeat):
    """A player does not agree to a claim or a throw-in."""


@dataclass(frozen=True, slots=True)
class Ready(_BySeat):
    """After the last card a player is ready for the next hand; when all players are, nothing can be called any more."""


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
"""What moves a hand on: one player's one decision."""
Talk = CallOut | Correct | Settle | Claim | ThrowIn | Agree | Disagree | Ready
"""What is said across the table about a hand."""
Action = Act | Talk
