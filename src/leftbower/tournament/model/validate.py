"""Validation of requests: a request is the ledger line it would become; it is accepted or refused with a reason.

The CLI, the pages and the tests all validate here. The desk may request everything
that is possible; a player proposes, confirms and disputes scores for its side, and marks its own presence.
"""

from collections.abc import Sequence

from leftbower import errors
from leftbower.tournament.formats.limits import MAX_ENTRANTS
from leftbower.tournament.hall.facts import HallFact, PaperScoreEntered
from leftbower.tournament.hall.validate import validate_hall
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import (
    DrawDiscarded,
    EntrantAdded,
    EntrantFined,
    EntrantRenamed,
    EventClosed,
    EventFact,
    EventOpened,
    EventPaused,
    EventReopened,
    EventResumed,
    LedgerEntry,
    PaymentKind,
    PaymentRecorded,
    PresenceMarked,
    PrizePaid,
    RoundDrawn,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    ScoreRuled,
    SeedsDrawn,
    StageStarted,
    Substituted,
    TeamFormed,
    TieDrawn,
)
from leftbower.tournament.model.plan import MAX_CENTS
from leftbower.tournament.model.reducer import apply
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Disputed, Event, Proposed, Settled
from leftbower.tournament.model.table_map import FactBySide
from leftbower.tournament.scoring.money import amount_due
from leftbower.tournament.scoring.scores import NoShow, Played, Score, check_score, match_winner

MAX_NAME_LENGTH = 60
_ScoreFact = (
    ScoreProposed | ScoreConfirmed | ScoreDisputed | ScoreRuled | ScoreEntered | ScoreCorrected | PaperScoreEntered
)


def record(event: Event | None, entry: LedgerEntry) -> Event:
    """Validate a line and apply it."""
    return apply(event, validate(event, entry))


def validate(event: Event | None, entry: LedgerEntry) -> LedgerEntry:
    """Return the line if it is allowed now, or raise the error that says why not."""
    fact = entry.fact
    if event is None or isinstance(fact, EventOpened):
        if event is not None or not isinstance(fact, EventOpened):
            raise errors.BadLedger("a ledger begins with the opening of its event, and has only one")
        return entry
    if entry.requested_by:
        _check_requester(event, entry)
    if isinstance(fact, _ScoreFact):
        _check_scoring(event, fact)
    elif isinstance(fact, HallFact):
        validate_hall(event, fact)
    else:
        _check(event, fact)
    return entry


def _check(event: Event, fact: EventFact) -> None:
    match fact:
        case EntrantAdded() | EntrantRenamed() | TeamFormed() | PresenceMarked() | Substituted() | SeedsDrawn():
            _check_entrants(event, fact)
        case RoundDrawn() | DrawDiscarded() | StageStarted():
            event.check_running()
            _check_draw(event, fact)
        case EntrantFined() | PaymentRecorded() | PrizePaid():
            _check_payment(event, fact)
        case TieDrawn():
            event.check_unpaid()
            _check_unique_entrants(event, fact.order)
        case EventPaused() | EventResumed() | EventClosed() | EventReopened():
            _check_status(event, fact)


# Players at a table


def _check_requester(event: Event, entry: LedgerEntry) -> None:
    """A player may act for its own side only, and not for the desk."""
    fact = entry.fact
    event.entrant(entry.requested_by)
    match fact:
        case FactBySide():
            seating = event.seating(*fact.key)
            labels, side = seating.labels, fact.side
            if side not in labels or entry.requested_by not in seating.entrants_on(labels.index(side)):
                raise errors.NotYourTable(f"you do not play {fact.side} at table {fact.table} in round {fact.round}")
        case PresenceMarked(presence=EntrantPresence.PRESENT | EntrantPresence.LATE) if (
            fact.entrant == entry.requested_by
        ):
            pass
        case _:
            raise errors.NotYourTable("that is for the desk to do")


# Scores


def _check_scoring(event: Event, fact: _ScoreFact) -> None:
    event.check_unpaid()
    if event.paused:
        raise errors.EventIsPaused("nothing is scored while the event is paused")
    path = f"round {fact.round}, table {fact.table}"
    seating = event.seating(*fact.key)
    if event.closed and not isinstance(fact, ScoreCorrected):
        raise errors.EventIsClosed("the event is closed", path=path)
    try:
        _check_score_step(event, seating, fact)
        for score in _reported_scores(fact):
            _check_reported_score(event, fact.round, seating, score)
    except (errors.BadScore, errors.NoScore, errors.ScoreStands, errors.NotYourTable) as error:
        raise error.at(path) from None


def _reported_scores(fact: _ScoreFact) -> tuple[Score, ...]:
    match fact:
        case ScoreProposed() | ScoreRuled() | ScoreEntered() | PaperScoreEntered():
            return (fact.score,)
        case ScoreCorrected():
            return (fact.new,)
        case _:
            return ()


