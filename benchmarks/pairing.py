"""A Swiss event of many teams, drawn round by round with results at random: how long, and who met again."""

import random
import time
from dataclasses import dataclass

from leftbower.rules import preset
from leftbower.tournament import (
    EntrantAdded,
    Event,
    EventFact,
    EventOpened,
    Format,
    LedgerEntry,
    Played,
    RoundDrawn,
    ScoreEntered,
    SeedsDrawn,
    Stage,
    Totals,
    audit,
    default_plan,
    next_rounds,
    replay,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissTiming:
    """What an event took."""

    teams: int
    seconds: tuple[float, ...]
    """For each round."""
    repeats: int
    """How many pairs met more than once."""
    byes: int
    """The most that one team had."""


def draw_swiss(teams: int, rounds: int, seed: int) -> SwissTiming:
    """An event from its opening to its last score."""
    chance = random.Random(seed)
    names = tuple(f"t{at}" for at in range(teams))
    event = _told(
        None, EventOpened(plan=default_plan("Swiss", preset("club"), Stage(format=Format.SWISS, rounds=rounds)))
    )
    event = _told(event, *(EntrantAdded(entrant=name, name=name) for name in names), SeedsDrawn(order=names))
    seconds = []
    for number in range(1, rounds + 1):
        begun = time.perf_counter()
        [one] = next_rounds(event)
        seconds.append(time.perf_counter() - begun)
        event = _told(event, RoundDrawn(round=number, tables=one.tables, byes=one.byes))
        event = _told(event, *(_scored(number, seating.table, chance) for seating in one.tables))
    found = audit(event.rounds, names, singles=False)
    return SwissTiming(teams=teams, seconds=tuple(seconds), repeats=len(found.opponent_repeats), byes=found.byes.most)


def _told(event: Event | None, *facts: EventFact) -> Event:
    now = replay((LedgerEntry(fact=fact, by="bench", at=0.0) for fact in facts), event)
    assert now is not None
    return now


def _scored(number: int, table: int, rng: random.Random) -> ScoreEntered:
    score = [10, rng.randrange(10)]
    rng.shuffle(score)
    return ScoreEntered(round=number, table=table, score=Played(games=(Totals(points=tuple(score)),)))
