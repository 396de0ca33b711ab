"""The bot: samples layouts consistent with its view, solves them, and takes the action with the best mean."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from leftbower.engine import Contract, View, actions
from leftbower.kernel import Layouts
from leftbower.players.etiquette import answer_proposal, proven_calls, settlement_rank
from leftbower.players.judgment.bidding import (
    FittedCalls,
    ValuedAction,
    bidding_position,
    contract_of_call,
    known_contract,
)
from leftbower.players.judgment.call_model import has_evidence, weigh_layouts
from leftbower.players.judgment.call_table import solved_means
from leftbower.players.judgment.call_values import applies_to
from leftbower.players.judgment.discard import value_discards
from leftbower.players.judgment.layouts import begin_contract, layouts
from leftbower.players.judgment.rollouts import can_roll_out, pass_gain
from leftbower.players.judgment.stakes import Stakes, stakes
from leftbower.players.levels import QUICK, Skill, Temper
from leftbower.players.player import proper_actions
from leftbower.rules.cards import Card

_OVERSAMPLING: Final = 4
"""Layouts sampled per layout solved, if calls weight them: most samples explain the calls badly."""


class Bot:
    """A player of a given skill."""

    talks = True
    calls_only = True

    def __init__(self, skill: Skill, temper: Temper = Temper.EVEN) -> None:
        self.skill, self.temper = skill, temper

    @property
    def name(self) -> str:
        """The name of its skill, and of its temper unless that is even."""
        return self.skill.name if self.temper is Temper.EVEN else f"{self.skill.name}+{self.temper.word}"

    def act(self, view: View, rng: Random) -> actions.Action:
        """The action with the highest value; the first of equals."""
        choices = proper_actions(view)
        if len(choices) == 1:
            return choices[0]
        judged = self.judge(view, choices, rng)
        return max(judged, key=lambda valued: valued.worth + rng.gauss(0.0, self.skill.slips)).action

    def remark(self, view: View, rng: Random) -> actions.Action | None:
        """Call what the table proves, if the bot notices it."""
        return next((call for call in proven_calls(view) if rng.random() < self.skill.notice_probability), None)

    def judge(self, view: View, choices: Sequence[actions.Action], rng: Random) -> list[ValuedAction]:
        """The value of each of these actions."""
        match choices[0]:
            case actions.Play():
                return self._cards(view, [choice for choice in choices if isinstance(choice, actions.Play)], rng)
            case actions.Bury() | actions.LayAway():
                return self._discards(
                    view, [choice for choice in choices if isinstance(choice, actions.Bury | actions.LayAway)], rng
                )
            case actions.Pass() | actions.Order() | actions.Name():
                return self._calls(view, choices, rng)
            case actions.GoAlone() | actions.GoTogether():
                return self._alone(view, choices, rng)
            case actions.DefendAlone() | actions.DefendTogether():
                return self._defense(view, choices, rng)
            case actions.Agree() | actions.Disagree():
                contract = known_contract(view)
                said = answer_proposal(view, contract, self._stakes(view).of(contract), rng)
                return [ValuedAction(choice, float(choice == said)) for choice in choices]
            case actions.Settle():
                return [
                    ValuedAction(choice, float(settlement_rank(choice)))
                    for choice in choices
                    if isinstance(choice, actions.Settle)
                ]
            case _:
                return [ValuedAction(choice, float(isinstance(choice, actions.ShowFarmersHand))) for choice in choices]

    def _stakes(self, view: View) -> Stakes:
        return stakes(view, in_points=self.skill.in_points)

    def _imagine(self, view: View, contract: Contract, rng: Random, mine: tuple[Card, ...] | None = None) -> Layouts:
        """Sample as many layouts as the skill allows; resample by the likelihood of the calls if it weighs them."""
        count = self.skill.layouts
        if not self.skill.weighs_calls or not has_evidence(view):
            return layouts(view, contract, count, rng, mine=mine)
        imagined = layouts(view, contract, _OVERSAMPLING * count, rng, mine=mine)
        weigh_layouts(view, imagined)
        imagined.choose(count, rng.random())
        return imagined

    def _cards(self, view: View, choices: Sequence[actions.Play], rng: Random) -> list[ValuedAction]:
        contract = known_contract(view)
        worth = self._stakes(view).of(contract)
        cards = [choice.card for choice in choices]
        means = self._imagine(view, contract, rng).card_means(cards, worth)
        return [ValuedAction(choice, mean) for choice, mean in zip(choices, means, strict=True)]

    def _discards(
        self, view: View, choices: Sequence[actions.Bury | actions.LayAway], rng: Random
    ) -> list[ValuedAction]:
        contract, seed = known_contract(view), rng.getrandbits(64)
        worth = self._stakes(view).of(contract)
        return value_discards(
            view, contract, choices, worth, lambda hand: self._imagine(view, contract, Random(seed), hand)
        )

    def _alone(self, view: View, choices: Sequence[actions.Action], rng: Random) -> list[ValuedAction]:
        contract, seed = known_contract(view), rng.getrandbits(64)
        both: dict[type, Contract] = {
            actions.GoAlone: replace(contract, alone=True),
            actions.GoTogether: replace(contract, alone=False),
        }
        return self._compared(view, choices, both, seed)

    def _defense(self, view: View, choices: Sequence[actions.Action], rng: Random) -> list[ValuedAction]:
        contract, seed = known_contract(view), rng.getrandbits(64)
        both: dict[type, Contract] = {
            actions.DefendAlone: replace(contract, defender=view.seat),
            actions.DefendTogether: contract,
        }
        return self._compared(view, choices, both, seed)

    def _compared(
        self, view: View, choices: Sequence[actions.Action], contracts: Mapping[type, Contract], seed: int
    ) -> list[ValuedAction]:
        """The value of each choice by its contract, in the same layouts."""
        at_stake = self._stakes(view)
        return [
            ValuedAction(choice, self.imagine(view, contract, seed).mean(at_stake.of(contract)))
            for choice in choices
            for contract in [contracts[type(choice)]]
        ]

    def _calls(self, view: View, choices: Sequence[actions.Action], rng: Random) -> list[ValuedAction]:
        """By the fitted models if they apply; otherwise by solved layouts, and a pass by rollouts or a threshold."""
        at_stake = self._stakes(view)
        calls = [choice for choice in choices if isinstance(choice, actions.Order | actions.Name)]
        if self.skill.fitted and applies_to(view.rules):
            return FittedCalls(
                view, at_stake, solved_means(view, calls, bidding_position(view)), self.temper.eager
            ).judge(choices)
        seed = rng.getrandbits(64)
        contracts = {call: contract_of_call(view, call) for call in calls}
        worth = {
            call: self.imagine(view, contract, seed).mean(at_stake.of(contract)) for call, contract in contracts.items()
        }
        passes = [choice for choice in choices if choice not in contracts]
        if self.skill.rollouts and passes and worth and can_roll_out(view):
            best = max(worth, key=worth.__getitem__)
            quick, count = Bot(QUICK), self.skill.rollouts
            gained = pass_gain(view, contracts[best], at_stake, quick, count=count, rng=rng)
            eager = self.temper.eager * (at_stake.of_net(1) - at_stake.of_net(-1)) / 2
            passing = worth[best] + gained - eager
        else:
            passing = at_stake.of_expected(self.skill.threshold - self.temper.eager)
        return [
            *(ValuedAction(call, value) for call, value in worth.items()),
            *(ValuedAction(passing_choice, passing) for passing_choice in passes),
        ]

    def imagine(self, view: View, contract: Contract, seed: int) -> Layouts:
        """Layouts for a contract that isn't in play yet: the dealer takes the up-card, the maker the dummy."""
        imagined = self._imagine(view, contract, Random(seed))
        begin_contract(imagined, view.rules, contract, view.dealer, None if view.contract else view.up_card)
        return imagined
