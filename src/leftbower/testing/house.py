"""Strategies for rule sets and option values."""

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from leftbower.errors import ImpossibleRules
from leftbower.rules.house import HouseRules, options
from leftbower.rules.options import Amounts, Group, Number, OneOf, Option

IN_A_HAND: Final = tuple(
    name
    for name, option in options().items()
    if option.group in (Group.BIDDING, Group.ALONE, Group.SCORING) or name in ("players", "farmers_hand", "first_lead")
)
"""The options that affect a single hand, from the deal to its points."""


def option_values(option: Option) -> st.SearchStrategy[Any]:
    """All values of an option."""
    match option.domain:
        case OneOf(choices=choices):
            return st.sampled_from(list(choices))
        case Number(allowed=allowed):
            return st.sampled_from(list(allowed))
        case Amounts(most=most, highest=highest):
            amounts = st.lists(st.integers(1, highest), max_size=most)
            return amounts.map(lambda drawn: tuple(sorted(drawn, reverse=True)))
        case _:
            return st.booleans()


@st.composite
def house_rules(draw: st.DrawFn, /, **fixed: object) -> HouseRules:
    """Any valid rule set with these `fixed` options."""
    chosen = draw(
        st.fixed_dictionaries({}, optional={name: option_values(option) for name, option in options().items()})
    )
    return _settle(chosen | fixed)


@st.composite
def hand_rules(draw: st.DrawFn, /, **fixed: object) -> HouseRules:
    """Any valid rule set for a single hand; options of game, match and event have their defaults."""
    return _settle(draw(_in_a_hand()) | fixed)


@cache
def _in_a_hand() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({name: option_values(options()[name]) for name in IN_A_HAND})


def _settle(chosen: dict[str, Any]) -> HouseRules:
    """Reset options that clash, one by one, until the rule set is valid."""
    while True:
        try:
            return HouseRules(**chosen)
        except ImpossibleRules as clash:
            way_out = False if clash.option == "may_bury_up_card" else options()[clash.option].default
            chosen = chosen | {clash.option: way_out}
