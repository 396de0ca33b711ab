"""Coverage-guided fuzzing of every parser a stranger can reach."""
