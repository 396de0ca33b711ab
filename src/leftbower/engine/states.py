"""The phases of a hand. Each is a type of its own, so a field exists exactly when it means something."""

from dataclasses import dataclass
from enum import Enum

from leftbower.engine.actions import Action
from leftbower.engine.deal import Deal, Hands, Held
from leftbower.rules.cards import Card, Face, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.scoring import Points
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """What a hand is played under: the rules, the deal, and the score when it began, side by side."""

    rules: HouseRules
    deal: Deal
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Who made what trump, and how it is played and defended."""

    maker: Seat
    trump: Suit
    ordered: bool
    """Was it the up-card's suit, so that the dealer took the up-card?"""
    alone: bool
    defender: Seat | None = None
    """The defender who stands alone, if one does."""
    buried: Face | None = None
    """What the dealer buried for the up-card; only the dealer knows it."""
    laid_away: Held = ()
    """What the maker laid away after taking the dummy; only the maker knows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """A complete trick: its cards as they fell, from the leader on."""

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingFarmers:
    """Before the first call every seat is asked whether it shows a farmer's hand."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Bidding:
    """The bidding has come to a seat, in the first or the second round."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarding:
    """The dealer buries a card: holding the up-card already, or about to take it where the sheet has it so."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat
    contract: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingAlone:
    """The maker is asked once, before the first lead: alone or not."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat
    contract: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangingDummy:
    """The maker has taken the dummy's three cards and lays three away."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat
    contract: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingDefenders:
    """A defender is asked whether to stand alone."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat
    contract: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """Cards are played."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    to_act: Seat
    contract: Contract
    active: tuple[Seat, ...]
    """Who takes part, clockwise."""
    leader: Seat
    trick: tuple[Card, ...]
    """The cards of the trick so far, as they fell."""
    tricks: tuple[Trick, ...]


class Reason(Enum):
    """How a hand ended."""

    MADE = "made"
    MARCH = "march"
    EUCHRE = "euchre"
    PASSED_OUT = "passed-out"
    FARMERS_REDEAL = "farmers-redeal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The hand is over."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]
    reason: Reason
    points: Points
    contract: Contract | None = None
    """None when nobody made trump."""
    tricks: tuple[Trick, ...] = ()


Open = AskingFarmers | Bidding | Discarding | DecidingAlone | ExchangingDummy | AskingDefenders | Playing
"""A hand that goes on."""
State = Open | Scored


def makers_tricks(rules: HouseRules, contract: Contract, tricks: tuple[Trick, ...]) -> int:
    """How many of these tricks the makers took."""
    makers = rules.side_of(contract.maker)
    return sum(trick.winner in makers for trick in tricks)
