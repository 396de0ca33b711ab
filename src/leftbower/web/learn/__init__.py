"""Lessons: euchre in five minutes."""
