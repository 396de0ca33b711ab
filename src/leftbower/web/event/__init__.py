"""Pages of an event: the desk, phones, players, the wall."""
