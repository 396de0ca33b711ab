"""Before play: sign-ups with a waiting list, plans that change, entrants that are deleted."""

from dataclasses import replace

import pytest

from event_ledger import EventLedger, new_ledger
from leftbower.errors import BadMoney, BadPlan, DuplicateName, LeftbowerError, RoundIsOn, SignUpClosed
from leftbower.rules import preset
from leftbower.tournament.entry.facts import (
    EntrantDeleted,
    NextEventOpened,
    OrganizersChanged,
    PlanChanged,
    SignedUp,
    SignUpAccepted,
    SignUpChanged,
)
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.commands import add_entrants
from leftbower.tournament.model.facts import EntrantAdded, PaymentKind, PaymentRecorded, TeamFormed
from leftbower.tournament.model.plan import Prizes, Stage, default_plan
from leftbower.tournament.text.csv import ListedEntrant


def sign_up(ledger: EventLedger, entrant: str, *players: str) -> None:
    name, pair = " & ".join(players), players if len(players) == 2 else ()
    alone = len(players) == 1 and not ledger.event.plan.stage.singles
    ledger.record(SignedUp(entrant=entrant, name=name, players=pair, single=alone))


def test_seats_fill_in_order_and_a_smaller_party_may_fit() -> None:
    ledger = EventLedger(default_plan("An evening", preset("club"), Stage(format=Format.SWISS)))
    ledger.record(SignUpChanged(open=True, seats=5))
    sign_up(ledger, "e1", "Ann", "Bob")
    sign_up(ledger, "e2", "Cid", "Dot")
    sign_up(ledger, "e3", "Eve", "Fay")
    sign_up(ledger, "e4", "Gus")
    sign_up(ledger, "e5", "Hal")
    assert [*ledger.event.entrants] == ["e1", "e2", "e4"]
    assert [*ledger.event.applicants] == ["e3", "e5"]
    ledger.record(EntrantDeleted(entrant="e1"))
    assert [*ledger.event.entrants] == ["e2", "e4", "e3"]
    ledger.record(SignUpChanged(open=True, seats=6))
    assert not ledger.event.applicants
    assert ledger.event.people_entered == 6
    ledger.record(EntrantDeleted(entrant="e5"))
    ledger.record(SignUpChanged(open=False))
    with pytest.raises(SignUpClosed):
        sign_up(ledger, "e6", "Ida", "Jon")


def test_the_desk_confirms_if_it_wants_to_even_beyond_the_seats() -> None:
    ledger = new_ledger(Format.PROGRESSIVE, ["Ann", "Bob", "Cid", "Dot"])
    ledger.record(SignUpChanged(open=True, seats=4, confirm=True))
    sign_up(ledger, "e5", "Eve")
    sign_up(ledger, "e6", "Fay")
    assert [*ledger.event.applicants] == ["e5", "e6"]
    ledger.record(SignUpAccepted(entrant="e6"))
    assert ledger.event.entrants["e6"].name == "Fay"
    with pytest.raises(LeftbowerError, match="already handled"):
        ledger.record(SignUpAccepted(entrant="e6"))
    with pytest.raises(DuplicateName):
        sign_up(ledger, "e7", "eve")
    with pytest.raises(DuplicateName):
        ledger.record(EntrantAdded(entrant="e7", name="EVE"))
    for name in ("", "x" * 61, "a\u202eb", "a\nb"):
        with pytest.raises(LeftbowerError):
            sign_up(ledger, "e7", name)


def test_an_id_is_never_used_again() -> None:
    """A player's link names the entrant by its id."""
    ledger = new_ledger(Format.SWISS, ["Ann & Bob", "Cid & Dot", "Eve & Fay"])
    ledger.record(EntrantDeleted(entrant="e3"))
    [added] = add_entrants(ledger.event, [ListedEntrant(name="Gus & Hal", players=("Gus", "Hal"))])
    assert added.entrant == "e4"
    with pytest.raises(DuplicateName):
        ledger.record(EntrantAdded(entrant="e3", name="Gus & Hal"))
    for number, name in ((5, "Ida"), (6, "Jon")):
        ledger.record(EntrantAdded(entrant=f"e{number}", name=name, single=True))
    ledger.record(TeamFormed(entrant="e7", singles=("e5", "e6"), name="Ida & Jon"))
    [added] = add_entrants(ledger.event, [ListedEntrant(name="Kim & Lee", players=("Kim", "Lee"))])
    assert added.entrant not in {"e3", "e5", "e6", *ledger.event.entrants}


