"""Building blocks of draws: base rounds, edge coloring, table rotation, brackets."""
