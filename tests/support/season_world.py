"""A season of 24 players on a server: seven weeks in pods, with people away, a substitute, and a late correction."""

from dataclasses import dataclass
from functools import partial
from random import Random

from event_ledger import EventLedger, new_ledger, played
from leftbower.server.context import AppContext
from leftbower.server.live.seasons import SeasonRole
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.commands import correct_score
from leftbower.tournament.model.facts import Substituted
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.season.commands import add_evening
from leftbower.tournament.season.facts import SeasonFact
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.view import SeasonView

FIRST = ("Ann", "Zach", "Eve", "Lou", "Ida", "Dan", "Uma", "Leo", "Tia", "Hugh", "Ruth", "Will")
LAST = ("Ashby", "Zane", "Ellis", "Lane", "Ingram", "Dale", "Underhill", "Lynch", "Torres", "Hill", "Reed", "Walsh")
NAMES = (
    *(f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)),
    *(f"{first} {last}" for first, last in zip(FIRST, reversed(LAST), strict=True)),
)
ORGANIZER = Role(kind=RoleKind.ORGANIZER)


@dataclass(frozen=True, kw_only=True)
class SeasonOnServer:
    name: str
    organizer_code: str
    reader_code: str
    events: tuple[str, ...]


def evening(rng: Random, week: int, names: list[str]) -> EventLedger:
    """Three rounds in pods, with scores by lot."""
    ledger = new_ledger(Format.PODS, names, rounds=3)
    ledger.pair()
    if week == 4:
        player = ledger.event.entrants["e3"]
        ledger.record(Substituted(entrant="e3", player=player.name, substitute="Zoe Zinn", rounds=(1, 3)))
    for drawn in ledger.event.rounds:
        for seating in drawn.tables:
            ledger.score(drawn.number, seating.table, rng.choice([(10, rng.randrange(10)), (rng.randrange(10), 10)]))
    return ledger


def _add(event: str, view: SeasonView) -> list[SeasonFact]:
    return add_evening(view, event)


async def open_season(context: AppContext, weeks: int = 7, *, ratings: bool = True) -> SeasonOnServer:
    """Build it through the services; week 2 is corrected at the end."""
    rng, events = Random(29), []
    plan = SeasonPlan(title="Tuesday season, fall 2026", evenings=10, best=5, playoffs=4, ratings=ratings)
    season, organizer_code = await context.seasons.create(plan)
    for week in range(1, weeks + 1):
        away = rng.sample(NAMES[4:], 4) if week in (3, 6) else []
        names = [name for name in NAMES if name not in away]
        if week == weeks:
            names[1] = "Zack Zane"
        event, _ = await context.events.import_event(evening(rng, week, names).ledger)
        events.append(event)
        await context.seasons.execute(season, partial(_add, event), event)
    score = played((6, 10))
    await context.events.execute(events[1], ORGANIZER, lambda event: [correct_score(event, 1, 4, score, "misread")])
    reader_code = await context.seasons.create_link(season, SeasonRole.READER)
    return SeasonOnServer(name=season, organizer_code=organizer_code, reader_code=reader_code, events=tuple(events))
