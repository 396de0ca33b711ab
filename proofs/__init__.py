"""Proofs: randomized comparisons with independent oracles, crash tests, fuzzing, leak tests."""
