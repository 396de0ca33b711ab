"""`leftbower tournament`: run an event offline, in one file."""
