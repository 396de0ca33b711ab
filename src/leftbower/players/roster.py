"""The roster: a player by the word that stands for it, and hybrids that bid like one and play like another."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import Final

from leftbower.engine import Action, Bury, Phase, View
from leftbower.errors import UnknownPlayer, show
from leftbower.players.driving import talks
from leftbower.players.player import Player, RandomPlayer

PLAYERS: Final[dict[str, Callable[[], Player]]] = {
    "random": RandomPlayer,
}
"""Every player by name, the weakest first."""


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Bids like one player and plays like another: calls, discards and alone by the first, cards by the second."""

    bidder: Player
    """Who decides everything up to the first lead, a late bury too."""
    cardplayer: Player
    """Who lays the cards, and says what is said across the table."""

    @property
    def name(self) -> str:
        """Both names, as the roster reads them."""
        return f"bid={self.bidder.name},play={self.cardplayer.name}"

    @property
    def talks(self) -> bool:
        """Does the one who talks?"""
        return talks(self.cardplayer)

    def act(self, view: View, chance: Random) -> Action:
        """What the one in charge of this part of the hand does."""
        burying = any(isinstance(action, Bury) for action in view.legal)
        in_charge = self.cardplayer if view.phase in _CARDS and not burying else self.bidder
        return in_charge.act(view, chance)

    def remark(self, view: View, chance: Random) -> Action | None:
        """What the one who lays the cards says."""
        return self.cardplayer.remark(view, chance)


def player(spec: str) -> Player:
    """The player a word stands for: a name of the roster, or `bid=X,play=Y`."""
    parts = re.fullmatch(r"bid=([^,]+),play=([^,]+)", spec)
    return Hybrid(_named(parts[1]), _named(parts[2])) if parts else _named(spec)


_CARDS: Final = frozenset({Phase.PLAYING, Phase.ANSWERING, Phase.SETTLING, Phase.CLOSING})


def _named(name: str) -> Player:
    if name in PLAYERS:
        return PLAYERS[name]()
    near = get_close_matches(name[:40], PLAYERS, n=1)
    hint = f"did you mean {near[0]}?" if near else f"write {', '.join(PLAYERS)}, or bid=X,play=Y"
    raise UnknownPlayer(f"{show(name)} is not a player; {hint}")
