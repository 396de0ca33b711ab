"""`leftbower tournament`: an event in one file, offline."""
