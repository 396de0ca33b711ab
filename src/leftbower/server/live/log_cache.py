"""Event sourcing: an LRU cache of states folded from logs, with optimistic appends.

Facts are appended at the version of the state they are based on, and published once they are durable. On a conflict the
log is read again and the step is retried, so that any number of processes can serve one store.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

from cachetools import LRUCache

from leftbower.errors import Conflict, LeftbowerError, LogEdited, Stale
from leftbower.server.live.event_workers import Checkpoint
from leftbower.server.live.outage import Outage
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import APPEND_SECONDS, STORE_ERRORS
from leftbower.store import Guard, Head, Hint, Row, Store, encode_fact
from leftbower.store.accounts import from_ms

VALID_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Other names are not looked up, because some databases reject them."""
_MAX_TRIES: Final = 20
"""Attempts of a step that loses the race against other writers."""
_UNCACHED: Final = (None, None)
_log = logging.getLogger("leftbower.store")


class Versioned(Protocol):
    """A state that counts the facts folded into it."""

    @property
    def version(self) -> int: ...


State = TypeVar("State", bound=Versioned)
Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogType(Generic[State, Fact]):
    """A kind of log: how to fold and encode its facts, and what its listing shows."""

    unknown: type[LeftbowerError]
    """Raised if there is no such log."""
    unknown_message: str
    prefix: str = ""
    """Prefix of the log's name in the store."""
    valid_name: re.Pattern[str] = VALID_NAME
    apply: Callable[[State | None, Fact, float], State]
    """The state after a fact with its store time; the state is None before the first fact."""
    stamp: Callable[[State, float, bytes], State] | None = None
    """The state with the store's time and hash of its last fact."""
    encode: Callable[[Fact], dict[str, Any]]
    decode: Callable[[dict[str, Any]], Fact]
    listing: Callable[[State], Mapping[str, Any]]
    """The summary for lists, written in the same commit."""
    people: Callable[[str, State | None, State], Iterable[str] | None] | None = None
    """The people whose lists have it, by its name and state; None if they are the same as before."""
    may_expire: Callable[[State], bool] = lambda state: False
    """Can the log be removed?"""
    retried: tuple[type[LeftbowerError], ...] = (Conflict,)
    """Refusals that may be caused by an outdated state."""


def no_checkpoint() -> None:
    """For folds that are never canceled."""


