"""Processes: run loop, supervisor, workers, listeners, garbage collection, warm-up."""
