"""Offenses at honor tables: whatever players do wrong, call, deny, settle and correct, the scores add up.

`Recount` is a second referee, written from rules.md in plain code. It uses only the rules, the deal and the actions,
and nothing from `leftbower.engine.honor`, `claims` or `play`.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Final

import pytest
from hypothesis import assume, given, note, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from leftbower.engine import (
    Action,
    Agree,
    Answering,
    Bidding,
    Bury,
    CallOut,
    Claim,
    Closing,
    Correct,
    Deal,
    DefendAlone,
    Disagree,
    Discarding,
    Draw,
    Fact,
    GoAlone,
    GoTogether,
    InGame,
    InHand,
    KeepHand,
    LayAway,
    Match,
    MatchOver,
    Name,
    OpenState,
    Order,
    Pass,
    Play,
    Playing,
    Ready,
    Scored,
    Settle,
    Settling,
    ShowFarmersHand,
    State,
    Terms,
    ThrowIn,
    ToDraw,
    TurnUp,
    advance_match,
    apply,
    closed_kitty,
    deal_hand,
    draw_dealer,
    legal_actions,
    new_match,
    start,
    talk,
    view,
)
from leftbower.errors import RuleViolation
from leftbower.notation import (
    Record,
    action_from_json,
    action_to_json,
    describe_hand,
    dumps,
    hand_line,
    loads,
    parse_hand_line,
    view_from_json,
    view_line,
    view_to_json,
)
from leftbower.rules import DECK, UNKNOWN, Card, Face, HouseRules, Irregularity, Rank, Seat, Suit, preset
from leftbower.rules.choices import (
    ClaimConsent,
    Correction,
    Cut,
    FailureToDiscard,
    FarmersHand,
    FirstLead,
    GoingAlone,
    Misdeal,
    OutOfTurn,
    RenegeAlone,
    Supervision,
    WarningsFor,
    WarningsLast,
)
from leftbower.testing import deals, house_rules

pytestmark = pytest.mark.unmeasured

Viewer = Seat | None
Offense = tuple[Seat, Irregularity, int]
Warnings = tuple[int, int, int, int]

# The second referee

SISTER: Final = {
    Suit.CLUBS: Suit.SPADES,
    Suit.SPADES: Suit.CLUBS,
    Suit.HEARTS: Suit.DIAMONDS,
    Suit.DIAMONDS: Suit.HEARTS,
}
HIGH_TO_LOW: Final = (Rank.ACE, Rank.KING, Rank.QUEEN, Rank.JACK, Rank.TEN, Rank.NINE)


def suit_of(card: Card, trump: Suit) -> Suit:
    """The left bower is a trump."""
    return trump if card.rank is Rank.JACK and card.suit is SISTER[trump] else card.suit


def taker(trick: list[tuple[Seat, Card]], trump: Suit) -> Seat:
    """Who takes a trick: the highest trump, or else the highest card of the suit led."""
    bowers = [Card(Rank.JACK, trump), Card(Rank.JACK, SISTER[trump])]
    led = suit_of(trick[0][1], trump)
    order = bowers + [Card(rank, suit) for suit in (trump, led) for rank in HIGH_TO_LOW]
    beaten_by = {card: index for index, card in reversed(list(enumerate(order)))}
    return min(trick, key=lambda laid: beaten_by.get(laid[1], len(order)))[0]


class Recount:
    """The result of a hand, computed only from its deal and its actions."""

    def __init__(self, rules: HouseRules, deal: Deal, warnings: Warnings = (0, 0, 0, 0)) -> None:
        self.rules, self.deal = rules, deal
        self.held = {seat: [card for card in deal.hands[seat.index] if isinstance(card, Card)] for seat in rules.seats}
        self.warnings = Counter({seat: warnings[seat.index] for seat in Seat})
        self.passes = 0
        self.maker: Seat | None = None
        self.trump = deal.up_card.suit
        self.alone = self.ordered = self.buried = False
        self.defender: Seat | None = None
        self.took_dummy: Seat | None = None
        self.swapped: Seat | None = None
        self.laid: list[tuple[Seat, Card]] = []
        self.went_back: list[tuple[Seat, Card]] = []
        self.exposed: dict[Seat, int] = {}
        self.public = {deal.up_card}
        self.calls: list[CallOut] = []
        self.ruled: set[Offense] = set()
        self.penalties: list[tuple[Seat, dict[Seat, int]]] = []
        self.paid_for: list[int] = []
        self.warned_for: list[tuple[Seat, int]] = []
        self.costs: list[dict[Seat, int]] = []
        self.settling: tuple[CallOut, dict[Seat, int]] | None = None
        self.said: dict[Seat, tuple[Terms, int]] = {}
        self.proposal: Claim | ThrowIn | None = None
        self.agreed = 0
        self.over = False
        self.granted = 0
        self.ready: set[Seat] = set()
        self.turned = not deal.face_down
        self.ending = ""

    # Players and tricks

    @property
    def active(self) -> list[Seat]:
        """All players but the partners of lone players."""
        out = []
        if self.rules.players == 4 and self.maker is not None:
            out += [self.maker.partner] if self.alone else []
            out += [self.defender.partner] if self.defender is not None else []
        return [seat for seat in self.rules.seats if seat not in out]

    def side(self, seat: Seat) -> set[Seat]:
        """The players on one side in this hand: partners; with three players, the defenders."""
        if self.rules.players == 4:
            return {seat, seat.partner}
        if self.rules.players == 3 and self.maker is not None and seat is not self.maker:
            return {other for other in self.rules.seats if other is not self.maker}
        return {seat}

    def opponents(self, seat: Seat) -> list[Seat]:
        """All players on the other side; with three players, before trump is made, both others."""
        return [other for other in self.rules.seats if other not in self.side(seat)]

    @property
    def tricks(self) -> list[list[tuple[Seat, Card]]]:
        """The cards on the table, trick by trick, the unfinished one last."""
        size = len(self.active)
        return [self.laid[start : start + size] for start in range(0, len(self.laid), size)]

    @property
    def complete(self) -> list[list[tuple[Seat, Card]]]:
        """The finished tricks."""
        return [trick for trick in self.tricks if len(trick) == len(self.active)]

    @property
    def number(self) -> int:
        """The number of the current trick, from 1."""
        return len(self.complete) + 1

    def makers_tricks(self) -> int:
        """Finished tricks of the makers."""
        assert self.maker is not None
        return sum(taker(trick, self.trump) in self.side(self.maker) for trick in self.complete)

    def led(self, trick: int) -> Suit:
        """The suit led to a trick."""
        return suit_of(self.tricks[trick - 1][0][1], self.trump)

    def strays(self) -> set[tuple[Seat, int]]:
        """Who didn't follow suit, and in which trick; guilty or not."""
        return {
            (seat, number)
            for number, trick in enumerate(self.tricks, 1)
            for seat, card in trick
            if suit_of(card, self.trump) is not suit_of(trick[0][1], self.trump)
        }

    def withheld(self, seat: Seat, trick: int) -> list[Card]:
        """Cards of the suit led that a seat held and didn't play."""
        later = [card for other in self.tricks[trick:] for player, card in other if player is seat]
        return [card for card in (*later, *self.held[seat]) if suit_of(card, self.trump) is self.led(trick)]

    def not_due(self) -> set[tuple[Seat, int]]:
        """Who played out of turn: the winner of the last trick leads, and the others follow clockwise."""
        early = set()
        seats = list(self.rules.seats)
        for number, trick in enumerate(self.tricks, 1):
            leader = taker(self.tricks[number - 2], self.trump) if number > 1 else self.first_leader()
            for index, (seat, _) in enumerate(trick):
                first = seats.index(trick[0][0] if index else leader)
                laid = [other for other, _ in trick[:index]]
                waiting = [
                    other for other in seats[first:] + seats[:first] if other in self.active and other not in laid
                ]
                if seat is not waiting[0]:
                    early.add((seat, number))
        return early

    def first_leader(self) -> Seat:
        """The dealer's left, or the lone player's left if the rules say so; the next one if that player sits out."""
        loner = self.maker if self.alone else self.defender
        beside = loner if loner and self.rules.first_lead is FirstLead.LONERS_LEFT else self.deal.dealer
        seats = list(self.rules.seats)
        first = seats.index(beside) + 1
        return next(seat for seat in seats[first:] + seats[:first] if seat in self.active)

    # Actions

    def record(self, action: Action, *, asked: bool = True) -> None:
        """Record one action; `asked` says whether the others were asked about a claim."""
        self.turned = self.turned or isinstance(action, TurnUp)
        match action:
            case Pass():
                self.passes += 1
                if self.passes == 2 * self.rules.players:
                    self.ending = "passed-out"
            case ShowFarmersHand():
                self._farmer(action)
            case Order() | Name():
                self._make(action)
            case GoAlone() | GoTogether():
                self.alone = isinstance(action, GoAlone)
                self._dummy()
            case Bury(card=Card() as card):
                self.buried = True
                self.held[action.seat].remove(card)
                if self.rules.going_alone is GoingAlone.WITH_THE_CALL:
                    self._dummy()
            case LayAway():
                self.held[action.seat] = [card for card in self.held[action.seat] if card not in action.cards]
            case DefendAlone():
                self.defender = action.seat
            case Play():
                self._play(action)
            case CallOut():
                self._call(action)
            case Correct():
                if self._was_wrong(action):
                    self._back_to(action.seat, action.trick)
                self._judge()
            case Settle():
                self._settle(action)
            case Claim() | ThrowIn():
                self._propose(action)
                if not asked and self.proposal is not None:
                    assert self.rules.claim_consent is ClaimConsent.NOT_NEEDED
                    self._accepted()
            case Agree():
                self.agreed += 1
                if self.agreed == len(self.active) - 1:
                    self._accepted()
            case Disagree():
                self.proposal = None
            case Ready():
                self.ready.add(action.seat)
            case _:
                pass

    def _was_wrong(self, action: Correct) -> bool:
        early = (action.seat, action.trick) in self.not_due() and self.rules.out_of_turn is OutOfTurn.AS_RENEGE
        return early or bool(self.withheld(action.seat, action.trick))

    def points(self) -> dict[Seat, int]:
        """The final points of each player."""
        assert self.maker is not None
        rules, paid = self.rules, [points for _, points in self.penalties]
        if paid and rules.penalty_ends_hand:
            self.ending = "penalty" if len(paid) == 1 else "both-guilty"
            scored = paid if len(paid) == 1 else []
        else:
            tricks = self.granted
            self.ending = "euchre" if tricks < 3 else "made-it" if tricks < 5 else "march"
            if tricks < 3:
                euchre = 4 if self.defender else rules.euchre_points_alone if self.alone else rules.euchre_points
                hand = dict.fromkeys(self.opponents(self.maker), euchre)
            else:
                makers_points = (
                    (rules.made_points_alone, rules.march_points_alone)
                    if self.alone
                    else (rules.made_points, rules.march_points)
                )
                hand = dict.fromkeys(self.side(self.maker), makers_points[tricks == 5])
            scored = [hand, *paid]
        total: Counter[Seat] = Counter()
        for entry in (*scored, *self.costs):
            total.update(entry)
        return {seat: points for seat, points in total.items() if points}

    def _farmer(self, action: ShowFarmersHand) -> None:
        self.public |= set(action.cards)
        if self.rules.farmers_hand is FarmersHand.REDEAL:
            self.ending = "farmers-redeal"
            return
        self.swapped = action.seat
        left = [card for card in self.held[action.seat] if card not in action.cards]
        kitty = [card for card in closed_kitty(self.rules, self.deal) if isinstance(card, Card)]
        self.held[action.seat] = left + kitty

    def _make(self, action: Order | Name) -> None:
        self.maker, self.alone = action.seat, action.alone
        said = self.rules.going_alone is GoingAlone.WITH_THE_CALL
        if isinstance(action, Name):
            self.trump = action.suit
        else:
            self.ordered = True
            self.held[self.deal.dealer].append(self.deal.up_card)
        may_forget = self.rules.failure_to_discard is FailureToDiscard.PENALTY
        waits = self.ordered and (not may_forget or self.maker is self.deal.dealer)
        if said and not waits:
            self._dummy()

    def _dummy(self) -> None:
        assert self.maker is not None
        if self.rules.players < 4 and not self.alone and self.took_dummy is None:
            self.took_dummy = self.maker
            self.held[self.maker] += [card for card in self.deal.dummy if isinstance(card, Card)]

    def _play(self, action: Play) -> None:
        self.held[action.seat].remove(action.card)
        self.laid.append((action.seat, action.card))
        self.public.add(action.card)
        if len(self.complete) == 5:
            self._end(self.makers_tricks())
        self._judge()

    def _call(self, call: CallOut) -> None:
        if call.irregularity is Irregularity.NO_CUT_OFFERED:
            assert not self.deal.cut_offered
            lost = self.rules.misdeal is Misdeal.DEAL_PASSES and self.turned
            self.ending = "deal-lost" if lost else "misdeal"
            return
        self.calls.append(call)
        if self.over:
            self._show([call.against])
        self._judge()

    def _end(self, granted: int) -> None:
        """The play is over: every accused player shows the remaining cards."""
        self.over, self.granted = True, granted
        self._show([call.against for call in self.calls])

    def _show(self, seats: list[Seat]) -> None:
        for seat in seats:
            if seat not in self.exposed:
                self.exposed[seat] = self.number
                self.public |= set(self.held[seat])

    def _judge(self) -> None:
        """Rule on everything that the face-up cards decide."""
        while self.settling is None:
            decided = [(call, guilty) for call in self.calls if (guilty := self._guilty(call)) is not None]
            if not decided:
                return
            call, guilty = decided[0]
            offense = (call.against, call.irregularity, call.trick)
            self.calls = [other for other in self.calls if (other.against, other.irregularity, other.trick) != offense]
            self.ruled.add(offense)
            if guilty:
                self._convict(call)
            elif self.rules.wrong_call_points:
                self.costs.append(dict.fromkeys(self.side(call.against), self.rules.wrong_call_points))

    def _guilty(self, call: CallOut) -> bool | None:
        seat, trick = call.against, call.trick
        match call.irregularity:
            case Irregularity.OUT_OF_TURN if (seat, trick) in self.not_due():
                as_renege = self.rules.out_of_turn is OutOfTurn.AS_RENEGE
                free = as_renege and self.rules.correction is Correction.EVEN_WHEN_CALLED
                return None if free and not self.over else True
            case Irregularity.OUT_OF_TURN:
                return False
            case Irregularity.FAILURE_TO_DISCARD:
                return self.ordered and not self.buried and seat in [player for player, _ in self.laid]
        open_hand = self.held[seat] if seat in self.exposed else []
        proof = [card for card in self.withheld(seat, trick) if card in open_hand or card not in self.held[seat]]
        if proof:
            waits = self.rules.correction is Correction.EVEN_WHEN_CALLED and not self.over
            return None if waits else True
        return None if self.held[seat] and seat not in self.exposed else False

    def _convict(self, call: CallOut) -> None:
        rules, seat = self.rules, call.against
        if call.irregularity is Irregularity.OUT_OF_TURN and rules.out_of_turn is OutOfTurn.TAKEN_BACK:
            if not self.over:
                self._back_to(seat, call.trick)
            return
        if call.irregularity is not Irregularity.FAILURE_TO_DISCARD:
            warned = self.side(seat) if rules.warnings_for is WarningsFor.SIDE else {seat}
            if sum(self.warnings[warned_seat] for warned_seat in warned) < rules.renege_warnings:
                self.warnings[seat] += 1
                self.warned_for.append((seat, call.trick))
                return
        if any(payer in self.side(seat) for payer, _ in self.penalties):
            return
        assert self.maker is not None
        by_the_loner = seat in self.side(self.maker)
        dear = {
            RenegeAlone.EITHER_SIDE: True,
            RenegeAlone.BY_THE_LONE_SIDE: by_the_loner,
            RenegeAlone.AGAINST_THE_LONE_SIDE: not by_the_loner,
        }[rules.renege_alone]
        cost = rules.renege_points_alone if self.alone and dear else rules.renege_points
        full = dict.fromkeys(self.opponents(seat), cost)
        if rules.waiver and call.irregularity is not Irregularity.FAILURE_TO_DISCARD:
            self.settling, self.said = (call, full), {}
        else:
            self._pay(call, full)

    def _pay(self, call: CallOut, points: dict[Seat, int]) -> None:
        self.penalties.append((call.against, points))
        self.paid_for.append(call.trick)
        if self.rules.penalty_ends_hand and not self.over:
            self._end(0)

    def _settle(self, action: Settle) -> None:
        """Either partner may enforce; to waive or reduce, both must say the same."""
        assert self.settling is not None
        call, full = self.settling
        self.said[action.seat] = (action.terms, action.points)
        different = len(set(self.said.values())) > 1
        if not different and action.terms is not Terms.FULL and len(self.said) < len(full):
            return
        self.settling = None
        match Terms.FULL if different else action.terms:
            case Terms.FULL:
                self._pay(call, full)
            case Terms.FEWER:
                self._pay(call, dict.fromkeys(full, action.points))
            case Terms.CORRECT:
                self._back_to(call.against, call.trick)
            case _:
                pass
        self._judge()

    def _propose(self, action: Claim | ThrowIn) -> None:
        if isinstance(action, Claim):
            self._show([action.seat])
            self._judge()
        if self.settling is None and not self.over:
            self.proposal, self.agreed = action, 0

    def _accepted(self) -> None:
        assert self.maker is not None
        assert self.proposal is not None
        taken, left = self.makers_tricks(), 5 - len(self.complete)
        if isinstance(self.proposal, ThrowIn):
            granted = self.proposal.makers_tricks
        else:
            granted = taken + left if self.proposal.seat in self.side(self.maker) else taken
        self.proposal = None
        self._show(self.active)
        self._end(granted)
        self._judge()

    def _back_to(self, seat: Seat, trick: int) -> None:
        """The wrong card and all later ones return to their hands; calls about them are undone."""
        wrong = self.laid.index(next(laid for laid in self.tricks[trick - 1] if laid[0] is seat))
        withdrawn = self.laid[wrong:]
        del self.laid[wrong:]
        for player, card in withdrawn:
            self.held[player].append(card)
        self.went_back += withdrawn
        for player in [player for player, number in self.exposed.items() if number > trick]:
            del self.exposed[player]
            self.went_back += [(player, card) for card in self.held[player]]
        lying = {(player, number) for number, cards in enumerate(self.tricks, 1) for player, _ in cards}
        self.calls = [call for call in self.calls if (call.against, call.trick) in lying]
        self.ruled = {entry for entry in self.ruled if entry[2] == 0 or (entry[0], entry[2]) in lying}
        paid = list(zip(self.penalties, self.paid_for, strict=True))
        stands = [(entry, number) for entry, number in paid if number == 0 or (entry[0], number) in lying]
        self.penalties, self.paid_for = [entry for entry, _ in stands], [number for _, number in stands]
        for undone in [entry for entry in self.warned_for if entry not in lying]:
            self.warned_for.remove(undone)
            self.warnings[undone[0]] -= 1

    # Knowledge

    def open_cards(self) -> tuple[object, ...]:
        """All cards that are or were face up: only these can make two hands look different.

        The up-card counts once it is turned.
        """
        hands = {seat: frozenset(self.held[seat]) for seat in self.exposed}
        return tuple(self.laid), tuple(self.went_back), hands, frozenset(self.public if self.turned else ())

    def may_know(self, viewer: Viewer) -> set[object]:
        """Every card this viewer may have seen."""
        if not self.turned:
            return set()
        known: set[object] = set(self.public)
        if viewer is not None:
            known |= set(self.deal.hands[viewer.index])
            known |= set(self.deal.dummy) if viewer is self.took_dummy else set()
            known |= set(closed_kitty(self.rules, self.deal)) if viewer is self.swapped else set()
        return known


