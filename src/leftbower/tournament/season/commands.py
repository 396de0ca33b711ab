"""Commands that build the facts of a season: add an evening, name players, start the next season."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from leftbower.i18n import gettext as _
from leftbower.rules.sheets import preset
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.facts import EntrantAdded
from leftbower.tournament.model.plan import EventPlan, Prizes, Stage, default_plan
from leftbower.tournament.season.facts import (
    EveningAdded,
    PlayerCarried,
    SeasonEntry,
    SeasonFact,
    SeasonOpened,
    TableAdded,
)
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.standings import SeasonLine, promotions, season_standings
from leftbower.tournament.season.state import Season, apply
from leftbower.tournament.season.view import SeasonView


def add_evening(view: SeasonView, event: str) -> list[SeasonFact]:
    """Add an evening, and confirm the names that are known from earlier ones; the view has its event."""
    added = EveningAdded(event=event)
    season = apply(view.season, SeasonEntry(fact=added, by="", at=0.0))
    return [added, *SeasonView(season, view.events).confirm_known(event)]


def new_player(season: Season, number: int = 0) -> str:
    """The id of the next new player, or of one after that."""
    return f"p{season.next_player_number + number}"


def add_table(view: SeasonView, table: str) -> list[SeasonFact]:
    """Add the matches of a live table, and confirm the names that are known; the view has the table."""
    added = TableAdded(table=table)
    season = apply(view.season, SeasonEntry(fact=added, by="", at=0.0))
    return [added, *SeasonView(season, view.events, view.live).confirm_known(table)]


def evening_plan(view: SeasonView) -> EventPlan:
    """The plan of the next evening: that of the last one, numbered."""
    last = next((view.events[each.event] for each in reversed(view.season.evenings) if each.event in view.events), None)
    title = _("%(season)s, week %(week)d", season=view.season.plan.title, week=len(view.season.evenings) + 1)[:80]
    if last is None:
        stage = Stage(format=Format.SWISS if view.season.plan.teams else Format.PODS)
        return default_plan(title, preset("club"), stage, seeded=True)
    return replace(last.plan, title=title, stage=last.stages[0])


def playoff_plan(view: SeasonView) -> EventPlan:
    """The plan of the playoffs: a knockout of teams, or pods of four players, by the last evening's rules."""
    stage = Stage(format=Format.KNOCKOUT if view.season.plan.teams else Format.PODS)
    title = _("%(season)s: playoffs", season=view.season.plan.title)[:80]
    terms = {"approval": evening_plan(view).approval, "seeded": True, "prizes": Prizes()}
    return default_plan(title, evening_plan(view).rules, stage, **terms)


def evening_facts(view: SeasonView) -> Iterator[EntrantAdded]:
    """The entrants of the next evening: everyone in order of the standings, or the teams of the last evening."""
    plan, last = evening_plan(view), view.season.evenings[-1].event if view.season.evenings else ""
    if plan.stage.singles or view.season.plan.teams or last not in view.events:
        return entrant_facts(view, season_standings(view))
    entrants = [entrant for entrant in view.events[last].entrants.values() if not entrant.house_player]
    return (
        EntrantAdded(entrant=f"e{number}", name=entrant.name, players=entrant.players, school=entrant.school)
        for number, entrant in enumerate(entrants, 1)
    )


def entrant_facts(view: SeasonView, lines: Iterable[SeasonLine]) -> Iterator[EntrantAdded]:
    """Players as entrants of a new event; erased ones are left out."""
    listed = [line for line in lines if not view.season.players[line.player].erased]
    for number, line in enumerate(listed, 1):
        yield EntrantAdded(entrant=f"e{number}", name=line.name, players=_team_players(view, line.player))


def _team_players(view: SeasonView, player: str) -> tuple[str, ...]:
    """The names of a team's players; none for a person."""
    for event, chair in view.season.players[player].chairs if view.season.plan.teams else ():
        if event in view.events and (entrant := view.events[event].entrants.get(chair)):
            return entrant.players
    return ()


def next_season(view: SeasonView, plan: SeasonPlan) -> Iterator[SeasonFact]:
    """A season with the same people, after promotion."""
    yield SeasonOpened(plan=plan)
    moves = {move.player: move.division for move in promotions(view)} if plan.divisions else {}
    known = [player for player in view.season.players.values() if player.chairs and not player.erased]
    for number, player in enumerate(known, 1):
        division = moves.get(player.id, player.division)
        event, chair = player.chairs[0]
        carried = division if division in plan.divisions else ""
        yield PlayerCarried(player=f"p{number}", event=event, chair=chair, division=carried)
