"""Commands that build facts: enter a list, form teams, draw rounds, record a score, pay out.

Shared by the pages and the CLI. They do not validate; `record` does.
"""

from collections.abc import Iterable, Iterator
from itertools import count, islice

from leftbower.errors import BadEntry, BadUsage, NoScore, UnknownRound
from leftbower.tournament.formats.pairing import iter_next_rounds
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.facts import (
    DrawDiscarded,
    EntrantAdded,
    EventFact,
    LedgerEntry,
    PrizePaid,
    RoundDrawn,
    ScoreCorrected,
    ScoreEntered,
    ScoreRuled,
    SeedsDrawn,
    StageStarted,
    TeamFormed,
)
from leftbower.tournament.model.plan import Stage
from leftbower.tournament.model.state import Disputed, Event, Proposed
from leftbower.tournament.model.validate import record
from leftbower.tournament.scoring.finals import finalists
from leftbower.tournament.scoring.money import amount_due, payouts
from leftbower.tournament.scoring.scores import Score
from leftbower.tournament.scoring.shuffle import seeded_shuffle
from leftbower.tournament.text.csv import ListedEntrant


def add_entrants(
    event: Event, listed: Iterable[ListedEntrant], *, single: bool = False, offset: int = 0
) -> Iterator[EntrantAdded]:
    """Add listed entrants; `offset` others are added in the same request."""
    ids = islice(new_ids(event), offset, None)
    for line in listed:
        players = () if single else line.players
        yield EntrantAdded(entrant=next(ids), name=line.name, players=players, school=line.school, single=single)


def add_bots(event: Event, count: int, offset: int = 0) -> list[EntrantAdded]:
    """Add house players; `offset` other entrants are added in the same request."""
    if not 0 <= count <= 3:
        raise BadUsage("add one to three bots", path="bots")
    bots = sum(entrant.house_player for entrant in event.entrants.values())
    ids = islice(new_ids(event), offset, offset + count)
    return [
        EntrantAdded(entrant=new_id, name=f"House bot {bots + number}", house_player=True)
        for number, new_id in enumerate(ids, 1)
    ]


def team_up(event: Event, names: Iterable[str] = ()) -> Iterator[TeamFormed]:
    """Form teams from the named singles, or from all singles, two by two in order."""
    singles = [event.find(name) for name in names] or [waiting for waiting in event.entrants.values() if waiting.single]
    if len(singles) % 2:
        raise BadEntry("%(count)s singles don't pair up; enter one more or leave one out", count=len(singles))
    for (first, second), entrant in zip(zip(singles[::2], singles[1::2], strict=True), new_ids(event), strict=False):
        yield TeamFormed(entrant=entrant, singles=(first.id, second.id), name=f"{first.name} & {second.name}")


def new_ids(event: Event) -> Iterator[str]:
    """Ids that no entrant or sign-up has or had."""
    used = len(event.entrants) + len(event.applicants) + len(event.former)
    return (f"e{number}" for number in count(used + 1) if event.is_free_id(f"e{number}"))


def draw_rounds(event: Event, seed: str, *, redraw: bool = False, why: str = "") -> list[EventFact]:
    """Draw or redraw all rounds that can be drawn now; seeds are drawn before the first round."""
    return list(iter_draw_facts(event, seed, redraw=redraw, why=why))


def iter_draw_facts(event: Event, seed: str, *, redraw: bool = False, why: str = "") -> Iterator[EventFact]:
    """The facts of `draw_rounds`, one at a time, so a caller can stop in between."""
    if redraw:
        if event.first_redrawable_round > len(event.rounds):
            raise UnknownRound("all drawn rounds have scores; there is nothing to draw again")
        yield (discarded := DrawDiscarded(round=event.first_redrawable_round, why=why))
        event = _record_fact(event, discarded)
    if not event.rounds and len(event.stages) == 1:
        order = tuple(event.entrants)
        seeded = event.plan.seeded
        drawn = SeedsDrawn(order=order) if seeded else SeedsDrawn(order=seeded_shuffle(order, seed), seed=seed)
        yield drawn
        event = _record_fact(event, drawn)
    for number, pairings in enumerate(iter_next_rounds(event), len(event.rounds) + 1):
        yield RoundDrawn(round=number, tables=pairings.tables, byes=pairings.byes, seed=seed)


def _record_fact(event: Event, fact: EventFact) -> Event:
    return record(event, LedgerEntry(fact=fact, by="", at=event.updated_at))


def start_final(
    event: Event, top: int, *, format: Format | None = None, best_of: int = 3, rounds: int = 0
) -> StageStarted:
    """Start a stage with the top of the standings; by default a knockout for teams, progressive for singles."""
    usual = Format.PROGRESSIVE if event.stage.singles else Format.KNOCKOUT
    chosen = finalists(event, top)
    return StageStarted(stage=Stage(format=format or usual, rounds=rounds, best_of=best_of, entrants=chosen))


def record_score(event: Event, round: int, table: int, score: Score, why: str = "") -> ScoreRuled | ScoreEntered:
    """The desk's score: a ruling if a side proposed one, else an entry."""
    if isinstance(event.score_states.get((round, table)), Proposed | Disputed):
        return ScoreRuled(round=round, table=table, score=score, why=why)
    return ScoreEntered(round=round, table=table, score=score)


def correct_score(event: Event, round: int, table: int, new: Score, why: str) -> ScoreCorrected:
    event.seating(round, table)
    old = event.settled_score(round, table)
    if old is None:
        raise NoScore("there is no score to correct", path=f"round {round}, table {table}")
    return ScoreCorrected(round=round, table=table, old=old, new=new, why=why)


def pay_out(event: Event) -> Iterator[PrizePaid]:
    """Pay all prizes still due."""
    for entrant in payouts(event).by_entrant():
        if cents := amount_due(event, entrant):
            yield PrizePaid(entrant=entrant, cents=cents)
