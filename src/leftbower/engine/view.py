"""What one seat, or a spectator, may see of a hand: the only way out of the engine.

A view is its own type, filled from an allowlist. It holds nothing about the cards of others, neither their faces nor
their order.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from leftbower.engine import states
from leftbower.engine.actions import Action, Bury, CallOut, Claim, LayAway, Play, ThrowIn, TurnUp
from leftbower.engine.deal import HeldCards
from leftbower.rules import UNKNOWN, Card, HouseRules, Irregularity, Points, Seat
from leftbower.rules.choices import LookingBack


class Phase(Enum):
    """What the hand is waiting for."""

    FACE_DOWN = "face-down"
    """The dealer has to turn the up-card."""
    FARMERS = "farmers"
    BIDDING = "bidding"
    DISCARDING = "discarding"
    DECIDING_ALONE = "deciding-alone"
    EXCHANGING_DUMMY = "exchanging-dummy"
    DEFENDING_ALONE = "defending-alone"
    PLAYING = "playing"
    ANSWERING = "answering"
    """Players decide on a claim or a throw-in."""
    SETTLING = "settling"
    """The offended side decides on a penalty."""
    CLOSING = "closing"
    """The hand is over, but players can still make calls."""
    SCORED = "scored"


class UpCardStatus(Enum):
    """Where the up-card is."""

    FACE_DOWN = "face-down"
    TURNED_UP = "turned-up"
    TAKEN = "taken"
    """The dealer picked it up."""
    TURNED_DOWN = "turned-down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    reason: states.Reason
    points: Points


@dataclass(frozen=True, kw_only=True)
class View:
    """A hand as one seat or a spectator sees it."""

    rules: HouseRules
    scores: tuple[int, ...]
    """The score of each side at the start of the hand."""
    warnings: tuple[int, int, int, int]
    """Warnings of each seat at the start of the hand."""
    hands: int
    """Hands counted so far, if the game is a fixed number of hands; otherwise 0."""
    seat: Seat | None
    """Whose view it is; None for a spectator."""
    phase: Phase
    dealer: Seat
    turned: Card | None
    """The up-card; None while it is face down."""
    up_card_status: UpCardStatus
    dealt_counts: Mapping[Seat, int]
    """Number of cards each seat was dealt."""
    dealt: HeldCards
    """The cards the viewer was dealt; empty while the up-card is face down."""
    cards: HeldCards
    """The cards the viewer holds now."""
    dummy: HeldCards
    """The dummy's cards, if the viewer took them."""
    card_counts: Mapping[Seat, int]
    """Number of cards each seat holds."""
    actions: tuple[Action, ...]
    """Everything done so far; a card that only another player knows is unknown."""
    contract: states.PublicContract | None
    """None until trump is made."""
    active: tuple[Seat, ...]
    """Seats that play this hand; empty before the play."""
    leader: Seat | None
    """Who led to the trick, or leads next; None outside the play."""
    trick: tuple[Card, ...]
    seats: tuple[Seat, ...]
    """Who played each card of the trick."""
    tricks: tuple[states.Trick, ...]
    to_act: Seat | None
    """None when the hand is over."""
    legal: tuple[Action, ...]
    """The viewer's legal actions."""
    refused: Mapping[Card, str]
    """The viewer's cards that can't be used now, each with the error code that says why."""
    taken_back: tuple[Play, ...]
    """Cards that were played and then returned to a hand, each with its owner."""
    exposed: Mapping[Seat, HeldCards]
    """Hands that are face up, sorted."""
    docket: states.Docket
    """Calls and rulings."""
    proposal: Claim | ThrowIn | None
    """The claim or throw-in that players decide on."""
    verdict: states.Verdict | None
    """The verdict whose penalty the offended side decides on."""
    ending: Ending | None
    """None until the hand is over."""

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> "View":
        """A view of a whole set of fields. `__init__` takes ten times as long, and every act makes five views."""
        view = object.__new__(cls)
        view.__dict__.update(fields)
        return view

    @property
    def public_actions(self) -> tuple[Action, ...]:
        """Everything done so far as a spectator sees it: the viewer's own hidden cards are unknown too."""
        return tuple([_public(action, None) for action in self.actions])

    @property
    def up_card(self) -> Card:
        """The up-card; an error while it is face down."""
        if self.turned is None:
            raise ValueError("the up-card is face down")
        return self.turned

    @property
    def buried(self) -> HeldCards:
        """The dealer's discard, if the viewer is the dealer."""
        return tuple(action.card for action in self.actions if isinstance(action, Bury) and action.card is not UNKNOWN)

    @property
    def laid_away(self) -> HeldCards:
        """The maker's discards after the dummy, if the viewer is the maker."""
        laid = (card for action in self.actions if isinstance(action, LayAway) for card in action.cards)
        return tuple(card for card in laid if card is not UNKNOWN)


