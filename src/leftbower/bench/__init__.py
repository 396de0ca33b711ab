"""Measurements and proofs: our engine beside one that is not ours, for what is right and for what is fast."""
