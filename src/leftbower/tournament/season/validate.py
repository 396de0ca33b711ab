"""Validation of a season's log: accept a line before it is recorded, or refuse it with a reason."""

from collections.abc import Collection
from typing import Final

from leftbower.errors import BadEntry, BadLedger, BadPlan, SeasonIsClosed, UnknownEvent, show
from leftbower.tournament.season.facts import (
    DivisionChanged,
    EveningAdded,
    EveningRemoved,
    Identity,
    PlayerCarried,
    PlayerErased,
    PlayersConfirmed,
    PlayoffsStarted,
    RatingChosen,
    SeasonEntry,
    SeasonOpened,
    SeasonReopened,
    TableAdded,
)
from leftbower.tournament.season.plan import MAX_EVENINGS
from leftbower.tournament.season.state import Season, apply

MAX_PLAYERS: Final = 2000
_MAX_KEY_CHARS: Final = 500
"""Longest name of an event; a file's path is one."""


def record(season: Season | None, entry: SeasonEntry) -> Season:
    """Validate a line and apply it."""
    if season is None or isinstance(entry.fact, SeasonOpened):
        if season is not None or not isinstance(entry.fact, SeasonOpened):
            raise BadLedger("a season's log must start with its one season-opened line")
    else:
        _check(season, entry)
    return apply(season, entry)


def _check(season: Season, entry: SeasonEntry) -> None:
    fact = entry.fact
    if season.closed and not isinstance(fact, SeasonReopened | PlayerErased | RatingChosen):
        raise SeasonIsClosed("the season is over; reopen it first")
    match fact:
        case EveningAdded(event=event) | TableAdded(table=event):
            if season.evening(event) is not None or event == season.playoffs:
                raise BadEntry("this evening is in the season already")
            if max(len(season.evenings), len(season.tables)) >= MAX_EVENINGS or not 0 < len(event) <= _MAX_KEY_CHARS:
                raise BadPlan("a season has at most %(limit)s evenings", limit=MAX_EVENINGS)
        case EveningRemoved(event=event):
            _check_evening(season, event)
        case PlayersConfirmed(event=event, identities=identities):
            _check_evening(season, event)
            _check_identities(season, event, identities)
        case PlayerCarried(player=player):
            _check_new(season, [player])
            _check_division(season, fact.division)
        case DivisionChanged(player=player, division=division):
            season.player(player)
            _check_division(season, division)
        case RatingChosen(player=player) | PlayerErased(player=player):
            if season.player(player).erased:
                raise BadEntry("this player was erased")
        case PlayoffsStarted(event=event):
            if event and season.playoffs:
                raise BadEntry("the playoffs have started; call them off first")
            if event and season.evening(event) is not None:
                raise BadEntry("this evening is in the season already")
        case _:
            pass


def _check_evening(season: Season, event: str) -> None:
    if season.evening(event) is None:
        raise UnknownEvent("this evening isn't in the season")


def _check_division(season: Season, division: str) -> None:
    if division and division not in season.plan.divisions:
        raise BadEntry("there is no division %(name)s", name=show(division))


def _check_identities(season: Season, event: str, identities: tuple[Identity, ...]) -> None:
    evening = season.evening(event)
    chairs = {identity.chair: identity for identity in identities}
    if not identities or len(chairs) < len(identities):
        raise BadEntry("say for each chair once who sat there")
    known = dict(evening.identities) if evening is not None else {}
    sitting: dict[str, str] = {}
    for chair, identity in (known | chairs).items():
        if chair.startswith("s"):
            continue  # a substitute may sit in several chairs, and sit out with an own one
        if identity.player in sitting:
            raise BadEntry(
                "a player can't sit in two chairs of an evening", path=f"{sitting[identity.player]}, {chair}"
            )
        sitting[identity.player] = chair
    _check_new(season, [each.player for each in identities])
    for identity in identities:
        if identity.absent and (identity.absent not in season.players or identity.absent == identity.player):
            raise BadEntry("a substitute plays for another player of the season", path=identity.chair)


def _check_new(season: Season, ids: Collection[str]) -> None:
    """New players have the next ids, in order."""
    number = season.next_player_number
    for new in dict.fromkeys(ids):
        if new in season.players:
            continue
        if new != f"p{number}" or number > MAX_PLAYERS:
            raise BadEntry("the next new player is %(id)s", id=f"p{season.next_player_number}")
        number += 1
