"""What a player can do in a hand. Every action carries the seat that does it."""

from dataclasses import dataclass
from enum import Enum

from leftbower.rules.cards import UNKNOWN, Card, Face, Suit
from leftbower.rules.referee import Irregularity
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True)
class TurnUp:
    """The dealer turns the up-card, which completes the deal; only at an honor table is this an act of its own."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class KeepHand:
    """Asked about a farmer's hand, a player keeps the cards, whatever they are."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ShowFarmersHand:
    """A player shows nines and tens: all five for a new deal, or three to change for the closed kitty cards."""

    seat: Seat
    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))


@dataclass(frozen=True, slots=True)
class Pass:
    """A player does not make trump."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Order:
    """A player makes the up-card's suit trump; the dealer takes the up-card."""

    seat: Seat
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """In the second round a player makes another suit trump."""

    seat: Seat
    suit: Suit
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Bury:
    """The dealer discards a card face down for the up-card."""

    seat: Seat
    card: Face


@dataclass(frozen=True, slots=True)
class GoAlone:
    """The maker goes alone: the answer when asked, or said earlier or later, until the first card is led."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class GoTogether:
    """Asked before the first lead, the maker plays with the partner, or takes the dummy where there is one."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class LayAway:
    """A maker who took the dummy lays three of the eight cards away."""

    seat: Seat
    cards: tuple[Face, ...]

    def __post_init__(self) -> None:
        known = sorted(card for card in self.cards if card is not UNKNOWN)
        unknown = (UNKNOWN,) * (len(self.cards) - len(known))
        object.__setattr__(self, "cards", (*known, *unknown))


@dataclass(frozen=True, slots=True)
class DefendAlone:
    """A defender plays without the partner."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class DefendTogether:
    """Asked about defending alone, a defender does not."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Play:
    """A player lays a card to the trick."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class CallOut:
    """A player calls an irregularity against an opponent: in a trick, counted from 1, or in the deal (0)."""

    seat: Seat
    against: Seat
    irregularity: Irregularity
    trick: int


@dataclass(frozen=True, slots=True)
class Correct:
    """A player corrects the card laid to a trick; play goes back to it, if it was wrong."""

    seat: Seat
    trick: int


class Terms(Enum):
    """What the wronged side makes of a penalty it may waive."""

    FULL = "full"
    FEWER = "fewer"
    CORRECT = "correct"
    LET_STAND = "let-stand"


@dataclass(frozen=True, slots=True)
class Settle:
    """A player of the wronged side says what becomes of the penalty; `points` belong to fewer of them."""

    seat: Seat
    terms: Terms
    points: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A player lays down all cards as certain winners."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class ThrowIn:
    """A player proposes to end the hand as if the makers had taken `makers_tricks` tricks in all."""

    seat: Seat
    makers_tricks: int


@dataclass(frozen=True, slots=True)
class Agree:
    """A player agrees to a claim or a throw-in."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Disagree:
    """A player does not agree to a claim or a throw-in."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class Ready:
    """After the last card a player is ready for the next hand; when all players are, nothing can be called any more."""

    seat: Seat


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