def recounted(state: State) -> Recount:
    """The second referee's count of a hand."""
    book = Recount(state.hand.rules, state.hand.deal, state.hand.warnings)
    for index, action in enumerate(state.actions):
        then = next(iter(state.actions[index + 1 :]), None)
        book.record(action, asked=isinstance(then, Agree | Disagree) if then else isinstance(state, Answering))
    return book


# Offenses

HONOR: Final = tuple(
    replace(preset(name), supervision=Supervision.HONOR)
    for name in ("round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2")
)
WILD: Final = (
    replace(HONOR[4], correction=Correction.EVEN_WHEN_CALLED, renege_alone=RenegeAlone.BY_THE_LONE_SIDE),
    replace(HONOR[5], correction=Correction.UNLESS_CALLED, renege_alone=RenegeAlone.AGAINST_THE_LONE_SIDE),
    replace(HONOR[4], wrong_call_points=1, penalty_ends_hand=False, correction=Correction.UNLESS_CALLED),
    replace(HONOR[5], wrong_call_points=2, out_of_turn=OutOfTurn.TAKEN_BACK, correction=Correction.EVEN_WHEN_CALLED),
    replace(HONOR[2], renege_warnings=2, warnings_for=WarningsFor.SIDE, deal_cut=Cut.LEFT, wrong_call_points=1),
)
Choose = Callable[[int], int]


