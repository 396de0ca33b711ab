"""A bot: it imagines layouts that fit its view, solves them, and does what is worth most on the average."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from leftbower.engine import (
    Action,
    Agree,
    Bury,
    Contract,
    DefendAlone,
    DefendTogether,
    Disagree,
    GoAlone,
    GoTogether,
    LayAway,
    Name,
    Order,
    Pass,
    Play,
    Settle,
    ShowFarmersHand,
    View,
    active_seats,
)
from leftbower.kernel import Layouts, seats_on_chairs
from leftbower.players.bidding import Fitted, Judged, place_of, would_make
from leftbower.players.hunches import tell, weigh
from leftbower.players.layouts import DUMMY, layouts
from leftbower.players.levels import QUICK, Skill, Temper
from leftbower.players.manners import answer, proven, settled
from leftbower.players.player import proper
from leftbower.players.playing_out import can_play_out, passed_up
from leftbower.players.solved import solved
from leftbower.players.stakes import Stakes, Worth, stakes
from leftbower.players.values import fits
from leftbower.rules.cards import UNKNOWN, Card

_CHOICE: Final = 4
"""Hunches choose from so many times as many layouts as are solved: most of them explain badly what was called."""


class Bot:
    """A player of some skill."""

    talks = True
    calls_only = True

    def __init__(self, skill: Skill, temper: Temper = Temper.EVEN) -> None:
        self.skill, self.temper = skill, temper

    @property
    def name(self) -> str:
        """The name of its skill, and of its temper unless that is even."""
        return self.skill.name if self.temper is Temper.EVEN else f"{self.skill.name}+{self.temper.word}"

    def act(self, view: View, chance: Random) -> Action:
        """What is worth most; the first of equals."""
        choices = proper(view)
        if len(choices) == 1:
            return choices[0]
        judged = self.judge(view, choices, chance)
        return max(judged, key=lambda one: one.worth + chance.gauss(0.0, self.skill.slips)).action

    def remark(self, view: View, chance: Random) -> Action | None:
        """A call of what the table proves, if it is noticed."""
        return next((call for call in proven(view) if chance.random() < self.skill.notices), None)

    def judge(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        """What each of these actions is worth."""
        match choices[0]:
            case Play():
                return self._cards(view, [choice for choice in choices if isinstance(choice, Play)], chance)
            case Bury():
                return self._burials(view, [choice for choice in choices if isinstance(choice, Bury)], chance)
            case LayAway():
                return self._layings(view, [choice for choice in choices if isinstance(choice, LayAway)], chance)
            case Pass() | Order() | Name():
                return self._calls(view, choices, chance)
            case GoAlone() | GoTogether():
                return self._alone(view, choices, chance)
            case DefendAlone() | DefendTogether():
                return self._defence(view, choices, chance)
            case Agree() | Disagree():
                contract = _made(view)
                said = answer(view, contract, self._stakes(view).of(contract), chance)
                return [Judged(choice, float(choice == said)) for choice in choices]
            case Settle():
                return [Judged(choice, float(settled(choice))) for choice in choices if isinstance(choice, Settle)]
            case _:
                return [Judged(choice, float(isinstance(choice, ShowFarmersHand))) for choice in choices]

    def _stakes(self, view: View) -> Stakes:
        return stakes(view, in_points=self.skill.in_points)

    def _imagine(self, view: View, contract: Contract, chance: Random, mine: tuple[Card, ...] | None = None) -> Layouts:
        """As many layouts as its skill allows; whoever has hunches chooses them by what was called."""
        many = self.skill.layouts
        if not self.skill.hunches or not tell(view):
            return layouts(view, contract, many, chance, mine=mine)
        imagined = layouts(view, contract, _CHOICE * many, chance, mine=mine)
        weigh(view, imagined)
        imagined.choose(many, chance.random())
        return imagined

    def _cards(self, view: View, choices: Sequence[Play], chance: Random) -> list[Judged]:
        contract = _made(view)
        worth = self._stakes(view).of(contract)
        cards = [choice.card for choice in choices]
        means = self._imagine(view, contract, chance).card_means(cards, worth)
        return [Judged(choice, mean) for choice, mean in zip(choices, means, strict=True)]

    def _burials(self, view: View, choices: Sequence[Bury], chance: Random) -> list[Judged]:
        """Each card buried in the same layouts, with the hand that is left."""
        contract, seed = _made(view), chance.getrandbits(64)
        worth = self._stakes(view).of(contract)
        return [Judged(choice, self._without(view, contract, [choice.card], worth, seed)) for choice in choices]

    def _layings(self, view: View, choices: Sequence[LayAway], chance: Random) -> list[Judged]:
        contract, seed = _made(view), chance.getrandbits(64)
        worth = self._stakes(view).of(contract)
        return [Judged(choice, self._without(view, contract, choice.cards, worth, seed)) for choice in choices]

    def _without(self, view: View, contract: Contract, gone: Sequence[object], worth: Worth, seed: int) -> float:
        """What the hand is worth when the viewer has put these cards aside; a dealer holds the up-card by then."""
        held = {card for card in view.cards if card is not UNKNOWN}
        if contract.ordered and view.seat is view.dealer and not _has_buried(view):
            held |= {view.up_card}
        mine = tuple(card for card in held if card not in gone)
        return self._imagine(view, contract, Random(seed), mine).mean(worth)

    def _alone(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        made, seed = _made(view), chance.getrandbits(64)
        both: dict[type, Contract] = {GoAlone: replace(made, alone=True), GoTogether: replace(made, alone=False)}
        return self._compared(view, choices, both, seed)

    def _defence(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        made, seed = _made(view), chance.getrandbits(64)
        both: dict[type, Contract] = {DefendAlone: replace(made, defender=view.seat), DefendTogether: made}
        return self._compared(view, choices, both, seed)

    def _compared(
        self, view: View, choices: Sequence[Action], contracts: Mapping[type, Contract], seed: int
    ) -> list[Judged]:
        """Each choice by the contract it leads to, in the same layouts."""
        at_stake = self._stakes(view)
        return [
            Judged(choice, self.imagine(view, contract, seed).mean(at_stake.of(contract)))
            for choice in choices
            for contract in [contracts[type(choice)]]
        ]

    def _calls(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        """By what was fitted to such a game; elsewhere each call by its layouts, and a pass played out or guessed."""
        at_stake = self._stakes(view)
        calls = [choice for choice in choices if isinstance(choice, Order | Name)]
        if self.skill.fitted and fits(view.rules):
            return Fitted(view, at_stake, solved(view, calls, place_of(view)), self.temper.eager).judge(choices)
        seed = chance.getrandbits(64)
        contracts = {call: would_make(view, call) for call in calls}
        worth = {
            call: self.imagine(view, contract, seed).mean(at_stake.of(contract)) for call, contract in contracts.items()
        }
        passes = [choice for choice in choices if choice not in contracts]
        if self.skill.playouts and passes and worth and can_play_out(view):
            best = max(worth, key=worth.__getitem__)
            quick, many = Bot(QUICK), self.skill.playouts
            gained = passed_up(view, contracts[best], at_stake, quick, many=many, chance=chance)
            eager = self.temper.eager * (at_stake.of_net(1) - at_stake.of_net(-1)) / 2
            passing = worth[best] + gained - eager
        else:
            passing = at_stake.of_expected(self.skill.threshold - self.temper.eager)
        return [*(Judged(call, value) for call, value in worth.items()), *(Judged(one, passing) for one in passes)]

    def imagine(self, view: View, contract: Contract, seed: int) -> Layouts:
        """Layouts of a contract that is not played yet: the dealer takes the up-card, the maker the dummy."""
        rules, chairs = view.rules, seats_on_chairs(view.rules, contract)
        imagined = self._imagine(view, contract, Random(seed))
        if contract.ordered and view.made is None and view.dealer in active_seats(rules, contract):
            imagined.take_up(chairs.index(view.dealer), view.up_card)
        if rules.dummy_size and not contract.alone:
            imagined.take_dummy(0, DUMMY, rules.dummy_size)
        return imagined


def _has_buried(view: View) -> bool:
    return any(isinstance(action, Bury) for action in view.said)


def _made(view: View) -> Contract:
    """The contract as the viewer knows it."""
    made = view.made
    assert made is not None
    return Contract(maker=made.maker, trump=made.trump, ordered=made.ordered, alone=made.alone, defender=made.defender)
