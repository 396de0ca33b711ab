"""House rules: one frozen object that says how a table plays, and drives everything else.

A field is an option; its question is what players ask about it. Its slot is its number in links: a released slot never
changes and is never reused. Its group is its heading on pages, cards and in the docs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from leftbower.errors import BadSeat, ImpossibleRules
from leftbower.i18n import gettext as _
from leftbower.rules.cards import DECK, Card, Rank
from leftbower.rules.choices import (
    BuryOrder,
    ClaimConsent,
    Claims,
    Correction,
    Cut,
    DealerDraw,
    DealPasses,
    DealPattern,
    Deviations,
    EventKind,
    FailureToDiscard,
    FarmersHand,
    FirstDealer,
    FirstLead,
    GameEnds,
    GoingAlone,
    LoneDefense,
    LookingBack,
    Misdeal,
    MissingCut,
    NobodyCalls,
    OutOfTurn,
    Participation,
    RenegeAlone,
    ScoreKeeping,
    Sheet,
    Supervision,
    ThrowIns,
    TieAtTarget,
    WarningsFor,
    WarningsLast,
)
from leftbower.rules.options import Amounts, Group, Number, Option, option, options_of
from leftbower.rules.seats import SEATS_BY_PLAYERS, Seat

Side = tuple[Seat, ...]
"""Seats that score together: two partners, or one player without a partner."""

TABLE, DEAL, BIDDING, ALONE, PLAY, SCORING, IRREGULARITIES, MATCH, EVENT = Group

_POINTS: Final = Number(range(1, 11))
_PENALTY: Final = Number(range(1, 5))


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """The rules of one table. Every state carries them, and they never change."""

    sheet: Sheet = option(Sheet.OWN, "Which rule sheet do these rules start from?", TABLE, slot=1)
    players: int = option(4, "How many play?", TABLE, Number((2, 3, 4)), slot=2)
    supervision: Supervision = option(
        Supervision.STRICT, "Does the table refuse wrong plays, or must players catch them?", TABLE, slot=3
    )
    deviations: Deviations = option(
        Deviations.HOST_DECIDES, "Who must agree when a table changes a rule?", TABLE, slot=4
    )

    target: int = option(10, "What score wins the game?", MATCH, Number(range(5, 22)), slot=5)
    win_by: int = option(1, "By how many points must a game be won?", MATCH, Number((1, 2)), slot=6)
    game_ends: GameEnds = option(
        GameEnds.AT_TARGET, "Is a game played to a score or for a number of hands?", MATCH, slot=7
    )
    tie_at_target: TieAtTarget = option(
        TieAtTarget.PLAY_ON, "What if two players reach the target on one hand?", MATCH, slot=8
    )
    best_of: int = option(1, "How many games make a match?", MATCH, Number((1, 3, 5, 7)), slot=9)
    score_keeping: ScoreKeeping = option(ScoreKeeping.ANY_WAY, "How is the score kept?", MATCH, slot=10)

    first_dealer: FirstDealer = option(FirstDealer.FIRST_JACK, "Which card chooses the first dealer?", DEAL, slot=11)
    dealer_draw: DealerDraw = option(DealerDraw.EACH_GAME, "How often is the first dealer drawn?", DEAL, slot=12)
    draw_cut: Cut = option(Cut.NONE, "Who may cut before the draw for the first dealer?", DEAL, slot=13)
    deal_passes: DealPasses = option(DealPasses.LEFT, "Who deals the next hand?", DEAL, slot=14)
    deal_cut: Cut = option(Cut.NONE, "Who must be offered the cut before each deal?", DEAL, slot=15)
    deal_pattern: DealPattern = option(DealPattern.TWO_THREE, "How many cards are dealt at a time?", DEAL, slot=16)
    misdeal: Misdeal = option(Misdeal.SAME_DEALER, "What happens after a misdeal?", DEAL, slot=17)
    missing_cut: MissingCut = option(MissingCut.UNTIL_PLAYED, "How long can a missing cut be called?", DEAL, slot=18)
    farmers_hand: FarmersHand = option(
        FarmersHand.OFF, "May a hand of nines and tens be redealt or improved?", DEAL, slot=19
    )

    natural_trump: bool = option(
        False, "Must a dealer who takes the up-card have been dealt a card of its suit?", BIDDING, slot=20
    )
    partner_orders_alone: bool = option(
        False, "Must the dealer's partner play alone after ordering up?", BIDDING, slot=21
    )
    bury: BuryOrder = option(
        BuryOrder.AFTER_TAKING, "Does the dealer take the up-card before or after discarding?", BIDDING, slot=22
    )
    may_bury_up_card: bool = option(True, "May the dealer discard the up-card itself?", BIDDING, slot=23)
    nobody_calls: NobodyCalls = option(
        NobodyCalls.STICK_THE_DEALER, "What happens when everyone has passed twice?", BIDDING, slot=24
    )

    going_alone: GoingAlone = option(GoingAlone.WITH_THE_CALL, "When must the maker say alone?", ALONE, slot=25)
    defend_alone: LoneDefense = option(LoneDefense.OFF, "May a defender play alone?", ALONE, slot=26)
    first_lead: FirstLead = option(FirstLead.DEALERS_LEFT, "Who leads first when someone plays alone?", PLAY, slot=27)

    made_points: int = option(1, "What do the makers score for three or four tricks?", SCORING, _POINTS, slot=28)
    march_points: int = option(2, "What do the makers score for all five tricks?", SCORING, _POINTS, slot=29)
    made_points_alone: int = option(
        1, "What does a lone maker score for three or four tricks?", SCORING, _POINTS, slot=30
    )
    march_points_alone: int = option(4, "What does a lone maker score for all five tricks?", SCORING, _POINTS, slot=31)
    euchre_points: int = option(2, "What does a euchre score?", SCORING, _POINTS, slot=32)
    euchre_points_alone: int = option(
        2, "What does it score to euchre a lone maker?", SCORING, Number((2, 3, 4)), slot=33
    )

    looking_back: LookingBack = option(LookingBack.NOBODY, "Who may look at the last trick again?", PLAY, slot=34)
    disputes_open_tricks: bool = option(
        False, "Are all tricks opened to settle whether someone reneged?", PLAY, slot=35
    )
    claims: Claims = option(
        Claims.ON_LEAD, "May the player on lead lay down certain winners all at once?", PLAY, slot=36
    )
    claim_consent: ClaimConsent = option(
        ClaimConsent.ALL_AGREE, "Must the others agree when certain winners are laid down?", PLAY, slot=37
    )
    judge_claims: bool = option(False, "Does the table say whether a claim is certain?", PLAY, slot=38)
    throw_ins: ThrowIns = option(
        ThrowIns.BY_AGREEMENT, "May a hand be thrown in when its outcome is certain?", PLAY, slot=39
    )

    renege_points: int = option(2, "What does a renege cost?", IRREGULARITIES, _PENALTY, slot=40)
    renege_points_alone: int = option(
        2, "What does a renege cost when someone plays alone?", IRREGULARITIES, _PENALTY, slot=41
    )
    renege_alone: RenegeAlone = option(
        RenegeAlone.EITHER_SIDE, "When does a renege on a lone hand cost more?", IRREGULARITIES, slot=42
    )
    renege_warnings: int = option(
        0, "How many reneges get off with a warning?", IRREGULARITIES, Number(range(4)), slot=43
    )
    warnings_for: WarningsFor = option(
        WarningsFor.PLAYER, "Are warnings counted by player or by side?", IRREGULARITIES, slot=44
    )
    warnings_last: WarningsLast = option(WarningsLast.GAME, "How long does a warning last?", IRREGULARITIES, slot=45)
    correction: Correction = option(Correction.NEVER, "May a renege be corrected at no cost?", IRREGULARITIES, slot=46)
    out_of_turn: OutOfTurn = option(
        OutOfTurn.TAKEN_BACK, "What happens after a play out of turn?", IRREGULARITIES, slot=47
    )
    failure_to_discard: FailureToDiscard = option(
        FailureToDiscard.TABLE_WAITS, "What if the dealer fails to discard?", IRREGULARITIES, slot=48
    )
    waiver: bool = option(False, "May the opponents waive or reduce a penalty?", IRREGULARITIES, slot=49)
    penalty_ends_hand: bool = option(
        True, "Does a penalty end the hand and replace its score?", IRREGULARITIES, slot=50
    )
    wrong_call_points: int = option(
        0, "What does it cost to call an irregularity that did not happen?", IRREGULARITIES, Number(range(5)), slot=51
    )

    event: EventKind = option(EventKind.NONE, "What kind of event were the rules written for?", EVENT, slot=52)
    event_points: int = option(0, "How many points do the event's match-ups share?", EVENT, Number(range(101)), slot=53)
    participation: Participation = option(Participation.NONE, "What does a school get for taking part?", EVENT, slot=54)
    co_ed: bool = option(False, "Is the event co-ed?", EVENT, slot=55)
    gift_cards: tuple[int, ...] = option(
        (), "Which gift cards can be won, in dollars?", EVENT, Amounts(most=5, highest=1000), slot=56
    )

    def __post_init__(self) -> None:
        for name, declared in options().items():
            object.__setattr__(self, name, declared.domain.read(name, getattr(self, name)))
        for name, reason in _clashes(self):
            value = getattr(self, name)
            raise ImpossibleRules(name, options()[name].domain.write(value), reason)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats in use, clockwise."""
        return SEATS_BY_PLAYERS[self.players]

    @property
    def sides(self) -> tuple[Side, ...]:
        """The seats that score together, in the order of scores."""
        return _sides(self.players)

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards in play: with two players there are no nines."""
        return _deck(self.players)

    @property
    def dummy_size(self) -> int:
        """Number of face-down cards for the maker, if there are no partners."""
        return 0 if self.players == 4 else 3

    @property
    def kitty_size(self) -> int:
        """Number of cards left after the deal, including the up-card."""
        return len(self.deck) - 5 * self.players - self.dummy_size

    @property
    def fixed_hands(self) -> int | None:
        """Number of hands in a game; None if it is played to a target."""
        return _HANDS[self.game_ends]

    @property
    def renege_costs_same_alone(self) -> bool:
        """Does a renege on a lone hand cost no more and no less than on others?"""
        return self.renege_points == self.renege_points_alone

    def left_of(self, seat: Seat) -> Seat:
        """The next player clockwise."""
        return self._neighbors_of(seat).left

    def side_of(self, seat: Seat) -> Side:
        """The seats that score with this one, including itself."""
        return self._neighbors_of(seat).side

    def opponents_of(self, seat: Seat) -> Side:
        """All seats of other sides."""
        return self._neighbors_of(seat).opponents

    def _neighbors_of(self, seat: Seat) -> "_Neighbors":
        try:
            return _neighbors(self.players)[seat]
        except KeyError:
            names = ", ".join(str(taken) for taken in self.seats)
            raise BadSeat(
                "there is no seat %(seat)s in a %(players)s-player game; the seats are %(names)s",
                seat=seat,
                players=self.players,
                names=names,
            ) from None


@cache
def options() -> dict[str, Option]:
    """Every option, by name."""
    return options_of(HouseRules)


@cache
def options_by_group() -> dict[Group, tuple[Option, ...]]:
    """Every option by group, in reading order."""
    return {group: tuple(option for option in options().values() if option.group is group) for group in Group}


ASKED_FIRST: Final = (
    *("players", "target", "nobody_calls", "going_alone", "defend_alone", "partner_orders_alone"),
    *("natural_trump", "farmers_hand", "supervision"),
)
"""The options that players ask about most, first on the rules page."""

_HANDS: Final = {GameEnds.AT_TARGET: None, GameEnds.AFTER_8_HANDS: 8, GameEnds.AFTER_12_HANDS: 12}


@cache
def _sides(players: int) -> tuple[Side, ...]:
    if players == 4:
        return (Seat.N, Seat.S), (Seat.E, Seat.W)
    return tuple((seat,) for seat in SEATS_BY_PLAYERS[players])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Neighbors:
    """A seat in use, and its neighbors."""

    left: Seat
    side: Side
    opponents: Side


@cache
def _neighbors(players: int) -> dict[Seat, _Neighbors]:
    """Every seat in use, by number of players."""
    seats, sides = SEATS_BY_PLAYERS[players], _sides(players)
    return {
        seat: _Neighbors(
            left=seats[(index + 1) % players],
            side=sides[index % len(sides)],
            opponents=tuple(other for other in seats if other not in sides[index % len(sides)]),
        )
        for index, seat in enumerate(seats)
    }


@cache
def _deck(players: int) -> tuple[Card, ...]:
    return tuple(card for card in DECK if players > 2 or card.rank is not Rank.NINE)


def _clashes(rules: HouseRules) -> Iterator[tuple[str, str]]:
    """Options that contradict others or would have no meaning with them: each with the reason.

    An option that depends on another may differ from its default only if that other one is in force, so that two tables
    that play the same way have equal rule sets.
    """
    if rules.players != 4:
        yield from _clashes_without_partners(rules)
    if rules.fixed_hands is not None:
        yield from _clashes_with_fixed_hands(rules, rules.fixed_hands)
    if rules.score_keeping is ScoreKeeping.FOURS_AND_SIXES and (rules.target > 10 or rules.win_by > 1):
        yield "score_keeping", _("a four and a six show no more than ten points")
    if rules.dealer_draw is DealerDraw.EACH_MATCH and rules.best_of == 1:
        yield "dealer_draw", _("a match of one game has only one draw")
    if rules.bury is BuryOrder.BEFORE_TAKING and rules.may_bury_up_card:
        yield "may_bury_up_card", _("a dealer who discards before taking the up-card can't discard it")
    if rules.claims is Claims.OFF and rules.judge_claims:
        yield "judge_claims", _("there are no claims to judge")
    if rules.claim_consent is ClaimConsent.NOT_NEEDED and rules.judge_claims:
        yield "judge_claims", _("certain winners need no consent, so there is nothing to judge")
    if rules.claims is Claims.OFF and rules.claim_consent is not ClaimConsent.ALL_AGREE:
        yield "claim_consent", _("there are no claims to agree to")
    if rules.deal_cut is Cut.NONE and rules.missing_cut is not MissingCut.UNTIL_PLAYED:
        yield "missing_cut", _("no cut is offered before a deal")
    if rules.renege_costs_same_alone and rules.renege_alone is not RenegeAlone.EITHER_SIDE:
        yield "renege_alone", _("a renege costs the same on a lone hand")
    if rules.tie_at_target is not TieAtTarget.PLAY_ON:
        yield from _clashes_with_a_shared_target(rules)
    if not rules.renege_warnings:
        for name in ("warnings_for", "warnings_last"):
            if getattr(rules, name) is not options()[name].default:
                yield name, _("no renege gets off with a warning")
    if rules.event is not EventKind.SCHOOL_GROUPS:
        for name in ("event_points", "participation"):
            if getattr(rules, name) != options()[name].default:
                yield name, _("only an event between schools has points to share")


def _clashes_with_a_shared_target(rules: HouseRules) -> Iterator[tuple[str, str]]:
    if rules.players != 3:
        yield "tie_at_target", _("two players can reach the target on one hand only when three play")
    if rules.fixed_hands is not None:
        yield "tie_at_target", _("a game of %(hands)d hands has no target", hands=rules.fixed_hands)
    if rules.win_by > 1:
        yield "tie_at_target", _("a game that must be won by two points has one winner")


def _clashes_without_partners(rules: HouseRules) -> Iterator[tuple[str, str]]:
    if rules.partner_orders_alone:
        yield "partner_orders_alone", _("the dealer has a partner only when four play")
    if rules.defend_alone is not LoneDefense.OFF:
        yield "defend_alone", _("a defender has a partner to leave out only when four play")
    if rules.warnings_for is WarningsFor.SIDE:
        yield "warnings_for", _("there are sides only when four play")
    if rules.score_keeping is ScoreKeeping.FOURS_AND_SIXES and rules.players == 3:
        yield "score_keeping", _("hearts and spades keep only two scores, and three play")
    if rules.event is EventKind.SCHOOL_GROUPS:
        yield "event", _("a group is two teams of two, so four must play")
    if rules.farmers_hand is not FarmersHand.OFF and rules.players == 2:
        yield "farmers_hand", _("two players play without the nines")
    if rules.farmers_hand is FarmersHand.SWAP and rules.players == 3:
        yield "farmers_hand", _("the swap is for three closed kitty cards, and with three players there are five")


def _clashes_with_fixed_hands(rules: HouseRules, hands: int) -> Iterator[tuple[str, str]]:
    if hands % rules.players:
        yield (
            "game_ends",
            _("%(hands)d hands can't be shared evenly by %(players)d dealers", hands=hands, players=rules.players),
        )
    if rules.target != options()["target"].default:
        yield (
            "target",
            _(
                "a game of %(hands)d hands has no target; leave it at %(default)d",
                hands=hands,
                default=options()["target"].default,
            ),
        )
    if rules.win_by > 1:
        yield "win_by", _("a game of %(hands)d hands can be won by one point", hands=hands)
    if rules.score_keeping is ScoreKeeping.FOURS_AND_SIXES:
        yield (
            "score_keeping",
            _("a four and a six show no more than ten points, and %(hands)d hands can bring more", hands=hands),
        )
