"""How often somebody may ask: a bucket that fills slowly and is emptied by asking."""

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from time import monotonic
from typing import Final

from leftbower.errors import TooOften
from leftbower.server.metrics import LIMITS

_KEPT: Final = 10_000
"""Whoever has not asked for longer than so many others is forgotten, and then has a full bucket."""


class Limit:
    """So many at once, and so many a second from then on, for each who asks."""

    def __init__(self, burst: int, rate: float, clock: Callable[[], float] = monotonic, *, name: str = "other") -> None:
        self._burst, self._rate, self._clock, self._name = burst, rate, clock, name
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
            LIMITS.add(self._name)
            raise TooOften("that was asked too often", wait=(1 - left) / self._rate)


def address(host: str) -> IPv4Address | IPv6Address | None:
    """The address of a client; None where it has none. One of the old kind is the same in the clothes of the new."""
    try:
        found = ip_address(host)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def household(host: str) -> str:
    """Under which strangers from one place are counted together: whoever has one IPv6 address has 2^64 of them."""
    found = address(host)
    return str(IPv6Network((found, 64), strict=False) if isinstance(found, IPv6Address) else found or host)