def view_without_legal(state: states.State, seat: Seat | None) -> View:
    """The hand as `seat` sees it, without legal actions; None is a spectator."""
    return View.from_fields(shared_fields(state) | private_fields(state, seat) | {"legal": (), "refused": NONE_REFUSED})


def exposed_view(state: states.State, seat: Seat) -> View:
    """The hand as everyone sees it once `seat` has laid its cards face up: its discards stay hidden."""
    return replace(view_without_legal(state, seat), actions=view_without_legal(state, None).actions, dealt=(), dummy=())


def shared_fields(state: states.State) -> dict[str, Any]:
    """Fields that are the same for all viewers, except that a seat also knows its own face-down actions."""
    hand = state.hand
    match state:
        case states.Playing() | states.Closing():
            table: states.Playing | states.Closing | None = state
        case states.Answering() | states.Settling():
            table = state.interrupted
        case _:
            table = None
    docket = table.docket if table else state.docket if isinstance(state, states.Scored) else states.NOTHING_CALLED
    hidden = any(type(action) in _FACE_DOWN for action in state.actions)
    return {
        "rules": hand.rules,
        "scores": hand.scores,
        "warnings": hand.warnings,
        "hands": hand.hands,
        "phase": _PHASES[type(state)],
        "dealer": hand.deal.dealer,
        "turned": hand.deal.up_card if is_turned(state) else None,
        "dealt_counts": MappingProxyType({seat: len(hand.deal.hands[seat.index]) for seat in hand.rules.seats}),
        "card_counts": MappingProxyType({seat: len(state.cards[seat.index]) for seat in hand.rules.seats}),
        "actions": tuple([_public(action, None) for action in state.actions]) if hidden else state.actions,
        **_contract_fields(state),
        "active": table.active if table else (),
        "leader": table.leader if isinstance(table, states.Playing) else None,
        "trick": table.trick if table else (),
        "seats": table.seats if table else (),
        "tricks": state.tricks if isinstance(state, states.Scored) else table.tricks if table else (),
        "to_act": None if isinstance(state, states.Scored) else state.to_act,
        "taken_back": docket.taken_back,
        "exposed": MappingProxyType({seat: _laid_open(state.cards[seat.index]) for seat, _ in docket.exposed}),
        "docket": docket,
        "proposal": state.proposal if isinstance(state, states.Answering) else None,
        "verdict": state.verdict if isinstance(state, states.Settling) else None,
        "ending": _ending(state) if isinstance(state, states.Scored) else None,
    }


def private_fields(state: states.State, seat: Seat | None) -> dict[str, Any]:
    """Fields that differ by viewer, without legal actions."""
    if seat is None:
        return {"seat": None, "dealt": (), "cards": (), "dummy": ()}
    hand = state.hand
    hand.rules.side_of(seat)
    turned = is_turned(state)
    fields = {
        "seat": seat,
        "dealt": hand.deal.hands[seat.index] if turned else (),
        "cards": state.cards[seat.index] if turned else (),
        "dummy": _dummy(state, seat) if hand.deal.dummy else (),
    }
    if seat in [action.seat for action in state.actions if type(action) in _FACE_DOWN]:
        fields["actions"] = tuple([_public(action, seat) for action in state.actions])
    return fields


def is_turned(state: states.State) -> bool:
    """Has the up-card been turned? Until then, all cards are face down."""
    return not state.hand.deal.face_down or any(isinstance(action, TurnUp) for action in state.actions[:1])


