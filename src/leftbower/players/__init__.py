"""Players: a `View` in, an `Action` out. Bots and their judgment, the coach, and the arena."""

from leftbower.players.player import Player, RandomPlayer

__all__ = ["Player", "RandomPlayer"]
