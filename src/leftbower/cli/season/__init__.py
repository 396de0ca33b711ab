"""`leftbower season`: evenings joined into a season, in one file beside those of the evenings."""
