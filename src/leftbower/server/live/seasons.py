"""Live seasons: commands on the cache of their logs, with the events they join, and the links of their two roles."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from time import time
from typing import Any, Final

from leftbower.errors import Conflict, EventError, LeftbowerError, LinkRevoked, NotYourRole, UnknownSeason
from leftbower.i18n import N_
from leftbower.server.live.events import CODE_BYTES, SESSION_BYTES, EventService
from leftbower.server.live.log_cache import VALID_NAME, LogCache, LogType
from leftbower.server.live.outage import Outage
from leftbower.server.live.tables import SEASON_LOG_PREFIX, TableService
from leftbower.server.people.service import PeopleService
from leftbower.store import Store, encode_fact, hash_token
from leftbower.table import SeatedPerson
from leftbower.tournament.season.codec import entry_from_json, entry_to_json
from leftbower.tournament.season.commands import add_table
from leftbower.tournament.season.facts import SeasonEntry, SeasonFact, SeasonOpened
from leftbower.tournament.season.live import LiveMatch, LiveTable
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.state import Season, apply
from leftbower.tournament.season.validate import record
from leftbower.tournament.season.view import SeasonView

SEASON_PHASE: Final = "season"
"""The phase in a season's listing."""
MAX_CACHED_SEASONS: Final = 100
Command = Callable[[SeasonView], Iterable[SeasonFact]]
"""Computes facts from the season and its events."""


class SeasonRole(StrEnum):
    ORGANIZER = "organizer"
    READER = "reader"


class SeasonService(LogCache[Season, SeasonEntry]):
    """The seasons of a store."""

    def __init__(
        self,
        store: Store,
        events: EventService,
        tables: TableService,
        people: PeopleService,
        *,
        outage: Outage,
        entropy: Callable[[int], bytes],
        clock: Callable[[], float] = time,
        moments: Callable[[str], None] = lambda moment: None,
    ) -> None:
        super().__init__(store, SEASON_LOG, outage=outage, max_cached=MAX_CACHED_SEASONS, moments=moments)
        self._events, self._tables, self._people = events, tables, people
        self._entropy, self._clock = entropy, clock

    async def create(self, plan: SeasonPlan, *facts: SeasonFact, person: str = "") -> tuple[str, str]:
        """Create a season; return its name and the code of the organizer's link. A `person` gets it in their list."""
        name = self._entropy(8).hex()
        opened = SeasonOpened(plan=plan, organizers=(person,) if person else ())
        await self._record(name, None, [opened, *facts])
        return name, await self.create_link(name, SeasonRole.ORGANIZER)

    async def view(self, name: str, *more: str) -> SeasonView:
        """The season with its events, and `more` events."""
        return await self._view(await self.get(name), more)

    async def execute(self, name: str, command: Command, *more: str) -> Season:
        """Append all facts of a command, or none; returns the season after them, durable. `more` are other events."""

        async def step(season: Season) -> Season:
            facts = list(command(await self._view(season, more)))
            return await self._record(name, season, facts) if facts else season

        return await self.update(name, await self.get(name), step)

    async def _record(self, name: str, season: Season | None, facts: Sequence[SeasonFact]) -> Season:
        lines, planned, now = [], season, round(self._clock(), 3)
        for fact in facts:
            entry = SeasonEntry(fact=fact, by=SeasonRole.ORGANIZER, at=now)
            planned = record(planned, entry)
            lines.append(encode_fact(entry_to_json(entry)))
        assert planned is not None
        return await self.commit(name, season, lines, planned)

    async def _view(self, season: Season, more: Sequence[str]) -> SeasonView:
        """An event that was removed or edited is missing; its evening is empty then."""
        events = {}
        for event in dict.fromkeys((*season.events, *more)):
            try:
                events[event] = await self._events.get(event)
            except LeftbowerError:
                if event in more:
                    raise
        live = {table.event: found for table in season.tables if (found := await self._live_table(table.event))}
        return SeasonView(season, events, live)

    async def add_table(self, name: str, table: str, person: str) -> Season:
        """Add a live table at which the person has played, for the ratings."""
        found = await self._live_table(table)
        if found is None or person not in found.names:
            raise NotYourRole("add a table at which you have finished a match")

        async def step(season: Season) -> Season:
            view = await self._view(season, ())
            facts = add_table(SeasonView(season, view.events, {**view.live, table: found}), table)
            return await self._record(name, season, facts)

        return await self.update(name, await self.get(name), step)

    async def _live_table(self, name: str) -> LiveTable | None:
        """The finished matches of a table; None if it is gone, or has none."""
        try:
            table = await self._tables.get(name)
        except LeftbowerError:
            return None
        finished = () if table.event else table.matches.finished  # an event's tables count with it
        found = await self._people.names({person for match in finished for person in match.people})
        names = {person: name for person, name in found.items() if name}
        matches = [
            LiveMatch(
                sides=tuple(tuple(_person(match.seats.get(seat)) for seat in side) for side in match.rules.sides),
                winner=None if match.winner is None else match.rules.sides.index(match.winner),
            )
            for match in finished
        ]
        title = table.title or name
        return LiveTable(title=title, names=names, matches=tuple(matches)) if matches else None

    # Links

    async def create_link(self, name: str, role: SeasonRole, *, except_token: str = "") -> str:
        """Create the code of a role; its earlier code and sessions end, except the session with `except_token`."""
        own_session = hash_token(except_token) if except_token else None
        await self.store.revoke_links(self.log_type.prefix + name, role, but=own_session)
        code = self._entropy(CODE_BYTES).hex()
        await self.store.replace_link(hash_token(code), self.log_type.prefix + name, role)
        return code

    async def create_session(self, name: str, role: SeasonRole) -> str:
        """Create a session for a browser that opened a link; return the token for its cookie."""
        token = self._entropy(SESSION_BYTES).hex()
        await self.store.add_link(hash_token(token), self.log_type.prefix + name, role, session=True)
        return token

    async def role(self, name: str, token: str) -> SeasonRole | None:
        """The role of a code or session at this season; None for another season's, LinkRevoked if it was revoked."""
        link = await self.store.link(hash_token(token), ended=True) if VALID_NAME.fullmatch(token) else None
        if link is None or link.log != self.log_type.prefix + name:
            return None
        if link.revoked is not None:
            raise LinkRevoked("this link has ended; ask the organizer for a new one")
        return SeasonRole(link.kind)


def _person(occupant: object) -> str:
    """The person in a seat; empty for a bot."""
    return occupant.id if isinstance(occupant, SeatedPerson) else ""


def may_expire(season: Season) -> bool:
    """Can the log of this season be removed? Only without evenings and players."""
    return not season.evenings and not season.players


def listing_of(season: Season) -> dict[str, Any]:
    """The summary of a season for lists, written in the same commit."""
    return {
        "phase": SEASON_PHASE,
        "title": season.plan.title,
        "evenings": len(season.evenings),
        "players": len(season.players),
        "closed": season.closed,
        "begun": not may_expire(season),
    }


SEASON_LOG: Final[LogType[Season, SeasonEntry]] = LogType(
    unknown=UnknownSeason,
    unknown_message=N_("there is no such season"),
    prefix=SEASON_LOG_PREFIX,
    apply=lambda season, entry, at: apply(season, entry),
    encode=entry_to_json,
    decode=entry_from_json,
    listing=listing_of,
    people=lambda name, before, after: after.organizers if before is None else None,
    may_expire=may_expire,
    retried=(Conflict, EventError),
)