def table_rules() -> st.SearchStrategy[HouseRules]:
    """An honor table: a sheet's, or any."""
    return st.one_of(st.sampled_from(HONOR + WILD), house_rules(supervision=Supervision.HONOR))


@st.composite
def careless_deals(draw: st.DrawFn, rules: HouseRules) -> Deal:
    """Any deal; sometimes the cut is forgotten if possible, and sometimes the up-card isn't turned yet."""
    offered = rules.deal_cut is Cut.NONE or draw(st.integers(0, 3)) > 0
    return replace(draw(deals(rules)), cut_offered=offered, face_down=draw(st.integers(0, 3)) == 0)


def mischief(state: State) -> dict[str, list[Action]]:
    """Possible actions by kind, good or bad; proper play comes first."""
    kinds: dict[str, list[Action]] = {}
    for action in legal_actions(state):
        kinds.setdefault(_kind(state, action), []).append(action)
    return dict(sorted(kinds.items(), key=lambda kind: kind[0] != "proper"))


def _kind(state: State, action: Action) -> str:
    match state, action:
        case Playing(), Play():
            if action.seat is not state.to_act:
                return "out of turn"
            trump = state.contract.trump
            if not state.trick:
                return "proper"
            led = suit_of(state.trick[0], trump)
            mine = [card for card in state.cards[action.seat.index] if isinstance(card, Card)]
            able = any(suit_of(card, trump) is led for card in mine)
            return "renege" if able and suit_of(action.card, trump) is not led else "proper"
        case Discarding(), Bury():
            return "proper"
        case _, CallOut(irregularity=Irregularity.NO_CUT_OFFERED):
            return "misdeal"
        case Bidding(), Pass():
            return "Pass"
        case _, Bury() | CallOut() | Correct() | Settle() | Claim() | ThrowIn() | Agree() | Disagree():
            return type(action).__name__
        case _:
            return "proper"


