"""The draw for the first dealer at a live table: the host shuffles, the cut is offered, and the sealed deck decides."""

from dataclasses import replace

import pytest

from evening import ANN, BOB, CAT, DAN, Evening
from leftbower import dealing
from leftbower.engine import Draw, InGame, ToDeal, ToDraw, draw_dealer
from leftbower.rules import HouseRules, Seat, preset
from leftbower.rules.choices import Cut
from leftbower.table import (
    Agreed,
    BotSat,
    Clock,
    ClockSet,
    CoverDue,
    Covered,
    CutDue,
    CutMade,
    DeckDue,
    DrawDue,
    Drawn,
    Dropped,
    HandedOver,
    Sat,
    Table,
    TimedOut,
    TimeDue,
    asked_person,
    due,
    opened_to,
    phase,
    show,
)

N, E, S, W = Seat
PEOPLE = {N: BOB, E: CAT, S: ANN, W: DAN}
"""Ann opens the table and sits at S; Dan is at her left and Cat at her right."""
PRIZE_NIGHT = preset("prize-night")


def gathered(rules: HouseRules, seats: dict[Seat, str] = PEOPLE, *, clock: Clock = Clock.OFF) -> Evening:
    """These people have sat down and agreed, with bots beside them; the draw is due."""
    evening = Evening(rules)
    for seat in rules.places:
        if seat in seats:
            evening.ask(seats[seat], Sat(person=seats[seat], seat=seat))
        else:
            evening.ask(ANN, BotSat(seat=seat, level="regular"))
    evening.ask(ANN, ClockSet(clock=clock))
    for person in seats.values():
        evening.ask(person, Agreed(person=person))
    assert evening.house()
    assert isinstance(due(evening.table), DrawDue)
    return evening


def sealed(rules: HouseRules = PRIZE_NIGHT, seats: dict[Seat, str] = PEOPLE, *, clock: Clock = Clock.OFF) -> Evening:
    """The same, and the deck of the draw is sealed."""
    evening = gathered(rules, seats, clock=clock)
    evening.add(Drawn(entropy=evening.entropy()))
    return evening


def drawn(table: Table) -> Draw:
    [draw] = [fact for fact in table.story if isinstance(fact, Draw)]
    return draw


def test_prize_night_offers_the_cut_to_the_left_before_the_draw() -> None:
    """Ann hosts and shuffles at S. Dan, at her left, is asked before any card is turned; then the cut deck decides."""
    evening = sealed()
    table = evening.table
    assert (phase(table), table.shuffler, table.cutter, asked_person(table)) == ("cutting", S, W, DAN)
    assert isinstance(table.match, ToDraw)
    evening.ask(DAN, CutMade(seat=W, number=5))
    table, draw = evening.table, drawn(evening.table)
    assert table.sealed is not None
    order = dealing.cut(table.sealed.deck, 5)
    assert draw.shuffler is S
    assert draw.cards == order[: len(draw.cards)]
    assert [str(card) for card in draw.cards if str(card) in ("Jc", "Js")] == [str(draw.cards[-1])]
    assert draw.dealer is (W, N, E, S)[(len(draw.cards) - 1) % 4]
    assert isinstance(table.match, InGame)
    assert isinstance(table.match.game, ToDeal)
    assert table.match.game.dealer is draw.dealer
    assert isinstance(due(table), DeckDue)


def test_prize_night_a_cut_before_the_draw_can_change_the_dealer() -> None:
    """It turns the sealed deck: over all numbers each player becomes the dealer some time."""
    dealers = set()
    for number in range(24):
        evening = sealed()
        evening.ask(DAN, CutMade(seat=W, number=number))
        dealers.add(drawn(evening.table).dealer)
        deck = evening.table.sealed.deck if evening.table.sealed else ()
        assert drawn(evening.table) == draw_dealer(PRIZE_NIGHT, shuffler=S, deck=deck, cut=number)
    assert len(dealers) > 2


