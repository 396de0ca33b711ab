"""Strategies for reachable states of a hand: a random walk through a drawn deal, in which rare phases come up often."""

from collections.abc import Callable
from functools import cache
from typing import Final

from hypothesis import assume, strategies as st

from leftbower.engine.actions import Action, KeepHand, Pass, Ready
from leftbower.engine.hand import acts, apply, start, talk
from leftbower.engine.states import AskingDefenders, AskingFarmers, DecidingAlone, ExchangingDummy, Scored, State
from leftbower.rules.choices import FarmersHand, GoingAlone, LoneDefense
from leftbower.rules.house import HouseRules
from leftbower.testing.deals import deals
from leftbower.testing.house import hand_rules

Choose = Callable[[int], int]
"""Picks a number below its argument."""


class Walk(tuple[State, ...]):
    """The consecutive states of a hand. It prints as the last one, whose actions imply the others.

    Printed in full it would be so long that Hypothesis warns, and a warning may hide the failure it comes with.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Walk(to {self[-1]!r})"


@st.composite
def hands(draw: st.DrawFn, rules: HouseRules | None = None, *, unknown: bool = False) -> Walk:
    """All states of a hand, from the deal to the score.

    With `unknown`, some of the dealt cards are unknown, as in recorded games.
    """
    rules = draw(hand_rules()) if rules is None else rules
    state: State = start(rules, draw(deals(rules, unknown=unknown)))
    passes = draw(st.integers(0, 2 * rules.players))

    def choose(size: int) -> int:
        return draw(_one_of(size))

    walk = [state]
    while not isinstance(state, Scored):
        state = apply(state, choose_action(state, choose, passes=passes))
        walk.append(state)
    return Walk(walk)


@st.composite
def states(
    draw: st.DrawFn,
    rules: HouseRules | None = None,
    phase: type[State] | None = None,
    *,
    unknown: bool = False,
) -> State:
    """Any reachable state under these rules (by default any rules) and in this phase (by default any phase)."""
    if rules is None:
        rules = draw(_rules_with(phase))
    walk = draw(hands(rules, unknown=unknown))
    wanted = draw(st.sampled_from(sorted({type(state) for state in walk}, key=str))) if phase is None else phase
    there = [state for state in walk if isinstance(state, wanted)]
    assume(there)
    return there[draw(_one_of(len(there)))]


def finished_hands(rules: HouseRules | None = None) -> st.SearchStrategy[Scored]:
    return hands(rules).map(_last)


def choose_action(state: State, choose: Choose, *, passes: int) -> Action:
    """A legal action: `passes` passes before a call, a farmer's hand shown half the time, otherwise any."""
    ready = (action for action in talk(state) if isinstance(action, Ready))
    legal: tuple[Action, ...] = acts(state) or tuple(ready)
    if isinstance(legal[0], Pass):
        if len(legal) == 1 or sum(isinstance(action, Pass) for action in state.actions) < passes:
            return legal[0]
        legal = legal[1:]
    elif isinstance(legal[0], KeepHand):
        legal = legal[1:] if len(legal) > 1 and choose(2) else legal[:1]
    return legal[choose(len(legal))]


_REACHED_WITH: Final[dict[type[State], dict[str, st.SearchStrategy[object]]]] = {
    AskingFarmers: {
        "players": st.sampled_from([3, 4]),
        "farmers_hand": st.sampled_from([FarmersHand.REDEAL, FarmersHand.SWAP]),
    },
    DecidingAlone: {"going_alone": st.just(GoingAlone.BEFORE_THE_LEAD)},
    ExchangingDummy: {"players": st.sampled_from([2, 3])},
    AskingDefenders: {
        "players": st.just(4),
        "defend_alone": st.sampled_from([LoneDefense.AGAINST_A_LONER, LoneDefense.ALWAYS]),
    },
}
"""The options that make some phases reachable."""


def _rules_with(phase: type[State] | None) -> st.SearchStrategy[HouseRules]:
    needed = st.fixed_dictionaries({} if phase is None else _REACHED_WITH.get(phase, {}))
    return needed.flatmap(lambda fixed: hand_rules(**fixed))


@cache
def _one_of(size: int) -> st.SearchStrategy[int]:
    return st.integers(0, size - 1)


def _last(walk: tuple[State, ...]) -> Scored:
    over = walk[-1]
    assert isinstance(over, Scored)
    return over
