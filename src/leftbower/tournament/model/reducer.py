"""Reducer: an event is a fold over its ledger. Facts are applied without validation."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from leftbower.tournament.entry.facts import EntryFact, OrganizersChanged
from leftbower.tournament.entry.reducer import apply_entry, drop_entrants, new_entrant
from leftbower.tournament.hall import state
from leftbower.tournament.hall.facts import (
    DirectorArrived,
    DirectorCalled,
    HandReported,
    PaperScoreEntered,
    PlayerJoined,
    RejoinAllowed,
    ReportWithdrawn,
    ScorerChanged,
)
from leftbower.tournament.model.choices import ScoreApproval
from leftbower.tournament.model.entrants import Entrant
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
from leftbower.tournament.model.roles import author_key
from leftbower.tournament.model.seating import Round
from leftbower.tournament.model.state import Disputed, Event, Proposed, ScoreState, Settled
from leftbower.tournament.model.table_map import FactAtTable, TableKey
from leftbower.tournament.scoring.scores import same_score

_PRIVATE_FACTS = (
    *(HandReported, ReportWithdrawn, ScorerChanged, DirectorCalled, DirectorArrived, PlayerJoined),
    OrganizersChanged,
)
"""Facts visible only to the table and the desk."""


def replay(entries: Iterable[LedgerEntry], event: Event | None = None) -> Event | None:
    """Replay ledger lines; a prefix gives the event as it was then."""
    for entry in entries:
        event = apply(event, entry)
    return event


def apply(event: Event | None, entry: LedgerEntry) -> Event:
    fact = entry.fact
    if isinstance(fact, EventOpened):
        return Event(version=1, updated_at=entry.at, plan=fact.plan, stages=(fact.plan.stage,))
    assert event is not None
    changed = _apply_fact(event, fact, entry.at)
    if isinstance(fact, ScoreCorrected | ScoreRuled):
        changed = replace(changed, corrections=(*event.corrections, entry))
    version = event.version + 1
    hall, key = changed.hall, fact.key if isinstance(fact, FactAtTable) else state.DESK
    request_ids = hall.request_ids
    latest = request_ids.get(key, ())
    if entry.request_id and entry.request_id not in latest[-1:]:  # several facts of one request store its id once
        request_ids = request_ids.put(key, (*latest, entry.request_id)[-state.MAX_REQUEST_IDS_PER_TABLE :])
    public_version = (
        hall.public_version if isinstance(fact, _PRIVATE_FACTS) and key not in event.score_states else version
    )
    hall = replace(
        hall, versions=hall.versions.put(key, version), request_ids=request_ids, public_version=public_version
    )
    author = author_key(entry.by)
    counts = event.author_counts.put(author, event.author_counts.get(author, 0) + 1)
    return replace(changed, hall=hall, version=version, updated_at=entry.at, author_counts=counts)


def _apply_fact(event: Event, fact: EventFact, at: float) -> Event:
    match fact:
        case TeamFormed():
            return replace(drop_entrants(event, fact.singles), entrants=_form_team(event, fact))
        case EntrantAdded() | EntrantRenamed() | PresenceMarked() | EntrantStruck() | SeedsDrawn():
            return replace(event, entrants=_apply_to_entrants(event, fact))
        case _ if isinstance(fact, EntryFact):
            return apply_entry(event, fact)
        case Substituted():
            return replace(event, substitutes=(*event.substitutes, fact))
        case RoundDrawn():
            drawn = Round(number=fact.round, stage=len(event.stages) - 1, tables=fact.tables, byes=fact.byes)
            return replace(event, rounds=(*event.rounds, drawn))
        case DrawDiscarded():
            return replace(event, rounds=event.rounds[: fact.round - 1])
        case StageStarted():
            return replace(event, stages=(*event.stages, fact.stage))
        case EntrantFined() | PaymentRecorded() | PrizePaid():
            return _apply_payment(event, fact)
        case TieDrawn():
            return replace(event, tie_draws=(*event.tie_draws, fact.order))
        case EventPaused() | EventResumed():
            paused = isinstance(fact, EventPaused)
            return replace(event, paused=paused, hall=state.set_paused(event.hall, at, paused=paused))
        case EventClosed() | EventReopened():
            return replace(event, closed=isinstance(fact, EventClosed))
        case EventOpened():
            return event
        case HandReported() | ReportWithdrawn() | ScorerChanged():
            return _apply_report(event, fact)
        case ScoreProposed() | ScoreConfirmed() | ScoreDisputed() | ScoreRuled() | ScoreEntered() | ScoreCorrected():
            return _put_score(event, fact.key, _score_state(event, fact))
        case RejoinAllowed():
            return replace(event, hall=state.allow_rejoin(event.hall, fact, event.current_round))
        case PaperScoreEntered():
            read = replace(event, hall=state.apply_to_hall(event.hall, fact, at))
            paper_state = _paper_score_state(event, fact)
            return read if paper_state is None else _put_score(read, fact.key, paper_state)
        case _:
            return replace(event, hall=state.apply_to_hall(event.hall, fact, at))


def _apply_report(event: Event, fact: HandReported | ReportWithdrawn | ScorerChanged) -> Event:
    """Update a tally; a withdrawal first drops the proposed score."""
    key, seating = fact.key, event.seating(*fact.key)
    if isinstance(fact, ReportWithdrawn) and key in event.score_states:
        return replace(event, score_states=event.score_states.drop(key))
    tally = event.hall.tallies.get(key) or state.MatchTally(scorer=fact.side)
    match fact:
        case ScorerChanged():
            tally = replace(tally, scorer=fact.side)
        case ReportWithdrawn():
            tally = replace(tally, games=state.drop_last_hand(tally.games))
        case HandReported():
            best_of = event.best_of_at(fact.round, seating)
            tally = replace(tally, games=state.add_hand(event.rules_of(seating), best_of, tally.games, fact.hand))
    return replace(event, hall=replace(event.hall, tallies=event.hall.tallies.put(key, tally)))


def _put_score(event: Event, key: TableKey, state: ScoreState) -> Event:
    """Change a table's score; the last one of a round stops the clock."""
    changed = replace(event, score_states=event.score_states.put(key, state))
    if event.hall.clock and event.settled_score(*key) is None and changed.is_round_over(key[0]):
        return replace(changed, hall=replace(event.hall, clock=None, clock_paused_by_event=False))
    return changed


