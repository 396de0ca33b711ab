"""Passwords: what is one, what is kept of one, and the two threads in which they are hashed.

A hash takes a tenth of a second and 64 MiB by design, so only two are made at a time, off the event loop, and whoever
would have to wait behind too many others is told to come back.
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
"""Letters of a login when it is folded; some letters become many."""
_HASH_THREADS: Final = 2
_MAX_QUEUED_HASHES: Final = 16
"""So many wait for a thread, which takes them about a second; for the next there is no room."""


class Passwords:
    """Makes and compares hashes, in a bounded pool."""

    def __init__(self, hasher: PasswordHash | None = None, *, waiting: int = _MAX_QUEUED_HASHES) -> None:
        self._hasher = hasher or PasswordHash.recommended()
        self._pool: ThreadPoolExecutor | None = None
        self._room = BoundedSemaphore(_HASH_THREADS + waiting)

    async def close(self) -> None:
        """Let whatever is being hashed be finished, off the event loop; the next password opens it again."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.get_running_loop().run_in_executor(None, partial(pool.shutdown, cancel_futures=True))

    async def hash(self, password: str) -> str:
        """What is kept of a password."""
        return await self._work(partial(self._hasher.hash, normalize_password(password)))

    async def fits(self, password: str, kept: str | None) -> bool:
        """Is it the password of which this was kept? Where nothing was, the same work is done for the answer no."""
        if kept is None:
            await self.hash(password)
            return False
        return await self._work(partial(self._hasher.verify, normalize_password(password), kept))

    async def _work(self, work: Callable[[], T]) -> T:
        if not self._room.acquire(blocking=False):
            raise TooOften("too many people are signing in at this moment", wait=1.0)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_HASH_THREADS, thread_name_prefix="leftbower password")
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._room.release())  # whoever asked may have gone before it is done
        return await asyncio.wrap_future(future)


def normalize_password(password: str) -> str:
    """The one spelling of a password: keyboards differ in whether an accent is a letter of its own."""
    return unicodedata.normalize("NFC", password)


def check_password(password: str) -> str:
    """A password is 8 to 200 printable characters, whichever they are."""
    if not MIN_PASSWORD_LENGTH <= len(password) <= MAX_PASSWORD_LENGTH or not password.isprintable():
        raise BadRequest(
            f"a password has {MIN_PASSWORD_LENGTH} to {MAX_PASSWORD_LENGTH} printable characters", place="body.password"
        )
    return password


def normalize_login(login: str) -> str:
    """A login as it is compared: without anything that hides, and without a difference of case or width."""
    plain = unicodedata.normalize("NFKC", strip_invisible(login)).casefold()
    found = strip_invisible(unicodedata.normalize("NFKC", plain))
    if not 0 < len(found) <= MAX_LOGIN_LENGTH:
        raise BadRequest("a login has 1 to 40 characters that can be seen", place="body.login")
    return found
