"""The roster: players by name, and hybrids that bid like one player and play like another."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from random import Random
from typing import Final

from leftbower.engine import Action, Bury, OpenState, Phase, View
from leftbower.errors import UnknownPlayer, show
from leftbower.players.bot import Bot
from leftbower.players.driver import ask_player, sees_all, talks
from leftbower.players.levels import BASELINE, EXPERT, NOVICE, REGULAR, Temper
from leftbower.players.omniscient import Omniscient
from leftbower.players.player import Player, RandomPlayer

PLAYERS: Final[dict[str, Callable[[], Player]]] = {
    "random": RandomPlayer,
    "novice": lambda: Bot(NOVICE),
    "regular": lambda: Bot(REGULAR),
    "expert": lambda: Bot(EXPERT),
    "baseline": lambda: Bot(BASELINE),
    "omniscient": Omniscient,
}
"""Every player by name: random, the levels, the baseline, and omniscient, which is for the arena only."""


LEVELS: Final = {skill.name: skill for skill in (NOVICE, REGULAR, EXPERT)}
"""Bots that also come in a bold and a cautious version: `expert+bold`."""


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Bids like one player and plays like another: calls, discards and alone by the first, cards by the second."""

    bidder: Player
    """Makes every decision before the first lead, and a late discard."""
    cardplayer: Player
    """Plays the cards, and does the talking."""

    @property
    def name(self) -> str:
        """Both names, in the form the roster reads."""
        return f"bid={self.bidder.name},play={self.cardplayer.name}"

    @property
    def talks(self) -> bool:
        """Does the cardplayer talk?"""
        return talks(self.cardplayer)

    @property
    def sees_all(self) -> bool:
        """Does one of the two get to see every card? The other never does."""
        return sees_all(self.bidder) or sees_all(self.cardplayer)

    def act(self, view: View, rng: Random) -> Action:
        """The action of the player in charge of this part of the hand."""
        return self._in_charge(view).act(view, rng)

    def act_seeing(self, state: OpenState, view: View, rng: Random) -> Action:
        """The same if one of the two sees all cards."""
        return ask_player(self._in_charge(view), state, view, rng)

    def remark(self, view: View, rng: Random) -> Action | None:
        return self.cardplayer.remark(view, rng)

    def _in_charge(self, view: View) -> Player:
        burying = any(isinstance(action, Bury) for action in view.legal)
        return self.cardplayer if view.phase in _CARD_PLAY_PHASES and not burying else self.bidder


def player(spec: str) -> Player:
    """Look up a player: a name in the roster, a level with a temper (`expert+bold`), or `bid=X,play=Y`."""
    parts = re.fullmatch(r"bid=([^,]+),play=([^,]+)", spec)
    return Hybrid(_named(parts[1]), _named(parts[2])) if parts else _named(spec)


_CARD_PLAY_PHASES: Final = frozenset({Phase.PLAYING, Phase.ANSWERING, Phase.SETTLING, Phase.CLOSING})


def _named(name: str) -> Player:
    if name in PLAYERS:
        return PLAYERS[name]()
    level, _, word = name.partition("+")
    temper = next((temper for temper in Temper if temper.word == word), None)
    if level in LEVELS and temper is not None:
        return Bot(LEVELS[level], temper)
    near = get_close_matches(name[:40], PLAYERS, n=1)
    if near:
        raise UnknownPlayer("%(name)s is not a player; did you mean %(near)s?", name=show(name), near=near[0])
    names = ", ".join(PLAYERS)
    raise UnknownPlayer("%(name)s is not a player; write %(names)s, or bid=X,play=Y", name=show(name), names=names)
