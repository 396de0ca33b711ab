"""Hypothesis strategies for tests of leftbower and of programs built on it. Needs the `testing` extra."""

from leftbower.testing.deals import deals as deals, decks as decks
from leftbower.testing.house import hand_rules as hand_rules, house_rules as house_rules, option_values as option_values
from leftbower.testing.matches import match_facts as match_facts
from leftbower.testing.states import finished_hands as finished_hands, hands as hands, states as states
