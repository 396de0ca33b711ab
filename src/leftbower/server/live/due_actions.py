"""Due actions at tables: deals, bot actions, timeouts."""

import asyncio
from collections.abc import Callable
from importlib.metadata import version as package_version
from math import inf
from random import Random
from typing import Final

from cachetools import LRUCache

from leftbower.dealing import ENTROPY_BYTES
from leftbower.engine.view import View
from leftbower.errors import Conflict
from leftbower.players.coach.advice import Advice
from leftbower.players.decision_rng import Purpose, cut_rng, decision_rng
from leftbower.rules.choices import Supervision
from leftbower.rules.seats import Seat
from leftbower.server.live.bots import BotPool
from leftbower.server.live.log_cache import LogCache
from leftbower.server.live.presence import Presence, Timing, VersionTimes
from leftbower.server.observability.metrics import SERVER_ACTIONS
from leftbower.server.people.name_commitments import commit_names
from leftbower.server.quotas import Quotas, is_match_full, is_presence_full
from leftbower.store import Listing
from leftbower.table import DELAY_FACTORS, SeatedBot, Table, due, facts

_MAX_IDLE_TABLES: Final = 10_000
"""Tables remembered with the version at which nothing was due."""
_MAX_HAND_ACTIONS: Final = 1000
"""No real hand has this many actions; beyond it, bots stop making remarks."""
_MIN_WAIT_SECONDS: Final = 0.001
"""Shorter waits need no timer."""
_LIVE_PHASES: Final = frozenset({"drawing", "dealing", "cutting", "playing"})


class DueActions:
    """The due work at tables. A table that waits for a person needs no task."""

    def __init__(
        self,
        tables: LogCache[Table, facts.TableFact],
        *,
        presence: Presence,
        version_times: VersionTimes,
        entropy: Callable[[int], bytes],
        timing: Timing,
        quotas: Quotas,
    ) -> None:
        self._tables, self._presence, self._version_times = tables, presence, version_times
        self._entropy, self.timing, self._quotas = entropy, timing, quotas
        self._bots = BotPool()
        self._idle_versions: LRUCache[str, int] = LRUCache(_MAX_IDLE_TABLES)

    async def close(self) -> None:
        await self._bots.close()

    async def advise(self, table: Table, view: View) -> Advice:
        """The coach's advice for a seat; always the same for the same version."""
        return await self._bots.advise(view, _rng(table, view, Purpose.ADVICE))

    def is_live(self, listing: Listing) -> bool:
        """Is a match being played, and may something be due?"""
        return listing.body.get("phase") in _LIVE_PHASES and self._idle_versions.get(listing.log) != listing.seq

    def due_in(self, name: str) -> float:
        """Seconds until something is due at a cached table. After most actions this saves a task."""
        table = self._tables.peek(name)
        if table is None or _may_remark(table):
            return 0.0
        action = due.next_due(table, self.timing)
        if action is not None and not isinstance(action, due.CANCELLABLE):
            return 0.0
        return self._next_timeout(name, table, action)[0]

    async def perform(self, name: str) -> float:
        """Append the due fact after its delay, unless the table has changed by then."""
        table, wait = await self._tables.get(name), 0.0
        remark, action = None, due.next_due(table, self.timing)
        fact: facts.TableFact | None
        if _may_remark(table):
            remark = await self._bots.remark(table, lambda view: _rng(table, view, Purpose.REMARK))
        if remark is not None:
            fact = facts.Acted(action=remark)
        elif action is None or isinstance(action, due.CANCELLABLE):
            wait, fact = self._next_timeout(name, table, action)
        elif isinstance(action, due.DeckDue) and is_match_full(self._quotas, table):
            fact = facts.TableClosed()
        else:
            fact = await self._fact_for(
                name, table, action
            )  # before the delay, so that the delay includes thinking time
            delay = action.delay
            if isinstance(action, due.BotActDue | due.CutDue | due.DealDue | due.LastCardDue) and table.people:
                delay += self.timing.bot_delay * DELAY_FACTORS[table.tempo] * hesitation(name, table)
            await asyncio.sleep(max(delay - self._version_times.age(name, action.since_version), 0.0))
        if (await self._tables.get(name)).version != table.version:
            return inf  # the new version woke the table
        if wait > 0 or fact is None:
            return wait
        try:
            await self._tables.append(name, table, fact)
            if isinstance(fact, facts.Acted):
                SERVER_ACTIONS.inc()
        except Conflict:
            await self._tables.refresh(name)
        return inf

    def _next_timeout(
        self, name: str, table: Table, action: due.DueAction | None
    ) -> tuple[float, facts.TableFact | None]:
        """The seconds until the next timeout, and its fact."""
        timeouts: list[tuple[float, facts.TableFact | None]] = [(inf, None)]
        if action is not None:
            age = self._version_times.age(name, action.since_version)
            timeouts.append((action.delay - age, _cancellable_fact(action)))
        if not table.closed and not (table.gathering and is_presence_full(self._quotas, table)):
            turn_seconds = self._version_times.age(name, table.game_version)
            silent = self._presence.silent_person(name, table, turn_seconds)
            if silent is not None:
                timeouts.append((silent[1], facts.Disconnected(person=silent[0])))
        wait, fact = min(timeouts, key=lambda timeout: timeout[0])
        if wait < _MIN_WAIT_SECONDS:
            return 0.0, fact
        self._idle_versions[name] = table.version
        return wait, None

    async def _fact_for(self, name: str, table: Table, action: due.DueAction) -> facts.TableFact:
        match action:
            case due.MatchOpeningDue():
                names = await commit_names(self._tables.store, table.people, self._entropy)
                return facts.MatchOpened(table=name, name_commitments=names, bot_version=package_version("leftbower"))
            case due.DrawDue():
                return facts.DrawDeckSealed(entropy=self._entropy(ENTROPY_BYTES).hex())
            case due.DeckDue():
                late = set(table.latecomers.values()) - table.name_commitments.keys()
                names = await commit_names(self._tables.store, late, self._entropy) if late else {}
                return facts.DeckSealed(entropy=self._entropy(ENTROPY_BYTES).hex(), name_commitments=names)
            case due.CutDue():
                return facts.DeckCut(seat=action.seat, lifted=0 if action.declined else _bot_cut(table, action.seat))
            case due.DealDue():
                return facts.CutOffered(seat=action.seat) if table.may_offer_cut else facts.HandDealt(seat=action.seat)
            case due.LastCardDue() | due.PartnerDue():
                return facts.Acted(action=action.action)
            case due.BotActDue():
                assert table.hand_views is not None
                own_view = table.hand_views.of(action.seat)
                return facts.Acted(
                    action=await self._bots.act(action.level, own_view, _rng(table, own_view, Purpose.ACT))
                )
        return _cancellable_fact(action)


