"""Thread pool for bots: each decides from the view of its seat, off the event loop."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from random import Random
from typing import Final

from leftbower.engine import Action, CallOut, Correct, HandViews, View
from leftbower.players import RandomPlayer
from leftbower.players.coach.advice import Advice
from leftbower.players.coach.coach import advise
from leftbower.players.roster import player
from leftbower.rules.seats import Seat
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import BOT_SECONDS
from leftbower.table import SeatedBot, Table

_MAX_THREADS: Final = 2
"""Bots that decide at the same time."""
bot_named: Final = lru_cache(maxsize=16)(player)
"""Bots keep no state between decisions."""
_log = logging.getLogger("leftbower.bots")


class BotPool:
    """Runs the decisions of the bots of all tables."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_MAX_THREADS, thread_name_prefix="leftbower bot")

    async def close(self) -> None:
        """Wait for running decisions, off the event loop."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.get_running_loop().run_in_executor(None, partial(self._pool.shutdown, wait=True))

    async def act(self, level: str, own_view: View, rng: Random) -> Action:
        """A bot's action; a random legal one if the bot fails, so that the table continues."""
        try:
            with BOT_SECONDS.labels(level).time():
                loop = asyncio.get_running_loop()
                action = await loop.run_in_executor(self._pool, bot_named(level).act, own_view, rng)
            if action in own_view.legal:
                return action
            _log.error("a bot of level %s chose an illegal action", level)
        except Exception as error:
            log_error(_log, f"a bot of level {level} failed", error)
        return RandomPlayer().act(own_view, rng)

    async def advise(self, own_view: View, rng: Random) -> Advice:
        """The coach's advice for this view."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(advise, own_view, rng=rng))

    async def remark(self, table: Table, rng: Callable[[View], Random]) -> Action | None:
        """The first remark of a bot out of turn, such as calling an irregularity."""
        views = table.hand_views
        assert views is not None
        for seat in _speakers(views):
            sitter = table.seats.get(seat)
            if isinstance(sitter, SeatedBot):
                own_view = views.of(seat)
                remark = await self._remark(sitter.level, own_view, rng(own_view))
                if remark is not None:
                    return remark
        return None

    async def _remark(self, level: str, own_view: View, rng: Random) -> Action | None:
        try:
            loop = asyncio.get_running_loop()
            remark = await loop.run_in_executor(self._pool, bot_named(level).remark, own_view, rng)
        except Exception as error:
            log_error(_log, f"a bot of level {level} failed", error)
            return None
        return remark if remark in own_view.legal else None


def _speakers(views: HandViews) -> list[Seat]:
    """The seats that could call or correct something now, except the last to act."""
    hand = views.state
    silent = hand.actions[-1].seat if hand.actions else None
    return [
        seat
        for seat in hand.hand.rules.seats
        if seat is not silent and any(isinstance(action, CallOut | Correct) for action in views.legal.get(seat, ()))
    ]
