"""The draw for first dealer at a live table: the host shuffles, the cut is offered, and the sealed deck decides."""

from dataclasses import replace

import pytest

from leftbower import dealing
from leftbower.engine import Draw, InGame, ToDeal, ToDraw, draw_dealer
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Cut
from leftbower.table import (
    Agreed,
    BotSeated,
    BotSubstituted,
    CutDue,
    DeckCut,
    DeckDue,
    Disconnected,
    DrawDeckSealed,
    DrawDue,
    HostChanged,
    Sat,
    SubstituteDue,
    Table,
    TimeControl,
    TimeControlChanged,
    TimedOut,
    TimeoutDue,
    next_due,
    open_positions_for,
    person_to_act,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture

N, E, S, W = Seat
PEOPLE = {N: BOB, E: CAT, S: ANN, W: DAN}
"""Ann opens the table and sits at S; Dan is on her left and Cat on her right."""
PRIZE_NIGHT = preset("prize-night")


def gathered(
    rules: HouseRules, seats: dict[Seat, str] = PEOPLE, *, clock: TimeControl = TimeControl.OFF
) -> TableFixture:
    """These people have sat down and agreed, bots fill the other seats, and the draw is due."""
    fixture = TableFixture(rules)
    for seat in rules.seats:
        if seat in seats:
            fixture.command(seats[seat], Sat(person=seats[seat], seat=seat))
        else:
            fixture.command(ANN, BotSeated(seat=seat, level="regular"))
    fixture.command(ANN, TimeControlChanged(clock=clock))
    for person in seats.values():
        fixture.command(person, Agreed(person=person))
    assert fixture.server_acts()
    assert isinstance(next_due(fixture.table), DrawDue)
    return fixture


def sealed(
    rules: HouseRules = PRIZE_NIGHT, seats: dict[Seat, str] = PEOPLE, *, clock: TimeControl = TimeControl.OFF
) -> TableFixture:
    """The same, with the deck of the draw sealed."""
    fixture = gathered(rules, seats, clock=clock)
    fixture.add(DrawDeckSealed(entropy=fixture.entropy()))
    return fixture


def drawn(table: Table) -> Draw:
    [draw] = [fact for fact in table.history if isinstance(fact, Draw)]
    return draw


def test_prize_night_offers_the_cut_to_the_left_before_the_draw() -> None:
    """Ann hosts and shuffles at S. Dan, on her left, is asked before any card is turned; then the cut deck decides."""
    fixture = sealed()
    table = fixture.table
    assert (table.phase, table.shuffler, table.cutter, person_to_act(table)) == ("cutting", S, W, DAN)
    assert isinstance(table.match, ToDraw)
    fixture.command(DAN, DeckCut(seat=W, lifted=5))
    table, draw = fixture.table, drawn(fixture.table)
    assert table.sealed_deck is not None
    order = dealing.cut(table.sealed_deck.deck, 5)
    assert draw.shuffler is S
    assert draw.cards == order[: len(draw.cards)]
    assert [str(card) for card in draw.cards if str(card) in ("Jc", "Js")] == [str(draw.cards[-1])]
    assert draw.dealer is (W, N, E, S)[(len(draw.cards) - 1) % 4]
    assert isinstance(table.match, InGame)
    assert isinstance(table.match.game, ToDeal)
    assert table.match.game.dealer is draw.dealer
    assert isinstance(next_due(table), DeckDue)


def test_prize_night_a_cut_before_the_draw_can_change_the_dealer() -> None:
    """The cut rotates the sealed deck: over all numbers, each player becomes the dealer at some point."""
    dealers = set()
    for number in range(24):
        fixture = sealed()
        fixture.command(DAN, DeckCut(seat=W, lifted=number))
        dealers.add(drawn(fixture.table).dealer)
        deck = fixture.table.sealed_deck.deck if fixture.table.sealed_deck else ()
        assert drawn(fixture.table) == draw_dealer(PRIZE_NIGHT, shuffler=S, deck=deck, cut=number)
    assert len(dealers) > 2


def test_the_draws_envelopes_are_public_and_opened_card_by_card() -> None:
    fixture = sealed()
    table = fixture.table
    assert table.sealed_deck is not None
    for person in (ANN, DAN, None):
        plain = table_to_json(table, person)
        assert plain["sealed"] == dealing.published_to_json(table.sealed_deck.commitment)
        assert (plain["opened"], plain["shuffler"], plain["cutter"], plain["dealer"]) == ([], "S", "W", None)
    fixture.command(DAN, DeckCut(seat=W, lifted=7))
    table, draw = fixture.table, drawn(fixture.table)
    for person in (ANN, DAN, None):
        opened = table_to_json(table, person)["opened"]
        assert {opening["card"] for opening in opened} == {str(card) for card in draw.cards}
        assert sorted((opening["position"] - 7) % 24 for opening in opened) == list(range(len(draw.cards)))
        assert open_positions_for(table, person) == [opening["position"] for opening in opened]
    fixture.until_decision()
    assert table_to_json(fixture.table, None)["shuffler"] is None
    assert fixture.table.sealed_decks[0][1] == 7


@pytest.mark.parametrize("name", ["round-robin", "campus", "school-cup", "club"])
def test_other_sheets_draw_without_a_stop(name: str) -> None:
    fixture = sealed(preset(name))
    assert drawn(fixture.table).shuffler is S
    assert fixture.table.phase == "dealing"
    assert fixture.table.sealed_decks[0][1] is None
    fixture.refused(DAN, DeckCut(seat=W, lifted=5), "nothing-dealt")


def test_a_table_may_offer_the_cut_before_the_draw_to_the_right() -> None:
    fixture = sealed(replace(PRIZE_NIGHT, draw_cut=Cut.RIGHT))
    assert fixture.table.cutter is E


def test_without_a_host_at_the_table_the_first_seat_shuffles() -> None:
    """Ann opened the table and is watching."""
    fixture = sealed(seats={N: BOB, E: CAT, W: DAN})
    assert (fixture.table.shuffler, fixture.table.cutter) == (N, E)


def test_another_host_does_not_change_who_is_offered_the_cut() -> None:
    fixture = sealed()
    fixture.command(ANN, HostChanged(person=BOB))
    assert (fixture.table.shuffler, fixture.table.cutter) == (S, W)


def test_only_the_player_offered_the_cut_before_the_draw_may_cut() -> None:
    fixture = sealed()
    fixture.refused(CAT, DeckCut(seat=E, lifted=3), "not-your-turn")
    fixture.refused(CAT, DeckCut(seat=W, lifted=3), "not-your-turn")
    fixture.refused(DAN, DeckCut(seat=W, lifted=24), "bad-cut")
    fixture.command(DAN, DeckCut(seat=W, lifted=0))
    fixture.refused(DAN, DeckCut(seat=W, lifted=3), "nothing-dealt")


def test_a_bot_on_the_left_is_asked_to_cut_before_the_draw() -> None:
    fixture = sealed(seats={S: ANN})
    due = next_due(fixture.table)
    assert isinstance(due, CutDue)
    assert (due.seat, due.declined) == (W, False)


def test_no_answer_means_no_cut_before_the_draw_and_before_a_deal() -> None:
    """Dan leaves, or his time runs out: the server waits for him as for any act, then declines the cut."""
    for clock in (TimeControl.OFF, TimeControl.QUICK):
        fixture = sealed(replace(PRIZE_NIGHT, deal_cut=Cut.LEFT), clock=clock)
        if clock is TimeControl.OFF:
            fixture.add(Disconnected(person=DAN))
            assert isinstance(next_due(fixture.table), SubstituteDue)
            fixture.add(BotSubstituted(person=DAN))
        else:
            assert isinstance(next_due(fixture.table), TimeoutDue)
            fixture.add(TimedOut(person=DAN))
        due = next_due(fixture.table)
        assert isinstance(due, CutDue)
        assert (due.seat, due.declined) == (W, True)
    fixture = sealed(replace(PRIZE_NIGHT, deal_cut=Cut.LEFT))
    fixture.command(DAN, DeckCut(seat=W, lifted=0))
    fixture.until_decision()
    person = person_to_act(fixture.table)
    assert person is not None
    fixture.add(Disconnected(person=person), BotSubstituted(person=person))
    due = next_due(fixture.table)
    assert isinstance(due, CutDue)
    assert due.declined


def test_every_draw_of_a_match_is_cut() -> None:
    """There is a draw for each game, and the left is asked each time."""
    rules = replace(PRIZE_NIGHT, best_of=3, target=5)
    fixture = sealed(rules)
    fixture.play_on()
    draws = [index for index, fact in enumerate(fixture.table.history) if isinstance(fact, Draw)]
    assert len(draws) >= 2
    cuts = [fact for fact in fixture.log if isinstance(fact, DeckCut)]
    assert [cut.seat for cut in cuts] == [W] * len(draws)
    assert len(fixture.table.sealed_decks) == sum(
        type(fact).__name__ in ("Draw", "Deal") for fact in fixture.table.history
    )
