"""The coach: every choice of a viewer with its value, error bar and reasons."""
