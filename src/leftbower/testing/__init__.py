"""Hypothesis strategies for tests of leftbower and of programs built on it. Needs the `testing` extra."""

from leftbower.testing.deals import deals, decks
from leftbower.testing.house import hand_rules, house_rules, option_values
from leftbower.testing.matches import match_facts
from leftbower.testing.states import finished_hands, hands, states

__all__ = [
    "deals",
    "decks",
    "finished_hands",
    "hand_rules",
    "hands",
    "house_rules",
    "match_facts",
    "option_values",
    "states",
]
