"""Dealing at an honor table: the dealer offers the cut, deals and turns up, and can get each of these wrong."""

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
    table_fact_from_json,
    table_fact_to_json,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

FOUR_PEOPLE = (ANN, BOB, CAT, DAN)
CLUB = replace(preset("club"), supervision=Supervision.HONOR)
"""The cut must be offered to the right, and packets are two or three cards."""
UNCUT = replace(CLUB, deal_cut=Cut.NONE)
ONE_SHORT = (2, 2, 2, 2, 3, 3, 3, 2)
"""The last packet, the dealer's own, is one card short."""


def sealed(rules: HouseRules = CLUB, people: tuple[str, ...] = FOUR_PEOPLE, *, seed: int = 0) -> TableFixture:
    """A table at which the dealer has to deal a sealed deck."""
    fixture = seated(rules, people=people, seed=seed)
    while fixture.table.dealing_seat is None:
        fixture.step()
    return fixture


def dealer(fixture: TableFixture) -> tuple[Seat, str]:
    """The seat that deals, and its player."""
    seat = fixture.table.dealing_seat
    assert seat is not None
    sitter = fixture.table.seats[seat]
    assert isinstance(sitter, SeatedPerson)
    return seat, sitter.id


def person(table: Table, seat: Seat) -> str:
    sitter = table.seats[seat]
    assert isinstance(sitter, SeatedPerson)
    return sitter.id


def dealt(fixture: TableFixture, packets: tuple[int, ...] = (), *, offered: bool = True) -> Deal:
    """The dealer offers the cut, or forgets it, and deals these packets."""
    seat, who = dealer(fixture)
    if offered and fixture.table.may_offer_cut:
        fixture.command(who, CutOffered(seat=seat))
        cutter = fixture.table.cutter
        assert cutter is not None
        fixture.command(person(fixture.table, cutter), DeckCut(seat=cutter, lifted=6))
    fixture.command(who, HandDealt(seat=seat, packets=packets))
    [*_, deal] = [fact for fact in fixture.table.history if isinstance(fact, Deal)]
    return deal


def call(fixture: TableFixture, caller: Seat, what: Irregularity) -> Table:
    assert fixture.table.hand is not None
    against = fixture.table.hand.hand.deal.dealer
    return fixture.command(
        person(fixture.table, caller), Acted(action=CallOut(caller, against, what, 0), action_id="call")
    )


def test_club_the_dealer_offers_the_cut_deals_and_turns_up() -> None:
    """Each step is an act of the dealer, and no card shows before the last."""
    fixture = sealed()
    seat, who = dealer(fixture)
    table = fixture.table
    assert (table.phase, person_to_act(table), table.may_offer_cut, table.cutter) == ("dealing", who, True, None)
    table = fixture.command(who, CutOffered(seat=seat))
    right = Seat((*"NESW",)[seat.index - 1])
    assert (table.phase, table.cutter, table.dealing_seat) == ("cutting", right, None)
    table = fixture.command(person(table, right), DeckCut(seat=right, lifted=9))
    assert (table.phase, table.dealing_seat, table.may_offer_cut) == ("dealing", seat, False)
    table = fixture.command(who, HandDealt(seat=seat))
    assert isinstance(table.hand, FaceDown)
    assert table.sealed_deck is not None
    order = dealing.cut(table.sealed_deck.deck, 9)
    left = table.rules.left_of(seat)
    assert table.hand.hand.deal.hands[left.index] == (*order[:2], *order[8:11])
    assert table.hand.hand.deal.cut_offered
    for viewer in (*FOUR_PEOPLE, None):
        plain = table_to_json(table, viewer)
        assert (plain["hand"]["phase"], plain["hand"]["up_card"], plain["hand"]["cards"]) == ("face-down", None, "")
        assert (plain["opened"], open_positions_for(table, viewer)) == ([], [])
        assert set(plain["hand"]["card_counts"].values()) == {5}
    table = fixture.command(who, Acted(action=TurnUp(seat), action_id="up"))
    assert table_to_json(table, None)["hand"]["up_card"] == str(order[20])
    assert [opening["card"] for opening in table_to_json(table, None)["opened"]] == [str(order[20])]
    assert table.sealed_decks[-1] == (table.sealed_deck, 9)
    assert not table.packets


