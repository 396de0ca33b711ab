"""What people ask of an event: a request is the line it hopes to become, and is allowed, or refused with a reason.

Nothing is decided anywhere else, so that a command, a page and a test are told the same. The desk may ask for all
that can be; a player at a table proposes, confirms and disputes for the own side, and says that it is here.
"""

from collections.abc import Sequence

from leftbower.errors import (
    BadEntry,
    BadLedger,
    BadMoney,
    BadPlan,
    BadScore,
    DuplicateName,
    EventIsClosed,
    EventIsOpen,
    EventIsPaused,
    NoScore,
    NotYourTable,
    RoundIsOn,
    ScoreStands,
    UnknownRound,
    show,
)
from leftbower.tournament.course import check_open, check_running, check_unpaid
from leftbower.tournament.entrants import Presence
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
from leftbower.tournament.hall import HallFact
from leftbower.tournament.hall_asking import check_hall
from leftbower.tournament.hall_facts import DirectorCalled, HandTold, KeeperChanged, PaperRead, TakenBack
from leftbower.tournament.limits import MAX_ENTRANTS
from leftbower.tournament.model import Disputed, Event, Proposed, Settled
from leftbower.tournament.money import due_to
from leftbower.tournament.plan import BRACKETS, MOST_CENTS
from leftbower.tournament.scores import NoShow, Played, Score, check_score, match_winner
from leftbower.tournament.seating import Seating
from leftbower.tournament.state import after

LONGEST_NAME = 60
_Scoring = ScoreProposed | ScoreConfirmed | ScoreDisputed | ScoreRuled | ScoreEntered | ScoreCorrected | PaperRead
_BY_PLAYERS = (ScoreProposed, ScoreConfirmed, ScoreDisputed)


def record(event: Event | None, entry: Entry) -> Event:
    """The event with one more line in its ledger, or the error that says why it cannot stand there."""
    return after(event, allow(event, entry))


def allow(event: Event | None, entry: Entry) -> Entry:
    """The line, if whoever asks may have it now; an error says why not."""
    fact = entry.fact
    if event is None or isinstance(fact, Opened):
        if event is not None or not isinstance(fact, Opened):
            raise BadLedger("a ledger begins with the opening of its event, and has only one")
        return entry
    if entry.asks:
        _may_ask(event, entry)
    if isinstance(fact, _Scoring):
        _check_scoring(event, fact)
    else:
        _check(event, fact)
    return entry


def _check(event: Event, fact: EventFact) -> None:
    match fact:
        case Entered() | Renamed() | Teamed() | Marked() | Substituted() | NumbersDrawn():
            _check_people(event, fact)
        case Paired() | Unpaired() | StageBegun():
            check_running(event)
            _check_draw(event, fact)
        case Fined() | PaidIn() | PaidOut():
            _check_money(event, fact)
        case LotsDrawn():
            check_unpaid(event)
            _each_once(event, fact.order)
        case Paused() | Resumed() | Closed() | Reopened():
            _check_course(event, fact)
        case _ if isinstance(fact, HallFact):
            check_hall(event, fact)


# Players at a table


def _may_ask(event: Event, entry: Entry) -> None:
    """A player asks for the own side, and never for what is the desk's."""
    fact = entry.fact
    event.entrant(entry.asks)
    match fact:
        case (
            ScoreProposed()
            | ScoreConfirmed()
            | ScoreDisputed()
            | HandTold()
            | TakenBack()
            | KeeperChanged()
            | DirectorCalled()
        ):
            seating = event.seating(fact.round, fact.table)
            side = seating.side_of(entry.asks)
            if side is None or seating.labels[side] != fact.side:
                raise NotYourTable(f"you do not play {fact.side} at table {fact.table} in round {fact.round}")
        case Marked(presence=Presence.HERE | Presence.LATE) if fact.entrant == entry.asks:
            pass
        case _:
            raise NotYourTable("that is for the desk to do")


# Scores


def _check_scoring(event: Event, fact: _Scoring) -> None:
    check_unpaid(event)
    if event.paused:
        raise EventIsPaused("nothing is scored while the event is paused")
    place = f"round {fact.round}, table {fact.table}"
    seating = event.seating(fact.round, fact.table)
    if event.closed and not isinstance(fact, ScoreCorrected):
        raise EventIsClosed("the event is closed", place=place)
    try:
        _check_sheet(event, seating, fact)
        for told in _told(fact):
            _check_told(event, fact.round, seating, told)
    except (BadScore, NoScore, ScoreStands, NotYourTable) as error:
        raise error.at(place) from None


def _told(fact: _Scoring) -> tuple[Score, ...]:
    match fact:
        case ScoreProposed() | ScoreRuled() | ScoreEntered() | PaperRead():
            return (fact.score,)
        case ScoreCorrected():
            return (fact.new,)
        case _:
            return ()


