"""The coach: values every choice of a player, and says what to do and why."""
