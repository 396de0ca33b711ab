"""A Swiss event of many teams, drawn round by round with random results: the time, and repeated pairings."""

import random
import time
from dataclasses import dataclass

from leftbower.rules import preset
from leftbower.tournament.formats.pairing import next_rounds
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.facts import (
    EntrantAdded,
    EventFact,
    EventOpened,
    LedgerEntry,
    RoundDrawn,
    ScoreEntered,
    SeedsDrawn,
)
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.reducer import replay
from leftbower.tournament.model.state import Event
from leftbower.tournament.scoring.audit import audit
from leftbower.tournament.scoring.scores import Played, Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class SwissTiming:
    """The result of the benchmark."""

    teams: int
    seconds: tuple[float, ...]
    """For each round."""
    repeats: int
    """Number of pairs that met more than once."""
    byes: int
    """The most byes of one team."""


def draw_swiss(teams: int, rounds: int, seed: int) -> SwissTiming:
    """Play an event from its creation to its last score."""
    rng = random.Random(seed)
    names = tuple(f"t{at}" for at in range(teams))
    event = _recorded(
        None, EventOpened(plan=default_plan("Swiss", preset("club"), Stage(format=Format.SWISS, rounds=rounds)))
    )
    event = _recorded(event, *(EntrantAdded(entrant=name, name=name) for name in names), SeedsDrawn(order=names))
    seconds = []
    for number in range(1, rounds + 1):
        begun = time.perf_counter()
        [drawn_round] = next_rounds(event)
        seconds.append(time.perf_counter() - begun)
        event = _recorded(event, RoundDrawn(round=number, tables=drawn_round.tables, byes=drawn_round.byes))
        event = _recorded(event, *(_scored(number, seating.table, rng) for seating in drawn_round.tables))
    report = audit(event.rounds, names, singles=False)
    return SwissTiming(teams=teams, seconds=tuple(seconds), repeats=len(report.opponent_repeats), byes=report.byes.most)


def _recorded(event: Event | None, *facts: EventFact) -> Event:
    after = replay((LedgerEntry(fact=fact, by="bench", at=0.0) for fact in facts), event)
    assert after is not None
    return after


def _scored(number: int, table: int, rng: random.Random) -> ScoreEntered:
    score = [10, rng.randrange(10)]
    rng.shuffle(score)
    return ScoreEntered(round=number, table=table, score=Played(games=(Totals(points=tuple(score)),)))
