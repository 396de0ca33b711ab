"""A bot: it imagines layouts that fit its view, solves them, and does what is worth most on the average."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

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
from leftbower.players.hunches import weigh
from leftbower.players.layouts import DUMMY, layouts
from leftbower.players.player import proper
from leftbower.players.stakes import Stakes, Worth, stakes
from leftbower.rules.cards import UNKNOWN, Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """How well a bot plays."""

    name: str
    layouts: int = 100
    """How many layouts it imagines for a card, a bury or a decision to go alone."""
    in_points: bool = True
    hunches: bool = False
    """Does it think of what the others called and passed?"""
    threshold: float = 0.0
    """What a call must be worth, in points, to be preferred to a pass."""


@dataclass(frozen=True, slots=True)
class Judged:
    """An action and what it is worth to the player."""

    action: Action
    worth: float


class Bot:
    """A player of some skill."""

    talks = False

    def __init__(self, skill: Skill) -> None:
        self.skill = skill

    @property
    def name(self) -> str:
        """The name of its skill."""
        return self.skill.name

    def act(self, view: View, chance: Random) -> Action:
        """What is worth most; the first of equals."""
        choices = proper(view)
        if len(choices) == 1:
            return choices[0]
        return max(self.judge(view, choices, chance), key=lambda judged: judged.worth).action

    def remark(self, view: View, chance: Random) -> Action | None:
        """Nothing that was not asked for."""
        return None

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
                return [Judged(choice, float(isinstance(choice, Disagree))) for choice in choices]
            case Settle():
                return [Judged(choice, float(choice.points)) for choice in choices if isinstance(choice, Settle)]
            case _:
                return [Judged(choice, float(isinstance(choice, ShowFarmersHand))) for choice in choices]

    def _stakes(self, view: View) -> Stakes:
        return stakes(view, in_points=self.skill.in_points)

    def _imagine(self, view: View, contract: Contract, chance: Random, mine: tuple[Card, ...] | None = None) -> Layouts:
        imagined = layouts(view, contract, self.skill.layouts, chance, mine=mine)
        if self.skill.hunches:
            weigh(view, imagined)
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
        if contract.ordered and view.seat is view.dealer:
            held |= {view.up_card}
        mine = tuple(card for card in held if card not in gone)
        return self._imagine(view, contract, Random(seed), mine).mean(worth)

    def _alone(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        made, seed = _made(view), chance.getrandbits(64)
        both: dict[type, Contract] = {GoAlone: replace(made, alone=True), GoTogether: replace(made, alone=False)}
        return [
            Judged(choice, self._contract(view, both[type(choice)], seed)) for choice in choices if type(choice) in both
        ]

    def _defence(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        made, seed = _made(view), chance.getrandbits(64)
        both: dict[type, Contract] = {DefendAlone: replace(made, defender=view.seat), DefendTogether: made}
        return [
            Judged(choice, self._contract(view, both[type(choice)], seed)) for choice in choices if type(choice) in both
        ]

    def _calls(self, view: View, choices: Sequence[Action], chance: Random) -> list[Judged]:
        seed = chance.getrandbits(64)
        return [Judged(choice, self._call(view, choice, seed)) for choice in choices]

    def _call(self, view: View, choice: Action, seed: int) -> float:
        if isinstance(choice, Pass):
            return self.skill.threshold
        return self._contract(view, _would_make(view, choice), seed)

    def _contract(self, view: View, contract: Contract, seed: int) -> float:
        """What a contract is worth that is not played yet: the dealer takes the up-card, the maker the dummy."""
        worth = self._stakes(view).of(contract)
        rules, chairs = view.rules, seats_on_chairs(view.rules, contract)
        active = active_seats(rules, contract)
        takes_up = contract.ordered and contract.buried is None and view.dealer in active
        held = tuple(card for card in view.cards if card is not UNKNOWN)
        imagined = self._imagine(view, contract, Random(seed), held)
        if takes_up and (view.made is None):
            imagined.take_up(chairs.index(view.dealer), view.up_card)
        if rules.dummy_size and not contract.alone and not contract.laid_away:
            imagined.take_dummy(0, DUMMY, rules.dummy_size)
        return imagined.mean(worth)


def _made(view: View) -> Contract:
    """The contract as the viewer knows it."""
    made = view.made
    assert made is not None
    return Contract(maker=made.maker, trump=made.trump, ordered=made.ordered, alone=made.alone, defender=made.defender)


def _would_make(view: View, call: Action) -> Contract:
    """The contract that a call would make."""
    assert isinstance(call, Order | Name)
    ordered = isinstance(call, Order)
    trump = view.up_card.suit if isinstance(call, Order) else call.suit
    return Contract(maker=call.seat, trump=trump, ordered=ordered, alone=call.alone)
