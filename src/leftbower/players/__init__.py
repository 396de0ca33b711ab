"""A `View` in, an `Action` out: bots, what they know and how they judge, the coach, and the arena."""

from leftbower.players.player import Player, RandomPlayer

__all__ = ["Player", "RandomPlayer"]
