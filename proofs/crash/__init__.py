"""Crash proofs: servers killed under load, and their logs compared with what clients were answered."""
