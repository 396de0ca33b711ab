"""Euchre Game Notation: a parsed document, and its replay through the engine."""