def _check_score_step(event: Event, seating: Seating, fact: _ScoreFact) -> None:
    """Check that this step follows from the score's state."""
    sheet = event.score_states.get(fact.key)
    if isinstance(fact, FactBySide) and fact.side not in seating.labels:
        raise errors.NotYourTable(f"the sides here are {' and '.join(seating.labels)}, not {errors.show(fact.side)}")
    match fact, sheet:
        case ScoreCorrected(), Settled():
            _check_correction(event, seating, fact, sheet)
        case ScoreCorrected(), _:
            raise errors.NoScore("there is no score to correct")
        case PaperScoreEntered(), _:
            pass  # a paper score is compared with any state
        case _, Settled():
            raise errors.ScoreStands("the score stands; correct it, and say why")
        case ScoreConfirmed() | ScoreDisputed(), Proposed():
            if fact.side == sheet.side:
                raise errors.NotYourTable(f"{fact.side} told this score; the other side answers it")
        case ScoreConfirmed() | ScoreDisputed(), _:
            raise errors.NoScore("no score is waiting for an answer")
        case ScoreRuled(), None:
            raise errors.NoScore("nothing was told that could be ruled on")
        case ScoreProposed(), Disputed():
            raise errors.ScoreStands("the score is in dispute, and the desk decides")


def _check_correction(event: Event, seating: Seating, fact: ScoreCorrected, sheet: Settled) -> None:
    if fact.old != sheet.score:
        raise errors.ScoreStands("the score is another by now; look again")
    if not fact.why.strip():
        raise errors.BadScore("a correction says why")
    later = any(round_.number > fact.round and round_.stage == event.round(fact.round).stage for round_ in event.rounds)
    bracket = event.stages[event.round(fact.round).stage].definition.bracket
    if later and bracket and _winner(event, seating, fact.old) != _winner(event, seating, fact.new):
        raise errors.ScoreStands("the winner has gone on; draw the later rounds again first, if they have no score")


def _winner(event: Event, seating: Seating, score: Score) -> object:
    return score.absent if isinstance(score, NoShow) else match_winner(event.rules_of(seating), score)


def _check_reported_score(event: Event, round: int, seating: Seating, score: Score) -> None:
    stage = event.round(round).stage
    rules = event.rules_of(seating)
    check_score(rules, event.best_of_at(round, seating), score, seating.labels)
    if isinstance(score, Played) and event.stages[stage].definition.bracket and match_winner(rules, score) is None:
        raise errors.BadScore("one side has to go on: play one more hand")


# Entrants


def _check_entrants(
    event: Event, fact: EntrantAdded | EntrantRenamed | TeamFormed | PresenceMarked | Substituted | SeedsDrawn
) -> None:
    match fact:
        case EntrantAdded():
            event.check_open()
            if fact.entrant in event.entrants or not fact.entrant:
                raise errors.DuplicateName(f"{errors.show(fact.entrant)} is an entrant already")
            if len(event.entrants) >= MAX_ENTRANTS:
                raise errors.BadEntry(f"an event has at most {MAX_ENTRANTS} entrants")
            _check_names(event, fact)
        case EntrantRenamed():
            event.entrant(fact.entrant)
            _check_names(event, fact)
        case TeamFormed():
            _check_team(event, fact)
        case PresenceMarked():
            event.check_unpaid()
            event.entrant(fact.entrant)
        case Substituted():
            _check_substitute(event, fact)
        case SeedsDrawn():
            _check_unique_entrants(event, fact.order)
            if event.rounds:
                raise errors.RoundIsOn("numbers are drawn before the first round")


def _check_names(event: Event, fact: EntrantAdded | EntrantRenamed) -> None:
    """Every name is known once, so that results go to the right person."""
    for name in fact.players or (fact.name,):
        if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
            raise errors.BadEntry(
                f"a name has 1 to {MAX_NAME_LENGTH} letters, and {errors.show(name)} has not", path="name"
            )
    if not fact.name.isprintable() or not 0 < len(fact.name.strip()) <= 2 * MAX_NAME_LENGTH + 3:
        raise errors.BadEntry(f"a team has a name that can be read, and {errors.show(fact.name)} is none", path="name")
    if event.plan.stage.singles and fact.players:
        raise errors.BadEntry("single players play here; enter each under one name", path=fact.name)
    if len(fact.players) not in (0, 2) or len({name.casefold() for name in fact.players}) != len(fact.players):
        raise errors.BadEntry("a team has two players", path=fact.name)
    taken = {
        name.casefold()
        for entrant in event.entrants.values()
        if entrant.id != fact.entrant
        for name in (entrant.name, *entrant.players)
    }
    for name in (fact.name, *fact.players):
        if name.casefold() in taken:
            raise errors.DuplicateName(f"{errors.show(name)} is entered already; use different names")


def _check_team(event: Event, fact: TeamFormed) -> None:
    event.check_open()
    if event.plan.stage.singles:
        raise errors.BadEntry("single players play here, and partners change")
    singles = [event.entrant(entrant) for entrant in fact.singles]
    if len(set(fact.singles)) != 2 or not all(single.single for single in singles):
        raise errors.BadEntry("two singles without a partner make a team")
    if singles[0].school != singles[1].school:
        raise errors.BadEntry("partners come from one school")
    if fact.entrant in event.entrants:
        raise errors.DuplicateName(f"{errors.show(fact.entrant)} is an entrant already")
    if not fact.name.strip() or len(fact.name) > 2 * MAX_NAME_LENGTH + 3:
        raise errors.BadEntry("a team has a name")


