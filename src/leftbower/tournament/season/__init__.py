"""A season: evenings joined by the identity of their players."""