WRONG: Final = ("renege", "out of turn")
ORDINARY: Final = ("proper", *WRONG, "CallOut", "Correct")
WEIGHTS: Final = {
    "proper": 10,
    "renege": 6,
    "out of turn": 2,
    "Bury": 3,
    "CallOut": 3,
    "Correct": 3,
    "Claim": 2,
    "Pass": 15,
    "misdeal": 10,
}
"""Weights of each kind in a random walk; 1 for the others."""


def misbehave(state: State, choose: Choose) -> Action:
    """Any legal action; the kind is chosen first, so that rare offenses happen often."""
    kinds = mischief(state)
    lots = [kind for kind in kinds for _ in range(WEIGHTS.get(kind, 1))]
    among = kinds[lots[choose(len(lots))]]
    return among[choose(len(among))]


def behave(state: OpenState) -> Action:
    """The action of a player who wants to end the hand properly."""
    kinds = mischief(state)
    if isinstance(state, Answering):
        return kinds["Disagree"][0]
    if isinstance(state, Settling):
        return kinds["Settle"][0]
    if "Bury" in kinds:
        return kinds["Bury"][0]
    return next(iter(kinds.values()))[0]


MAX_ENDING_ACTS: Final = 45
"""Two rounds of bidding, every question, twenty cards and a word from each player: no proper ending is longer."""


