"""Training of the bots' data files."""
