"""How the bots' data files are made."""
