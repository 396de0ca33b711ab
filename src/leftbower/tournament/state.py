"""An event as a fold over its ledger. Facts are what happened: nobody asks here whether it was allowed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from leftbower.tournament.entrants import Entrant
from leftbower.tournament.facts import (
    Closed,
    Entered,
    Entry,
    EventFact,
    Fined,
    LotsDrawn,
    Marked,
    Money,
    NumbersDrawn,
    Opened,
    PaidIn,
    PaidOut,
    Paired,
    Paused,
    Renamed,
    Reopened,
    Resumed,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    ScoreRuled,
    StageBegun,
    Substituted,
    Teamed,
    Unpaired,
)
from leftbower.tournament.model import Disputed, Event, Proposed, Settled, Sheet
from leftbower.tournament.seating import Round

K = TypeVar("K")
V = TypeVar("V")


def fold(entries: Iterable[Entry], event: Event | None = None) -> Event | None:
    """The event after these lines of its ledger; after fewer of them it is the event of that moment."""
    for entry in entries:
        event = after(event, entry)
    return event


def after(event: Event | None, entry: Entry) -> Event:
    """The event after one more line."""
    fact = entry.fact
    if isinstance(fact, Opened):
        return Event(version=1, at=entry.at, plan=fact.plan, stages=(fact.plan.stage,))
    assert event is not None
    changed = _changed(event, fact)
    if isinstance(fact, ScoreCorrected | ScoreRuled):
        changed = replace(changed, corrections=(*event.corrections, entry))
    return replace(changed, version=event.version + 1, at=entry.at)


def _changed(event: Event, fact: EventFact) -> Event:
    match fact:
        case Entered() | Renamed() | Teamed() | Marked() | NumbersDrawn():
            return replace(event, entrants=_people(event, fact))
        case Substituted():
            return replace(event, substitutes=(*event.substitutes, fact))
        case Paired():
            drawn = Round(number=fact.round, stage=len(event.stages) - 1, tables=fact.tables, byes=fact.byes)
            return replace(event, rounds=(*event.rounds, drawn))
        case Unpaired():
            return replace(event, rounds=event.rounds[: fact.round - 1])
        case StageBegun():
            return replace(event, stages=(*event.stages, fact.stage))
        case Fined() | PaidIn() | PaidOut():
            return _money(event, fact)
        case LotsDrawn():
            return replace(event, lots=(*event.lots, fact.order))
        case Paused() | Resumed():
            return replace(event, paused=isinstance(fact, Paused))
        case Closed() | Reopened():
            return replace(event, closed=isinstance(fact, Closed))
        case Opened():
            return event
        case _:
            return replace(event, sheets=_also(event.sheets, (fact.round, fact.table), _sheet(event, fact)))


def _people(event: Event, fact: Entered | Renamed | Teamed | Marked | NumbersDrawn) -> Mapping[str, Entrant]:
    match fact:
        case Entered():
            return _also(event.entrants, fact.entrant, _entered(event, fact))
        case Teamed():
            return _teamed(event, fact)
        case NumbersDrawn():
            numbers = {entrant: number for number, entrant in enumerate(fact.order, 1)}
            return {entrant: replace(one, number=numbers.get(entrant, 0)) for entrant, one in event.entrants.items()}
        case Renamed():
            renamed = replace(event.entrants[fact.entrant], name=fact.name, players=fact.players)
            return _also(event.entrants, fact.entrant, renamed)
        case Marked():
            marked = replace(event.entrants[fact.entrant], presence=fact.presence)
            return _also(event.entrants, fact.entrant, marked)


def _entered(event: Event, fact: Entered) -> Entrant:
    """Whoever comes after the draw has the next number, and has missed what was begun."""
    highest = max((one.number for one in event.entrants.values()), default=0)
    return Entrant(
        id=fact.entrant,
        name=fact.name,
        players=fact.players,
        school=fact.school,
        house=fact.house,
        single=fact.single,
        number=highest + 1 if highest else 0,
        entered=sum(event.begun(one.number) for one in event.rounds),
        owes=0 if fact.house else event.plan.fee,
    )


def _teamed(event: Event, fact: Teamed) -> Mapping[str, Entrant]:
    """A team in place of two singles, with what they owe and have paid."""
    first, second = (event.entrants[entrant] for entrant in fact.singles)
    told = Entered(entrant=fact.entrant, name=fact.name, players=(first.name, second.name), school=first.school)
    owed = first.paid + second.paid
    team = replace(_entered(event, told), presence=first.presence, paid=owed, owes=max(0, event.plan.fee - owed))
    return _also(
        {entrant: one for entrant, one in event.entrants.items() if entrant not in fact.singles}, fact.entrant, team
    )


def _money(event: Event, fact: Fined | PaidIn | PaidOut) -> Event:
    match fact:
        case Fined():
            fined = event.entrants[fact.entrant]
            changed = replace(fined, owes=fined.owes + fact.cents)
            return replace(event, entrants=_also(event.entrants, fact.entrant, changed))
        case PaidIn(what=Money.GIFT):
            return replace(event, pot=event.pot + fact.cents)
        case PaidIn():
            back = fact.what is Money.REFUND
            cents = -fact.cents if back else fact.cents
            payer = event.entrants[fact.entrant]
            changed = replace(payer, owes=payer.owes - (0 if back else cents), paid=payer.paid + cents)
            return replace(event, pot=event.pot + cents, entrants=_also(event.entrants, fact.entrant, changed))
        case PaidOut():
            had = event.paid_out.get(fact.entrant, 0)
            return replace(event, paid_out=_also(event.paid_out, fact.entrant, had + fact.cents))


def _sheet(
    event: Event,
    fact: ScoreProposed | ScoreConfirmed | ScoreDisputed | ScoreRuled | ScoreEntered | ScoreCorrected,
) -> Sheet:
    match fact:
        case ScoreProposed():
            return Proposed(score=fact.score, side=fact.side)
        case ScoreConfirmed():
            return Settled(score=event.sheets[fact.round, fact.table].score)
        case ScoreDisputed():
            told = event.sheets[fact.round, fact.table]
            assert isinstance(told, Proposed)
            return Disputed(score=told.score, side=told.side, why=fact.why)
        case ScoreCorrected():
            return Settled(score=fact.new)
        case ScoreRuled() | ScoreEntered():
            return Settled(score=fact.score)


def _also(mapping: Mapping[K, V], key: K, value: V) -> Mapping[K, V]:
    return {**mapping, key: value}
