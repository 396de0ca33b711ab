"""How bots value calls and cards: sampled layouts, call likelihoods, rollouts, score utility."""