def test_the_envelopes_of_the_draw_are_shown_before_the_cut_and_opened_as_cards_are_turned() -> None:
    evening = sealed()
    table = evening.table
    assert table.sealed is not None
    for person in (ANN, DAN, None):
        seen = show(table, person)
        assert seen["sealed"] == dealing.published_to_json(table.sealed.commitment)
        assert (seen["opened"], seen["shuffler"], seen["cut"], seen["dealer"]) == ([], "S", "W", None)
    evening.ask(DAN, CutMade(seat=W, number=7))
    table, draw = evening.table, drawn(evening.table)
    for person in (ANN, DAN, None):
        opened = show(table, person)["opened"]
        assert {one["card"] for one in opened} == {str(card) for card in draw.cards}
        assert sorted((one["place"] - 7) % 24 for one in opened) == list(range(len(draw.cards)))
        assert opened_to(table, person) == [one["place"] for one in opened]
    evening.until_asked()
    assert show(evening.table, None)["shuffler"] is None
    assert evening.table.seals[0][1] == 7


@pytest.mark.parametrize("name", ["round-robin", "campus", "school-cup", "club"])
def test_other_sheets_draw_without_a_stop(name: str) -> None:
    evening = sealed(preset(name))
    assert drawn(evening.table).shuffler is S
    assert phase(evening.table) == "dealing"
    assert evening.table.seals[0][1] is None
    evening.refused(DAN, CutMade(seat=W, number=5), "nothing-dealt")


def test_a_table_may_offer_the_cut_before_the_draw_to_the_right() -> None:
    evening = sealed(replace(PRIZE_NIGHT, draw_cut=Cut.RIGHT))
    assert evening.table.cutter is E


def test_without_a_host_at_the_table_the_first_seat_shuffles() -> None:
    """Ann has opened the table and looks on."""
    evening = sealed(seats={N: BOB, E: CAT, W: DAN})
    assert (evening.table.shuffler, evening.table.cutter) == (N, E)


def test_another_host_does_not_change_who_is_offered_the_cut() -> None:
    evening = sealed()
    evening.ask(ANN, HandedOver(person=BOB))
    assert (evening.table.shuffler, evening.table.cutter) == (S, W)


def test_only_the_player_offered_the_cut_before_the_draw_may_cut() -> None:
    evening = sealed()
    evening.refused(CAT, CutMade(seat=E, number=3), "not-your-turn")
    evening.refused(CAT, CutMade(seat=W, number=3), "not-your-turn")
    evening.refused(DAN, CutMade(seat=W, number=24), "bad-cut")
    evening.ask(DAN, CutMade(seat=W, number=0))
    evening.refused(DAN, CutMade(seat=W, number=3), "nothing-dealt")


def test_a_bot_on_the_left_is_asked_to_cut_before_the_draw() -> None:
    evening = sealed(seats={S: ANN})
    owed = due(evening.table)
    assert isinstance(owed, CutDue)
    assert (owed.seat, owed.declined) == (W, False)


def test_no_answer_means_no_cut_before_the_draw_and_before_a_deal() -> None:
    """Dan goes, or his time runs out: the house waits for him as for any act, and then nobody cuts for him."""
    for clock in (Clock.OFF, Clock.QUICK):
        evening = sealed(replace(PRIZE_NIGHT, deal_cut=Cut.LEFT), clock=clock)
        if clock is Clock.OFF:
            evening.add(Dropped(person=DAN))
            assert isinstance(due(evening.table), CoverDue)
            evening.add(Covered(person=DAN))
        else:
            assert isinstance(due(evening.table), TimeDue)
            evening.add(TimedOut(person=DAN))
        owed = due(evening.table)
        assert isinstance(owed, CutDue)
        assert (owed.seat, owed.declined) == (W, True)
    evening = sealed(replace(PRIZE_NIGHT, deal_cut=Cut.LEFT))
    evening.ask(DAN, CutMade(seat=W, number=0))
    evening.until_asked()
    person = asked_person(evening.table)
    assert person is not None
    evening.add(Dropped(person=person), Covered(person=person))
    owed = due(evening.table)
    assert isinstance(owed, CutDue)
    assert owed.declined


def test_every_draw_of_a_match_is_cut() -> None:
    """Dealers are drawn for each game, and each time the left is asked."""
    rules = replace(PRIZE_NIGHT, best_of=3, target=5)
    evening = sealed(rules)
    evening.play_on()
    draws = [at for at, fact in enumerate(evening.table.story) if isinstance(fact, Draw)]
    assert len(draws) >= 2
    cuts = [fact for fact in evening.log if isinstance(fact, CutMade)]
    assert [cut.seat for cut in cuts] == [W] * len(draws)
    assert len(evening.table.seals) == sum(type(fact).__name__ in ("Draw", "Deal") for fact in evening.table.story)
