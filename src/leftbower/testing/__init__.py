"""Hypothesis strategies for tests of leftbower and of programs built on it. Needs the `testing` extra."""

from leftbower.testing.house import house_rules, option_values

__all__ = ["house_rules", "option_values"]
