"""Quotas on what one person, address, table or event can store, far above what players need.

Tables and events are counted in their folded logs and checked at the version that is appended to, so that a quota holds
across processes and concurrent requests. Daily counts of people are kept in the store.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from cachetools import LRUCache
from pydantic import ConfigDict, Field

from leftbower.engine.actions import CallOut, Correct
from leftbower.errors import QuotaExceeded, StoreError
from leftbower.i18n import gettext
from leftbower.server.observability.logs import log_error
from leftbower.server.observability.metrics import LIMITS_HIT
from leftbower.store import Store
from leftbower.table import Table, facts, is_spectator
from leftbower.tournament.model.facts import EntrantAdded, EventClosed, EventFact, RoundDrawn
from leftbower.tournament.model.roles import Role, RoleKind, author_key
from leftbower.tournament.model.state import Event

Count = Annotated[int, Field(ge=1, le=10**9)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """The maximum number of each thing. Every field is a setting; docs/server/operate.md shows the docstrings."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    tables_open: Count = 20
    """open tables of one host"""
    tables_per_day: Count = 200
    """tables opened by one person per day"""
    facts_per_day: Count = 50_000
    """facts of one person at tables per day; actions in a hand count but are never refused"""
    sessions: Count = 100
    """sessions of one person, including ended ones; one more deletes an ended session, or the least recently used"""
    passkeys: Count = 20
    """passkeys of one person"""
    rule_sets: Count = 50
    """rule sets that one person keeps"""
    words: Count = 2_000
    """stored chat messages of one person; one more deletes the oldest"""
    guests_per_address: Count = 2_000
    """guests from one address per day"""
    events_per_address: Count = 100
    """events created or imported from one address per day"""
    entries_per_address: Count = 300
    """people and teams signed up for events from one address per day"""
    requests_per_person: Count = 500
    """requests of one person at one table during or between matches, not counting actions, cuts and deals"""
    requests_per_table: Count = 5_000
    """the same for all people at a table together"""
    requests_by_spectators: Count = 200
    """the same for all people without a seat together, who can only mute"""
    presence_facts: Count = 500
    """facts about people leaving and returning, between two actions of a match or between two matches"""
    mutes_per_person: Count = 50
    """people muted by one person at one table"""
    mutes_per_table: Count = 500
    """mutes at one table after which people without a seat can't add more"""
    undos_per_hand: Count = 100
    """undo requests in one hand"""
    remarks_per_hand: Count = 50
    """calls and corrections by one seat in one hand"""
    facts_per_match: Count = 50_000
    """facts of one match; after that no further hand is dealt"""
    facts_per_table: Count = 200_000
    """facts of one table; after that no further match starts there"""
    facts_per_event: Count = 500_000
    """facts of one event; after that it can only be closed"""
    facts_per_helper: Count = 50_000
    """facts of one helper of an event"""
    facts_per_side: Count = 20_000
    """facts from the phone of one side of a table in an event"""
    facts_per_player: Count = 500
    """facts from the link of one player of an event"""
    facts_per_sign_up: Count = 10_000
    """facts from the sign-up page of one event"""
    links_per_event: Count = 100
    """links of one event for helpers, and as many for screens"""
    online_matches: Count = 10_000
    """matches of one online event"""
    house_players: Count = 32
    """bots entered in one online event"""


_NEVER_REFUSED: Final = (facts.CutOffered, facts.DeckCut, facts.HandDealt, facts.Left, facts.PlayerRemoved)
"""Facts that the game needs, or that free a seat."""
_GAME_FACTS: Final = (facts.Acted, facts.CutOffered, facts.DeckCut, facts.HandDealt)
_BLOCK_FACTS: Final = 100
"""A process reserves a person's facts in the store in blocks of this size."""
_MAX_PEOPLE: Final = 20_000
"""People whose blocks are in memory; an evicted block counts as used."""
FACTS: Final = "facts"
TABLES: Final = "tables"
"""Kinds of daily counters."""
_log = logging.getLogger("leftbower.quotas")


def check_request(quotas: Quotas, table: Table, person: str, request: facts.TableFact) -> None:
    """Raise QuotaExceeded if a table has the maximum of such facts."""
    match request:
        case facts.Acted(action=CallOut() | Correct()):
            _check_remarks(quotas, table, request)
        case facts.Acted():
            return
        case _ if isinstance(request, _NEVER_REFUSED):
            return
        case facts.Agreed() | facts.RematchRequested():
            if table.version >= quotas.facts_per_table:
                raise exceeded("table", "this table's log is full; open a new table")
            if person in table.agreed:
                _check_counters(quotas, table, person)
        case facts.Muted():
            _check_mutes(quotas, table, person, request)
        case facts.UndoRequested() if table.counters.undos >= quotas.undos_per_hand:
            raise exceeded("undos", "too many undos in this hand; play it out")
        case _:
            _check_counters(quotas, table, person)


def _check_counters(quotas: Quotas, table: Table, person: str) -> None:
    counters = table.counters
    mine = counters.by_person.get(person, 0)
    if mine < quotas.requests_per_person and counters.requests < quotas.requests_per_table:
        return
    if table.gathering:
        raise exceeded("requests", "too many requests at this table; start a match or open a new table")
    raise exceeded("requests", "too many requests at this table; wait until the match is over")


