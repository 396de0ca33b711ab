"""Tournament formats: from entrants and past rounds to the next pairings."""
