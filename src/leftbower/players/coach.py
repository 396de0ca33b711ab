"""The coach: what each choice of a viewer is worth, and why, in the layouts that fit the view.

Cards, discards and lone hands are solved in every layout. What calls and passes are worth is as the best bot judges
them, because a solver that sees every card misleads there. Every reason is counted in the layouts: which hidden card
the choice turns on, what becomes of the trick, what a partner has.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from typing import Final

from leftbower.engine import (
    Action,
    Agree,
    Bury,
    CallOut,
    Claim,
    Contract,
    DefendAlone,
    Disagree,
    GoAlone,
    GoTogether,
    KeepHand,
    LayAway,
    Name,
    Order,
    Pass,
    Phase,
    Play,
    Ready,
    Settle,
    ShowFarmersHand,
    Terms,
    ThrowIn,
    View,
    active_seats,
)
from leftbower.engine.knowledge import hidden
from leftbower.errors import HandIsOver, NothingToSolve, NotYourTurn
from leftbower.kernel import Layouts, seats_on_chairs
from leftbower.players.advice import Advice, Choice, Estimate, Shares, Tried
from leftbower.players.bot import Bot
from leftbower.players.hunches import weigh
from leftbower.players.layouts import DUMMY
from leftbower.players.layouts import layouts as imagine
from leftbower.players.levels import EXPERT
from leftbower.players.player import proper
from leftbower.players.reasons import reasons
from leftbower.players.stakes import Stakes, stakes
from leftbower.rules.cards import UNKNOWN, Card, Suit
from leftbower.rules.choices import AloneSaid, FarmersHand
from leftbower.rules.scoring import NEEDED, TRICKS
from leftbower.rules.seats import Seat

LAYOUTS: Final = 1000
"""How many layouts are worth the wait: a few hundredths of a second."""
MOST: Final = 5
"""Of the threes that can be laid away, so many are worth telling."""


def advise(view: View, *, layouts: int = LAYOUTS, chance: Random) -> Advice:
    """What the viewer's choices are worth at this score, the best first, and the reasons in words.

    An error says why there is nothing to advise: it is another player's turn, the hand is over, or cards that the
    viewer should know are unknown.
    """
    seat, choices = _asked(view)
    coach = _Coach(view, seat, layouts, chance)
    tried = sorted(coach.tried(choices), key=_rank, reverse=True)
    return Advice(
        seat=seat,
        layouts=layouts,
        choices=tuple(one.choice for one in tried if one in tried[:MOST] or not isinstance(one.action, LayAway)),
        reasons=tuple(reasons(view, seat, tried)),
    )


def _asked(view: View) -> tuple[Seat, tuple[Action, ...]]:
    """Whom to advise and what on, or the error that says why nobody is."""
    choices = proper(view) + _alone_with_the_call(view)
    if view.to_act is None:
        raise HandIsOver("the hand is over, so there is nothing to advise", state=None)
    if any(isinstance(choice, CallOut) for choice in choices):
        raise NothingToSolve("a player was dealt a wrong number of cards: call the misdeal")
    if view.turned is None:
        raise NothingToSolve("there is nothing to advise before the up-card is turned")
    due = view.to_act is view.seat or not isinstance(next(iter(choices), None), Play)
    if view.seat is None or not choices or not due:
        whom = "a spectator" if view.seat is None else str(view.seat)
        raise NotYourTurn(f"{view.to_act} is to act, so there is nothing to advise {whom}", state=None)
    if view.turned is None:
        raise NothingToSolve("all cards are face down, so there is nothing to advise")
    if isinstance(choices[0], CallOut):
        raise NothingToSolve("the hand is misdealt and cannot be played, so there is nothing to advise")
    if UNKNOWN in view.cards:
        raise NothingToSolve(f"to advise a player the player's cards must be known, and some of {view.seat} are not")
    return view.seat, choices


def _alone_with_the_call(view: View) -> tuple[Action, ...]:
    """Calls with alone, where a partner makes it a choice beside the call though the maker is asked later as well."""
    calls = view.legal if view.rules.seats == 4 and view.phase is Phase.BIDDING else ()
    late = view.rules.alone_said is AloneSaid.BEFORE_THE_LEAD
    return tuple(call for call in calls if late and isinstance(call, Order | Name) and call.alone)


def _rank(one: Tried) -> tuple[float, float]:
    """By the chance to win the game; where that is the same, by points."""
    return round(one.choice.chance.mean, 9), one.choice.points.mean


class _Coach:
    """Tries what a viewer may do."""

    def __init__(self, view: View, seat: Seat, many: int, chance: Random) -> None:
        self.view, self.seat, self.many = view, seat, many
        self.seed = chance.getrandbits(64)
        self.in_points: Stakes = stakes(view, in_points=True)
        self.in_chances: Stakes = stakes(view, in_points=False)

    def tried(self, choices: Sequence[Action]) -> list[Tried]:
        """Every choice, tried in the way that its kind needs."""
        match choices[0]:
            case Play():
                return self._cards([one for one in choices if isinstance(one, Play)])
            case Pass() | Order() | Name():
                return self._calls(choices)
            case KeepHand() | ShowFarmersHand():
                return [self._sure(one, self._farmers(one)) for one in choices]
            case _:
                return [self._one(one) for one in choices]

    def _one(self, choice: Action) -> Tried:
        made = _made(self.view) if self.view.made else None
        match choice:
            case Bury():
                return self._aside(choice, [choice.card])
            case LayAway():
                return self._aside(choice, choice.cards)
            case GoAlone() | GoTogether() if made:
                return self._contract(choice, replace(made, alone=isinstance(choice, GoAlone)))
            case DefendAlone() if made:
                return self._contract(choice, replace(made, defender=self.seat))
            case Agree() if made:
                return self._agreed(choice, made)
            case Settle() if choice.terms in (Terms.FULL, Terms.FEWER):
                return self._sure(choice, self._penalty(choice))
            case Disagree() | Settle() | Ready():
                return self._played_on(choice)
            case _:
                return self._contract(choice, _made(self.view))

    # What is solved

    def _cards(self, choices: Sequence[Play]) -> list[Tried]:
        """Every card in the same layouts."""
        contract = _made(self.view)
        imagined = self._imagine(contract)
        outcomes = imagined.card_outcomes([choice.card for choice in choices])
        many = len(choices)
        return [self._solved(choice, contract, imagined, outcomes[at::many]) for at, choice in enumerate(choices)]

    def _aside(self, choice: Action, gone: Sequence[object]) -> Tried:
        """The same layouts with the hand that is left; a dealer who discards first holds the up-card by then."""
        view, contract = self.view, _made(self.view)
        left = TRICKS - len(view.tricks) - (self.seat in view.seats)
        kept = [card for card in view.cards if card not in gone]
        mine = kept if len(kept) == left else [*kept, view.up_card]
        imagined = self._imagine(contract, tuple(card for card in mine if card is not UNKNOWN))
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _contract(self, choice: Action, contract: Contract) -> Tried:
        """A contract that is not played yet: the dealer takes the up-card, the maker the dummy, and both discard."""
        view, rules = self.view, self.view.rules
        imagined = self._imagine(contract)
        if view.made is None and contract.ordered and view.dealer in active_seats(rules, contract):
            imagined.take_up(seats_on_chairs(rules, contract).index(view.dealer), view.up_card)
        if rules.dummy_size and not contract.alone:
            imagined.take_dummy(0, DUMMY, rules.dummy_size)
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _played_on(self, choice: Action) -> Tried:
        """The hand goes on from where it stands, or counts as it was played."""
        view, contract = self.view, _made(self.view)
        if view.leader is None or len(view.tricks) == TRICKS:
            taken = sum(trick.winner in view.rules.side_of(contract.maker) for trick in view.tricks)
            return self._known(choice, contract, taken)
        imagined = self._imagine(contract)
        return self._solved(choice, contract, imagined, imagined.outcomes())

    def _imagine(self, contract: Contract, mine: tuple[Card, ...] | None = None) -> Layouts:
        imagined = imagine(self.view, contract, self.many, Random(self.seed), mine=mine)
        weigh(self.view, imagined)
        return imagined

    def _solved(self, choice: Action, contract: Contract, imagined: Layouts, outcomes: Sequence[int]) -> Tried:
        worth = self.in_points.of(contract)
        share = _spread(outcomes, imagined.weights)
        found = Choice(
            action=choice,
            points=share.estimate(worth),
            chance=share.estimate(self.in_chances.of(contract)),
            shares=Shares(euchre=share.of(0), made=share.of(NEEDED), march=share.of(TRICKS)),
        )
        return Tried(choice=found, contract=contract, imagined=imagined, outcomes=outcomes, worth=worth)

    # What is known for certain

    def _agreed(self, choice: Action, contract: Contract) -> Tried:
        """The hand ends as somebody proposed."""
        view, proposal = self.view, self.view.proposal
        if isinstance(proposal, ThrowIn):
            return self._known(choice, contract, proposal.makers_tricks)
        makers = view.rules.side_of(contract.maker)
        taken = sum(trick.winner in makers for trick in view.tricks)
        claimed = isinstance(proposal, Claim) and proposal.seat in makers
        return self._known(choice, contract, taken + (TRICKS - len(view.tricks)) * claimed)

    def _known(self, choice: Action, contract: Contract, tricks: int) -> Tried:
        found = Choice(
            action=choice,
            points=Estimate(mean=self.in_points.of(contract)[tricks], error=0.0),
            chance=Estimate(mean=self.in_chances.of(contract)[tricks], error=0.0),
            shares=Shares(
                euchre=float(tricks < NEEDED), made=float(NEEDED <= tricks < TRICKS), march=float(tricks == TRICKS)
            ),
        )
        return Tried(choice=found)

    def _penalty(self, choice: Settle) -> float:
        ruling = self.view.verdict.ruling if self.view.verdict else None
        full = self.in_points.of_points(ruling.points) if ruling else 0.0
        return full if choice.terms is Terms.FULL else float(choice.points)

    def _sure(self, choice: Action, points: float) -> Tried:
        """A choice that is worth so many points, however they come about."""
        chance = self.in_chances.of_expected(points)
        return Tried(choice=Choice(action=choice, points=Estimate(mean=points), chance=Estimate(mean=chance)))

    # What a bot judges

    def _calls(self, choices: Sequence[Action]) -> list[Tried]:
        """Calls and passes as the best bot judges them; layouts tell the error, and what comes of a call."""
        skill = replace(EXPERT, layouts=self.many, playouts=max(self.many // _LAYOUTS_A_PLAYOUT, 1))
        points, chances = (
            {one.action: one.worth for one in bot.judge(self.view, choices, Random(self.seed))}
            for bot in (Bot(replace(skill, in_points=in_points)) for in_points in (True, False))
        )
        return [self._judged(choice, points[choice], chances[choice]) for choice in choices]

    def _judged(self, choice: Action, points: float, chance: float) -> Tried:
        if not isinstance(choice, Order | Name):
            found = Choice(action=choice, points=Estimate(mean=points), chance=Estimate(mean=chance))
            return Tried(choice=found)
        trump = self.view.up_card.suit if isinstance(choice, Order) else choice.suit
        contract = Contract(maker=self.seat, trump=trump, ordered=isinstance(choice, Order), alone=choice.alone)
        tried = self._contract(choice, contract)
        judged = replace(
            tried.choice,
            points=replace(tried.choice.points, mean=points),
            chance=replace(tried.choice.chance, mean=min(max(chance, 0.0), 1.0)),
        )
        return replace(tried, choice=judged)

    # Farmer's hands

    def _farmers(self, choice: Action) -> float:
        """What naming the best suit is worth with the hand that the viewer then holds; new cards are tried out."""
        view, chance = self.view, Random(self.seed)
        if not isinstance(choice, ShowFarmersHand):
            return self._best_call(view)
        redeal = view.rules.farmers_hand is FarmersHand.REDEAL
        kept = [] if redeal else [card for card in view.cards if card not in choice.cards]
        new = [card for card in view.rules.deck if card is not view.up_card] if redeal else list(hidden(view).homes)
        said = view.said if redeal else (*view.said, choice)
        hands = [(*kept, *chance.sample(new, len(view.cards) - len(kept))) for _ in range(_SWAPS)]
        return sum(self._best_call(replace(view, cards=hand, said=said)) for hand in hands) / _SWAPS

    def _best_call(self, view: View) -> float:
        coach = _Coach(view, self.seat, max(self.many // _SWAPS, 1), Random(self.seed))
        named = [Contract(maker=self.seat, trump=suit, ordered=False, alone=False) for suit in Suit]
        return max(coach._contract(KeepHand(self.seat), one).choice.points.mean for one in named)


_LAYOUTS_A_PLAYOUT: Final = 15
"""Where a bot tells what a pass is worth by playing hands out, one takes as long as so many solved layouts."""
_SWAPS: Final = 12
"""How many new hands are tried when a farmer's hand is judged."""


def _made(view: View) -> Contract:
    """The contract as the viewer knows it."""
    made = view.made
    assert made is not None
    return Contract(maker=made.maker, trump=made.trump, ordered=made.ordered, alone=made.alone, defender=made.defender)


@dataclass(frozen=True, slots=True)
class _Spread:
    """How much weight, and how much of its square, lies on each outcome."""

    weights: Mapping[int, float]
    squares: Mapping[int, float]

    def of(self, outcome: int) -> float:
        """Its share of all weight."""
        return self.weights.get(outcome, 0.0) / sum(self.weights.values())

    def estimate(self, worth: Sequence[float]) -> Estimate:
        """The mean of what the outcomes are worth, and its standard error."""
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