@st.composite
def walks(draw: st.DrawFn, rules: st.SearchStrategy[HouseRules] | None = None) -> tuple[State, ...]:
    """Every state of a hand: up to 90 states with offenses, then proper play to the score."""
    chosen = draw(rules or table_rules())
    state: State = start(chosen, draw(careless_deals(chosen)))
    walk = [state]
    while not isinstance(state, Scored) and len(walk) < 90:
        state = apply(state, misbehave(state, lambda size: draw(st.integers(0, size - 1))))
        walk.append(state)
    while not isinstance(state, Scored):
        state = apply(state, behave(state))
        walk.append(state)
    return tuple(walk)


# The invariants


VOID: Final = ("misdeal", "deal-lost")


def table_of(state: State) -> State:
    """The play behind a proposal or a settlement, or the state itself."""
    return state.interrupted if isinstance(state, Answering | Settling) else state


def check_cards(state: State, book: Recount) -> None:
    """Every card is in exactly one location, and every hand matches the second referee's."""
    rules, deal, table = state.hand.rules, state.hand.deal, table_of(state)
    cards = [card for held in state.cards for card in held]
    if isinstance(table, Playing | Closing):
        cards += [card for trick in table.tricks for card in trick.cards] + list(table.trick)
    elif isinstance(table, Scored):
        cards += [card for _, card in book.laid]
        assert [list(zip(trick.seats, trick.cards, strict=True)) for trick in table.tricks] == book.complete
    for action in state.actions:
        match action:
            case Bury():
                cards.append(action.card)
            case LayAway():
                cards += action.cards
            case ShowFarmersHand() if rules.farmers_hand is FarmersHand.SWAP:
                cards += action.cards
            case _:
                pass
    if book.took_dummy is None:
        cards += deal.dummy
    if book.swapped is None:
        cards += closed_kitty(rules, deal)
    if deal.up_card not in cards:
        assert not book.ordered or isinstance(state, Discarding) or book.ending in VOID
        cards.append(deal.up_card)
    assert sorted(cards, key=str) == sorted(rules.deck, key=str)
    if not isinstance(state, Discarding) and book.ending not in VOID:
        assert all(set(state.cards[seat.index]) == set(book.held[seat]) for seat in rules.seats)


def check_books(state: State, book: Recount) -> None:
    """The second referee agrees on the phase, on every open call, and at the end on the score."""
    if isinstance(state, Scored):
        void = book.maker is None or book.ending in VOID
        assert dict(state.points) == ({} if void else book.points())
        assert state.reason.value == book.ending
        return
    assert not book.ending
    assert isinstance(state, Settling) == (book.settling is not None)
    assert isinstance(state, Answering) == (book.proposal is not None)
    table = table_of(state)
    if isinstance(table, Playing | Closing):
        assert isinstance(table, Closing) == book.over
        assert list(table.docket.calls) == book.calls
        assert [dict(field.points) for field in table.docket.penalties] == [points for _, points in book.penalties]
        assert [dict(field.points) for field in table.docket.costs] == book.costs
        assert [trick.winner for trick in table.tricks] == [taker(trick, book.trump) for trick in book.complete]


def check_calls(state: State, book: Recount) -> None:
    """A renege can be called and corrected for every card that didn't follow suit, guilty or not, and no other."""
    if not isinstance(state, Playing | Closing):
        return
    listed, kind = legal_actions(state), Irregularity.RENEGE
    assert {call for call in listed if isinstance(call, CallOut) and call.irregularity is kind} == {
        call
        for seat, trick in book.strays()
        for opponent in book.opponents(seat)
        if (call := CallOut(opponent, seat, kind, trick)) not in book.calls and (seat, kind, trick) not in book.ruled
    }
    taken_back = state.hand.rules.out_of_turn is OutOfTurn.TAKEN_BACK
    assert {call for call in listed if isinstance(call, CallOut) and call.irregularity is Irregularity.OUT_OF_TURN} == {
        CallOut(opponent, seat, Irregularity.OUT_OF_TURN, trick)
        for seat, trick in book.not_due()
        for opponent in book.opponents(seat)
        if (seat, Irregularity.OUT_OF_TURN, trick) not in book.ruled and not (taken_back and trick < book.number)
        if CallOut(opponent, seat, Irregularity.OUT_OF_TURN, trick) not in book.calls
    }
    correction = state.hand.rules.correction
    called = {(call.against, call.trick) for call in book.calls}
    called |= {(seat, trick) for seat, _, trick in book.ruled}
    wrong = book.strays() if taken_back else book.strays() | book.not_due()
    correctable = {
        Correction.NEVER: set(),
        Correction.UNLESS_CALLED: wrong - called,
        Correction.EVEN_WHEN_CALLED: wrong,
    }
    assert {action for action in listed if isinstance(action, Correct)} == {
        Correct(seat, trick) for seat, trick in correctable[correction] if isinstance(state, Playing)
    }


def check_order(state: State, book: Recount) -> None:
    """A dealer who made trump takes the dummy only after discarding, and can go alone until then or the lead."""
    listed = legal_actions(state)
    maker_owes = book.maker is state.hand.deal.dealer and book.ordered and not book.buried
    if any(isinstance(action, GoTogether) for action in listed):
        assert not (maker_owes and state.hand.rules.dummy_size)
    if book.maker is None or state.hand.rules.going_alone is GoingAlone.WITH_THE_CALL:
        return
    closed = book.alone or book.took_dummy or book.laid or book.went_back or book.exposed or book.ending
    interrupted = isinstance(state, Answering | Settling | Closing)
    said = [action for action in listed if isinstance(action, GoAlone)]
    assert said == ([] if closed or interrupted else [GoAlone(book.maker)])


def check_notation(state: State, viewers: tuple[Viewer, ...]) -> None:
    """The hand line and the JSON of every action and view round-trip.

    Only hands without earlier warnings or a missing cut, with lines of up to 1,000 characters, are parsed back.
    """
    line = hand_line(state)
    if state.hand.deal.cut_offered and not any(state.hand.warnings) and len(line) <= 1000:
        assert parse_hand_line(line) == state
    for action in state.actions[-1:]:
        assert action_from_json(json.loads(json.dumps(action_to_json(action)))) == action
    for viewer in viewers:
        seat_view = view(state, viewer)
        assert view_from_json(json.loads(json.dumps(view_to_json(seat_view)))) == seat_view
        assert seat_view.turned is None or view_line(seat_view)


