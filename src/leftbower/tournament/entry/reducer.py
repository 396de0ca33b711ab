"""Apply the facts before play. Free seats go to those who wait, in order, as soon as there are any."""

from collections.abc import Iterable
from dataclasses import replace

from leftbower.tournament.entry.facts import (
    EntrantDeleted,
    EntryFact,
    NextEventOpened,
    OrganizersChanged,
    PlanChanged,
    SignedUp,
    SignUpAccepted,
    SignUpChanged,
)
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.facts import EntrantAdded
from leftbower.tournament.model.state import Event


def apply_entry(event: Event, fact: EntryFact) -> Event:
    """The event after the fact, with sign-ups moved to free seats."""
    match fact:
        case PlanChanged():
            return _fill_seats(_change_plan(event, fact))
        case EntrantDeleted():
            return _fill_seats(drop_entrants(event, [fact.entrant]))
        case OrganizersChanged():
            return replace(event, organizers=fact.people)
        case SignUpChanged():
            return _fill_seats(replace(event, signup=fact))
        case SignedUp():
            return _fill_seats(replace(event, applicants={**event.applicants, fact.entrant: fact}))
        case SignUpAccepted():
            return _accept(event, event.applicants[fact.entrant])
        case NextEventOpened():
            return replace(event, next_event=fact.event)


def drop_entrants(event: Event, ids: Iterable[str]) -> Event:
    """Remove entrants or sign-ups; their ids are never used again, because links may name them."""
    removed = {*ids}
    return replace(
        event,
        entrants={key: entrant for key, entrant in event.entrants.items() if key not in removed},
        applicants={key: applicant for key, applicant in event.applicants.items() if key not in removed},
        former=event.former | removed,
    )


def _change_plan(event: Event, fact: PlanChanged) -> Event:
    """The first stage is that of the plan; unpaid fees follow the new fee."""
    more = fact.plan.fee - event.plan.fee
    entrants = {
        key: replace(entrant, owes=max(0, entrant.owes + more)) if more and not entrant.house_player else entrant
        for key, entrant in event.entrants.items()
    }
    return replace(event, plan=fact.plan, stages=(fact.plan.stage, *event.stages[1:]), entrants=entrants)


def _fill_seats(event: Event) -> Event:
    """Accept the sign-ups that fit, in order; none if the desk confirms them, or after the draw."""
    signup = event.signup
    if signup is None or signup.confirm or event.rounds:
        return event
    for applicant in event.applicants.values():
        if not signup.seats or event.people_entered + applicant.people <= signup.seats:
            event = _accept(event, applicant)
    return event


def _accept(event: Event, applicant: SignedUp) -> Event:
    added = EntrantAdded(
        entrant=applicant.entrant,
        name=applicant.name,
        players=applicant.players,
        school=applicant.school,
        single=applicant.single,
    )
    waiting = {key: other for key, other in event.applicants.items() if key != added.entrant}
    entrants = {**event.entrants, added.entrant: new_entrant(event, added)}
    return replace(event, entrants=entrants, applicants=waiting)


def new_entrant(event: Event, fact: EntrantAdded) -> Entrant:
    """An entrant added after the draw gets the next number; rounds already started count as missed."""
    highest = max((other.number for other in event.entrants.values()), default=0)
    return Entrant(
        id=fact.entrant,
        name=fact.name,
        players=fact.players,
        school=fact.school,
        house_player=fact.house_player,
        single=fact.single,
        number=highest + 1 if highest else 0,
        rounds_missed=sum(event.round_started(other.number) for other in event.rounds),
        owes=0 if fact.house_player else event.plan.fee,
    )