def _cancellable_fact(action: due.DueAction) -> facts.TableFact:
    match action:
        case due.SubstituteDue():
            return facts.BotSubstituted(person=action.person)
        case due.TimeoutDue():
            return facts.TimedOut(person=action.person)
        case due.CloseDue():
            return facts.TableClosed()
    raise AssertionError(f"{type(action).__name__} is not cancellable")


def _may_remark(table: Table) -> bool:
    """Could a bot call an irregularity? Only at honor tables."""
    hand = table.hand
    return (
        hand is not None
        and table.rules.supervision is Supervision.HONOR
        and len(hand.actions) <= _MAX_HAND_ACTIONS
        and any(isinstance(sitter, SeatedBot) for sitter in table.seats.values())
    )


def hesitation(name: str, table: Table) -> float:
    """Random factor of the bot delay, from 0.5 to 1.5.

    It does not depend on the cards, so that the time reveals nothing: a bot with five cards to choose from, a bot with
    one, and a person's last card that plays itself all take equally long.
    """
    return 0.5 + Random(f"{name}:{table.version}:hesitation").random()


def _bot_cut(table: Table, seat: Seat) -> int:
    """The number of cards a bot lifts, derived from the secret of the sealed deck; 0 for no cut."""
    assert table.sealed_deck is not None
    return cut_rng(table.sealed_deck.bot_secret, seat).randrange(len(table.rules.deck))


def _rng(table: Table, view: View, purpose: Purpose) -> Random:
    """An RNG seeded by the deal's secret and its public history; never by table or version."""
    assert table.sealed_deck is not None
    return decision_rng(table.sealed_deck.bot_secret, view, cut=table.cut or 0, purpose=purpose)
