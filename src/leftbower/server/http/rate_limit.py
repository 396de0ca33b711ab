"""Rate limits by key: a token bucket, an exponential backoff, and the limits of a server."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from math import ceil
from time import monotonic
from typing import Any, Final

from cachetools import LRUCache

from leftbower.errors import TooOften
from leftbower.i18n import ngettext
from leftbower.server.observability.metrics import LIMITS_HIT
from leftbower.store import DAY

_MAX_KEYS: Final = 10_000
"""Keys in memory; the least recently used is evicted and starts again with a full bucket."""


class RateLimit:
    """Token bucket per key: `burst` at once, then `rate` per second."""

    def __init__(self, burst: int, rate: float, clock: Callable[[], float] = monotonic, *, name: str = "other") -> None:
        self._burst, self._rate, self._clock, self._name = burst, rate, clock, name
        self._left: LRUCache[str, tuple[float, float]] = LRUCache(_MAX_KEYS)

    def take(self, key: str) -> None:
        """Take one token; TooOften with the seconds to wait if there is none."""
        now = self._clock()
        left, at = self._left.get(key, (float(self._burst), now))
        left = min(self._burst, left + (now - at) * self._rate)
        self._left[key] = (max(left - 1, 0.0) if left >= 1 else left, now)
        if left < 1:
            LIMITS_HIT.labels(self._name).inc()
            wait = (1 - left) / self._rate
            seconds = ceil(wait)
            message = ngettext(
                "too many requests; wait %(num)d second", "too many requests; wait %(num)d seconds", seconds
            )
            raise TooOften(message, wait=wait)


class Backoff:
    """Growing delay between failed attempts, per key: the first few are free, then each failure doubles the wait.

    An attempt counts as failed until `reset`, so that concurrent attempts count too.
    """

    def __init__(
        self,
        *,
        free: int = 5,
        first: float = 2.0,
        longest: float = 900.0,
        forgotten: float = 3600.0,
        clock: Callable[[], float] = monotonic,
        name: str = "other",
    ) -> None:
        """In seconds: the `first` and the `longest` wait, and the idle time after which a key is `forgotten`."""
        self._free, self._first, self._longest, self._forgotten = free, first, longest, forgotten
        self._clock, self._name = clock, name
        self._failed: LRUCache[str, tuple[int, float]] = LRUCache(_MAX_KEYS)

    def attempt(self, key: str) -> None:
        """Count an attempt; TooOften with the seconds to wait if it is too early, which does not count."""
        now = self._clock()
        count, last = self._failed.get(key, (0, now))
        if now - last >= self._forgotten:
            count = 0
        wait = last + self._delay(count) - now
        if wait > 0:
            LIMITS_HIT.labels(self._name).inc()
            seconds = ceil(wait)
            message = ngettext(
                "too many wrong attempts; wait %(num)d second", "too many wrong attempts; wait %(num)d seconds", seconds
            )
            raise TooOften(message, wait=wait)
        self._failed[key] = count + 1, now

    def reset(self, key: str) -> None:
        """The attempt succeeded."""
        self._failed.pop(key, None)

    def _delay(self, count: int) -> float:
        """Seconds to wait after this number of failures."""
        doubled = count - self._free
        return 0.0 if doubled < 0 else min(self._first * 2.0 ** min(doubled, 40), self._longest)


def _bucket(burst: int, rate: float, name: str) -> Any:
    return field(default_factory=partial(RateLimit, burst, rate, name=name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a server, per process."""

    anonymous: RateLimit = _bucket(60, 2.0, "anonymous")
    """Requests of callers who are not signed in, by address; and what people create, by person."""
    token: RateLimit = _bucket(200, 50.0, "token")
    """Requests by token."""
    chat: RateLimit = _bucket(8, 0.5, "chat")
    """Chat messages by person."""
    event_pages: RateLimit = _bucket(2000, 200.0, "event-pages")
    """Public pages of events by address."""
    imports: RateLimit = _bucket(10, 0.05, "imports")
    """Imported events by address."""
    wrong_codes: RateLimit = _bucket(60, 1.0, "wrong-codes")
    """Invalid links of events, by address."""
    join_codes: RateLimit = _bucket(20, 0.2, "join-codes")
    """Join codes of tables tried, by address."""
    sign_ins: RateLimit = _bucket(60, 1.0, "sign-ins")
    """Sign-ins by address, counted separately for passwords and passkeys."""
    login_attempts: Backoff = field(default_factory=partial(Backoff, name="passwords"))
    """Wrong passwords by address and login. Never by login alone, or anyone could lock out its owner."""
    site_login_attempts: Backoff = field(default_factory=partial(Backoff, free=50, name="passwords"))
    """The same for all networks of an IPv6 site (/48) together."""
    new_guests: RateLimit = _bucket(2_000, 2_000 / DAY, "guests")
    """Guests by address; the daily number is that of the quota."""
    new_events: RateLimit = _bucket(100, 100 / DAY, "events")
    """Events created or imported by address; the daily number is that of the quota."""
    new_entries: RateLimit = _bucket(300, 300 / DAY, "entries")
    """Sign-ups for events by address; the daily number is that of the quota."""
    feeds_per_person: int = 20
    """Open feeds of one person, or of one link of an event. One more evicts the oldest, perhaps of a lost browser."""
    feeds_per_address: int = 2_000
    """Open anonymous feeds from one address; a whole hall may share one."""


def parse_address(host: str) -> IPv4Address | IPv6Address | None:
    """Parse a client address; IPv4-mapped IPv6 addresses become IPv4. None if it is not an address."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def ipv6_site(label: str) -> str:
    """Widen a label that ends in an IPv6 /64 to its /48, because one customer may have all of it."""
    words, _, network = label.rpartition(" ")
    if not network.endswith("/64"):
        return label
    return f"{words} {IPv6Network(network).supernet(new_prefix=48)}"


def client_key(host: str) -> str:
    """The key of a client address: an IPv6 address counts as its /64, because one customer has all of it."""
    address = parse_address(host)
    return str(IPv6Network((address, 64), strict=False) if isinstance(address, IPv6Address) else address or host)
