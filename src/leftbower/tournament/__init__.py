"""Events: entrants, draws, scores, standings and prizes, all of it a fold over a ledger in which nothing is erased."""
