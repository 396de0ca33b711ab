"""Events: entrants, draws, scores, standings and prizes, as a fold over an append-only ledger."""