def looking_back(view: View) -> tuple[states.Trick, ...]:
    """Tricks the viewer may look at again: all of them in a dispute, otherwise at most the last one."""
    disputed = disputed_tricks(view)
    if disputed:
        return disputed
    last = () if view.trick or view.phase is Phase.SCORED else view.tricks[-1:]
    match view.rules.looking_back:
        case LookingBack.EVERYONE:
            return last
        case LookingBack.TRICK_WINNER:
            return tuple(trick for trick in last if trick.winner is view.seat)
        case _:
            return ()


def disputed_tricks(view: View) -> tuple[states.Trick, ...]:
    """All complete tricks, if a renege was called in this hand and the rules open the tricks for a dispute.

    A ruling doesn't close them: many calls are ruled at once, and players may still want to check. So they stay open
    until the next deal, also for calls after the last card.
    """
    if not view.rules.disputes_open_tricks:
        return ()
    called = (action.irregularity for action in view.actions if isinstance(action, CallOut))
    return view.tricks if Irregularity.RENEGE in called else ()


def _ending(state: states.Scored) -> Ending:
    return Ending(reason=state.reason, points=MappingProxyType(dict(state.points)))


_PHASES: Final = {
    states.FaceDown: Phase.FACE_DOWN,
    states.AskingFarmers: Phase.FARMERS,
    states.Bidding: Phase.BIDDING,
    states.Discarding: Phase.DISCARDING,
    states.DecidingAlone: Phase.DECIDING_ALONE,
    states.ExchangingDummy: Phase.EXCHANGING_DUMMY,
    states.AskingDefenders: Phase.DEFENDING_ALONE,
    states.Playing: Phase.PLAYING,
    states.Answering: Phase.ANSWERING,
    states.Settling: Phase.SETTLING,
    states.Closing: Phase.CLOSING,
    states.Scored: Phase.SCORED,
}


def _contract(state: states.State) -> states.Contract | None:
    return None if isinstance(state, states.FaceDown | states.AskingFarmers | states.Bidding) else state.contract


def _contract_fields(state: states.State) -> dict[str, Any]:
    """The contract and what became of the up-card."""
    contract = _contract(state)
    if contract is not None:
        public = states.PublicContract(
            maker=contract.maker,
            trump=contract.trump,
            ordered=contract.ordered,
            alone=contract.alone,
            defender=contract.defender,
        )
        status = UpCardStatus.TAKEN if contract.ordered else UpCardStatus.TURNED_DOWN
        return {"contract": public, "up_card_status": status}
    status = UpCardStatus.TURNED_UP if is_turned(state) else UpCardStatus.FACE_DOWN
    if isinstance(state, states.Bidding) and state.round == 2:
        status = UpCardStatus.TURNED_DOWN
    return {"contract": None, "up_card_status": status}


def _dummy(state: states.State, viewer: Seat) -> HeldCards:
    """The dummy, for the maker who takes it; it stays hidden when the maker goes alone."""
    contract = _contract(state)
    if contract is None or contract.alone or contract.maker is not viewer:
        return ()
    return () if isinstance(state, states.Discarding | states.DecidingAlone) else state.hand.deal.dummy


_FACE_DOWN: Final = frozenset({Bury, LayAway})
"""Actions whose cards only the acting seat may see."""


def _public(action: Action, viewer: Seat | None) -> Action:
    """The action as the viewer saw it: only the acting seat knows cards it put face down."""
    if action.seat is viewer:
        return action
    match action:
        case Bury():
            return Bury(action.seat, UNKNOWN)
        case LayAway():
            return LayAway(action.seat, (UNKNOWN,) * len(action.cards))
        case _:
            return action


def _laid_open(cards: HeldCards) -> HeldCards:
    """A face-up hand, sorted, because the order of the deal stays hidden."""
    faces = sorted(card for card in cards if card is not UNKNOWN)
    return (*faces, *(card for card in cards if card is UNKNOWN))


NONE_REFUSED: Final[Mapping[Card, str]] = MappingProxyType({})
