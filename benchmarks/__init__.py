"""Benchmarks of the engine, the solver and the server; run with `python -m benchmarks`."""
