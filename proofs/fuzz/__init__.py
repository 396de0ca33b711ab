"""Coverage-guided fuzzing of every parser of untrusted input."""