def _check_sheet(event: Event, seating: Seating, fact: _Scoring) -> None:
    """Each step of a score follows from the one before."""
    sheet = event.sheets.get((fact.round, fact.table))
    if isinstance(fact, _BY_PLAYERS) and fact.side not in seating.labels:
        raise NotYourTable(f"the sides here are {' and '.join(seating.labels)}, not {show(fact.side)}")
    match fact, sheet:
        case ScoreCorrected(), Settled():
            _check_correction(event, seating, fact, sheet)
        case ScoreCorrected(), _:
            raise NoScore("there is no score to correct")
        case PaperRead(), _:
            pass  # whatever was told, a sheet of paper can be held against it
        case _, Settled():
            raise ScoreStands("the score stands; correct it, and say why")
        case ScoreConfirmed() | ScoreDisputed(), Proposed():
            if fact.side == sheet.side:
                raise NotYourTable(f"{fact.side} told this score; the other side answers it")
        case ScoreConfirmed() | ScoreDisputed(), _:
            raise NoScore("no score is waiting for an answer")
        case ScoreRuled(), None:
            raise NoScore("nothing was told that could be ruled on")
        case ScoreProposed(), Disputed():
            raise ScoreStands("the score is in dispute, and the desk decides")


def _check_correction(event: Event, seating: Seating, fact: ScoreCorrected, sheet: Settled) -> None:
    if fact.old != sheet.score:
        raise ScoreStands("the score is another by now; look again")
    if not fact.why.strip():
        raise BadScore("a correction says why")
    later = any(one.number > fact.round and one.stage == event.round(fact.round).stage for one in event.rounds)
    bracket = event.stages[event.round(fact.round).stage].format in BRACKETS
    if later and bracket and _ahead(event, seating, fact.old) != _ahead(event, seating, fact.new):
        raise ScoreStands("whoever won has gone on; draw the later rounds again first, if they have no score")


def _ahead(event: Event, seating: Seating, score: Score) -> object:
    return score.absent if isinstance(score, NoShow) else match_winner(event.rules_of(seating), score)


def _check_told(event: Event, round: int, seating: Seating, score: Score) -> None:
    stage = event.round(round).stage
    rules = event.rules_of(seating)
    check_score(rules, event.match_of(round, seating), score, seating.labels)
    if isinstance(score, Played) and event.stages[stage].format in BRACKETS and match_winner(rules, score) is None:
        raise BadScore("somebody has to go on: play one more hand")


# Entrants


def _check_people(event: Event, fact: Entered | Renamed | Teamed | Marked | Substituted | NumbersDrawn) -> None:
    match fact:
        case Entered():
            check_open(event)
            if fact.entrant in event.entrants or not fact.entrant:
                raise DuplicateName(f"{show(fact.entrant)} is an entrant already")
            if len(event.entrants) >= MAX_ENTRANTS:
                raise BadEntry(f"an event has at most {MAX_ENTRANTS} entrants")
            _check_names(event, fact)
        case Renamed():
            event.entrant(fact.entrant)
            _check_names(event, fact)
        case Teamed():
            _check_team(event, fact)
        case Marked():
            check_unpaid(event)
            event.entrant(fact.entrant)
        case Substituted():
            _check_substitute(event, fact)
        case NumbersDrawn():
            _each_once(event, fact.order)
            if event.rounds:
                raise RoundIsOn("numbers are drawn before the first round")


def _check_names(event: Event, fact: Entered | Renamed) -> None:
    """Every name is known once, so that results go to the right person."""
    for name in fact.players or (fact.name,):
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise BadEntry(f"a name has 1 to {LONGEST_NAME} letters, and {show(name)} has not", place="name")
    if not fact.name.isprintable() or not 0 < len(fact.name.strip()) <= 2 * LONGEST_NAME + 3:
        raise BadEntry(f"a team has a name that can be read, and {show(fact.name)} is none", place="name")
    if event.plan.stage.singles and fact.players:
        raise BadEntry("single players play here; enter each by the own name", place=fact.name)
    if len(fact.players) not in (0, 2) or len({name.casefold() for name in fact.players}) != len(fact.players):
        raise BadEntry("a team has two players", place=fact.name)
    taken = {
        name.casefold()
        for one in event.entrants.values()
        if one.id != fact.entrant
        for name in (one.name, *one.players)
    }
    for name in (fact.name, *fact.players):
        if name.casefold() in taken:
            raise DuplicateName(f"somebody called {show(name)} is entered already; tell them apart")


