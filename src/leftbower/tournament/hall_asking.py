"""What may be told of a hall: hands by the side that keeps the score, calls, the clock, what is shown."""

from leftbower.errors import BadEntry, BadScore, LinkInUse, NotYourTable, RoundIsOn, ScoreStands, show
from leftbower.tournament.course import check_open, check_running
from leftbower.tournament.hall import HallFact, Tally, match_over, with_hand
from leftbower.tournament.hall_facts import (
    ClockHeld,
    ClockSet,
    DirectorCalled,
    DirectorCame,
    HandTold,
    Joined,
    KeeperChanged,
    Published,
    RejoinAllowed,
    TableOpened,
    TakenBack,
)
from leftbower.tournament.model import Event, Proposed
from leftbower.tournament.scores import hand_results
from leftbower.tournament.seating import Seating

LONGEST_CLOCK = 24 * 3600
LONGEST_TALLY = 200
"""No match has so many hands."""


def check_hall(event: Event, fact: HallFact) -> None:
    """Refuse what cannot be told of the hall now."""
    match fact:
        case HandTold() | TakenBack() | KeeperChanged():
            _check_tally(event, fact)
        case DirectorCalled():
            check_open(event)
            _check_side(event.seating(fact.round, fact.table), fact.side)
            if (fact.round, fact.table) in event.hall.calls:
                raise RoundIsOn("the director is on the way", place=f"table {fact.table}")
        case DirectorCame():
            if (fact.round, fact.table) not in event.hall.calls:
                raise RoundIsOn("nobody waits for the director here", place=f"table {fact.table}")
        case ClockSet():
            check_running(event)
            if not 0 <= fact.seconds <= LONGEST_CLOCK:
                raise BadEntry("a clock has at most a day", place="clock")
        case ClockHeld():
            check_running(event)
            if event.hall.clock is None or (event.hall.clock.since is None) is fact.held:
                raise BadEntry(f"no clock is {'running' if fact.held else 'stopped'}", place="clock")
        case Joined():
            _check_joined(event, fact)
        case RejoinAllowed():
            check_open(event)
            if (fact.entrant, fact.chair) not in event.hall.people:
                raise BadEntry("nobody has joined by this link yet; make a new link instead")
            if event.hall.may_rejoin((fact.entrant, fact.chair)):
                raise BadEntry("this player may join from another device already")
        case TableOpened():
            check_running(event)
            event.seating(fact.round, fact.table)
        case Published():
            pass
        case _:
            raise AssertionError("papers are scores")


def _check_joined(event: Event, fact: Joined) -> None:
    """A chair belongs to the first who joins, and a person has one chair; only the desk lets another device in."""
    entrant, chair = event.entrant(fact.entrant), (fact.entrant, fact.chair)
    if entrant.house or not 0 <= fact.chair <= (0 if event.plan.stage.singles else 1) or not fact.person:
        raise BadEntry(f"{show(entrant.name)} has no such chair")
    if event.hall.people.get(chair, fact.person) != fact.person and not event.hall.may_rejoin(chair):
        raise LinkInUse("this link is already used on another device; ask at the desk to move it")
    for other, person in event.hall.people.items():
        if person == fact.person and other != chair:
            name = event.entrant(other[0]).at(bool(other[1]))
            raise LinkInUse(f"this browser already plays for {name} in this event; use another device")


def _check_tally(event: Event, fact: HandTold | TakenBack | KeeperChanged) -> None:
    check_running(event)
    place, seating = (fact.round, fact.table), event.seating(fact.round, fact.table)
    where = f"round {fact.round}, table {fact.table}"
    _check_side(seating, fact.side)
    sheet, kept = event.sheets.get(place), event.hall.tallies.get(place)
    if isinstance(fact, TakenBack) and isinstance(sheet, Proposed):
        if sheet.side != fact.side:
            raise NotYourTable(f"{sheet.side} told this score; confirm or dispute it", place=where)
        return
    if sheet is not None:
        raise ScoreStands("a score is told already", place=where)
    match fact:
        case KeeperChanged():
            if kept is not None and kept.keeper == fact.side:
                raise ScoreStands(f"{fact.side} keeps the score already", place=where)
        case TakenBack():
            if kept is None or not kept.games:
                raise BadScore("no hand is told that could be taken back", place=where)
            _check_keeper(kept, fact.side, where)
        case HandTold():
            _check_keeper(kept, fact.side, where)
            _check_hand(event, fact, seating, kept, where)


def _check_hand(event: Event, fact: HandTold, seating: Seating, kept: Tally | None, where: str) -> None:
    rules, games = event.rules_of(seating), kept.games if kept else ()
    best_of = event.match_of(fact.round, seating)
    if match_over(rules, best_of, games):
        raise BadScore("the match is over; tell the score", place=where)
    if sum(len(game.hands) for game in games) >= LONGEST_TALLY:
        raise BadScore("no match has so many hands", place=where)
    hand_results(rules, with_hand(rules, best_of, games, fact.hand))


def _check_keeper(kept: Tally | None, side: str, where: str) -> None:
    if kept is not None and kept.keeper != side:
        raise NotYourTable(f"{kept.keeper} keeps the score of this table", place=where)


def _check_side(seating: Seating, side: str) -> None:
    if side not in seating.labels:
        raise NotYourTable(f"the sides here are {' and '.join(seating.labels)}, not {show(side)}")
