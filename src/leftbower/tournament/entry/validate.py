"""Validation of the facts before play: names, sign-ups, and which parts of a plan may still change."""

from collections.abc import Mapping
from dataclasses import replace

from leftbower import errors
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
from leftbower.tournament.formats.limits import MAX_ENTRANTS
from leftbower.tournament.model.entrants import Entrant
from leftbower.tournament.model.facts import EntrantAdded, EntrantRenamed
from leftbower.tournament.model.state import Event

MAX_NAME_LENGTH = 60
MAX_ORGANIZERS = 20
SAFE_CHANGES = ("title", "prizes", "approval", "minutes", "starts", "place", "no_show_minutes")
"""Fields of a plan that can change after the first draw: none of them touches what was played."""


def validate_entry(event: Event, fact: EntryFact) -> None:
    """Raise if the fact is not allowed now."""
    match fact:
        case PlanChanged():
            _check_plan(event, fact)
        case EntrantDeleted():
            _check_deletion(event, fact.entrant)
        case SignUpChanged():
            event.check_open()
            if not 0 <= fact.seats <= 2 * MAX_ENTRANTS:
                raise errors.BadEntry("an event has at most %(limit)s seats", path="seats", limit=2 * MAX_ENTRANTS)
        case SignedUp():
            _check_sign_up(event, fact)
        case SignUpAccepted():
            event.check_open()
            if fact.entrant not in event.applicants:
                raise errors.UnknownEntrant("this sign-up was already handled")
            if len(event.entrants) >= MAX_ENTRANTS:
                raise errors.BadEntry("an event has at most %(limit)s entrants", limit=MAX_ENTRANTS)
        case OrganizersChanged():
            if len(fact.people) > MAX_ORGANIZERS:
                raise errors.BadEntry("an event has at most %(limit)s organizers", limit=MAX_ORGANIZERS)
        case NextEventOpened():
            pass


def _check_plan(event: Event, fact: PlanChanged) -> None:
    event.check_open()
    if fact.plan.stage.singles is not event.plan.stage.singles and (event.entrants or event.applicants):
        raise errors.BadPlan("first delete the entrants: teams and single players can't be mixed", path="format")
    if not event.rounds:
        return
    safe = {name: getattr(fact.plan, name) for name in SAFE_CHANGES}
    stage = replace(event.plan.stage, rounds=fact.plan.stage.rounds)
    if fact.plan != replace(event.plan, stage=stage, **safe):
        raise errors.RoundIsOn(
            "after the first draw, only its name, time, place, rounds, prizes and scoring can change"
        )
    if not fact.why.strip():
        raise errors.BadPlan("say why you change the plan", path="why")
    drawn = len(event.rounds_of(0))
    if (
        stage.rounds
        and stage.rounds != event.plan.stage.rounds
        and (stage.definition.scheduled or stage.rounds < drawn)
    ):
        raise errors.BadPlan("%(drawn)s rounds are drawn already", path="rounds", drawn=drawn)


def _check_deletion(event: Event, entrant_id: str) -> None:
    event.check_open()
    if entrant_id in event.applicants:
        return
    entrant = event.entrant(entrant_id)
    if event.rounds:
        raise errors.RoundIsOn("the draw is made; mark %(name)s as gone home instead", name=entrant.name)
    if entrant.paid:
        amount = f"${entrant.paid / 100:,.2f}"
        raise errors.BadMoney("%(name)s paid %(amount)s; refund it first", name=entrant.name, amount=amount)


def _check_sign_up(event: Event, fact: SignedUp) -> None:
    event.check_open()
    if event.signup is None or not event.signup.open or event.rounds:
        raise errors.SignUpClosed("sign-up is closed; ask the organizer")
    if not event.is_free_id(fact.entrant):
        raise errors.DuplicateName("%(entrant)s is already entered", entrant=errors.show(fact.entrant))
    if len(event.entrants) + len(event.applicants) >= MAX_ENTRANTS:
        raise errors.BadEntry("an event has at most %(limit)s entrants", limit=MAX_ENTRANTS)
    if not event.plan.stage.singles and fact.single is bool(fact.players):
        raise errors.BadEntry("a team has two players", path="partner")
    if len(fact.school) > MAX_NAME_LENGTH or not (fact.school or " ").isprintable():
        raise errors.BadEntry(
            "a name must have 1 to %(limit)s letters; %(name)s does not",
            path="school",
            limit=MAX_NAME_LENGTH,
            name=errors.show(fact.school),
        )
    check_names(event, fact)


def check_names(event: Event, fact: EntrantAdded | EntrantRenamed | SignedUp) -> None:
    """Names must be unique, so results go to the right person."""
    for name in fact.players or (fact.name,):
        if not name.strip() or len(name) > MAX_NAME_LENGTH or not name.isprintable():
            raise errors.BadEntry(
                "a name must have 1 to %(limit)s letters; %(name)s does not",
                path="name",
                limit=MAX_NAME_LENGTH,
                name=errors.show(name),
            )
    if not fact.name.isprintable() or not 0 < len(fact.name.strip()) <= 2 * MAX_NAME_LENGTH + 3:
        raise errors.BadEntry("%(name)s can't be a team name", path="name", name=errors.show(fact.name))
    if event.plan.stage.singles and fact.players:
        raise errors.BadEntry("this event is for single players; enter them one by one", path=fact.name)
    if len(fact.players) not in (0, 2) or len({name.casefold() for name in fact.players}) != len(fact.players):
        raise errors.BadEntry("a team has two players", path=fact.name)
    entered: Mapping[str, Entrant | SignedUp] = {**event.entrants, **event.applicants}
    taken = {
        name.casefold()
        for key, other in entered.items()
        if key != fact.entrant
        for name in (other.name, *other.players)
    }
    for name in (fact.name, *fact.players):
        if name.casefold() in taken:
            raise errors.DuplicateName("%(name)s is already entered; use another name", name=errors.show(name))