def test_club_a_forgotten_cut_can_happen_and_be_called() -> None:
    """Called before the up-card shows, the same dealer deals again; after it, the deal passes to the next player."""
    for turned in (False, True):
        fixture = sealed()
        seat, who = dealer(fixture)
        assert not dealt(fixture, offered=False).cut_offered
        if turned:
            fixture.command(who, Acted(action=TurnUp(seat), action_id="up"))
        left = fixture.table.rules.left_of(seat)
        table = call(fixture, left, Irregularity.NO_CUT_OFFERED)
        assert table.last_hand is not None
        assert table.last_hand.reason is (Reason.DEAL_LOST if turned else Reason.MISDEAL)
        assert isinstance(table.match, InGame)
        assert isinstance(table.match.game, ToDeal)
        assert table.match.game.dealer is (left if turned else seat)
        assert isinstance(next_due(table), DeckDue)
        assert table.sealed_decks[-1][1] is None
        before = table.sealed_deck
        fixture.until_decision()
        assert fixture.table.dealing_seat is (left if turned else seat)
        assert fixture.table.sealed_deck != before


def test_club_wrong_numbers_of_cards_can_happen_and_be_called() -> None:
    """Players can count the backs; before the up-card shows the dealer deals again, after it the deal passes."""
    for turned in (False, True):
        fixture = sealed()
        seat, who = dealer(fixture)
        deal = dealt(fixture, ONE_SHORT)
        assert [len(held) for held in deal.hands].count(4) == 1
        assert len(deal.hands[seat.index]) == 4
        assert table_to_json(fixture.table, None)["hand"]["card_counts"][str(seat)] == 4
        if turned:
            fixture.command(who, Acted(action=TurnUp(seat), action_id="up"))
        partner = seat.partner
        table = call(fixture, partner, Irregularity.WRONG_CARD_COUNT)
        assert table.last_hand is not None
        assert table.last_hand.reason is (Reason.DEAL_LOST if turned else Reason.MISDEAL)
        assert table.packets == {len(table.sealed_decks) - 1: ONE_SHORT}


def test_a_hand_called_off_face_down_shows_no_card_to_anyone() -> None:
    fixture = sealed()
    dealt(fixture, ONE_SHORT)
    seat = fixture.table.rules.left_of(fixture.table.hand.hand.deal.dealer if fixture.table.hand else Seat.N)
    table = call(fixture, seat, Irregularity.WRONG_CARD_COUNT)
    for viewer in (*FOUR_PEOPLE, None):
        plain = table_to_json(table, viewer)
        assert (plain["hand"]["up_card"], plain["hand"]["dealt"], plain["opened"]) == (None, "", [])


def test_the_dealer_may_choose_the_bundles_that_the_rules_allow() -> None:
    for packets in ((3, 2, 3, 2, 2, 3, 2, 3), (3, 3, 3, 3, 2, 2, 2, 2)):
        fixture = sealed(UNCUT)
        deal = dealt(fixture, packets)
        assert not deal.has_miscount()
        assert fixture.table.sealed_deck is not None
        top = fixture.table.sealed_deck.deck
        left = fixture.table.rules.left_of(deal.dealer)
        assert deal.hands[left.index][: packets[0]] == top[: packets[0]]
        assert fixture.table.packets == {len(fixture.table.sealed_decks) - 1: packets}


@pytest.mark.parametrize("packets", [(2,), (3, 2), (5, 0, 0, 0, 0, 5, 5, 5), (1,) * 8, (4,) * 8, (3,) * 8])
def test_bundles_that_no_dealer_deals_are_refused(packets: tuple[int, ...]) -> None:
    fixture = sealed(UNCUT)
    seat, who = dealer(fixture)
    fixture.refused(who, HandDealt(seat=seat, packets=packets), "bad-deal")


