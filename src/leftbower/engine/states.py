"""The phases of a hand. Each is a type of its own, so a field exists exactly when it means something."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, TypeVar

from leftbower.engine.actions import Action, CallOut, Claim, Play, Settle, ThrowIn
from leftbower.engine.deal import Deal, Hands, HeldCards
from leftbower.rules.cards import Card, Face, Suit
from leftbower.rules.house import HouseRules
from leftbower.rules.referee import Ruling
from leftbower.rules.scoring import Outcome, Points
from leftbower.rules.seats import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """What a hand is played under: the rules, the deal, and the score when it began, side by side."""

    rules: HouseRules
    deal: Deal
    scores: tuple[int, ...]
    warnings: tuple[int, int, int, int] = (0, 0, 0, 0)
    """How many warnings each seat has already, by the number of the seat."""
    hands: int = 0
    """How many hands of the game were counted before it, where a game is a fixed number of hands; otherwise 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicContract:
    """Who made what trump, and who goes alone: what everyone knows."""

    maker: Seat
    trump: Suit
    ordered: bool
    """Was it the up-card's suit, so that the dealer took the up-card?"""
    alone: bool
    defender: Seat | None = None
    """The defender who stands alone, if one does."""

    def outcome(self, makers_tricks: int) -> Outcome:
        """The hand when the makers take this number of tricks."""
        defended_alone = self.defender is not None
        return Outcome(maker=self.maker, makers_tricks=makers_tricks, alone=self.alone, defended_alone=defended_alone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(PublicContract):
    """A contract with the cards that one player put away for it."""

    buried: Face | None = None
    """What the dealer buried for the up-card; only the dealer knows it."""
    laid_away: HeldCards = ()
    """What the maker laid away after taking the dummy; only the maker knows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """A complete trick: its cards as they fell, from the leader on."""

    cards: tuple[Card, ...]
    seats: tuple[Seat, ...]
    """Who laid each card."""
    winner: Seat

    @property
    def leader(self) -> Seat:
        return self.seats[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the referee found on a call."""

    call: CallOut
    guilty: bool
    evidence: tuple[Card, ...]
    """The cards, lying face up, that prove it."""
    ruling: Ruling | None
    """What follows; None for an innocent player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """Points that an offense has brought to others."""

    offender: Seat
    trick: int
    """The trick it happened in; 0 for the deal."""
    points: Points


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """What was called and ruled in a hand, what went back, and what lies open. All of it is public."""

    calls: tuple[CallOut, ...] = ()
    """Calls that wait for proof."""
    verdicts: tuple[Verdict, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    costs: tuple[Penalty, ...] = ()
    """What wrong calls cost."""
    settled: tuple[CallOut, ...] = ()
    """Calls that were ruled on, for cards that still lie: they cannot be made again."""
    taken_back: tuple[Play, ...] = ()
    """Cards that lay on the table and went back to a hand."""
    exposed: tuple[tuple[Seat, int], ...] = ()
    """Who has laid all cards open, and in which trick."""
    proposals: tuple[tuple[Seat, int], ...] = ()
    """Who proposed to throw the hand in, and in which trick."""


NOTHING_CALLED: Final = Docket()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dealt:
    """What every phase has but an interruption: what the hand is played under, what each seat holds, what was done."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TrumpMade(_Dealt):
    """A phase after trump was made, in which one seat is to act."""

    to_act: Seat
    contract: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceDown(_Dealt):
    """Everyone has cards, all of them face down; the deal is complete when the dealer turns the up-card."""

    @property
    def to_act(self) -> Seat:
        return self.hand.deal.dealer


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingFarmers(_Dealt):
    """Before the first call every seat is asked whether it shows a farmer's hand."""

    to_act: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Bidding(_Dealt):
    """The bidding has come to a seat, in the first or the second round."""

    to_act: Seat
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarding(_TrumpMade):
    """The dealer buries a card: holding the up-card already, or about to take it where the sheet has it so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingAlone(_TrumpMade):
    """The maker is asked once, before the first lead: alone or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangingDummy(_TrumpMade):
    """The maker has taken the dummy's three cards and lays three away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingDefenders(_TrumpMade):
    """A defender is asked whether to stand alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing(_TrumpMade):
    """Cards are played. At an honor table `to_act` is only due to play; others can."""

    active: tuple[Seat, ...]
    """Who takes part, clockwise."""
    trick: tuple[Card, ...]
    """The cards of the trick so far, as they fell."""
    seats: tuple[Seat, ...]
    """Who laid each of them."""
    tricks: tuple[Trick, ...]
    docket: Docket = NOTHING_CALLED

    @property
    def leader(self) -> Seat:
        """Who led to the trick, or is due to."""
        return self.seats[0] if self.seats else self.to_act


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing(_Dealt):
    """The last card has fallen, or the hand was ended; calls can still be made until all players are ready."""

    contract: Contract
    active: tuple[Seat, ...]
    tricks: tuple[Trick, ...]
    trick: tuple[Card, ...]
    """The cards of a trick that was not finished."""
    seats: tuple[Seat, ...]
    makers_tricks: int | None
    """The tricks of the makers, played or agreed; None when a penalty ended the hand."""
    docket: Docket
    ready: tuple[Seat, ...] = ()

    @property
    def to_act(self) -> Seat:
        """The first seat that has not said it is ready."""
        return next(seat for seat in self.hand.rules.seats if seat not in self.ready)


T = TypeVar("T", Playing, Playing | Closing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption(Generic[T]):
    """One or more players must answer before the hand goes on."""

    interrupted: T
    actions: tuple[Action, ...]

    @property
    def hand(self) -> Hand:
        return self.interrupted.hand

    @property
    def cards(self) -> Hands:
        return self.interrupted.cards

    @property
    def contract(self) -> Contract:
        return self.interrupted.contract

    @property
    def docket(self) -> Docket:
        return self.interrupted.docket


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering(Interruption[Playing]):
    """The others are asked whether they agree to a claim or a throw-in."""

    proposal: Claim | ThrowIn
    agreed: tuple[Seat, ...] = ()

    @property
    def asked(self) -> tuple[Seat, ...]:
        """Who has not answered yet, of all who take part except the proposer."""
        answered = (self.proposal.seat, *self.agreed)
        return tuple(seat for seat in self.interrupted.active if seat not in answered)

    @property
    def to_act(self) -> Seat:
        return self.asked[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling(Interruption[Playing | Closing]):
    """A penalty is due, and the wronged side may waive or lessen it."""

    verdict: Verdict
    said: tuple[Settle, ...] = ()

    @property
    def asked(self) -> tuple[Seat, ...]:
        """Who of the wronged side has not spoken yet."""
        spoken = [settle.seat for settle in self.said]
        wronged = self.verdict.ruling.points if self.verdict.ruling else ()
        return tuple(seat for seat in wronged if seat not in spoken)

    @property
    def to_act(self) -> Seat:
        return self.asked[0]


class Reason(Enum):
    """How a hand ended."""

    MADE_IT = "made-it"
    MARCH = "march"
    EUCHRE = "euchre"
    PASSED_OUT = "passed-out"
    FARMERS_REDEAL = "farmers-redeal"
    PENALTY = "penalty"
    BOTH_GUILTY = "both-guilty"
    MISDEAL = "misdeal"
    """The same dealer deals again."""
    DEAL_LOST = "deal-lost"
    """A misdeal that costs the deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(_Dealt):
    """The hand is over."""

    reason: Reason
    points: Points
    contract: Contract | None = None
    """None when trump was not made."""
    tricks: tuple[Trick, ...] = ()
    makers_tricks: int | None = None
    """The tricks of the makers, played or agreed; None when it was not decided by tricks."""
    docket: Docket = NOTHING_CALLED


OpenState = (
    FaceDown
    | AskingFarmers
    | Bidding
    | Discarding
    | DecidingAlone
    | ExchangingDummy
    | AskingDefenders
    | Playing
    | Answering
    | Settling
    | Closing
)
"""A hand that goes on."""
State = OpenState | Scored


def makers_tricks(rules: HouseRules, contract: Contract, tricks: tuple[Trick, ...]) -> int:
    """How many of these tricks the makers took."""
    makers = rules.side_of(contract.maker)
    return sum(trick.winner in makers for trick in tricks)
