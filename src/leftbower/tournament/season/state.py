"""A season at one version, as a fold over its log: evenings and who sat in which chair."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from leftbower.errors import UnknownEntrant, show
from leftbower.tournament.season.facts import (
    DivisionChanged,
    EveningAdded,
    EveningRemoved,
    Identity,
    PlanChanged,
    PlayerCarried,
    PlayerErased,
    PlayersConfirmed,
    PlayoffsStarted,
    RatingChosen,
    SeasonClosed,
    SeasonEntry,
    SeasonOpened,
    SeasonReopened,
    TableAdded,
)
from leftbower.tournament.season.plan import SeasonPlan

ChairKey = tuple[str, str]
"""Event and chair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlayer:
    """A person of the season, or a team if teams are ranked."""

    id: str
    chairs: tuple[ChairKey, ...] = ()
    """Where the player sat, in order of confirmation; their names are there."""
    division: str = ""
    rated: bool = True
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Evening:
    event: str
    added_at: float
    identities: Mapping[str, Identity] = field(default_factory=dict)
    """By chair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """A season at one version."""

    version: int
    plan: SeasonPlan
    evenings: tuple[Evening, ...] = ()
    tables: tuple[Evening, ...] = ()
    """Live tables, whose matches count for the ratings only; their chairs are ids of people."""
    players: Mapping[str, SeasonPlayer] = field(default_factory=dict)
    """By id, in order of joining."""
    playoffs: str = ""
    """The event of the playoffs."""
    organizers: tuple[str, ...] = ()
    closed: bool = False

    def evening(self, event: str) -> Evening | None:
        """An evening or a live table; None if it isn't in the season."""
        return next((evening for evening in (*self.evenings, *self.tables) if evening.event == event), None)

    def player(self, id: str) -> SeasonPlayer:
        if id not in self.players:
            raise UnknownEntrant("no player is called %(name)s", name=show(id))
        return self.players[id]

    @property
    def next_player_number(self) -> int:
        return len(self.players) + 1

    @property
    def events(self) -> tuple[str, ...]:
        """The events whose state the standings and names need."""
        tables = {table.event for table in self.tables}
        chairs = (event for player in self.players.values() for event, _ in player.chairs if event not in tables)
        played = (*(evening.event for evening in self.evenings), *filter(None, [self.playoffs]))
        return tuple(dict.fromkeys((*played, *chairs)))


def apply(season: Season | None, entry: SeasonEntry) -> Season:
    """The season after a line of its log, which is not validated."""
    fact = entry.fact
    if season is None:
        assert isinstance(fact, SeasonOpened)
        return Season(version=1, plan=fact.plan, organizers=fact.organizers)
    return replace(_apply(season, entry), version=season.version + 1)


def replay(entries: Iterable[SeasonEntry]) -> Season | None:
    """The season after these lines; None without any."""
    season: Season | None = None
    for entry in entries:
        season = apply(season, entry)
    return season


def _apply(season: Season, entry: SeasonEntry) -> Season:
    match entry.fact:
        case SeasonOpened(plan=plan) | PlanChanged(plan=plan):
            return replace(season, plan=plan)
        case EveningAdded(event=event):
            return replace(season, evenings=(*season.evenings, Evening(event=event, added_at=entry.at)))
        case TableAdded(table=table):
            return replace(season, tables=(*season.tables, Evening(event=table, added_at=entry.at)))
        case EveningRemoved(event=event):
            return replace(
                season,
                evenings=tuple(evening for evening in season.evenings if evening.event != event),
                tables=tuple(table for table in season.tables if table.event != event),
            )
        case PlayersConfirmed():
            return _confirm(season, entry.fact)
        case PlayerCarried(player=id, event=event, chair=chair, division=division):
            return _put(season, SeasonPlayer(id=id, chairs=((event, chair),), division=division))
        case DivisionChanged(player=id, division=division):
            return _put(season, replace(season.players[id], division=division))
        case RatingChosen(player=id, rated=rated):
            return _put(season, replace(season.players[id], rated=rated))
        case PlayerErased(player=id):
            return _put(season, replace(season.players[id], rated=False, erased=True))
        case PlayoffsStarted(event=event):
            return replace(season, playoffs=event)
        case SeasonClosed() | SeasonReopened():
            return replace(season, closed=isinstance(entry.fact, SeasonClosed))


def _put(season: Season, player: SeasonPlayer) -> Season:
    return replace(season, players={**season.players, player.id: player})


def _confirm(season: Season, fact: PlayersConfirmed) -> Season:
    """Replace identities of the named chairs; an erased or corrected identity leaves no chair behind."""
    named = {(fact.event, identity.chair) for identity in fact.identities}
    players = {
        known: replace(player, chairs=tuple(chair for chair in player.chairs if chair not in named))
        for known, player in season.players.items()
    }
    for identity in fact.identities:
        player = players.get(identity.player) or SeasonPlayer(id=identity.player)
        players[player.id] = replace(player, chairs=(*player.chairs, (fact.event, identity.chair)))
    confirmed = {identity.chair: identity for identity in fact.identities}
    evenings, tables = (
        tuple(
            replace(each, identities={**each.identities, **confirmed}) if each.event == fact.event else each
            for each in group
        )
        for group in (season.evenings, season.tables)
    )
    return replace(season, players=players, evenings=evenings, tables=tables)
