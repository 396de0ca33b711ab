"""Steps of an evening, each as the facts it takes: entering a list, making teams, drawing, ruling, paying out.

Pages and commands take the same steps; nothing is allowed here, `record` has the last word.
"""

from collections.abc import Iterable, Iterator

from leftbower.errors import BadEntry, BadUsage, NoScore, UnknownRound
from leftbower.tournament.asking import record
from leftbower.tournament.facts import (
    Entered,
    Entry,
    EventFact,
    NumbersDrawn,
    PaidOut,
    Paired,
    ScoreCorrected,
    ScoreEntered,
    ScoreRuled,
    StageBegun,
    Teamed,
    Unpaired,
)
from leftbower.tournament.finals import finalists
from leftbower.tournament.lists import Listed
from leftbower.tournament.lots import shuffled
from leftbower.tournament.model import Disputed, Event, Proposed
from leftbower.tournament.money import due_to, payouts
from leftbower.tournament.pairing import drawn_rounds
from leftbower.tournament.plan import Format, Stage
from leftbower.tournament.scores import Score


def entering(event: Event, found: Iterable[Listed], *, single: bool = False) -> Iterator[Entered]:
    """Everybody on a list."""
    ids = _ids(event)
    for one in found:
        players = () if single else one.players
        yield Entered(entrant=next(ids), name=one.name, players=players, school=one.school, single=single)


def seating_bots(event: Event, count: int, beside: int = 0) -> list[Entered]:
    """Bots of the house, with so many others entered beside them."""
    if not 0 <= count <= 3:
        raise BadUsage("one to three bots fill a table", place="bots")
    there = sum(one.house for one in event.entrants.values())
    ids = [who for _, who in zip(range(beside + count), _ids(event), strict=False)][beside:]
    return [Entered(entrant=who, name=f"House bot {there + at}", house=True) for at, who in enumerate(ids, 1)]


def teaming(event: Event, names: Iterable[str] = ()) -> Iterator[Teamed]:
    """Those who are named, or else all who wait, two by two."""
    singles = [event.find(name) for name in names] or [one for one in event.entrants.values() if one.single]
    if len(singles) % 2:
        raise BadEntry(f"{len(singles)} singles do not make whole teams")
    for (first, second), entrant in zip(zip(singles[::2], singles[1::2], strict=True), _ids(event), strict=False):
        yield Teamed(entrant=entrant, singles=(first.id, second.id), name=f"{first.name} & {second.name}")


def _ids(event: Event) -> Iterator[str]:
    number = len(event.entrants)
    while True:
        number += 1
        if f"e{number}" not in event.entrants:
            yield f"e{number}"


def drawing(event: Event, seed: str, *, redraw: bool = False, why: str = "") -> list[EventFact]:
    """Everything that can be drawn now, or drawn again; numbers by lot before the first round."""
    return list(draw_facts(event, seed, redraw=redraw, why=why))


def draw_facts(event: Event, seed: str, *, redraw: bool = False, why: str = "") -> Iterator[EventFact]:
    """The same facts one by one, each computed when it is asked for, so that a caller can stop between two of them."""
    if redraw:
        if event.first_free > len(event.rounds):
            raise UnknownRound("every round that is drawn has a score; there is nothing to draw again")
        yield (again := Unpaired(round=event.first_free, why=why))
        event = _recorded(event, again)
    if not event.rounds and len(event.stages) == 1:
        order = tuple(event.entrants)
        seeded = event.plan.seeded
        lots = NumbersDrawn(order=order) if seeded else NumbersDrawn(order=shuffled(order, seed), seed=seed)
        yield lots
        event = _recorded(event, lots)
    for at, one in enumerate(drawn_rounds(event), len(event.rounds) + 1):
        yield Paired(round=at, tables=one.tables, byes=one.byes, seed=seed)


def _recorded(event: Event, fact: EventFact) -> Event:
    return record(event, Entry(fact=fact, by="", at=event.at))


def going_on(event: Event, top: int, *, format: Format | None = None, best_of: int = 3, rounds: int = 0) -> StageBegun:
    """Another stage with the best of the standings: teams in a knockout, single players in a progressive final."""
    usual = Format.PROGRESSIVE if event.stage.singles else Format.KNOCKOUT
    chosen = finalists(event, top)
    return StageBegun(stage=Stage(format=format or usual, rounds=rounds, best_of=best_of, entrants=chosen))


def writing_down(event: Event, round: int, table: int, score: Score, why: str = "") -> ScoreRuled | ScoreEntered:
    """The desk's word on a score: a ruling where something was told, an entry where nothing was."""
    if isinstance(event.sheets.get((round, table)), Proposed | Disputed):
        return ScoreRuled(round=round, table=table, score=score, why=why)
    return ScoreEntered(round=round, table=table, score=score)


def correcting(event: Event, round: int, table: int, new: Score, why: str) -> ScoreCorrected:
    """Another score in place of the one that stands."""
    event.seating(round, table)
    old = event.settled(round, table)
    if old is None:
        raise NoScore("there is no score to correct", place=f"round {round}, table {table}")
    return ScoreCorrected(round=round, table=table, old=old, new=new, why=why)


def paying_out(event: Event) -> Iterator[PaidOut]:
    """Whatever is still to be paid."""
    for entrant in payouts(event).by_entrant():
        if cents := due_to(event, entrant):
            yield PaidOut(entrant=entrant, cents=cents)