class LogCache(Generic[State, Fact]):
    """The states of one kind of log. An edited log is refused until a restart."""

    def __init__(
        self,
        store: Store,
        log_type: LogType[State, Fact],
        *,
        outage: Outage,
        max_cached: int = 1000,
        watched: Callable[[], Collection[str]] = tuple,
        moments: Callable[[str], None] = lambda moment: None,
    ) -> None:
        """`watched` names the logs to refresh on notifications even if they are not cached."""
        self.store, self.outage, self.log_type, self._watched, self._moments = store, outage, log_type, watched, moments
        self.listeners: list[Callable[[str, State], None]] = []
        """Called with every new version, in order, once it is durable."""
        self.removal_listeners: list[Callable[[str], None]] = []
        """Called with the name of each log that was removed."""
        self.edited: dict[str, LogEdited] = {}
        self._cached: LRUCache[str, tuple[State, Head]] = LRUCache(max_cached)
        self._stale: set[str] = set()
        """Logs with an unread notification."""
        self._catching_up: dict[str, asyncio.Task[None]] = {}
        self._stop_listening: Callable[[], None] = lambda: None

    async def open(self) -> None:
        """Listen to notifications of other processes."""
        self._stop_listening = await self.store.listen(self._notified)

    async def close(self) -> None:
        """Cancel all tasks; every acknowledged fact is in the store."""
        self._stop_listening()
        tasks = [*self._catching_up.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def cached_count(self) -> int:
        return len(self._cached)

    def peek(self, name: str) -> State | None:
        """The cached state, or None."""
        return self._cached.get(name, _UNCACHED)[0]

    def cached_version(self, name: str) -> int | None:
        state = self.peek(name)
        return None if state is None else state.version

    async def get(self, name: str, *, min_version: int = 0) -> State:
        """The cached state if it is at `min_version` or later; otherwise read from the store."""
        state, _ = self._cached.get(name, _UNCACHED)
        if state is None or state.version < min_version:
            return await self.refresh(name)
        return state

    async def refresh(self, name: str) -> State:
        """Read and fold the rest of the log."""
        cached, head = self._cached.get(name, _UNCACHED)
        with self.refusing_edits(name):
            known = cached is not None or self.log_type.valid_name.fullmatch(name)
            rows = await self.store.checked_rows(self.log_type.prefix + name, head) if known else ()
            if not rows and (cached is None or await self._was_removed(name, cached)):
                if cached is not None:
                    self._forget(name)
                raise self.log_type.unknown(self.log_type.unknown_message)
            return self._publish(name, cached, await self._replay(name, cached, rows))

    async def append(self, name: str, state: State | None, fact: Fact, *, guard: Guard | None = None) -> State:
        """Append a fact at the version of a state; when this returns it is durable, and published after that."""
        # Fold before writing: a fact that can't be folded is refused.
        planned = self.log_type.apply(state, fact, 0.0)
        return await self.commit(name, state, [encode_fact(self.log_type.encode(fact))], planned, guard=guard)

    async def commit(
        self, name: str, state: State | None, bodies: Sequence[str], planned: State, *, guard: Guard | None = None
    ) -> State:
        """Like `append` for encoded facts, all or none; `planned` is the state after them."""
        _, head = self._cached.get(name, _UNCACHED)
        expected = 0 if state is None else state.version
        if self.outage.error is not None:
            self.outage.check()
        with self.refusing_edits(name), APPEND_SECONDS.time():
            row = await self.store.append_encoded(
                self.log_type.prefix + name,
                expected,
                bodies,
                listing=self.log_type.listing(planned),
                people=self.log_type.people(name, state, planned) if self.log_type.people else None,
                guard=guard,
                hash=head.hash if head is not None and head.seq == expected else None,
            )
        self._moments("before-answer")
        if self.log_type.stamp:
            planned = self.log_type.stamp(planned, from_ms(row.at), row.hash)
        state = self._publish(name, state, [(planned, Head(row.seq, row.hash))], appended=True)
        self._appended(name)
        return state

    async def update(self, name: str, state: State, step: Callable[[State], Awaitable[State]]) -> State:
        """Run a step that appends to a state; if it is refused, catch up and run it again on a later version."""
        for _ in range(_MAX_TRIES):
            try:
                return await step(state)
            except Stale:
                raise
            except self.log_type.retried as refusal:
                refused_at, state = state.version, await self.refresh(name)
                if state.version == refused_at:
                    raise refusal from None
        raise Stale("too many people changed this at once; try again", current=state.version)

    @contextmanager
    def refusing_edits(self, name: str) -> Iterator[None]:
        """After the first LogEdited, refuse the log and report it once in the server's log."""
        if (refusal := self.edited.get(name)) is not None:
            STORE_ERRORS.labels(refusal.code).inc()
            raise LogEdited(refusal.message, path=refusal.path)
        try:
            yield
        except LogEdited as error:
            STORE_ERRORS.labels(error.code).inc()
            if name not in self.edited:
                self.edited[name] = error
                self._cached.pop(name, None)
                _log.error("a log was edited and won't be served until a restart: %s: %s", error.path, error.message)
            raise

    async def _replay(self, name: str, base: State | None, rows: Sequence[Row]) -> Iterable[tuple[State, Head]]:
        """The versions to publish."""
        return self._fold(name, base, rows, no_checkpoint)

    def _fold(
        self, name: str, state: State | None, rows: Iterable[Row], checkpoint: Checkpoint
    ) -> Iterator[tuple[State, Head]]:
        """Fold the rows that are newer than a state.

        Facts are folded before they are written, so a fact that can't be folded was edited later, along with its
        hashes.
        """
        log = self.log_type.prefix + name
        for row in rows:
            if row.seq == (0 if state is None else state.version) + 1:
                checkpoint()
                try:
                    [stored] = self.store.parsed(log, [row])
                    state = self.log_type.apply(state, self.log_type.decode(stored.fact), stored.at)
                except Exception as error:
                    log_error(_log, "a stored fact could not be folded", error)
                    raise LogEdited(
                        "this fact doesn't follow from those before it", path=f"log {log}, fact {row.seq}"
                    ) from None
                if self.log_type.stamp:
                    state = self.log_type.stamp(state, stored.at, stored.hash)
                yield state, Head(row.seq, row.hash)

    def _publish(
        self, name: str, state: State | None, versions: Iterable[tuple[State, Head]], *, appended: bool = False
    ) -> State:
        """Cache and publish versions that follow a state, except those already cached."""
        cached, _ = self._cached.get(name, _UNCACHED)
        if state is None or (cached is not None and cached.version > state.version):
            state = cached
        is_news = state is not None
        for version, head in versions:
            if state is None or version.version > state.version:
                self._cached[name] = version, head
                for notify in self.listeners:
                    notify(name, version)
                self._published(name, state, version, appended=appended, is_news=is_news)
                state = version
        assert state is not None
        return state

    def _published(self, name: str, before: State | None, after: State, *, appended: bool, is_news: bool) -> None:
        """Hook, called after the listeners with a version that this process `appended` or read.

        Versions of a log that is folded from its start are not `is_news`.
        """

    def _appended(self, name: str) -> None:
        """Hook, called after each append of this process, even if a concurrent read published its version."""

    async def _was_removed(self, name: str, state: State) -> bool:
        log = self.log_type.prefix + name
        return self.log_type.may_expire(state) and (await self.store.head(log)).seq < state.version

    def _forget(self, name: str) -> None:
        """Drop a removed log."""
        self._cached.pop(name, None)
        for notify in self.removal_listeners:
            notify(name)

    def _notified(self, hint: Hint) -> None:
        """Another process appended to a log; a notification without a log name means that some were lost."""
        if not hint.log:
            names = {*self._cached, *self._watched()}
        elif not hint.log.startswith(self.log_type.prefix):
            return
        else:
            name = hint.log.removeprefix(self.log_type.prefix)
            _, head = self._cached.get(name, _UNCACHED)
            if not hint.seq:
                self._forget(name)
                return
            if head is None and not (self.log_type.valid_name.fullmatch(name) and name in self._watched()):
                return
            if head is not None and head.seq >= hint.seq:
                return
            names = {name}
        for name in names:
            self._stale.add(name)
            if name not in self._catching_up:
                self._catching_up[name] = asyncio.get_running_loop().create_task(self._catch_up(name))

    async def _catch_up(self, name: str) -> None:
        """Refresh until no notification is left; after a failure the next poll reads a cached log."""
        try:
            while name in self._stale:
                self._stale.discard(name)
                await self.refresh(name)
        except self.log_type.unknown:
            pass  # it was removed
        except Exception as error:
            log_error(_log, "a log could not be read", error)
        finally:
            del self._catching_up[name]
