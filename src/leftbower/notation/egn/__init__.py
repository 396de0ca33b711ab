"""Euchre Game Notation: the parsed document, and its replay through the engine."""