def check_secrets(state: State, book: Recount, viewers: tuple[Viewer, ...]) -> None:
    """Every card in a view is one the viewer held or saw face up."""
    for viewer in viewers:
        seat_view = view(state, viewer)
        assert set(cards_in(seat_view)) <= book.may_know(viewer)
        assert UNKNOWN not in (
            *seat_view.cards,
            *seat_view.dealt,
            *seat_view.dummy,
            *seat_view.buried,
            *seat_view.laid_away,
        )
        assert set(seat_view.exposed) == set(book.exposed)
        assert {(play.seat, play.card) for play in seat_view.taken_back} == set(book.went_back)
        assert all(action.seat is viewer for action in seat_view.legal)


def cards_in(value: object) -> Iterator[object]:
    """Every card in a value, however deep."""
    if isinstance(value, Card):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*cards_in(key), *cards_in(inner))
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from cards_in(inner)
    elif is_dataclass(value) and not isinstance(value, HouseRules):
        for field in fields(value):
            yield from cards_in(getattr(value, field.name))


def check_listed(state: State) -> None:
    """Everything listed is accepted."""
    for action in legal_actions(state):
        assert apply(state, action).actions == (*state.actions, action)


def any_action(rules: HouseRules) -> st.SearchStrategy[Action]:
    """Anything a player might try."""
    seats, number = st.sampled_from(rules.seats), st.integers(0, 6)
    cards = st.sampled_from(DECK)
    return st.one_of(
        st.builds(Play, seats, cards),
        st.builds(CallOut, seats, seats, st.sampled_from(Irregularity), number),
        st.builds(Correct, seats, number),
        st.builds(Settle, seats, st.sampled_from(Terms), number),
        st.builds(ThrowIn, seats, number),
        st.builds(Bury, seats, cards),
        *(st.builds(kind, seats) for kind in (Claim, Agree, Disagree, Ready, Pass, GoAlone, KeepHand, DefendAlone)),
    )


class Mischief(RuleBasedStateMachine):
    """One hand at an honor table in which anything can happen."""

    state: State

    @initialize(data=st.data())
    def deal(self, data: st.DataObject) -> None:
        """Deal, and bid up to the lead."""
        rules = data.draw(table_rules())
        warnings = data.draw(st.sampled_from([(0, 0, 0, 0), (1, 0, 0, 2)]))
        self.state = start(rules, data.draw(careless_deals(rules)), warnings=warnings)
        note(hand_line(self.state))

        def choose(size: int) -> int:
            return data.draw(st.integers(0, size - 1))

        for _ in range(data.draw(st.integers(0, 20))):
            if isinstance(self.state, Playing | Scored):
                break
            self.state = apply(self.state, misbehave(self.state, choose))

    def kinds(self) -> dict[str, list[Action]]:
        """Possible actions by kind."""
        return mischief(self.state)

    def do(self, kind: str, data: st.DataObject) -> None:
        """Take one action of a kind."""
        action = data.draw(st.sampled_from(self.kinds()[kind]))
        self.state = apply(self.state, action)

    @precondition(lambda self: "proper" in self.kinds())
    @rule(data=st.data())
    def properly(self, data: st.DataObject) -> None:
        """The seat to act plays properly."""
        self.do("proper", data)

    @precondition(lambda self: any(kind in self.kinds() for kind in WRONG))
    @rule(data=st.data())
    def wrongly(self, data: st.DataObject) -> None:
        """A player reneges, or plays out of turn."""
        self.do(data.draw(st.sampled_from([kind for kind in self.kinds() if kind in WRONG])), data)

    @precondition(lambda self: "CallOut" in self.kinds())
    @rule(data=st.data())
    def call(self, data: st.DataObject) -> None:
        """A player calls out an opponent, rightly or not."""
        self.do("CallOut", data)

    @precondition(lambda self: "Correct" in self.kinds())
    @rule(data=st.data())
    def correct_card(self, data: st.DataObject) -> None:
        """A player corrects a card, wrong or not."""
        self.do("Correct", data)

    @precondition(lambda self: any(kind not in ORDINARY for kind in self.kinds()))
    @rule(data=st.data())
    def anything_else(self, data: st.DataObject) -> None:
        """Claims, throw-ins, answers, settlements, late discards, passes."""
        self.do(data.draw(st.sampled_from([kind for kind in self.kinds() if kind not in ORDINARY])), data)

    @precondition(lambda self: not self.kinds())
    @rule()
    def nothing_more(self) -> None:
        """The hand is over."""
        assert isinstance(self.state, Scored)

    @rule(data=st.data())
    def what_is_not_listed_is_refused(self, data: st.DataObject) -> None:
        """Exactly the listed actions are accepted."""
        listed = legal_actions(self.state)
        for action in data.draw(st.lists(any_action(self.state.hand.rules), min_size=3, max_size=8)):
            if action not in listed:
                with pytest.raises(RuleViolation):
                    apply(self.state, action)

    @invariant()
    def laws_hold(self) -> None:
        """All laws, after every step."""
        book, watchers = recounted(self.state), (*self.state.hand.rules.seats, None)
        viewers = (watchers[len(self.state.actions) % len(watchers)],)
        check_cards(self.state, book)
        check_books(self.state, book)
        check_calls(self.state, book)
        check_order(self.state, book)
        check_secrets(self.state, book, viewers)
        check_notation(self.state, viewers)
        check_listed(self.state)

    def teardown(self) -> None:
        """Every hand ends once all players play properly."""
        if not hasattr(self, "state"):
            return
        for _ in range(MAX_ENDING_ACTS):
            if isinstance(self.state, Scored):
                break
            self.state = apply(self.state, behave(self.state))
        assert isinstance(self.state, Scored)
        book = recounted(self.state)
        check_cards(self.state, book)
        check_books(self.state, book)
        check_notation(self.state, (*self.state.hand.rules.seats, None))
        assert list(describe_hand(self.state))


def test_whatever_mischief_is_done_the_books_balance() -> None:
    """Cards conserved, lists exact, calls reveal nothing, scores match, notation round-trips, and every hand ends."""
    run_state_machine_as_test(Mischief, settings=settings(max_examples=14, stateful_step_count=40))


