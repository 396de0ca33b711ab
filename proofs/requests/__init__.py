"""Mutated requests against whole applications."""
