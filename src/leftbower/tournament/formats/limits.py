"""Limits of one draw; a larger draw is refused before any of it is computed."""

from typing import Final

MAX_ENTRANTS: Final = 1000
"""Entrants of one event."""
MAX_MATCHES_PER_DRAW: Final = 10_000
"""Matches per draw, which is one commit: 141 teams in a full round robin, or 1,000 teams for 20 rounds.
A commit of 10,000 matches takes about as long as three others, so players do not notice it."""
MAX_SWISS_BLOCK_TEAMS: Final = 200
"""Teams matched together in a Swiss round; a larger field is split into blocks along the standings."""