def test_only_the_dealer_deals_and_only_when_a_deck_waits() -> None:
    fixture = sealed()
    seat, who = dealer(fixture)
    left = fixture.table.rules.left_of(seat)
    other = person(fixture.table, left)
    fixture.refused(other, HandDealt(seat=left), "not-your-turn")
    fixture.refused(other, HandDealt(seat=seat), "not-your-turn")
    fixture.refused(other, CutOffered(seat=left), "not-your-turn")
    fixture.refused("eve", HandDealt(seat=seat), "not-seated")
    fixture.refused(who, DeckCut(seat=seat, lifted=3), "nothing-dealt")
    fixture.command(who, CutOffered(seat=seat))
    fixture.refused(who, HandDealt(seat=seat), "nothing-dealt")
    cutter = fixture.table.cutter
    assert cutter is not None
    fixture.command(person(fixture.table, cutter), DeckCut(seat=cutter, lifted=0))
    fixture.refused(who, CutOffered(seat=seat), "bad-cut")
    fixture.command(who, HandDealt(seat=seat))
    fixture.refused(who, HandDealt(seat=seat), "nothing-dealt")


def test_no_cut_can_be_offered_where_none_is_due() -> None:
    fixture = sealed(UNCUT)
    seat, who = dealer(fixture)
    assert not fixture.table.may_offer_cut
    fixture.refused(who, CutOffered(seat=seat), "bad-cut")
    assert dealt(fixture).cut_offered


def test_strict_tables_are_dealt_by_the_server() -> None:
    fixture = seated(replace(UNCUT, supervision=Supervision.STRICT), people=FOUR_PEOPLE)
    table = fixture.until_decision()
    assert table.hand is not None
    assert not table.hand.hand.deal.face_down
    for seat, who in zip(Seat, FOUR_PEOPLE, strict=True):
        fixture.refused(who, HandDealt(seat=seat), "nothing-dealt")


def test_a_bot_offers_the_cut_deals_correctly_and_turns_up() -> None:
    fixture = seated(CLUB, people=(ANN,), seed=3)
    steps: list[str] = []
    while len(steps) < 60:
        due = next_due(fixture.table)
        steps.append(type(due).__name__)
        fixture.step()
    bots = [fact for fact in fixture.log if isinstance(fact, CutOffered | HandDealt) and fact.seat is not Seat.N]
    assert {type(fact) for fact in bots} == {CutOffered, HandDealt}
    assert not any(fact.packets for fact in bots if isinstance(fact, HandDealt))
    assert all(deal.cut_offered for deal in fixture.table.history if isinstance(deal, Deal))
    assert "DealDue" in steps
    turned = [fact.action for fact in fixture.log if isinstance(fact, Acted) and isinstance(fact.action, TurnUp)]
    assert turned


@pytest.mark.parametrize("clock", [TimeControl.OFF, TimeControl.QUICK])
def test_a_dealer_who_gives_no_answer_is_dealt_for(clock: TimeControl) -> None:
    """As with any act: the server waits, then a bot offers the cut and deals, and never forgets the cut."""
    fixture = seated(CLUB, people=FOUR_PEOPLE[:2])
    while fixture.table.dealing_seat is None or isinstance(fixture.table.seats[fixture.table.dealing_seat], SeatedBot):
        fixture.step()
    seat, who = dealer(fixture)
    if clock is TimeControl.OFF:
        fixture.add(Disconnected(person=who))
        assert isinstance(next_due(fixture.table), SubstituteDue)
        fixture.add(BotSubstituted(person=who))
    else:
        table = replace(fixture.table, clock=clock)
        due = next_due(table)
        assert isinstance(due, TimeoutDue)
        assert due.person == who
        fixture.add(TimedOut(person=who))
    due = next_due(fixture.table)
    assert isinstance(due, DealDue)
    assert due.seat is seat
    fixture.server_acts()
    assert fixture.table.cut_offered


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
    fixture = seated(rules, people=FOUR_PEOPLE[:2], seed=4)
    table = fixture.play_on()
    deals = [fact for fact in table.history if isinstance(fact, Deal)]
    assert deals
    assert all(deal.face_down for deal in deals)
