"""What a player can do in a hand. Every action carries the seat that does it."""

from dataclasses import dataclass

from leftbower.rules.cards import UNKNOWN, Card, Face, Suit
from leftbower.rules.seats import Seat


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
    """Asked before the first lead, the maker goes alone."""

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


Action = (
    KeepHand
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
