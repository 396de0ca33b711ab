"""How people enter an event: its plan, sign-ups, the door, and who opened it."""
