"""The coach: what each choice of a viewer is worth in the layouts that fit the view, and why.

Cards, discards and lone hands are solved in every layout. Calls and passes get the expert bot's values, because a
solver that sees every card misleads there.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from random import Random
from typing import Final

from leftbower.engine import Contract, Phase, View, actions
from leftbower.engine.knowledge import hidden_cards
from leftbower.errors import HandIsOver, NothingToSolve, NotYourTurn
from leftbower.kernel import Layouts
from leftbower.players.bot import Bot
from leftbower.players.coach.advice import Advice, Estimate, Evaluation, OutcomeShares, ValuedChoice
from leftbower.players.coach.headline import headline
from leftbower.players.coach.phrases import AdvisedSeat
from leftbower.players.coach.position import height_of
from leftbower.players.coach.reasons import reasons
from leftbower.players.judgment.bidding import known_contract
from leftbower.players.judgment.call_model import weigh_layouts
from leftbower.players.judgment.layouts import begin_contract, layouts as imagine
from leftbower.players.judgment.stakes import Stakes, stakes
from leftbower.players.levels import EXPERT
from leftbower.players.player import proper_actions
from leftbower.rules import UNKNOWN, Card, Seat, Suit
from leftbower.rules.choices import FarmersHand, GoingAlone
from leftbower.rules.scoring import TRICKS_NEEDED, TRICKS_PER_HAND

DEFAULT_LAYOUTS: Final = 1000
"""Layouts per decision: a few hundredths of a second."""
MAX_LISTED_DISCARDS: Final = 5
"""Three-card discards in the advice."""


def advise(view: View, *, layouts: int = DEFAULT_LAYOUTS, rng: Random) -> Advice:
    """Evaluate the viewer's choices at this score and put the advice into words.

    An error says why there is nothing to advise: it is another player's turn, the hand is over, or cards that the
    viewer should know are unknown.
    """
    seat, choices = _seat_and_choices(view)
    coach, who = _Coach(view, seat, layouts, rng), AdvisedSeat(view, seat)
    tried = sorted(coach.evaluate(choices), key=partial(_rank, view), reverse=True)
    return Advice(
        seat=seat,
        layouts=layouts,
        choices=tuple(
            evaluation.choice
            for evaluation in tried
            if evaluation in tried[:MAX_LISTED_DISCARDS] or not isinstance(evaluation.action, actions.LayAway)
        ),
        headline=headline(who, tried),
        reasons=reasons(who, tried),
    )


def _seat_and_choices(view: View) -> tuple[Seat, tuple[actions.Action, ...]]:
    """The seat to advise and its choices; raises if there is nothing to advise."""
    choices = proper_actions(view) + _alone_with_the_call(view)
    if view.to_act is None:
        raise HandIsOver("the hand is over; there is nothing to advise", state=None)
    if any(isinstance(choice, actions.CallOut) for choice in choices):
        raise NothingToSolve("a player was dealt a wrong number of cards; call the misdeal")
    if view.turned is None:
        raise NothingToSolve("there is no advice before the up-card is turned")
    due = view.to_act is view.seat or not isinstance(next(iter(choices), None), actions.Play)
    if view.seat is None:
        raise NotYourTurn("a spectator gets no advice; it's %(turn)s's turn", state=None, turn=view.to_act)
    if not choices or not due:
        raise NotYourTurn(
            "it's %(turn)s's turn; there is nothing to advise %(seat)s", state=None, turn=view.to_act, seat=view.seat
        )
    if UNKNOWN in view.cards:
        raise NothingToSolve("some of %(seat)s's cards are unknown; advice needs all of them", seat=view.seat)
    return view.seat, choices


def _alone_with_the_call(view: View) -> tuple[actions.Action, ...]:
    """Calls with alone, if there is a partner and the maker could also say it later."""
    calls = view.legal if view.rules.players == 4 and view.phase is Phase.BIDDING else ()
    late = view.rules.going_alone is GoingAlone.BEFORE_THE_LEAD
    return tuple(call for call in calls if late and isinstance(call, actions.Order | actions.Name) and call.alone)


def _rank(view: View, evaluation: Evaluation) -> tuple[float, float, int, int]:
    """The chance to win the game, then points; of cards to follow or discard that are worth the same, the lowest."""
    action, height = evaluation.action, (0, 0)
    is_lead = isinstance(action, actions.Play) and not view.trick
    if isinstance(action, actions.Play | actions.Bury) and isinstance(action.card, Card) and not is_lead:
        height = height_of(action.card, known_contract(view).trump)
    return round(evaluation.choice.chance.mean, 9), evaluation.choice.points.mean, -height[0], -height[1]


class _Coach:
    """Evaluates the choices of one viewer."""

    def __init__(self, view: View, seat: Seat, count: int, rng: Random) -> None:
        self.view, self.seat, self.layout_count = view, seat, count
        self.seed = rng.getrandbits(64)
        self.in_points: Stakes = stakes(view, in_points=True)
        self.in_chances: Stakes = stakes(view, in_points=False)

    def evaluate(self, choices: Sequence[actions.Action]) -> list[Evaluation]:
        """Evaluate every choice by the method for its kind."""
        match choices[0]:
            case actions.Play():
                return self._cards([choice for choice in choices if isinstance(choice, actions.Play)])
            case actions.Pass() | actions.Order() | actions.Name():
                return self._calls(choices)
            case actions.KeepHand() | actions.ShowFarmersHand():
                return [self._sure(choice, self._farmers(choice)) for choice in choices]
            case _:
                return [self._evaluate(choice) for choice in choices]

    def _evaluate(self, choice: actions.Action) -> Evaluation:
        contract = known_contract(self.view) if self.view.contract else None
        match choice:
            case actions.Bury():
                return self._aside(choice, [choice.card])
            case actions.LayAway():
                return self._aside(choice, choice.cards)
            case actions.GoAlone() | actions.GoTogether() if contract:
                return self._contract(choice, replace(contract, alone=isinstance(choice, actions.GoAlone)))
            case actions.DefendAlone() if contract:
                return self._contract(choice, replace(contract, defender=self.seat))
            case actions.Agree() if contract:
                return self._agreed(choice, contract)
            case actions.Settle() if choice.terms in (actions.Terms.FULL, actions.Terms.FEWER):
                return self._sure(choice, self._penalty(choice))
            case actions.Disagree() | actions.Settle() | actions.Ready():
                return self._played_on(choice)
            case _:
                return self._contract(choice, known_contract(self.view))

    # Solved

    def _cards(self, choices: Sequence[actions.Play]) -> list[Evaluation]:
        """Solve every card in the same layouts."""
        contract = known_contract(self.view)
        imagined = self._imagine(contract)
        outcomes = imagined.card_outcomes([choice.card for choice in choices])
        count = len(choices)
        return [
            self._solved(choice, contract, imagined, outcomes[index::count]) for index, choice in enumerate(choices)
        ]

    def _aside(self, choice: actions.Action, aside: Sequence[object]) -> Evaluation:
        """Solve the hand after a discard; a dealer who discards first also holds the up-card by then."""
        view, contract = self.view, known_contract(self.view)
        left = TRICKS_PER_HAND - len(view.tricks) - (self.seat in view.seats)
        remaining = [card for card in view.cards if card not in aside]
        mine = remaining if len(remaining) == left else [*remaining, view.up_card]
        imagined = self._imagine(contract, tuple(card for card in mine if card is not UNKNOWN))
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _contract(self, choice: actions.Action, contract: Contract) -> Evaluation:
        """Solve a contract before the play: the dealer takes the up-card, the maker the dummy, and both discard."""
        view, imagined = self.view, self._imagine(contract)
        begin_contract(imagined, view.rules, contract, view.dealer, None if view.contract else view.up_card)
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _played_on(self, choice: actions.Action) -> Evaluation:
        """Solve the rest of the hand; a hand that was played out counts as it is."""
        view, contract = self.view, known_contract(self.view)
        if view.leader is None or len(view.tricks) == TRICKS_PER_HAND:
            taken = sum(trick.winner in view.rules.side_of(contract.maker) for trick in view.tricks)
            return self._known(choice, contract, taken)
        imagined = self._imagine(contract)
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _imagine(self, contract: Contract, mine: tuple[Card, ...] | None = None) -> Layouts:
        imagined = imagine(self.view, contract, self.layout_count, Random(self.seed), mine=mine)
        weigh_layouts(self.view, imagined)
        return imagined

    def _solved(
        self, choice: actions.Action, contract: Contract, imagined: Layouts, outcomes: Sequence[int]
    ) -> Evaluation:
        worth = self.in_points.of(contract)
        share = _spread(outcomes, imagined.weights)
        found = ValuedChoice(
            action=choice,
            points=share.estimate(worth),
            chance=share.estimate(self.in_chances.of(contract)),
            shares=OutcomeShares(euchre=share.of(0), made_it=share.of(TRICKS_NEEDED), march=share.of(TRICKS_PER_HAND)),
        )
        return Evaluation(choice=found, contract=contract, imagined=imagined, outcomes=outcomes, worth=worth)

    # Known for certain

    def _agreed(self, choice: actions.Action, contract: Contract) -> Evaluation:
        """The value if the hand ends as proposed."""
        view, proposal = self.view, self.view.proposal
        if isinstance(proposal, actions.ThrowIn):
            return self._known(choice, contract, proposal.makers_tricks)
        makers = view.rules.side_of(contract.maker)
        taken = sum(trick.winner in makers for trick in view.tricks)
        claimed = isinstance(proposal, actions.Claim) and proposal.seat in makers
        return self._known(choice, contract, taken + (TRICKS_PER_HAND - len(view.tricks)) * claimed)

    def _known(self, choice: actions.Action, contract: Contract, tricks: int) -> Evaluation:
        found = ValuedChoice(
            action=choice,
            points=Estimate(mean=self.in_points.of(contract)[tricks], error=0.0),
            chance=Estimate(mean=self.in_chances.of(contract)[tricks], error=0.0),
            shares=OutcomeShares(
                euchre=float(tricks < TRICKS_NEEDED),
                made_it=float(TRICKS_NEEDED <= tricks < TRICKS_PER_HAND),
                march=float(tricks == TRICKS_PER_HAND),
            ),
        )
        return Evaluation(choice=found)

    def _penalty(self, choice: actions.Settle) -> float:
        ruling = self.view.verdict.ruling if self.view.verdict else None
        full = self.in_points.of_points(ruling.points) if ruling else 0.0
        return full if choice.terms is actions.Terms.FULL else float(choice.points)

    def _sure(self, choice: actions.Action, points: float) -> Evaluation:
        """A choice with a value in points and no layouts."""
        chance = self.in_chances.of_expected(points)
        return Evaluation(
            choice=ValuedChoice(action=choice, points=Estimate(mean=points), chance=Estimate(mean=chance))
        )

    # Judged by a bot

    def _calls(self, choices: Sequence[actions.Action]) -> list[Evaluation]:
        """Calls and passes with the expert bot's values; layouts give the error and the outcomes of a call."""
        skill = replace(EXPERT, layouts=self.layout_count, rollouts=max(self.layout_count // _LAYOUTS_PER_ROLLOUT, 1))
        points, chances = (
            {valued.action: valued.worth for valued in bot.judge(self.view, choices, Random(self.seed))}
            for bot in (Bot(replace(skill, in_points=in_points)) for in_points in (True, False))
        )
        return [self._judged(choice, points[choice], chances[choice]) for choice in choices]

    def _judged(self, choice: actions.Action, points: float, chance: float) -> Evaluation:
        if not isinstance(choice, actions.Order | actions.Name):
            found = ValuedChoice(action=choice, points=Estimate(mean=points), chance=Estimate(mean=chance))
            return Evaluation(choice=found)
        trump = self.view.up_card.suit if isinstance(choice, actions.Order) else choice.suit
        contract = Contract(maker=self.seat, trump=trump, ordered=isinstance(choice, actions.Order), alone=choice.alone)
        tried = self._contract(choice, contract)
        judged = replace(
            tried.choice,
            points=replace(tried.choice.points, mean=points),
            chance=replace(tried.choice.chance, mean=min(max(chance, 0.0), 1.0)),
        )
        return replace(tried, choice=judged)

    # Farmer's hands

    def _farmers(self, choice: actions.Action) -> float:
        """The value of calling the best suit with the hand that the viewer then holds, averaged over new cards."""
        view, rng = self.view, Random(self.seed)
        if not isinstance(choice, actions.ShowFarmersHand):
            return self._best_call(view)
        redeal = view.rules.farmers_hand is FarmersHand.REDEAL
        remaining = [] if redeal else [card for card in view.cards if card not in choice.cards]
        new = (
            [card for card in view.rules.deck if card is not view.up_card]
            if redeal
            else list(hidden_cards(view).locations)
        )
        said = view.actions if redeal else (*view.actions, choice)
        hands = [(*remaining, *rng.sample(new, len(view.cards) - len(remaining))) for _ in range(_TRIED_FARMERS_HANDS)]
        return sum(self._best_call(replace(view, cards=hand, actions=said)) for hand in hands) / _TRIED_FARMERS_HANDS

    def _best_call(self, view: View) -> float:
        coach = _Coach(view, self.seat, max(self.layout_count // _TRIED_FARMERS_HANDS, 1), Random(self.seed))
        named = [Contract(maker=self.seat, trump=suit, ordered=False, alone=False) for suit in Suit]
        return max(coach._contract(actions.KeepHand(self.seat), contract).choice.points.mean for contract in named)


_LAYOUTS_PER_ROLLOUT: Final = 15
"""Cost of one rollout in solved layouts."""
_TRIED_FARMERS_HANDS: Final = 12
"""New hands tried for each farmer's hand."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """The sum of weights, and of their squares, for each outcome."""

    weights: Mapping[int, float]
    squares: Mapping[int, float]

    def of(self, outcome: int) -> float:
        """Its share of the total weight."""
        return self.weights.get(outcome, 0.0) / sum(self.weights.values())

    def estimate(self, worth: Sequence[float]) -> Estimate:
        """The mean value of the outcomes and its standard error."""
        every = sum(self.weights.values())
        mean = sum(weight * worth[outcome] for outcome, weight in self.weights.items()) / every
        spread = sum(square * (worth[outcome] - mean) ** 2 for outcome, square in self.squares.items())
        return Estimate(mean=mean, error=sqrt(spread) / every)


def _spread(outcomes: Sequence[int], weights: Sequence[float]) -> _Spread:
    by_weight: defaultdict[int, float] = defaultdict(float)
    by_square: defaultdict[int, float] = defaultdict(float)
    for outcome, weight in zip(outcomes, weights, strict=True):
        by_weight[outcome] += weight
        by_square[outcome] += weight * weight
    return _Spread(by_weight, by_square)
