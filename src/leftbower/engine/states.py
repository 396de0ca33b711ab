"""The phases of a hand. Each is its own type, so a field exists only when it has a meaning."""

from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, TypeVar

from leftbower.engine.actions import Action, CallOut, Claim, Play, Settle, ThrowIn
from leftbower.engine.deal import Deal, Hands, HeldCards
from leftbower.rules import Card, Face, HouseRules, Outcome, Points, Ruling, Seat, Suit


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """What stays the same during a hand: the rules, the deal, and the scores and warnings at its start."""

    rules: HouseRules
    deal: Deal
    scores: tuple[int, ...]
    warnings: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Earlier warnings of each seat, by seat index."""
    hands: int = 0
    """Hands counted so far, if the game is a fixed number of hands; otherwise 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicContract:
    """The public part of a contract: who made which suit trump, and who goes alone."""

    maker: Seat
    trump: Suit
    ordered: bool
    """Was it the up-card's suit, so that the dealer picked up the up-card?"""
    alone: bool
    defender: Seat | None = None
    """The defender who defends alone, if there is one."""

    def outcome(self, makers_tricks: int) -> Outcome:
        """The outcome if the makers take this many tricks."""
        defended_alone = self.defender is not None
        return Outcome(maker=self.maker, makers_tricks=makers_tricks, alone=self.alone, defended_alone=defended_alone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(PublicContract):
    """A contract with the cards that one player discarded."""

    buried: Face | None = None
    """The dealer's discard; only the dealer knows it."""
    laid_away: HeldCards = ()
    """The maker's discards after taking the dummy; only the maker knows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trick:
    """A complete trick, with its cards in the order of play."""

    cards: tuple[Card, ...]
    seats: tuple[Seat, ...]
    """Who played each card."""
    winner: Seat

    @property
    def leader(self) -> Seat:
        return self.seats[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The referee's decision on a call."""

    call: CallOut
    guilty: bool
    evidence: tuple[Card, ...]
    """Face-up cards that prove it."""
    ruling: Ruling | None
    """The consequences; None if the player is innocent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Penalty:
    """Points that an offense gives to others."""

    offender: Seat
    trick: int
    """The trick of the offense; 0 for the deal."""
    points: Points


@dataclass(frozen=True, slots=True, kw_only=True)
class Docket:
    """Calls and rulings of a hand, cards taken back, and hands face up. All of it is public."""

    calls: tuple[CallOut, ...] = ()
    """Calls without proof so far."""
    verdicts: tuple[Verdict, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    costs: tuple[Penalty, ...] = ()
    """The cost of wrong calls."""
    settled: tuple[CallOut, ...] = ()
    """Calls that were ruled on and whose cards are still on the table: they can't be made again."""
    taken_back: tuple[Play, ...] = ()
    """Cards that were played and then returned to a hand."""
    exposed: tuple[tuple[Seat, int], ...] = ()
    """Players who laid all their cards face up, each with the trick."""
    proposals: tuple[tuple[Seat, int], ...] = ()
    """Players who offered to throw in the hand, each with the trick."""


NOTHING_CALLED: Final = Docket()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dealt:
    """Fields of every phase except interruptions."""

    hand: Hand
    cards: Hands
    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _TrumpMade(_Dealt):
    """A phase after trump was made, with one seat to act."""

    to_act: Seat
    contract: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceDown(_Dealt):
    """Everyone has cards, all face down. The dealer completes the deal by turning the up-card."""

    @property
    def to_act(self) -> Seat:
        return self.hand.deal.dealer


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingFarmers(_Dealt):
    """Before the first call, each seat in turn may show a farmer's hand."""

    to_act: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Bidding(_Dealt):
    """A seat bids in the first or second round."""

    to_act: Seat
    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarding(_TrumpMade):
    """The dealer discards: after picking up the up-card, or before if the rule sheet says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidingAlone(_TrumpMade):
    """The maker decides once, before the first lead, whether to go alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangingDummy(_TrumpMade):
    """The maker picked up the dummy's three cards and discards three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingDefenders(_TrumpMade):
    """A defender decides whether to defend alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing(_TrumpMade):
    """Cards are played. At an honor table, `to_act` is the seat whose turn it is, but others can play too."""

    active: tuple[Seat, ...]
    """Seats that play this hand, clockwise."""
    trick: tuple[Card, ...]
    """Cards of the current trick, in the order of play."""
    seats: tuple[Seat, ...]
    """Who played each of them."""
    tricks: tuple[Trick, ...]
    docket: Docket = NOTHING_CALLED

    @property
    def leader(self) -> Seat:
        """Who led to the trick, or leads next."""
        return self.seats[0] if self.seats else self.to_act


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing(_Dealt):
    """The play is over, but players can still make calls until all are ready."""

    contract: Contract
    active: tuple[Seat, ...]
    tricks: tuple[Trick, ...]
    trick: tuple[Card, ...]
    """Cards of an unfinished trick."""
    seats: tuple[Seat, ...]
    makers_tricks: int | None
    """The makers' tricks, played or agreed on; None if a penalty ended the hand."""
    docket: Docket
    ready: tuple[Seat, ...] = ()

    @property
    def to_act(self) -> Seat:
        """The first seat that isn't ready."""
        return next(seat for seat in self.hand.rules.seats if seat not in self.ready)


T = TypeVar("T", Playing, Playing | Closing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption(Generic[T]):
    """The hand is on hold until one or more players answer."""

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
    """The other players decide on a claim or a throw-in."""

    proposal: Claim | ThrowIn
    agreed: tuple[Seat, ...] = ()

    @property
    def asked(self) -> tuple[Seat, ...]:
        """Active seats that haven't answered, except the proposer."""
        answered = (self.proposal.seat, *self.agreed)
        return tuple(seat for seat in self.interrupted.active if seat not in answered)

    @property
    def to_act(self) -> Seat:
        return self.asked[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling(Interruption[Playing | Closing]):
    """A penalty is due, and the offended side may waive or reduce it."""

    verdict: Verdict
    said: tuple[Settle, ...] = ()

    @property
    def asked(self) -> tuple[Seat, ...]:
        """Seats of the offended side that haven't answered."""
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
    """The dealer deals again."""
    DEAL_LOST = "deal-lost"
    """A misdeal that costs the dealer the deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(_Dealt):
    """The hand is over."""

    reason: Reason
    points: Points
    contract: Contract | None = None
    """None if trump wasn't made."""
    tricks: tuple[Trick, ...] = ()
    makers_tricks: int | None = None
    """The makers' tricks, played or agreed on; None if tricks didn't decide the hand."""
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
"""A hand that isn't over."""
State = OpenState | Scored


def makers_tricks(rules: HouseRules, contract: Contract, tricks: tuple[Trick, ...]) -> int:
    """How many of these tricks the makers took."""
    makers = rules.side_of(contract.maker)
    return sum(trick.winner in makers for trick in tricks)
