"""Dealing at an honor table: the dealer offers the cut, deals and turns up, and can get each of it wrong."""

from dataclasses import replace

import pytest

from evening import ANN, BOB, CAT, DAN, Evening, seated
from leftbower import dealing
from leftbower.engine import CallOut, Deal, FaceDown, InGame, Reason, ToDeal, TurnUp
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.referee import Irregularity
from leftbower.table import (
    Acted,
    Bot,
    Clock,
    CoverDue,
    Covered,
    CutMade,
    CutOffered,
    DealDue,
    Dealt,
    DeckDue,
    Dropped,
    Person,
    Table,
    TimedOut,
    TimeDue,
    asked_person,
    due,
    from_plain,
    opened_to,
    phase,
    show,
    to_plain,
)

EVERYBODY = (ANN, BOB, CAT, DAN)
CLUB = replace(preset("club"), supervision=Supervision.HONOUR)
"""Offering the cut to the right is compulsory, and bundles are two or three cards."""
UNCUT = replace(CLUB, deal_cut=Cut.NONE)
ONE_SHORT = (2, 2, 2, 2, 3, 3, 3, 2)
"""The dealer gives the last bundle, which is the dealer's own, one card too few."""


def sealed(rules: HouseRules = CLUB, people: tuple[str, ...] = EVERYBODY, *, seed: int = 0) -> Evening:
    """A table at which the dealer is asked to deal a sealed deck."""
    evening = seated(rules, people=people, seed=seed)
    while evening.table.deals is None:
        evening.step()
    return evening


def dealer(evening: Evening) -> tuple[Seat, str]:
    """The seat that deals, and who sits there."""
    seat = evening.table.deals
    assert seat is not None
    sitter = evening.table.seats[seat]
    assert isinstance(sitter, Person)
    return seat, sitter.id


def person(table: Table, seat: Seat) -> str:
    sitter = table.seats[seat]
    assert isinstance(sitter, Person)
    return sitter.id


def dealt(evening: Evening, packets: tuple[int, ...] = (), *, offered: bool = True) -> Deal:
    """The dealer offers the cut, or forgets it, and deals in these bundles."""
    seat, who = dealer(evening)
    if offered and evening.table.may_offer_cut:
        evening.ask(who, CutOffered(seat=seat))
        cutter = evening.table.cutter
        assert cutter is not None
        evening.ask(person(evening.table, cutter), CutMade(seat=cutter, number=6))
    evening.ask(who, Dealt(seat=seat, packets=packets))
    [*_, deal] = [fact for fact in evening.table.story if isinstance(fact, Deal)]
    return deal


def call(evening: Evening, caller: Seat, what: Irregularity) -> Table:
    assert evening.table.hand is not None
    against = evening.table.hand.hand.deal.dealer
    return evening.ask(person(evening.table, caller), Acted(action=CallOut(caller, against, what, 0), act="call"))


def test_club_the_dealer_offers_the_cut_to_the_right_then_deals_and_turns_up() -> None:
    """Each step is an act of the dealer, and no card shows before the last."""
    evening = sealed()
    seat, who = dealer(evening)
    table = evening.table
    assert (phase(table), asked_person(table), table.may_offer_cut, table.cutter) == ("dealing", who, True, None)
    table = evening.ask(who, CutOffered(seat=seat))
    right = Seat((*"NESW",)[seat.index - 1])
    assert (phase(table), table.cutter, table.deals) == ("cutting", right, None)
    table = evening.ask(person(table, right), CutMade(seat=right, number=9))
    assert (phase(table), table.deals, table.may_offer_cut) == ("dealing", seat, False)
    table = evening.ask(who, Dealt(seat=seat))
    assert isinstance(table.hand, FaceDown)
    assert table.sealed is not None
    order = dealing.cut(table.sealed.deck, 9)
    left = table.rules.left_of(seat)
    assert table.hand.hand.deal.hands[left.index] == (*order[:2], *order[8:11])
    assert table.hand.hand.deal.cut_offered
    for viewer in (*EVERYBODY, None):
        seen = show(table, viewer)
        assert (seen["hand"]["phase"], seen["hand"]["up_card"], seen["hand"]["cards"]) == ("face-down", None, "")
        assert (seen["opened"], opened_to(table, viewer)) == ([], [])
        assert set(seen["hand"]["backs"].values()) == {5}
    table = evening.ask(who, Acted(action=TurnUp(seat), act="up"))
    assert show(table, None)["hand"]["up_card"] == str(order[20])
    assert [one["card"] for one in show(table, None)["opened"]] == [str(order[20])]
    assert table.seals[-1] == (table.sealed, 9)
    assert not table.packets


