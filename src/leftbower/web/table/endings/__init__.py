"""View models of what is over: a hand, a match."""