def _check_team(event: Event, fact: Teamed) -> None:
    check_open(event)
    if event.plan.stage.singles:
        raise BadEntry("single players play here, and partners change")
    singles = [event.entrant(entrant) for entrant in fact.singles]
    if len(set(fact.singles)) != 2 or not all(one.single for one in singles):
        raise BadEntry("two singles without a partner make a team")
    if singles[0].school != singles[1].school:
        raise BadEntry("partners come from one school")
    if fact.entrant in event.entrants:
        raise DuplicateName(f"{show(fact.entrant)} is an entrant already")
    if not fact.name.strip() or len(fact.name) > 2 * LONGEST_NAME + 3:
        raise BadEntry("a team has a name")


def _check_substitute(event: Event, fact: Substituted) -> None:
    check_open(event)
    away = event.entrant(fact.entrant)
    first, last = fact.rounds
    if not 1 <= first <= last:
        raise UnknownRound("a substitute sits in from a round up to a later one")
    if fact.player not in (*away.players, away.name):
        raise BadEntry(f"{show(fact.player)} does not play for {show(away.name)}")
    if not fact.by.strip() or len(fact.by) > LONGEST_NAME:
        raise BadEntry("a substitute has a name")
    if fact.credit:
        event.entrant(fact.credit)


def _each_once(event: Event, order: Sequence[str]) -> None:
    for entrant in order:
        event.entrant(entrant)
    if len(set(order)) < len(order) or not order:
        raise BadEntry("a draw has everybody in it once")


# Draws


def _check_draw(event: Event, fact: Paired | Unpaired | StageBegun) -> None:
    match fact:
        case Paired():
            _check_paired(event, fact)
        case Unpaired():
            if not 1 <= fact.round <= len(event.rounds):
                raise UnknownRound(f"there is no round {fact.round} to draw again")
            if fact.round < event.first_free:
                raise RoundIsOn("a round can be drawn again until it has a score", place=f"round {fact.round}")
        case StageBegun():
            if missing := event.open_tables():
                raise RoundIsOn(f"table {missing[0][1]} has no score yet", place=f"round {missing[0][0]}")
            if not fact.stage.entrants:
                raise BadPlan("a later stage is for those who came so far")
            if fact.stage.singles is not event.stage.singles:
                raise BadPlan("teams stay teams and single players single from stage to stage")
            _each_once(event, fact.stage.entrants)


def _check_paired(event: Event, fact: Paired) -> None:
    if fact.round != len(event.rounds) + 1:
        raise UnknownRound(f"round {len(event.rounds) + 1} is drawn next, not round {fact.round}")
    everybody = [entrant for one in fact.tables for entrant in one.entrants] + list(fact.byes)
    _each_once(event, everybody)
    if len({one.table for one in fact.tables}) < len(fact.tables) or any(one.table < 1 for one in fact.tables):
        raise BadEntry("every table of a round has a number of its own")
    for one in fact.tables:
        chairs = 2 if len(one.seats) == 4 and not event.stage.singles else len(one.seats)
        if len(one.seats) not in (3, 4) or len(one.entrants) != chairs or (chairs == 2 and len(one.on(0)) != 1):
            raise BadEntry("two teams, or three or four single players, sit at a table", place=f"table {one.table}")


# Money


def _check_money(event: Event, fact: Fined | PaidIn | PaidOut) -> None:
    if not 0 < fact.cents <= MOST_CENTS:
        raise BadMoney("an amount is more than nothing, and not a fortune")
    match fact:
        case Fined():
            check_unpaid(event)
            event.entrant(fact.entrant)
        case PaidIn(what=Money.GIFT):
            check_unpaid(event)
            if fact.entrant:
                raise BadMoney("a gift to the pot is nobody's fee")
        case PaidIn():
            check_unpaid(event)
            payer = event.entrant(fact.entrant)
            most = payer.paid if fact.what is Money.REFUND else payer.owes
            if fact.cents > most:
                what = "has paid" if fact.what is Money.REFUND else "owes"
                raise BadMoney(f"{payer.name} {what} {most} cents, not {fact.cents}")
        case PaidOut():
            if not event.closed:
                raise EventIsOpen("prizes are paid when the event is closed")
            if fact.cents != due_to(event, fact.entrant):
                raise BadMoney(f"{event.entrant(fact.entrant).name} is owed {due_to(event, fact.entrant)} cents")


# The course of the evening


def _check_course(event: Event, fact: EventFact) -> None:
    match fact:
        case Paused():
            check_running(event)
        case Resumed():
            if not event.paused:
                raise EventIsPaused("the event is not paused")
        case Closed():
            check_open(event)
            waiting = [place for place in event.open_tables() if event.begun_at(place)]
            if waiting:
                number, table = waiting[0]
                raise RoundIsOn(f"the score of table {table} is not settled", place=f"round {number}")
        case Reopened():
            check_unpaid(event)
            if not event.closed:
                raise EventIsOpen("the event is open")
