"""How often somebody may ask: a bucket that fills slowly and is emptied by asking."""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Final

from leftbower.errors import TooOften

_KEPT: Final = 10_000
"""Whoever has not asked for longer than so many others is forgotten, and then has a full bucket."""


class Limit:
    """So many at once, and so many a second from then on, for each who asks."""

    def __init__(self, burst: int, rate: float, clock: Callable[[], float] = monotonic) -> None:
        self._burst, self._rate, self._clock = burst, rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def ask(self, who: str) -> None:
        """Take one, or TooOften with the seconds to wait."""
        now = self._clock()
        left, at = self._left.pop(who, (float(self._burst), now))
        left = min(self._burst, left + (now - at) * self._rate)
        self._left[who] = (max(left - 1, 0.0) if left >= 1 else left, now)
        while len(self._left) > _KEPT:
            self._left.popitem(last=False)
        if left < 1:
            raise TooOften("that was asked too often", wait=(1 - left) / self._rate)