def test_entrants_are_deleted_before_the_draw_and_after_a_refund() -> None:
    ledger = new_ledger(Format.SWISS, 4, fee=1000)
    ledger.record(PaymentRecorded(kind=PaymentKind.FEE, cents=1000, entrant="e1"))
    with pytest.raises(BadMoney, match="refund it first"):
        ledger.record(EntrantDeleted(entrant="e1"))
    ledger.record(PaymentRecorded(kind=PaymentKind.REFUND, cents=1000, entrant="e1"))
    ledger.record(EntrantDeleted(entrant="e1"))
    ledger.pair()
    with pytest.raises(RoundIsOn, match="gone home"):
        ledger.record(EntrantDeleted(entrant="e2"))


def test_everything_in_a_plan_changes_before_the_draw() -> None:
    ledger = new_ledger(Format.SWISS, 4, fee=1000)
    plan = replace(
        ledger.event.plan,
        title="New name",
        rules=preset("school-cup"),
        stage=Stage(format=Format.KNOCKOUT),
        fee=1500,
        starts="2026-11-24T19:00",
        place="Parish hall",
    )
    ledger.record(PlanChanged(plan=plan))
    assert ledger.event.plan == plan
    assert ledger.event.stage.format is Format.KNOCKOUT
    assert ledger.event.entrants["e1"].owes == 1500
    with pytest.raises(BadPlan, match="teams and single players"):
        ledger.record(PlanChanged(plan=replace(plan, stage=Stage(format=Format.PROGRESSIVE))))
    for wrong in ("tomorrow", "2026-11-24", "2026-02-29T19:00", "2026-11-00T19:00", "2026-11-24T19:00+01:00"):
        with pytest.raises(BadPlan):
            replace(plan, starts=wrong)
    with pytest.raises(BadPlan):
        replace(plan, place="x" * 81)


def test_after_the_draw_only_safe_changes_with_a_reason() -> None:
    ledger = new_ledger(Format.SWISS, 4, rounds=3)
    ledger.pair()
    plan = ledger.event.plan
    safe = replace(plan, title="Cup", prizes=Prizes(cash=(5000,)), minutes=25)
    with pytest.raises(BadPlan, match="say why"):
        ledger.record(PlanChanged(plan=safe))
    ledger.record(PlanChanged(plan=safe, why="a sponsor came"))
    assert ledger.event.plan.prizes.cash == (5000,)
    fewer = replace(safe, stage=replace(plan.stage, rounds=2))
    ledger.record(PlanChanged(plan=fewer, why="it is late"))
    for unsafe in (
        replace(fewer, rules=preset("school-cup")),
        replace(fewer, fee=500),
        replace(fewer, seeded=True),
        replace(fewer, stage=Stage(format=Format.KNOCKOUT)),
    ):
        with pytest.raises(RoundIsOn):
            ledger.record(PlanChanged(plan=unsafe, why="because"))
    for table in (1, 2):
        ledger.score(1, table, (10, 6))
    ledger.pair()
    with pytest.raises(BadPlan, match="drawn already"):
        ledger.record(PlanChanged(plan=replace(fewer, stage=replace(plan.stage, rounds=1)), why="late"))


def test_a_draw_ends_sign_up_and_facts_survive_their_json() -> None:
    ledger = new_ledger(Format.SWISS, 4)
    ledger.record(OrganizersChanged(people=("p-1",)))
    ledger.record(SignUpChanged(open=True, seats=8, door_code="K7QM"))
    sign_up(ledger, "e9", "Ida", "Jon")
    ledger.record(PlanChanged(plan=replace(ledger.event.plan, place="Hall")))
    ledger.pair()
    with pytest.raises(SignUpClosed):
        sign_up(ledger, "e10", "Kim", "Lee")
    ledger.record(NextEventOpened(event="abc"))
    assert (ledger.event.organizers, ledger.event.next_event) == (("p-1",), "abc")
    assert [entry_from_json(entry_to_json(entry)) for entry in ledger.ledger] == ledger.ledger