def test_club_a_forgotten_cut_can_happen_and_be_called() -> None:
    """Called before the up-card shows, the same dealer starts over; after it, the deal is lost to the next player."""
    for turned in (False, True):
        evening = sealed()
        seat, who = dealer(evening)
        assert not dealt(evening, offered=False).cut_offered
        if turned:
            evening.ask(who, Acted(action=TurnUp(seat), act="up"))
        left = evening.table.rules.left_of(seat)
        table = call(evening, left, Irregularity.NO_CUT_OFFERED)
        assert table.last is not None
        assert table.last.reason is (Reason.DEAL_LOST if turned else Reason.MISDEAL)
        assert isinstance(table.match, InGame)
        assert isinstance(table.match.game, ToDeal)
        assert table.match.game.dealer is (left if turned else seat)
        assert isinstance(due(table), DeckDue)
        assert table.seals[-1][1] is None
        before = table.sealed
        evening.until_asked()
        assert evening.table.deals is (left if turned else seat)
        assert evening.table.sealed != before


def test_club_wrong_numbers_of_cards_can_happen_and_be_called() -> None:
    """Everybody counts the backs; before the up-card shows the dealer starts over, after it the deal is lost."""
    for turned in (False, True):
        evening = sealed()
        seat, who = dealer(evening)
        deal = dealt(evening, ONE_SHORT)
        assert [len(held) for held in deal.hands].count(4) == 1
        assert len(deal.hands[seat.index]) == 4
        assert show(evening.table, None)["hand"]["backs"][str(seat)] == 4
        if turned:
            evening.ask(who, Acted(action=TurnUp(seat), act="up"))
        partner = seat.partner
        table = call(evening, partner, Irregularity.WRONG_CARD_COUNT)
        assert table.last is not None
        assert table.last.reason is (Reason.DEAL_LOST if turned else Reason.MISDEAL)
        assert table.packets == {len(table.seals) - 1: ONE_SHORT}


def test_a_hand_called_off_face_down_shows_no_card_to_anyone() -> None:
    evening = sealed()
    dealt(evening, ONE_SHORT)
    seat = evening.table.rules.left_of(evening.table.hand.hand.deal.dealer if evening.table.hand else Seat.N)
    table = call(evening, seat, Irregularity.WRONG_CARD_COUNT)
    for viewer in (*EVERYBODY, None):
        seen = show(table, viewer)
        assert (seen["hand"]["up_card"], seen["hand"]["dealt"], seen["opened"]) == (None, "", [])


def test_the_dealer_may_choose_the_bundles_that_the_rules_allow() -> None:
    for packets in ((3, 2, 3, 2, 2, 3, 2, 3), (3, 3, 3, 3, 2, 2, 2, 2)):
        evening = sealed(UNCUT)
        deal = dealt(evening, packets)
        assert not deal.miscounted()
        assert evening.table.sealed is not None
        top = evening.table.sealed.deck
        left = evening.table.rules.left_of(deal.dealer)
        assert deal.hands[left.index][: packets[0]] == top[: packets[0]]
        assert evening.table.packets == {len(evening.table.seals) - 1: packets}


@pytest.mark.parametrize("packets", [(2,), (3, 2), (5, 0, 0, 0, 0, 5, 5, 5), (1,) * 8, (4,) * 8, (3,) * 8])
def test_bundles_that_no_dealer_deals_are_refused(packets: tuple[int, ...]) -> None:
    evening = sealed(UNCUT)
    seat, who = dealer(evening)
    evening.refused(who, Dealt(seat=seat, packets=packets), "bad-deal")


