"""Passwords: validation, normalization, and hashing in two threads.

A hash takes a tenth of a second and 64 MiB by design, so only two are computed at a time, off the event loop and with a
bounded queue; when it is full, requests are refused as TooOften.
"""

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import BoundedSemaphore
from typing import Final, TypeVar

from pwdlib import PasswordHash

from leftbower.errors import BadRequest, TooOften
from leftbower.server.people.sanitize import strip_invisible

T = TypeVar("T")
MIN_PASSWORD_LENGTH: Final = 8
MAX_PASSWORD_LENGTH: Final = 200
MAX_LOGIN_LENGTH: Final = 100
"""Characters of a normalized login; case folding makes some letters longer."""
_HASH_THREADS: Final = 2
_MAX_QUEUED_HASHES: Final = 16
"""Hashes waiting for a thread, about a second of work; the next one is refused."""


class Passwords:
    """Hashes and verifies passwords in a bounded thread pool."""

    def __init__(self, hasher: PasswordHash | None = None, *, max_queued: int = _MAX_QUEUED_HASHES) -> None:
        self._hasher = hasher or PasswordHash.recommended()
        self._pool: ThreadPoolExecutor | None = None
        self._slots = BoundedSemaphore(_HASH_THREADS + max_queued)

    async def close(self) -> None:
        """Finish running hashes, off the event loop; the next password restarts the pool."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.get_running_loop().run_in_executor(None, partial(pool.shutdown, cancel_futures=True))

    async def hash(self, password: str) -> str:
        """The hash of a password, to be stored."""
        return await self._run(partial(self._hasher.hash, normalize_password(password)))

    async def verify(self, password: str, stored_hash: str | None) -> bool:
        """Does the password match a stored hash? Without one, False after the same work."""
        if stored_hash is None:
            await self.hash(password)
            return False
        return await self._run(partial(self._hasher.verify, normalize_password(password), stored_hash))

    async def _run(self, work: Callable[[], T]) -> T:
        if not self._slots.acquire(blocking=False):
            raise TooOften("too many people are signing in; wait 1 second", wait=1.0)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_HASH_THREADS, thread_name_prefix="leftbower password")
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._slots.release())  # also when the caller disconnects before it is done
        return await asyncio.wrap_future(future)


def normalize_password(password: str) -> str:
    """Normalize to NFC, because keyboards differ in whether an accent is a separate character."""
    return unicodedata.normalize("NFC", password)


def check_password(password: str) -> str:
    """Return a password of 8 to 200 printable characters, or BadRequest."""
    if not MIN_PASSWORD_LENGTH <= len(password) <= MAX_PASSWORD_LENGTH or not password.isprintable():
        raise BadRequest(
            "a password must have %(least)s to %(most)s printable characters",
            path="body.password",
            least=MIN_PASSWORD_LENGTH,
            most=MAX_PASSWORD_LENGTH,
        )
    return password


def normalize_login(login: str) -> str:
    """A login without invisible characters and without differences of case or width; otherwise BadRequest."""
    plain = unicodedata.normalize("NFKC", strip_invisible(login)).casefold()
    normalized = strip_invisible(unicodedata.normalize("NFKC", plain))
    if not 0 < len(normalized) <= MAX_LOGIN_LENGTH:
        raise BadRequest("a login must have 1 to 40 visible characters", path="body.login")
    return normalized
