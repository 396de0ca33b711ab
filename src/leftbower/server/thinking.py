"""What bots do and say: each is shown the view of its seat, and thinks in a bounded pool, off the event loop."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random
from typing import Final, TypeVar

from leftbower.engine import Action, CallOut, Correct, Open, View, talk, view
from leftbower.players import RandomPlayer
from leftbower.players.advice import Advice
from leftbower.players.coach import advise
from leftbower.players.roster import player as bot_named
from leftbower.rules.choices import Supervision
from leftbower.rules.seats import Seat
from leftbower.server.logs import tell_of
from leftbower.server.metrics import THINKING
from leftbower.table import Bot, Table

T = TypeVar("T")
_AT_ONCE: Final = 2
"""So many bots think at the same time; the others wait for their turn."""
_LONGEST: Final = 1000
"""No hand has so many acts and words; in one that has, bots say nothing more unasked."""
_log = logging.getLogger("leftbower.bots")


class Thinkers:
    """The bots of all tables."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="leftbower bot")

    async def close(self) -> None:
        """Let whoever thinks finish the thought, off the event loop."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        await asyncio.get_running_loop().run_in_executor(None, partial(self._pool.shutdown, wait=True))

    async def act(self, level: str, seen: View, chance: Random) -> Action:
        """What a bot does when it is asked. One that fails does anything proper, so that no table waits for it."""
        try:
            with THINKING.taken(level):
                action = await self._think(bot_named(level).act, seen, chance)
            if action in seen.legal:
                return action
            _log.error("a bot of level %s answered with what is not legal", level)
        except Exception as error:
            tell_of(_log, f"a bot of level {level} failed", error)
        return RandomPlayer().act(seen, chance)

    async def advise(self, seen: View, chance: Random) -> Advice:
        """What the coach says to whoever sees this."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(advise, seen, chance=chance))

    def may_remark(self, table: Table) -> bool:
        """Could a bot have something to say unasked? Where players must notice what is wrong."""
        hand = table.hand
        return (
            hand is not None
            and table.rules.supervision is Supervision.HONOUR
            and len(hand.actions) <= _LONGEST
            and any(isinstance(sitter, Bot) for sitter in table.seats.values())
        )

    async def remark(self, table: Table, rng: Callable[[View], Random]) -> Action | None:
        """What some bot has to say unasked."""
        hand = table.hand
        if hand is None or not self.may_remark(table):
            return None
        for seat in _speakers(hand):
            sitter = table.seats.get(seat)
            if isinstance(sitter, Bot):
                seen = view(hand, seat)
                remark = await self._remark(sitter.level, seen, rng(seen))
                if remark is not None:
                    return remark
        return None

    async def _remark(self, level: str, seen: View, chance: Random) -> Action | None:
        try:
            remark = await self._think(bot_named(level).remark, seen, chance)
        except Exception as error:
            tell_of(_log, f"a bot of level {level} failed", error)
            return None
        return remark if remark in seen.legal else None

    async def _think(self, think: Callable[[View, Random], T], seen: View, chance: Random) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, think, seen, chance)


def _speakers(hand: Open) -> list[Seat]:
    """Who could call or correct something now; whoever acted last has just had the word."""
    last = hand.actions[-1].seat if hand.actions else None
    can = {action.seat for action in talk(hand) if isinstance(action, CallOut | Correct)}
    return [seat for seat in hand.hand.rules.places if seat in can and seat is not last]