def test_only_the_dealer_deals_and_only_when_a_deck_waits() -> None:
    evening = sealed()
    seat, who = dealer(evening)
    left = evening.table.rules.left_of(seat)
    other = person(evening.table, left)
    evening.refused(other, Dealt(seat=left), "not-your-turn")
    evening.refused(other, Dealt(seat=seat), "not-your-turn")
    evening.refused(other, CutOffered(seat=left), "not-your-turn")
    evening.refused("eve", Dealt(seat=seat), "not-seated")
    evening.refused(who, CutMade(seat=seat, number=3), "nothing-dealt")
    evening.ask(who, CutOffered(seat=seat))
    evening.refused(who, Dealt(seat=seat), "nothing-dealt")
    cutter = evening.table.cutter
    assert cutter is not None
    evening.ask(person(evening.table, cutter), CutMade(seat=cutter, number=0))
    evening.refused(who, CutOffered(seat=seat), "bad-cut")
    evening.ask(who, Dealt(seat=seat))
    evening.refused(who, Dealt(seat=seat), "nothing-dealt")


def test_no_cut_can_be_offered_where_none_is_due() -> None:
    evening = sealed(UNCUT)
    seat, who = dealer(evening)
    assert not evening.table.may_offer_cut
    evening.refused(who, CutOffered(seat=seat), "bad-cut")
    assert dealt(evening).cut_offered


def test_strict_tables_are_dealt_by_the_house() -> None:
    evening = seated(replace(UNCUT, supervision=Supervision.STRICT), people=EVERYBODY)
    table = evening.until_asked()
    assert table.hand is not None
    assert not table.hand.hand.deal.face_down
    for seat, who in zip(Seat, EVERYBODY, strict=True):
        evening.refused(who, Dealt(seat=seat), "nothing-dealt")


def test_a_bot_offers_the_cut_deals_correctly_and_turns_up() -> None:
    evening = seated(CLUB, people=(ANN,), seed=3)
    steps: list[str] = []
    while len(steps) < 60:
        owed = due(evening.table)
        steps.append(type(owed).__name__)
        evening.step()
    bots = [fact for fact in evening.log if isinstance(fact, CutOffered | Dealt) and fact.seat is not Seat.N]
    assert {type(fact) for fact in bots} == {CutOffered, Dealt}
    assert not any(fact.packets for fact in bots if isinstance(fact, Dealt))
    assert all(deal.cut_offered for deal in evening.table.story if isinstance(deal, Deal))
    assert "DealDue" in steps
    turned = [fact.action for fact in evening.log if isinstance(fact, Acted) and isinstance(fact.action, TurnUp)]
    assert turned


@pytest.mark.parametrize("clock", [Clock.OFF, Clock.QUICK])
def test_a_dealer_who_gives_no_answer_is_dealt_for(clock: Clock) -> None:
    """As with any act: the house waits, then a bot offers the cut and deals, and the cut is never forgotten."""
    evening = seated(CLUB, people=EVERYBODY[:2])
    while evening.table.deals is None or isinstance(evening.table.seats[evening.table.deals], Bot):
        evening.step()
    seat, who = dealer(evening)
    if clock is Clock.OFF:
        evening.add(Dropped(person=who))
        assert isinstance(due(evening.table), CoverDue)
        evening.add(Covered(person=who))
    else:
        table = replace(evening.table, clock=clock)
        owed = due(table)
        assert isinstance(owed, TimeDue)
        assert owed.person == who
        evening.add(TimedOut(person=who))
    owed = due(evening.table)
    assert isinstance(owed, DealDue)
    assert owed.seat is seat
    evening.house()
    assert evening.table.cut_offered


def test_deals_are_facts_that_read_back() -> None:
    for fact in (CutOffered(seat=Seat.N), Dealt(seat=Seat.E), Dealt(seat=Seat.W, packets=ONE_SHORT, spent=1.5)):
        assert from_plain(to_plain(fact)) == fact


@pytest.mark.parametrize("sheet", ["club", "club2", "club3", "round-robin", "campus", "school-cup", "prize-night"])
def test_every_sheet_is_played_to_its_end_at_an_honor_table(sheet: str) -> None:
    rules = replace(preset(sheet), supervision=Supervision.HONOUR, target=5, best_of=1)
    evening = seated(rules, people=EVERYBODY[:2], seed=4)
    table = evening.play_on()
    deals = [fact for fact in table.story if isinstance(fact, Deal)]
    assert deals
    assert all(deal.face_down for deal in deals)