@settings(max_examples=15)
@given(st.deferred(walks))
def test_every_card_in_a_view_is_one_the_viewer_may_know(walk: tuple[State, ...]) -> None:
    """The allowlist, computed here from the deal and the actions: own, played, shown, taken back, and the up-card."""
    book = Recount(walk[0].hand.rules, walk[0].hand.deal)
    for state in walk:
        for action in state.actions[-1:]:
            book.record(action, asked=isinstance(state, Answering))
        check_secrets(state, book, (*state.hand.rules.seats, None))


# Twins


def exchanged(deal: Deal, other: Mapping[object, Card]) -> Deal:
    """The deal with some cards exchanged, perhaps the up-card too; the closed kitty is what is left.

    A hand that gets its own cards back keeps their order, which reveals nothing.
    """

    def held(cards: tuple[Face, ...]) -> tuple[Face, ...]:
        after = tuple(other.get(card, card) for card in cards)
        return cards if set(after) == set(cards) else after

    north, east, south, west = (held(hand) for hand in deal.hands)
    up_card = other.get(deal.up_card, deal.up_card)
    return replace(deal, hands=(north, east, south, west), dummy=held(deal.dummy), up_card=up_card)


def same_act(action: Action, twin: State, viewer: Viewer) -> Action | None:
    """The action in the twin: the same one, or another card laid face down; None if it is impossible there."""
    legal = legal_actions(twin)
    if action in legal:
        return action
    assert action.seat is not viewer, "the viewer's own acts depend on nothing hidden"
    assert isinstance(action, Bury | LayAway | Play | Order | ShowFarmersHand), "what is said depends on nothing hidden"
    if isinstance(action, Bury | LayAway):
        return next((other for other in legal if type(other) is type(action)), None)
    return None


def check_twins(walk: tuple[State, ...], viewer: Viewer, twin_deal: Deal) -> State | None:
    """Play a deal and its twin by the same actions: the viewer sees the same until they differ in public.

    Returns the twin at the end of the walk, or None if it didn't get that far.
    """
    hand = walk[0].hand
    twin: State = start(hand.rules, twin_deal)
    ours, theirs = Recount(hand.rules, hand.deal), Recount(hand.rules, twin_deal)
    for index, state in enumerate(walk):
        if ours.open_cards() != theirs.open_cards() or ours.may_know(viewer) != theirs.may_know(viewer):
            return None
        check_alike(state, twin, viewer)
        if state is walk[-1]:
            break
        action = walk[index + 1].actions[-1]
        act = same_act(action, twin, viewer)
        if act is None:
            return None
        twin = apply(twin, act)
        ours.record(action, asked=isinstance(walk[index + 1], Answering))
        theirs.record(act, asked=isinstance(twin, Answering))
    return twin


def check_alike(state: State, twin: State, viewer: Viewer) -> None:
    """The viewer can't tell the two apart, and the table can say the same things.

    Except that only the dealer knows whether a hand without a natural trump allows the order.
    """
    mine, other = view(state, viewer), view(twin, viewer)
    assert mine == other
    assert mine.legal == other.legal
    assert view_to_json(mine) == view_to_json(other)
    natural_trump = state.hand.rules.natural_trump and viewer is not state.hand.deal.dealer
    hidden = (Order, GoAlone) if natural_trump else ()
    said, twin_said = ([action for action in talk(each) if not isinstance(action, hidden)] for each in (state, twin))
    assert said == twin_said


def viewers_of(walk: tuple[State, ...]) -> st.SearchStrategy[Viewer]:
    """Any seat, or a spectator."""
    return st.sampled_from([*walk[0].hand.rules.seats, None])


@settings(max_examples=50)
@given(st.deferred(walks), st.data())
def test_twins_look_alike_until_they_differ_in_public(walk: tuple[State, ...], data: st.DataObject) -> None:
    """With reneges, calls, claims, refusals, corrections and settlements, guilty or not.

    Only cards the viewer hasn't seen by some point are exchanged, so the twins last long; they differ in who withheld a
    card.
    """
    viewer = data.draw(viewers_of(walk))
    moment = walk[data.draw(st.integers(0, len(walk) - 1))]
    hand, known = moment.hand, recounted(moment).may_know(viewer)
    hidden = [card for card in hand.rules.deck if card not in known]
    order = data.draw(st.permutations(hidden))
    check_twins(walk, viewer, exchanged(hand.deal, dict(zip(hidden, order, strict=True))))


def test_twins_look_alike_while_the_up_card_is_face_down() -> None:
    """Before the up-card is turned, every card can be different, even the up-card."""
    rules = replace(preset("club"), supervision=Supervision.HONOR)
    deal = deal_hand(rules, dealer=Seat.N, deck=rules.deck, face_down=True)
    twin_deal = exchanged(deal, dict(zip(rules.deck, reversed(rules.deck), strict=True)))
    assert twin_deal.up_card is not deal.up_card
    dealt = start(rules, deal)
    for viewer in (*Seat, None):
        assert check_twins((dealt,), viewer, twin_deal) is not None
        assert check_twins((dealt, apply(dealt, TurnUp(Seat.N))), viewer, twin_deal) is None


def secret_reneges(state: State) -> list[tuple[Seat, int, list[Card]]]:
    """Who withheld which cards in which trick, if no one else has seen any of them."""
    if not isinstance(state, Playing):
        return []
    book = recounted(state)
    withheld = [(seat, trick, book.withheld(seat, trick)) for seat, trick in sorted(book.strays(), key=str)]
    return [
        (seat, trick, cards)
        for seat, trick, cards in withheld
        if cards and set(cards) <= set(book.held[seat]) & set(state.hand.deal.hands[seat.index]) - book.public
    ]


def innocent_twin(state: State, trick: int, withheld: list[Card]) -> Deal | None:
    """The deal with unseen cards of other suits instead of those withheld."""
    book, deal = recounted(state), state.hand.deal
    closed = [*(() if book.swapped else closed_kitty(state.hand.rules, deal)), *(() if book.took_dummy else deal.dummy)]
    spare = [card for card in closed if isinstance(card, Card) and suit_of(card, book.trump) is not book.led(trick)]
    if len(spare) < len(withheld):
        return None
    pairs = list(zip(withheld, spare, strict=False))
    return exchanged(deal, {**dict(pairs), **{new: old for old, new in pairs}})