def _check_substitute(event: Event, fact: Substituted) -> None:
    event.check_open()
    away = event.entrant(fact.entrant)
    first, last = fact.rounds
    if not 1 <= first <= last:
        raise errors.UnknownRound("a substitute sits in from a round up to a later one")
    if fact.player not in (*away.players, away.name):
        raise errors.BadEntry(f"{errors.show(fact.player)} does not play for {errors.show(away.name)}")
    if not fact.substitute.strip() or len(fact.substitute) > MAX_NAME_LENGTH:
        raise errors.BadEntry("a substitute has a name")
    if fact.credit:
        event.entrant(fact.credit)


def _check_unique_entrants(event: Event, order: Sequence[str]) -> None:
    for entrant in order:
        event.entrant(entrant)
    if len(set(order)) < len(order) or not order:
        raise errors.BadEntry("each entrant is in a draw once")


# Draws


def _check_draw(event: Event, fact: RoundDrawn | DrawDiscarded | StageStarted) -> None:
    match fact:
        case RoundDrawn():
            _check_round_drawn(event, fact)
        case DrawDiscarded():
            if not 1 <= fact.round <= len(event.rounds):
                raise errors.UnknownRound(f"there is no round {fact.round} to draw again")
            if fact.round < event.first_redrawable_round:
                raise errors.RoundIsOn("a round can be drawn again until it has a score", path=f"round {fact.round}")
        case StageStarted():
            if missing := event.open_tables():
                raise errors.RoundIsOn(f"table {missing[0][1]} has no score yet", path=f"round {missing[0][0]}")
            if not fact.stage.entrants:
                raise errors.BadPlan("a later stage is for those who came so far")
            if fact.stage.singles is not event.stage.singles:
                raise errors.BadPlan("teams stay teams and single players single from stage to stage")
            _check_unique_entrants(event, fact.stage.entrants)


def _check_round_drawn(event: Event, fact: RoundDrawn) -> None:
    if fact.round != len(event.rounds) + 1:
        raise errors.UnknownRound(f"round {len(event.rounds) + 1} is drawn next, not round {fact.round}")
    drawn = [entrant for seating in fact.tables for entrant in seating.entrants] + list(fact.byes)
    _check_unique_entrants(event, drawn)
    if len({seating.table for seating in fact.tables}) < len(fact.tables) or any(
        seating.table < 1 for seating in fact.tables
    ):
        raise errors.BadEntry("every table of a round has a number of its own")
    for seating in fact.tables:
        chairs = 2 if len(seating.seats) == 4 and not event.stage.singles else len(seating.seats)
        if (
            len(seating.seats) not in (3, 4)
            or len(seating.entrants) != chairs
            or (chairs == 2 and len(seating.entrants_on(0)) != 1)
        ):
            raise errors.BadEntry(
                "two teams, or three or four single players, sit at a table", path=f"table {seating.table}"
            )


# Money


def _check_payment(event: Event, fact: EntrantFined | PaymentRecorded | PrizePaid) -> None:
    if not 0 < fact.cents <= MAX_CENTS:
        raise errors.BadMoney("an amount is more than nothing, and not a fortune")
    match fact:
        case EntrantFined():
            event.check_unpaid()
            event.entrant(fact.entrant)
        case PaymentRecorded(kind=PaymentKind.GIFT):
            event.check_unpaid()
            if fact.entrant:
                raise errors.BadMoney("a gift to the pot is for no entrant")
        case PaymentRecorded():
            event.check_unpaid()
            payer = event.entrant(fact.entrant)
            limit = payer.paid if fact.kind is PaymentKind.REFUND else payer.owes
            if fact.cents > limit:
                verb = "has paid" if fact.kind is PaymentKind.REFUND else "owes"
                raise errors.BadMoney(f"{payer.name} {verb} {limit} cents, not {fact.cents}")
        case PrizePaid():
            if not event.closed:
                raise errors.EventIsOpen("prizes are paid when the event is closed")
            if fact.cents != amount_due(event, fact.entrant):
                raise errors.BadMoney(
                    f"{event.entrant(fact.entrant).name} is owed {amount_due(event, fact.entrant)} cents"
                )


# Status


def _check_status(event: Event, fact: EventFact) -> None:
    match fact:
        case EventPaused():
            event.check_running()
        case EventResumed():
            if not event.paused:
                raise errors.EventIsPaused("the event is not paused")
        case EventClosed():
            event.check_open()
            waiting = [key for key in event.open_tables() if event.table_started(key)]
            if waiting:
                number, table = waiting[0]
                raise errors.RoundIsOn(f"the score of table {table} is not settled", path=f"round {number}")
        case EventReopened():
            event.check_unpaid()
            if not event.closed:
                raise errors.EventIsOpen("the event is open")