def _check_mutes(quotas: Quotas, table: Table, person: str, request: facts.Muted) -> None:
    mine = sum(who == person for who, _ in table.muted)
    if request.muted and mine >= quotas.mutes_per_person:
        raise exceeded("mutes", "you muted %(mine)s people at this table; unmute one first", mine=mine)
    if not is_spectator(table, person):
        _check_counters(quotas, table, person)
    elif table.counters.by_spectators >= quotas.requests_by_spectators:
        raise exceeded("mutes", "too many spectators muted people here; wait for the next match")
    elif request.muted and len(table.muted) >= quotas.mutes_per_table:
        raise exceeded("mutes", "too many people are muted here; take a seat first")


def _check_remarks(quotas: Quotas, table: Table, request: facts.Acted) -> None:
    """Calls and corrections can take back plays, so that without a limit a hand at an honor table might never end."""
    seat = request.action.seat
    actions = table.hand.actions if table.hand is not None else ()
    if (
        sum(isinstance(action, CallOut | Correct) and action.seat is seat for action in actions)
        >= quotas.remarks_per_hand
    ):
        raise exceeded("remarks", "you called or corrected too often in this hand; play it out")


def is_match_full(quotas: Quotas, table: Table) -> bool:
    """Has the current match reached its maximum of facts?"""
    starts = table.matches.starts
    return bool(starts) and table.version - starts[-1].version >= quotas.facts_per_match


def is_presence_full(quotas: Quotas, table: Table) -> bool:
    """Has a table reached its maximum of presence facts between two actions?"""
    return table.counters.presence >= quotas.presence_facts


def check_entry(quotas: Quotas, event: Event, role: Role, fact: EventFact) -> None:
    """Raise QuotaExceeded if an event, or this role in it, has reached its maximum of facts."""
    if event.version >= quotas.facts_per_event and not isinstance(fact, EventClosed):
        raise exceeded("event", "this event's ledger is full; close it and start a new event")
    most = {
        RoleKind.HELPER: quotas.facts_per_helper,
        RoleKind.SIDE: quotas.facts_per_side,
        RoleKind.PLAYER: quotas.facts_per_player,
        RoleKind.GUEST: quotas.facts_per_sign_up,
    }.get(role.kind)
    if most is not None and event.author_counts.get(author_key(role.author), 0) >= most:
        raise exceeded("event", "this link has reached its limit; ask the organizer for help")
    if not event.plan.online:
        return
    if isinstance(fact, EntrantAdded) and fact.house_player and _house_players(event) >= quotas.house_players:
        raise exceeded("event", "an online event has at most %(limit)s bots", limit=quotas.house_players)
    if isinstance(fact, RoundDrawn) and _matches(event) + len(fact.tables) > quotas.online_matches:
        raise exceeded(
            "event", "an online event has at most %(limit)s matches; draw fewer rounds", limit=quotas.online_matches
        )


def check_event(quotas: Quotas, event: Event) -> None:
    """The same for a whole imported ledger."""
    full = event.version > quotas.facts_per_event
    if full or (event.plan.online and _house_players(event) > quotas.house_players):
        raise exceeded("event", "this event is too large for this server")
    if event.plan.online and _matches(event) > quotas.online_matches:
        raise exceeded("event", "an online event has at most %(limit)s matches", limit=quotas.online_matches)


def _house_players(event: Event) -> int:
    return sum(entrant.house_player for entrant in event.entrants.values())


def _matches(event: Event) -> int:
    return sum(len(drawn.tables) for drawn in event.rounds)


def exceeded(limit: str, message: str, /, **values: object) -> QuotaExceeded:
    """The error, counted in metrics."""
    LIMITS_HIT.labels(limit).inc()
    return QuotaExceeded(gettext(message, **values))


class Usage:
    """Daily counts of people in the store, reserved in blocks so that most facts cost no query."""

    def __init__(self, store: Store, quotas: Quotas, *, max_people: int = _MAX_PEOPLE) -> None:
        self._store, self._quotas = store, quotas
        self._block = max(1, min(_BLOCK_FACTS, quotas.facts_per_day // 20))
        self._left: LRUCache[str, int] = LRUCache(max_people)
        """Facts left in each person's block; negative if actions were counted without a block."""
        self._tasks: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        return len(self._left)

    async def close(self) -> None:
        """Stop counting; at most one block per person is lost."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def count(self, person: str, request: facts.TableFact) -> None:
        """Count a fact of a person, or QuotaExceeded. Facts that the game needs are counted but never refused."""
        left = self._left.get(person, 0)
        if isinstance(request, _GAME_FACTS):
            if left <= -self._block:
                self._count_later(person, -left)
                left = 0
        elif left <= 0 and not isinstance(request, _NEVER_REFUSED):
            amount = self._block - left
            if not await self._store.use(person, FACTS, amount, limit=self._quotas.facts_per_day):
                raise exceeded("facts", "you have reached today's limit; come back tomorrow")
            left = self._left.get(person, 0) + amount
        self._left[person] = left - 1

    async def open_table(self, person: str) -> None:
        """Count a table opened by a person, or QuotaExceeded."""
        most = self._quotas.tables_per_day
        if not await self._store.use(person, TABLES, 1, limit=most):
            raise exceeded("tables", "you opened %(most)s tables today; come back tomorrow", most=most)

    def _count_later(self, person: str, amount: int) -> None:
        """Count actions in the background; a failure loses a block."""

        async def count() -> None:
            try:
                await self._store.use(person, FACTS, amount, limit=None)
            except StoreError as error:
                log_error(_log, "a person's actions could not be counted", error)

        task = asyncio.get_running_loop().create_task(count(), name="leftbower usage")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
