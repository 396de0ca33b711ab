"""The commands of `python -m proofs`."""
