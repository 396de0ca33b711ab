"""An event as a fold over its ledger. Facts are what happened: nobody asks here whether it was allowed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from leftbower.tournament.author_counts import author_of
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
from leftbower.tournament.hall import (
    DESK,
    REMEMBERED,
    Hall,
    after_in_hall,
    also,
    paused_or_not,
    tally_after,
    with_rejoin,
)
from leftbower.tournament.hall_facts import (
    DirectorCalled,
    DirectorCame,
    HandTold,
    Joined,
    KeeperChanged,
    PaperRead,
    RejoinAllowed,
    TableOpened,
    TakenBack,
)
from leftbower.tournament.model import Disputed, Event, Proposed, Settled, Sheet
from leftbower.tournament.place_map import Place, PlaceMap
from leftbower.tournament.plan import Word
from leftbower.tournament.scores import same_score
from leftbower.tournament.seating import Round

AT_A_TABLE = (
    ScoreProposed,
    ScoreConfirmed,
    ScoreDisputed,
    ScoreRuled,
    ScoreEntered,
    ScoreCorrected,
    HandTold,
    TakenBack,
    KeeperChanged,
    DirectorCalled,
    DirectorCame,
    PaperRead,
    TableOpened,
)
"""What is about one table of one round."""
_BETWEEN_THEM = (HandTold, TakenBack, KeeperChanged, DirectorCalled, DirectorCame, Joined)
"""What only the table and the desk see."""


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
    changed = _changed(event, fact, entry.at)
    if isinstance(fact, ScoreCorrected | ScoreRuled):
        changed = replace(changed, corrections=(*event.corrections, entry))
    version = event.version + 1
    hall, place = changed.hall, place_of(fact)
    acts = hall.acts.put(place, _remembered(hall, place, entry.act)) if entry.act else hall.acts
    shown = hall.shown if isinstance(fact, _BETWEEN_THEM) and place not in event.sheets else version
    hall = replace(hall, moved=hall.moved.put(place, version), acts=acts, shown=shown)
    written = event.written.one_more(author_of(entry.by))
    return replace(changed, hall=hall, version=version, at=entry.at, written=written)


def _remembered(hall: Hall, place: Place, act: str) -> tuple[str, ...]:
    """The latest acts of a place; one that takes several facts stands there once."""
    known = hall.acts.get(place, ())
    return known if act in known[-1:] else (*known, act)[-REMEMBERED:]


def place_of(fact: EventFact) -> Place:
    """The table that a fact is about; the desk's for all that is about none."""
    return (fact.round, fact.table) if isinstance(fact, AT_A_TABLE) else DESK


def _changed(event: Event, fact: EventFact, at: float) -> Event:
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
            paused = isinstance(fact, Paused)
            return replace(event, paused=paused, hall=paused_or_not(event.hall, at, paused=paused))
        case Closed() | Reopened():
            return replace(event, closed=isinstance(fact, Closed))
        case Opened():
            return event
        case HandTold() | TakenBack() | KeeperChanged():
            return _told(event, fact)
        case ScoreProposed() | ScoreConfirmed() | ScoreDisputed() | ScoreRuled() | ScoreEntered() | ScoreCorrected():
            place = fact.round, fact.table
            return replace(event, sheets=event.sheets.put(place, _sheet(event, fact)))
        case RejoinAllowed():
            return replace(event, hall=with_rejoin(event.hall, fact, event.now))
        case PaperRead():
            read = replace(event, hall=after_in_hall(event.hall, fact, at))
            return replace(read, sheets=_from_paper(event, fact))
        case _:
            return replace(event, hall=after_in_hall(event.hall, fact, at))


def _told(event: Event, fact: HandTold | TakenBack | KeeperChanged) -> Event:
    """A tally, one word longer; a side that takes something back begins with the score it told."""
    place, seating = (fact.round, fact.table), event.seating(fact.round, fact.table)
    if isinstance(fact, TakenBack) and place in event.sheets:
        return replace(event, sheets=event.sheets.drop(place))
    best_of = event.match_of(fact.round, seating)
    kept = tally_after(event.hall.tallies.get(place), fact, event.rules_of(seating), best_of)
    return replace(event, hall=replace(event.hall, tallies=event.hall.tallies.put(place, kept)))


def _from_paper(event: Event, fact: PaperRead) -> PlaceMap[Sheet]:
    """What both sides have signed stands, unless something else was told: then the desk sees the difference."""
    place, seating = (fact.round, fact.table), event.seating(fact.round, fact.table)
    match event.sheets.get(place):
        case None:
            return event.sheets.put(place, Settled(score=fact.score))
        case Proposed(score=told) if same_score(event.rules_of(seating), told, fact.score):
            return event.sheets.put(place, Settled(score=told))
        case _:
            return event.sheets


def _people(event: Event, fact: Entered | Renamed | Teamed | Marked | NumbersDrawn) -> Mapping[str, Entrant]:
    match fact:
        case Entered():
            return also(event.entrants, fact.entrant, _entered(event, fact))
        case Teamed():
            return _teamed(event, fact)
        case NumbersDrawn():
            numbers = {entrant: number for number, entrant in enumerate(fact.order, 1)}
            return {entrant: replace(one, number=numbers.get(entrant, 0)) for entrant, one in event.entrants.items()}
        case Renamed():
            renamed = replace(event.entrants[fact.entrant], name=fact.name, players=fact.players)
            return also(event.entrants, fact.entrant, renamed)
        case Marked():
            marked = replace(event.entrants[fact.entrant], presence=fact.presence)
            return also(event.entrants, fact.entrant, marked)


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
    return also(
        {entrant: one for entrant, one in event.entrants.items() if entrant not in fact.singles}, fact.entrant, team
    )


def _money(event: Event, fact: Fined | PaidIn | PaidOut) -> Event:
    match fact:
        case Fined():
            fined = event.entrants[fact.entrant]
            changed = replace(fined, owes=fined.owes + fact.cents)
            return replace(event, entrants=also(event.entrants, fact.entrant, changed))
        case PaidIn(what=Money.GIFT):
            return replace(event, pot=event.pot + fact.cents)
        case PaidIn():
            back = fact.what is Money.REFUND
            cents = -fact.cents if back else fact.cents
            payer = event.entrants[fact.entrant]
            changed = replace(payer, owes=payer.owes - (0 if back else cents), paid=payer.paid + cents)
            return replace(event, pot=event.pot + cents, entrants=also(event.entrants, fact.entrant, changed))
        case PaidOut():
            had = event.paid_out.get(fact.entrant, 0)
            return replace(event, paid_out=also(event.paid_out, fact.entrant, had + fact.cents))


def _sheet(
    event: Event,
    fact: ScoreProposed | ScoreConfirmed | ScoreDisputed | ScoreRuled | ScoreEntered | ScoreCorrected,
) -> Sheet:
    match fact:
        case ScoreProposed() if event.plan.word is Word.ONE:
            return Settled(score=fact.score)
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
