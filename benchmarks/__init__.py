"""Measurements of the engine, the solver and the server; run by `python -m benchmarks`."""
