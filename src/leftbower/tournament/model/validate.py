"""Validation: accept a ledger line before it is recorded, or refuse it with a reason.

The CLI, the pages and the tests all validate here. The desk may do anything that is possible now; a player may only
report for its side (scores, hands, calls for the director) and mark itself present or late.
"""

from collections.abc import Sequence

from leftbower import errors
from leftbower.tournament.entry.facts import EntryFact
from leftbower.tournament.entry.validate import MAX_NAME_LENGTH, check_names, validate_entry
from leftbower.tournament.formats.limits import MAX_ENTRANTS
from leftbower.tournament.hall.facts import HallFact, PaperScoreEntered
from leftbower.tournament.hall.validate import validate_hall
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import (
    DrawDiscarded,
    EntrantAdded,
    EntrantFined,
    EntrantRenamed,
    EntrantStruck,
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

_ScoreFact = (
    ScoreProposed | ScoreConfirmed | ScoreDisputed | ScoreRuled | ScoreEntered | ScoreCorrected | PaperScoreEntered
)


def record(event: Event | None, entry: LedgerEntry) -> Event:
    """Validate a line and apply it."""
    return apply(event, validate(event, entry))


def validate(event: Event | None, entry: LedgerEntry) -> LedgerEntry:
    """Return the line if it is allowed now, else raise the reason."""
    fact = entry.fact
    if event is None or isinstance(fact, EventOpened):
        if event is not None or not isinstance(fact, EventOpened):
            raise errors.BadLedger("a ledger must start with its one event-opened line")
        return entry
    if entry.requested_by:
        _check_requester(event, entry)
    if isinstance(fact, _ScoreFact):
        _check_scoring(event, fact)
    elif isinstance(fact, HallFact):
        validate_hall(event, fact)
    elif isinstance(fact, EntryFact):
        validate_entry(event, fact)
    else:
        _check(event, fact)
    return entry


def _check(event: Event, fact: EventFact) -> None:
    match fact:
        case EntrantAdded() | EntrantRenamed() | TeamFormed() | Substituted() | SeedsDrawn():
            _check_entrants(event, fact)
        case PresenceMarked() | EntrantStruck():
            event.check_unpaid()
            event.entrant(fact.entrant)
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
    """A player may act only for its own side, never for the desk."""
    fact = entry.fact
    event.entrant(entry.requested_by)
    match fact:
        case FactBySide():
            seating = event.seating(*fact.key)
            labels, side = seating.labels, fact.side
            if side not in labels or entry.requested_by not in seating.entrants_on(labels.index(side)):
                raise errors.NotYourTable(
                    "you don't play %(side)s at table %(table)s in round %(round)s",
                    side=fact.side,
                    table=fact.table,
                    round=fact.round,
                )
        case PresenceMarked(presence=EntrantPresence.PRESENT | EntrantPresence.LATE) if (
            fact.entrant == entry.requested_by
        ):
            pass
        case _:
            raise errors.NotYourTable("ask the desk to do this")


# Scores


def _check_scoring(event: Event, fact: _ScoreFact) -> None:
    event.check_unpaid()
    if event.paused:
        raise errors.EventIsPaused("the event is paused; resume it to enter scores")
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
        raise errors.NotYourTable(
            "the sides here are %(sides)s, not %(side)s",
            sides=" and ".join(seating.labels),
            side=errors.show(fact.side),
        )
    match fact, sheet:
        case ScoreCorrected(), Settled():
            _check_correction(event, seating, fact, sheet)
        case ScoreCorrected(), _:
            raise errors.NoScore("there is no score to correct")
        case PaperScoreEntered(), _:
            pass  # allowed in any state: the reducer compares it with the score so far
        case _, Settled():
            raise errors.ScoreStands("the score is final; correct it and say why")
        case ScoreConfirmed() | ScoreDisputed(), Proposed():
            if fact.side == sheet.side:
                raise errors.NotYourTable("%(side)s reported this score; the other side answers", side=fact.side)
        case ScoreConfirmed() | ScoreDisputed(), _:
            raise errors.NoScore("there is no score to answer")
        case ScoreRuled(), None:
            raise errors.NoScore("there is no reported score to rule on")
        case ScoreProposed(), Disputed():
            raise errors.ScoreStands("the score is in dispute; the desk decides")


def _check_correction(event: Event, seating: Seating, fact: ScoreCorrected, sheet: Settled) -> None:
    if fact.old != sheet.score:
        raise errors.ScoreStands("the score has changed; check it and try again")
    if not fact.why.strip():
        raise errors.BadScore("say why you correct the score")
    later = any(round_.number > fact.round and round_.stage == event.round(fact.round).stage for round_ in event.rounds)
    bracket = event.stages[event.round(fact.round).stage].definition.bracket
    if later and bracket and _winner(event, seating, fact.old) != _winner(event, seating, fact.new):
        raise errors.ScoreStands("the winner has moved on; first draw the later rounds again, if they have no score")


def _winner(event: Event, seating: Seating, score: Score) -> object:
    return score.absent if isinstance(score, NoShow) else match_winner(event.rules_of(seating), score)


def _check_reported_score(event: Event, round: int, seating: Seating, score: Score) -> None:
    stage = event.round(round).stage
    rules = event.rules_of(seating)
    check_score(rules, event.best_of_at(round, seating), score, seating.labels)
    if isinstance(score, Played) and event.stages[stage].definition.bracket and match_winner(rules, score) is None:
        raise errors.BadScore("one side must advance; play one more hand")


# Entrants


def _check_entrants(event: Event, fact: EntrantAdded | EntrantRenamed | TeamFormed | Substituted | SeedsDrawn) -> None:
    match fact:
        case EntrantAdded():
            event.check_open()
            if not event.is_free_id(fact.entrant):
                raise errors.DuplicateName("%(entrant)s is already entered", entrant=errors.show(fact.entrant))
            if len(event.entrants) >= MAX_ENTRANTS:
                raise errors.BadEntry("an event has at most %(limit)s entrants", limit=MAX_ENTRANTS)
            check_names(event, fact)
        case EntrantRenamed():
            event.entrant(fact.entrant)
            check_names(event, fact)
        case TeamFormed():
            _check_team(event, fact)
        case Substituted():
            _check_substitute(event, fact)
        case SeedsDrawn():
            _check_unique_entrants(event, fact.order)
            if event.rounds:
                raise errors.RoundIsOn("draw numbers before the first round")


def _check_team(event: Event, fact: TeamFormed) -> None:
    event.check_open()
    if event.plan.stage.singles:
        raise errors.BadEntry("this event is for single players; partners change")
    singles = [event.entrant(entrant) for entrant in fact.singles]
    if len(set(fact.singles)) != 2 or not all(single.single for single in singles):
        raise errors.BadEntry("pick two singles without a partner")
    if singles[0].school != singles[1].school:
        raise errors.BadEntry("partners must be from the same school")
    if not event.is_free_id(fact.entrant):
        raise errors.DuplicateName("%(entrant)s is already entered", entrant=errors.show(fact.entrant))
    if not fact.name.strip() or len(fact.name) > 2 * MAX_NAME_LENGTH + 3:
        raise errors.BadEntry("the team needs a name")


def _check_substitute(event: Event, fact: Substituted) -> None:
    event.check_open()
    away = event.entrant(fact.entrant)
    first, last = fact.rounds
    if not 1 <= first <= last:
        raise errors.UnknownRound("the last round for a substitute must not be before the first")
    if fact.player not in (*away.players, away.name):
        raise errors.BadEntry(
            "%(player)s doesn't play for %(team)s", player=errors.show(fact.player), team=errors.show(away.name)
        )
    if not fact.substitute.strip() or len(fact.substitute) > MAX_NAME_LENGTH:
        raise errors.BadEntry("the substitute needs a name")
    if fact.credit:
        event.entrant(fact.credit)


def _check_unique_entrants(event: Event, order: Sequence[str]) -> None:
    for entrant in order:
        event.entrant(entrant)
    if len(set(order)) < len(order) or not order:
        raise errors.BadEntry("list each entrant once")


# Draws


def _check_draw(event: Event, fact: RoundDrawn | DrawDiscarded | StageStarted) -> None:
    match fact:
        case RoundDrawn():
            _check_round_drawn(event, fact)
        case DrawDiscarded():
            if not 1 <= fact.round <= len(event.rounds):
                raise errors.UnknownRound("there is no round %(round)s to draw again", round=fact.round)
            if fact.round < event.first_redrawable_round:
                raise errors.RoundIsOn("this round has a score, so it can't be drawn again", path=f"round {fact.round}")
        case StageStarted():
            if missing := event.open_tables():
                raise errors.RoundIsOn(
                    "table %(table)s has no score yet", path=f"round {missing[0][0]}", table=missing[0][1]
                )
            if not fact.stage.entrants:
                raise errors.BadPlan("a later stage needs its entrants")
            if fact.stage.singles is not event.stage.singles:
                raise errors.BadPlan("a later stage can't switch between teams and single players")
            _check_unique_entrants(event, fact.stage.entrants)


def _check_round_drawn(event: Event, fact: RoundDrawn) -> None:
    if fact.round != len(event.rounds) + 1:
        raise errors.UnknownRound(
            "the next round is %(next)s, not %(round)s", next=len(event.rounds) + 1, round=fact.round
        )
    drawn = [entrant for seating in fact.tables for entrant in seating.entrants] + list(fact.byes)
    _check_unique_entrants(event, drawn)
    if len({seating.table for seating in fact.tables}) < len(fact.tables) or any(
        seating.table < 1 for seating in fact.tables
    ):
        raise errors.BadEntry("each table in a round needs its own number")
    for seating in fact.tables:
        chairs = 2 if len(seating.seats) == 4 and not event.stage.singles else len(seating.seats)
        if (
            len(seating.seats) not in (3, 4)
            or len(seating.entrants) != chairs
            or (chairs == 2 and len(seating.entrants_on(0)) != 1)
        ):
            raise errors.BadEntry(
                "a table seats two teams, or three or four single players", path=f"table {seating.table}"
            )


# Money


def _check_payment(event: Event, fact: EntrantFined | PaymentRecorded | PrizePaid) -> None:
    if not 0 < fact.cents <= MAX_CENTS:
        raise errors.BadMoney("the amount must be more than $0 and at most $1,000,000")
    match fact:
        case EntrantFined():
            event.check_unpaid()
            event.entrant(fact.entrant)
        case PaymentRecorded(kind=PaymentKind.GIFT):
            event.check_unpaid()
            if fact.entrant:
                raise errors.BadMoney("a gift to the pot can't name an entrant")
        case PaymentRecorded():
            event.check_unpaid()
            payer = event.entrant(fact.entrant)
            limit = payer.paid if fact.kind is PaymentKind.REFUND else payer.owes
            if fact.cents > limit:
                amount = f"${limit / 100:,.2f}"
                if fact.kind is PaymentKind.REFUND:
                    raise errors.BadMoney("%(name)s paid only %(amount)s", name=payer.name, amount=amount)
                raise errors.BadMoney("%(name)s owes only %(amount)s", name=payer.name, amount=amount)
        case PrizePaid():
            if not event.closed:
                raise errors.EventIsOpen("close the event before you pay prizes")
            if fact.cents != amount_due(event, fact.entrant):
                raise errors.BadMoney(
                    "%(name)s is due %(amount)s",
                    name=event.entrant(fact.entrant).name,
                    amount=f"${amount_due(event, fact.entrant) / 100:,.2f}",
                )


# Status


def _check_status(event: Event, fact: EventFact) -> None:
    match fact:
        case EventPaused():
            event.check_running()
        case EventResumed():
            if not event.paused:
                raise errors.EventIsPaused("the event isn't paused")
        case EventClosed():
            event.check_open()
            waiting = [key for key in event.open_tables() if event.table_started(key)]
            if waiting:
                number, table = waiting[0]
                raise errors.RoundIsOn("table %(table)s has no final score yet", path=f"round {number}", table=table)
        case EventReopened():
            event.check_unpaid()
            if not event.closed:
                raise errors.EventIsOpen("the event is still open")
