"""Live tables and events: cached folds of logs, the scheduler of due actions, bots."""
