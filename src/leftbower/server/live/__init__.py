"""Live tables and events: states folded from logs and cached, the scheduler of due actions, bots."""