def _paper_score_state(event: Event, fact: PaperScoreEntered) -> ScoreState | None:
    """A paper score settles the table unless a different score was proposed; then the desk sees the difference."""
    key, seating = fact.key, event.seating(*fact.key)
    match event.score_states.get(key):
        case None:
            return Settled(score=fact.score)
        case Proposed(score=reported) if same_score(event.rules_of(seating), reported, fact.score):
            return Settled(score=reported)
        case _:
            return None


def _apply_to_entrants(
    event: Event, fact: EntrantAdded | EntrantRenamed | PresenceMarked | EntrantStruck | SeedsDrawn
) -> Mapping[str, Entrant]:
    match fact:
        case EntrantAdded():
            return {**event.entrants, fact.entrant: new_entrant(event, fact)}
        case SeedsDrawn():
            numbers = {entrant: number for number, entrant in enumerate(fact.order, 1)}
            return {entrant: replace(old, number=numbers.get(entrant, 0)) for entrant, old in event.entrants.items()}
        case EntrantRenamed():
            renamed = replace(event.entrants[fact.entrant], name=fact.name, players=fact.players)
            return {**event.entrants, fact.entrant: renamed}
        case PresenceMarked():
            marked = replace(event.entrants[fact.entrant], presence=fact.presence)
            return {**event.entrants, fact.entrant: marked}
        case EntrantStruck():
            return {**event.entrants, fact.entrant: replace(event.entrants[fact.entrant], struck=fact.struck)}


def _form_team(event: Event, fact: TeamFormed) -> Mapping[str, Entrant]:
    """Replace two singles with a team that takes over their payments."""
    first, second = (event.entrants[entrant] for entrant in fact.singles)
    added = EntrantAdded(entrant=fact.entrant, name=fact.name, players=(first.name, second.name), school=first.school)
    paid = first.paid + second.paid
    team = replace(new_entrant(event, added), presence=first.presence, paid=paid, owes=max(0, event.plan.fee - paid))
    others = {entrant: entered for entrant, entered in event.entrants.items() if entrant not in fact.singles}
    return {**others, fact.entrant: team}


def _apply_payment(event: Event, fact: EntrantFined | PaymentRecorded | PrizePaid) -> Event:
    match fact:
        case EntrantFined():
            fined = event.entrants[fact.entrant]
            changed = replace(fined, owes=fined.owes + fact.cents)
            return replace(event, entrants={**event.entrants, fact.entrant: changed})
        case PaymentRecorded(kind=PaymentKind.GIFT):
            return replace(event, pot=event.pot + fact.cents)
        case PaymentRecorded(kind=PaymentKind.WAIVER):
            waived = event.entrants[fact.entrant]
            changed = replace(waived, owes=waived.owes - fact.cents)
            return replace(event, entrants={**event.entrants, fact.entrant: changed})
        case PaymentRecorded():
            back = fact.kind is PaymentKind.REFUND
            cents = -fact.cents if back else fact.cents
            payer = event.entrants[fact.entrant]
            changed = replace(payer, owes=payer.owes - (0 if back else cents), paid=payer.paid + cents)
            return replace(event, pot=event.pot + cents, entrants={**event.entrants, fact.entrant: changed})
        case PrizePaid():
            had = event.paid_out.get(fact.entrant, 0)
            return replace(event, paid_out={**event.paid_out, fact.entrant: had + fact.cents})


def _score_state(
    event: Event,
    fact: ScoreProposed | ScoreConfirmed | ScoreDisputed | ScoreRuled | ScoreEntered | ScoreCorrected,
) -> ScoreState:
    match fact:
        case ScoreProposed() if event.plan.approval is ScoreApproval.ONE_SIDE:
            return Settled(score=fact.score)
        case ScoreProposed():
            return Proposed(score=fact.score, side=fact.side)
        case ScoreConfirmed():
            return Settled(score=event.score_states[fact.key].score)
        case ScoreDisputed():
            proposed = event.score_states[fact.key]
            assert isinstance(proposed, Proposed)
            return Disputed(score=proposed.score, side=proposed.side, why=fact.why)
        case ScoreCorrected():
            return Settled(score=fact.new)
        case ScoreRuled() | ScoreEntered():
            return Settled(score=fact.score)
