"""Dealing at an honor table: the dealer offers the cut, deals and turns up, and can get each of it wrong."""

from dataclasses import replace

import pytest

from leftbower import dealing
from leftbower.engine import CallOut, Deal, FaceDown, InGame, Reason, ToDeal, TurnUp
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Cut, Supervision
from leftbower.rules.referee import Irregularity
from leftbower.table import (
    Acted,
    BotSubstituted,
    CutOffered,
    DealDue,
    DeckCut,
    DeckDue,
    Disconnected,
    HandDealt,
    SeatedBot,
    SeatedPerson,
    SubstituteDue,
    Table,
    TimeControl,
    TimedOut,
    TimeoutDue,
    next_due,
    open_positions_for,
    person_to_act,
    phase,
    table_fact_from_json,
    table_fact_to_json,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

EVERYBODY = (ANN, BOB, CAT, DAN)
CLUB = replace(preset("club"), supervision=Supervision.HONOR)
"""Offering the cut to the right is compulsory, and bundles are two or three cards."""
UNCUT = replace(CLUB, deal_cut=Cut.NONE)
ONE_SHORT = (2, 2, 2, 2, 3, 3, 3, 2)
"""The dealer gives the last bundle, which is the dealer's own, one card too few."""


def sealed(rules: HouseRules = CLUB, people: tuple[str, ...] = EVERYBODY, *, seed: int = 0) -> TableFixture:
    """A table at which the dealer is asked to deal a sealed deck."""
    evening = seated(rules, people=people, seed=seed)
    while evening.table.dealing_seat is None:
        evening.step()
    return evening


def dealer(evening: TableFixture) -> tuple[Seat, str]:
    """The seat that deals, and who sits there."""
    seat = evening.table.dealing_seat
    assert seat is not None
    sitter = evening.table.seats[seat]
    assert isinstance(sitter, SeatedPerson)
    return seat, sitter.id


def person(table: Table, seat: Seat) -> str:
    sitter = table.seats[seat]
    assert isinstance(sitter, SeatedPerson)
    return sitter.id


def dealt(evening: TableFixture, packets: tuple[int, ...] = (), *, offered: bool = True) -> Deal:
    """The dealer offers the cut, or forgets it, and deals in these bundles."""
    seat, who = dealer(evening)
    if offered and evening.table.may_offer_cut:
        evening.ask(who, CutOffered(seat=seat))
        cutter = evening.table.cutter
        assert cutter is not None
        evening.ask(person(evening.table, cutter), DeckCut(seat=cutter, lifted=6))
    evening.ask(who, HandDealt(seat=seat, packets=packets))
    [*_, deal] = [fact for fact in evening.table.history if isinstance(fact, Deal)]
    return deal


def call(evening: TableFixture, caller: Seat, what: Irregularity) -> Table:
    assert evening.table.hand is not None
    against = evening.table.hand.hand.deal.dealer
    return evening.ask(person(evening.table, caller), Acted(action=CallOut(caller, against, what, 0), action_id="call"))


def test_club_the_dealer_offers_the_cut_to_the_right_then_deals_and_turns_up() -> None:
    """Each step is an act of the dealer, and no card shows before the last."""
    evening = sealed()
    seat, who = dealer(evening)
    table = evening.table
    assert (phase(table), person_to_act(table), table.may_offer_cut, table.cutter) == ("dealing", who, True, None)
    table = evening.ask(who, CutOffered(seat=seat))
    right = Seat((*"NESW",)[seat.index - 1])
    assert (phase(table), table.cutter, table.dealing_seat) == ("cutting", right, None)
    table = evening.ask(person(table, right), DeckCut(seat=right, lifted=9))
    assert (phase(table), table.dealing_seat, table.may_offer_cut) == ("dealing", seat, False)
    table = evening.ask(who, HandDealt(seat=seat))
    assert isinstance(table.hand, FaceDown)
    assert table.sealed_deck is not None
    order = dealing.cut(table.sealed_deck.deck, 9)
    left = table.rules.left_of(seat)
    assert table.hand.hand.deal.hands[left.index] == (*order[:2], *order[8:11])
    assert table.hand.hand.deal.cut_offered
    for viewer in (*EVERYBODY, None):
        seen = table_to_json(table, viewer)
        assert (seen["hand"]["phase"], seen["hand"]["up_card"], seen["hand"]["cards"]) == ("face-down", None, "")
        assert (seen["opened"], open_positions_for(table, viewer)) == ([], [])
        assert set(seen["hand"]["card_counts"].values()) == {5}
    table = evening.ask(who, Acted(action=TurnUp(seat), action_id="up"))
    assert table_to_json(table, None)["hand"]["up_card"] == str(order[20])
    assert [one["card"] for one in table_to_json(table, None)["opened"]] == [str(order[20])]
    assert table.sealed_decks[-1] == (table.sealed_deck, 9)
    assert not table.packets


def test_club_a_forgotten_cut_can_happen_and_be_called() -> None:
    """Called before the up-card shows, the same dealer starts over; after it, the deal is lost to the next player."""
    for turned in (False, True):
        evening = sealed()
        seat, who = dealer(evening)
        assert not dealt(evening, offered=False).cut_offered
        if turned:
            evening.ask(who, Acted(action=TurnUp(seat), action_id="up"))
        left = evening.table.rules.left_of(seat)
        table = call(evening, left, Irregularity.NO_CUT_OFFERED)
        assert table.last_hand is not None
        assert table.last_hand.reason is (Reason.DEAL_LOST if turned else Reason.MISDEAL)
        assert isinstance(table.match, InGame)
        assert isinstance(table.match.game, ToDeal)
        assert table.match.game.dealer is (left if turned else seat)
        assert isinstance(next_due(table), DeckDue)
        assert table.sealed_decks[-1][1] is None
        before = table.sealed_deck
        evening.until_asked()
        assert evening.table.dealing_seat is (left if turned else seat)
        assert evening.table.sealed_deck != before


def test_club_wrong_numbers_of_cards_can_happen_and_be_called() -> None:
    """Everybody counts the backs; before the up-card shows the dealer starts over, after it the deal is lost."""
    for turned in (False, True):
        evening = sealed()
        seat, who = dealer(evening)
        deal = dealt(evening, ONE_SHORT)
        assert [len(held) for held in deal.hands].count(4) == 1
        assert len(deal.hands[seat.index]) == 4
        assert table_to_json(evening.table, None)["hand"]["card_counts"][str(seat)] == 4
        if turned:
            evening.ask(who, Acted(action=TurnUp(seat), action_id="up"))
        partner = seat.partner
        table = call(evening, partner, Irregularity.WRONG_CARD_COUNT)
        assert table.last_hand is not None
        assert table.last_hand.reason is (Reason.DEAL_LOST if turned else Reason.MISDEAL)
        assert table.packets == {len(table.sealed_decks) - 1: ONE_SHORT}


def test_a_hand_called_off_face_down_shows_no_card_to_anyone() -> None:
    evening = sealed()
    dealt(evening, ONE_SHORT)
    seat = evening.table.rules.left_of(evening.table.hand.hand.deal.dealer if evening.table.hand else Seat.N)
    table = call(evening, seat, Irregularity.WRONG_CARD_COUNT)
    for viewer in (*EVERYBODY, None):
        seen = table_to_json(table, viewer)
        assert (seen["hand"]["up_card"], seen["hand"]["dealt"], seen["opened"]) == (None, "", [])


def test_the_dealer_may_choose_the_bundles_that_the_rules_allow() -> None:
    for packets in ((3, 2, 3, 2, 2, 3, 2, 3), (3, 3, 3, 3, 2, 2, 2, 2)):
        evening = sealed(UNCUT)
        deal = dealt(evening, packets)
        assert not deal.has_miscount()
        assert evening.table.sealed_deck is not None
        top = evening.table.sealed_deck.deck
        left = evening.table.rules.left_of(deal.dealer)
        assert deal.hands[left.index][: packets[0]] == top[: packets[0]]
        assert evening.table.packets == {len(evening.table.sealed_decks) - 1: packets}


@pytest.mark.parametrize("packets", [(2,), (3, 2), (5, 0, 0, 0, 0, 5, 5, 5), (1,) * 8, (4,) * 8, (3,) * 8])
def test_bundles_that_no_dealer_deals_are_refused(packets: tuple[int, ...]) -> None:
    evening = sealed(UNCUT)
    seat, who = dealer(evening)
    evening.refused(who, HandDealt(seat=seat, packets=packets), "bad-deal")


def test_only_the_dealer_deals_and_only_when_a_deck_waits() -> None:
    evening = sealed()
    seat, who = dealer(evening)
    left = evening.table.rules.left_of(seat)
    other = person(evening.table, left)
    evening.refused(other, HandDealt(seat=left), "not-your-turn")
    evening.refused(other, HandDealt(seat=seat), "not-your-turn")
    evening.refused(other, CutOffered(seat=left), "not-your-turn")
    evening.refused("eve", HandDealt(seat=seat), "not-seated")
    evening.refused(who, DeckCut(seat=seat, lifted=3), "nothing-dealt")
    evening.ask(who, CutOffered(seat=seat))
    evening.refused(who, HandDealt(seat=seat), "nothing-dealt")
    cutter = evening.table.cutter
    assert cutter is not None
    evening.ask(person(evening.table, cutter), DeckCut(seat=cutter, lifted=0))
    evening.refused(who, CutOffered(seat=seat), "bad-cut")
    evening.ask(who, HandDealt(seat=seat))
    evening.refused(who, HandDealt(seat=seat), "nothing-dealt")


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
        evening.refused(who, HandDealt(seat=seat), "nothing-dealt")


def test_a_bot_offers_the_cut_deals_correctly_and_turns_up() -> None:
    evening = seated(CLUB, people=(ANN,), seed=3)
    steps: list[str] = []
    while len(steps) < 60:
        owed = next_due(evening.table)
        steps.append(type(owed).__name__)
        evening.step()
    bots = [fact for fact in evening.log if isinstance(fact, CutOffered | HandDealt) and fact.seat is not Seat.N]
    assert {type(fact) for fact in bots} == {CutOffered, HandDealt}
    assert not any(fact.packets for fact in bots if isinstance(fact, HandDealt))
    assert all(deal.cut_offered for deal in evening.table.history if isinstance(deal, Deal))
    assert "DealDue" in steps
    turned = [fact.action for fact in evening.log if isinstance(fact, Acted) and isinstance(fact.action, TurnUp)]
    assert turned


@pytest.mark.parametrize("clock", [TimeControl.OFF, TimeControl.QUICK])
def test_a_dealer_who_gives_no_answer_is_dealt_for(clock: TimeControl) -> None:
    """As with any act: the house waits, then a bot offers the cut and deals, and the cut is never forgotten."""
    evening = seated(CLUB, people=EVERYBODY[:2])
    while evening.table.dealing_seat is None or isinstance(evening.table.seats[evening.table.dealing_seat], SeatedBot):
        evening.step()
    seat, who = dealer(evening)
    if clock is TimeControl.OFF:
        evening.add(Disconnected(person=who))
        assert isinstance(next_due(evening.table), SubstituteDue)
        evening.add(BotSubstituted(person=who))
    else:
        table = replace(evening.table, clock=clock)
        owed = next_due(table)
        assert isinstance(owed, TimeoutDue)
        assert owed.person == who
        evening.add(TimedOut(person=who))
    owed = next_due(evening.table)
    assert isinstance(owed, DealDue)
    assert owed.seat is seat
    evening.house()
    assert evening.table.cut_offered


def test_deals_are_facts_that_read_back() -> None:
    for fact in (
        CutOffered(seat=Seat.N),
        HandDealt(seat=Seat.E),
        HandDealt(seat=Seat.W, packets=ONE_SHORT, thinking_seconds=1.5),
    ):
        assert table_fact_from_json(table_fact_to_json(fact)) == fact


@pytest.mark.parametrize("sheet", ["club", "club2", "club3", "round-robin", "campus", "school-cup", "prize-night"])
def test_every_sheet_is_played_to_its_end_at_an_honor_table(sheet: str) -> None:
    rules = replace(preset(sheet), supervision=Supervision.HONOR, target=5, best_of=1)
    evening = seated(rules, people=EVERYBODY[:2], seed=4)
    table = evening.play_on()
    deals = [fact for fact in table.history if isinstance(fact, Deal)]
    assert deals
    assert all(deal.face_down for deal in deals)