def check_void_twins(walk: tuple[State, ...], index: int) -> bool:
    """To the others, a player who withheld a card looks like one who had none, before and after a call."""
    state, compared = walk[index], False
    for seat, trick, withheld in secret_reneges(state):
        deal = innocent_twin(state, trick, withheld)
        for viewer in (*state.hand.rules.seats, None):
            if deal is None or viewer is seat:
                continue
            twin = check_twins(walk[: index + 1], viewer, deal)
            if twin is None:
                continue
            assert not recounted(twin).withheld(seat, trick)
            for call in (action for action in talk(state) if isinstance(action, CallOut)):
                if (call.against, call.irregularity, call.trick) == (seat, Irregularity.RENEGE, trick):
                    check_alike(apply(state, call), apply(twin, call), viewer)
                    assert view(apply(state, call), viewer).docket.calls[-1] == call
            compared = True
    return compared


@settings(max_examples=25)
@given(st.deferred(walks), st.data())
def test_an_unproven_renege_looks_like_a_void(walk: tuple[State, ...], data: st.DataObject) -> None:
    """No view, list or call reveals whether a player who didn't follow is guilty, before a withheld card is shown."""
    moments = [index for index, state in enumerate(walk) if secret_reneges(state)]
    assume(moments)
    check_void_twins(walk, data.draw(st.sampled_from(moments)))


# Matches


@dataclass
class Book:
    """A scorer's record of a match, from the facts alone."""

    rules: HouseRules
    scores: list[int]
    wins: list[int]
    warnings: Warnings = (0, 0, 0, 0)
    hands: int = 0

    def enter(self, hand: Scored) -> None:
        """Add a hand as the second referee counts it, and the game if it is won."""
        book = recounted(hand)
        points = {} if book.maker is None or book.ending in VOID else book.points()
        assert points == dict(hand.points)
        assert hand.hand.warnings == self.warnings
        self.warnings = (book.warnings[Seat.N], book.warnings[Seat.E], book.warnings[Seat.S], book.warnings[Seat.W])
        for index, side in enumerate(self.rules.sides):
            self.scores[index] += points.get(side[0], 0)
        self.hands += book.ending not in ("misdeal", "farmers-redeal")  # a lost deal counts
        best, second = sorted(self.scores)[-1], sorted(self.scores)[-2]
        if best >= self.rules.target and best - second >= self.rules.win_by:
            self.wins[self.scores.index(best)] += 1
            self.scores, self.hands = [0] * len(self.scores), 0
            if self.rules.warnings_last is WarningsLast.GAME:
                self.warnings = (0, 0, 0, 0)


def next_fact(match: ToDraw | InGame, rng: Random) -> Fact:
    """A possible next fact: a draw, a deal with or without the cut, an offense, or at the end proper play."""
    rules, deck = match.rules, rng.sample(match.rules.deck, len(match.rules.deck))
    if isinstance(match, ToDraw):
        return draw_dealer(rules, shuffler=rng.choice(rules.seats), deck=deck)
    if isinstance(match.game, InHand):
        hand = match.game.hand
        return misbehave(hand, rng.randrange) if len(hand.actions) < 80 else behave(hand)
    offered = rules.deal_cut is Cut.NONE or rng.random() < 0.6
    face_down = rng.random() < 0.3
    return deal_hand(rules, dealer=match.game.dealer, deck=deck, cut_offered=offered, face_down=face_down)


def play_match(rules: HouseRules, rng: Random) -> tuple[Record, MatchOver, list[Scored]]:
    """A whole match with offenses, recounted after every hand."""
    match: Match = new_match(rules)
    book = Book(rules, [0] * len(rules.sides), [0] * len(rules.sides))
    facts: list[Fact] = []
    hands: list[Scored] = []
    while not isinstance(match, MatchOver):
        fact = next_fact(match, rng)
        before = match.game if isinstance(match, InGame) else None
        match = advance_match(match, fact)
        facts.append(fact)
        if isinstance(before, InHand) and not isinstance(fact, Deal | Draw):
            hand = apply(before.hand, fact)
            if isinstance(hand, Scored):
                hands.append(hand)
                book.enter(hand)
                check_secrets(hand, recounted(hand), (None,))
                assert list(match.wins) == book.wins
                if isinstance(match, InGame):
                    assert list(match.game.scores) == book.scores
                    assert match.game.hands == book.hands
                    assert not isinstance(match.game, InHand)
                    assert match.game.warnings == book.warnings
    return Record(rules=rules, facts=tuple(facts)), match, hands


def test_whole_matches_add_up_and_their_records_come_back() -> None:
    """Scores, warnings and wins match a scorer's record; the record keeps every irregularity, and all kinds occur."""
    occurrences: Counter[object] = Counter()
    for seed, rules in enumerate((*HONOR, *WILD) * 2):
        record, over, hands = play_match(
            replace(rules, target=5, score_keeping=preset("club").score_keeping), Random(seed)
        )
        assert loads(dumps(record)) == record
        assert loads(dumps(record)).fold() == over
        for hand in hands:
            occurrences.update([hand.reason.value, *(type(action) for action in hand.actions)])
            for verdict in hand.docket.verdicts:
                remedy = verdict.ruling.remedy.value if verdict.ruling else "innocent"
                occurrences[f"{verdict.call.irregularity} {remedy}"] += 1
    expected = [
        *("renege penalty", "renege warning", "renege innocent", "out-of-turn penalty", "out-of-turn take-back"),
        *("failure-to-discard penalty", "no-cut-offered next-deal", "no-cut-offered redeal"),
        *("made-it", "march", "euchre", "penalty", "both-guilty", "misdeal", "deal-lost"),
        *(Correct, Settle, Claim, ThrowIn, Agree, Disagree, LayAway, GoAlone),
    ]
    assert not [kind for kind in expected if not occurrences[kind]]


def test_the_twins_are_not_idle() -> None:
    """Many walks have an unproven renege, and most of those can be compared with an innocent twin."""
    rng, compared = Random(4), 0
    for seed in range(12):
        rules = (*HONOR, *WILD)[seed % 10]
        state: State = start(rules, deal_hand(rules, dealer=Seat.N, deck=rng.sample(rules.deck, len(rules.deck))))
        walk = [state]
        while not isinstance(state, Scored) and len(walk) < 60:
            state = apply(state, misbehave(state, rng.randrange))
            walk.append(state)
        compared += any(check_void_twins(tuple(walk), index) for index in range(len(walk)))
    assert compared >= 6
