"""Mutated requests to whole applications."""
