"""A table: who may sit, what must be agreed, matches from the draw to the rematch, undo, and what everybody may see."""

import json
from dataclasses import replace

import pytest

from leftbower import dealing
from leftbower.engine import MatchOver, Order, Pass, Play, view
from leftbower.errors import LeftbowerError
from leftbower.notation import view_from_json
from leftbower.rules import Card, Seat, preset
from leftbower.rules.choices import Cut, Supervision
from leftbower.table import (
    Acted,
    Agreed,
    BotRemoved,
    BotSeated,
    DeckCut,
    DeckSealed,
    DrawDue,
    HostChanged,
    LastCardDue,
    LastCardModeChanged,
    Left,
    MatchOpeningDue,
    PlayerRemoved,
    RematchRequested,
    RulesChanged,
    Sat,
    SeatedBot,
    SeatedPerson,
    SeatsSwapped,
    Timeouts,
    UndoAnswered,
    UndoRequested,
    cutting_seat,
    hand_view_for,
    idempotency_key,
    next_due,
    phase,
    replay,
    table_fact_from_json,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat

# Gathering


def test_a_seat_is_one_persons_and_a_person_has_one_seat() -> None:
    evening = TableFixture()
    evening.ask(ANN, Sat(person=ANN, seat=S))
    evening.refused(BOB, Sat(person=BOB, seat=S), "seat-taken")
    evening.ask(ANN, Sat(person=ANN, seat=N))
    assert dict(evening.table.seats) == {N: SeatedPerson(ANN)}
    evening.ask(BOB, Sat(person=BOB, seat=S))
    assert evening.table.seat_of(BOB) is S
    evening.refused(BOB, PlayerRemoved(person=ANN), "not-the-host")


def test_there_are_as_many_seats_as_the_rules_have() -> None:
    evening = TableFixture(preset("club3"))
    evening.refused(ANN, Sat(person=ANN, seat=W), "nobody-there")
    evening.refused(ANN, BotSeated(seat=W, level="novice"), "nobody-there")
    evening.refused(ANN, SeatsSwapped(seat=N, other=W), "nobody-there")


def test_the_host_seats_bots_clears_swaps_removes_and_hands_over() -> None:
    evening = TableFixture()
    evening.ask(ANN, Sat(person=ANN, seat=N), BotSeated(seat=E, level="expert"))
    evening.ask(BOB, Sat(person=BOB, seat=S))
    evening.refused(BOB, BotSeated(seat=W, level="expert"), "not-the-host")
    evening.refused(ANN, BotSeated(seat=S, level="expert"), "seat-taken")
    evening.refused(ANN, BotRemoved(seat=S), "nobody-there")
    evening.ask(ANN, SeatsSwapped(seat=E, other=S))
    assert dict(evening.table.seats) == {N: SeatedPerson(ANN), E: SeatedPerson(BOB), S: SeatedBot("expert")}
    evening.ask(ANN, BotRemoved(seat=S), HostChanged(person=BOB), Left(person=ANN))
    assert dict(evening.table.seats) == {E: SeatedPerson(BOB)}
    assert evening.table.host == BOB
    evening.refused(BOB, HostChanged(person=DAN), "not-seated")
    evening.ask(BOB, PlayerRemoved(person=BOB))
    assert not evening.table.seats


def test_when_the_host_leaves_somebody_else_is_host() -> None:
    evening = seated(people=(ANN, BOB))
    evening.ask(ANN, Left(person=ANN))
    assert evening.table.host == BOB
    assert evening.table.seats[N] == SeatedBot("novice")


def test_nothing_is_dealt_before_everybody_has_agreed() -> None:
    evening = TableFixture()
    evening.ask(ANN, Sat(person=ANN, seat=N), Agreed(person=ANN))
    evening.ask(BOB, Sat(person=BOB, seat=S))
    evening.ask(ANN, BotSeated(seat=E, level="novice"), BotSeated(seat=W, level="novice"))
    assert next_due(evening.table) is None
    assert phase(evening.table) == "gathering"
    evening.refused(CAT, Agreed(person=CAT), "not-seated")
    evening.ask(BOB, Agreed(person=BOB))
    for owed in (MatchOpeningDue, DrawDue):
        assert phase(evening.table) == "drawing"
        assert isinstance(next_due(evening.table), owed)
        assert next_due(evening.table) == next_due(evening.table, Timeouts(hand_pause=9.0))
        evening.house()


def test_other_rules_ask_everybody_again() -> None:
    """A change after they agreed, and one to fewer seats, which loses who sat there."""
    evening = TableFixture(preset("campus"))
    evening.ask(ANN, Sat(person=ANN, seat=N), Agreed(person=ANN))
    evening.ask(BOB, Sat(person=BOB, seat=W), Agreed(person=BOB))
    evening.refused(BOB, RulesChanged(rules=preset("club")), "not-the-host")
    evening.ask(ANN, RulesChanged(rules=replace(preset("campus"), target=11)))
    assert evening.table.agreed == frozenset()
    evening.ask(ANN, RulesChanged(rules=preset("club3")))
    assert dict(evening.table.seats) == {N: SeatedPerson(ANN)}


# The match


@pytest.mark.parametrize("name", ["club", "campus", "round-robin", "school-cup", "prize-night", "club3", "club2"])
def test_a_match_is_played_from_the_draw_to_the_rematch(name: str) -> None:
    """People and bots, whatever the sheet; the log folds to the same table, and wins are counted."""
    evening = seated(preset(name), people=(ANN, BOB), seed=3)
    evening.play_on()
    assert replay([(fact, float(at)) for at, fact in enumerate(evening.log, 1)]) == replace(
        evening.table, at=float(len(evening.log))
    )
    assert isinstance(evening.table.match, MatchOver)
    assert max(evening.table.match.wins) == 1 + evening.rules.best_of // 2
    assert evening.table.public_until == len(evening.table.history)
    assert phase(evening.table) == "over"
    evening.ask(ANN, RematchRequested(person=ANN))
    assert phase(evening.table) == "over"
    evening.ask(BOB, RematchRequested(person=BOB))
    assert phase(evening.table) == "drawing"
    assert evening.table.history == ()


def test_seats_and_rules_stand_while_a_match_is_played() -> None:
    evening = seated(people=(ANN, BOB))
    evening.until_asked()
    evening.refused(ANN, RulesChanged(rules=preset("campus")), "match-is-on")
    evening.refused(ANN, BotRemoved(seat=S), "match-is-on")
    evening.refused(BOB, Sat(person=BOB, seat=S), "match-is-on")
    evening.refused(BOB, Agreed(person=BOB), "match-is-on")
    evening.refused(CAT, Sat(person=CAT, seat=N), "seat-taken")


def test_a_latecomer_takes_a_bots_seat_with_the_next_hand() -> None:
    evening = seated(people=(ANN,))
    evening.until_asked()
    evening.ask(CAT, Sat(person=CAT, seat=S))
    evening.refused(DAN, Sat(person=DAN, seat=S), "seat-taken")
    assert evening.table.seats[S] == SeatedBot("regular")
    assert evening.table.seat_of(CAT) is S
    assert not table_to_json(evening.table, CAT)["you"]["plays"]
    evening.refused(CAT, UndoRequested(person=CAT), "not-seated")
    for played in (False, True):
        while (evening.table.hand is None) is played:
            if not evening.house():
                evening.person_acts()
    assert evening.table.seats[S] == SeatedPerson(CAT)
    assert not evening.table.latecomers


def test_who_leaves_in_a_match_is_played_for_by_a_bot() -> None:
    evening = seated(people=(ANN, BOB))
    evening.until_asked()
    evening.ask(BOB, Left(person=BOB))
    assert evening.table.seats[E] == SeatedBot("novice")
    assert isinstance(evening.play_on().match, MatchOver)


def test_the_cut_is_offered_to_whom_the_sheet_says() -> None:
    """The number turns the sealed deck, and comes after its root was told."""
    rules = replace(preset("club"), deal_cut=Cut.RIGHT)
    assert cutting_seat(rules, rules.deal_cut, S) is E
    assert [cutting_seat(rules, offered, S) for offered in (Cut.NONE, Cut.LEFT)] == [None, W]
    evening = seated(rules, people=(ANN, BOB, CAT, DAN), seed=2)
    table = evening.until_asked()
    assert phase(table) == "cutting"
    seat = table.cutter
    assert seat is not None
    assert table_to_json(table, None)["sealed"]["root"] == table.sealed_deck.root if table.sealed_deck else False
    sitter = table.seats[seat]
    assert isinstance(sitter, SeatedPerson)
    other = next(one.id for one in table.seats.values() if isinstance(one, SeatedPerson) and one != sitter)
    evening.refused(other, DeckCut(seat=seat, lifted=3), "not-your-turn")
    evening.refused(sitter.id, DeckCut(seat=seat, lifted=24), "bad-cut")
    evening.ask(sitter.id, DeckCut(seat=seat, lifted=5))
    hand = evening.table.hand
    assert hand is not None
    assert evening.table.sealed_deck is not None
    order = dealing.cut(evening.table.sealed_deck.deck, 5)
    first = rules.left_of(hand.hand.deal.dealer)
    assert hand.hand.deal.hands[first.index][0] is order[0]
    evening.refused(sitter.id, DeckCut(seat=seat, lifted=5), "nothing-dealt")


def test_an_act_is_for_the_own_seat_and_by_the_rules() -> None:
    evening = seated(people=(ANN, BOB, CAT, DAN))
    evening.refused(ANN, Acted(action=Pass(N)), "nothing-dealt")
    table = evening.until_asked()
    if table.cutter:
        evening.person_acts()
    hand = evening.table.hand
    assert hand is not None
    seat = hand.to_act
    person = dict(zip(Seat, (ANN, BOB, CAT, DAN), strict=True))[seat]
    evening.refused(person, Acted(action=Pass(seat.partner)), "not-your-turn")
    evening.refused(person, Acted(action=Play(seat, Card.parse("9c"))), "not-now")
    evening.ask(person, Acted(action=Pass(seat), action_id="one"))
    assert evening.table.idempotency_keys == {idempotency_key(person, "one"): evening.table.version}
    evening.refused(person, Acted(action=Pass(seat)), "not-your-turn")
    evening.refused("eve", Acted(action=Order(seat)), "not-seated")
    evening.refused(ANN, DeckSealed(entropy="00"), "bad-usage")


def test_the_last_card_plays_itself_unless_somebody_keeps_it() -> None:
    kept = []
    for keeps in (False, True):
        evening = seated(people=(ANN,), seed=5)
        if keeps:
            evening.ask(ANN, LastCardModeChanged(person=ANN, manual=True))
        asked_with_one = 0
        for _ in range(60):
            if not evening.house():
                hand = evening.table.hand
                asked_with_one += hand is not None and len(view(hand, N).cards) == 1 and hand.to_act is N
                evening.person_acts()
        kept.append(asked_with_one)
        assert table_to_json(evening.table, ANN)["auto_last_card"] is not keeps
    assert kept[0] == 0 < kept[1]
    honor = seated(replace(preset("club"), supervision=Supervision.HONOR), people=(ANN,))
    for _ in range(80):
        assert not isinstance(next_due(honor.table), LastCardDue)
        if not honor.house():
            honor.person_acts()


def test_a_hand_that_is_over_is_never_seen_through_a_seat_taken_since() -> None:
    """A latecomer who has a bot's seat by now does not see what the bot held; who sat there before still does."""
    rules = replace(preset("club"), deal_cut=Cut.RIGHT)
    evening = seated(rules, people=(ANN, BOB, CAT))
    for seed in range(20):
        evening = seated(rules, people=(ANN, BOB, CAT), seed=seed)
        while evening.table.hand is None:
            evening.step()
        evening.ask(DAN, Sat(person=DAN, seat=W))
        while evening.table.latecomers:
            evening.step()
        if evening.table.hand is None:
            break
    table = evening.table
    assert (phase(table), table.seats[W], table.last_seats[W]) == ("cutting", SeatedPerson(DAN), SeatedBot("regular"))
    assert table.last_hand is not None
    seen = {person: view_from_json(table_to_json(table, person)["hand"]) for person in (ANN, BOB, CAT, DAN)}
    assert seen == {
        ANN: view(table.last_hand, N),
        BOB: view(table.last_hand, E),
        CAT: view(table.last_hand, S),
        DAN: view(table.last_hand, None),
    }
    assert table.last_players == {ANN, BOB, CAT}


def test_a_match_begins_with_the_last_bot_when_all_people_have_agreed_and_never_without_people() -> None:
    evening = TableFixture()
    evening.ask(ANN, *(BotSeated(seat=seat, level="novice") for seat in Seat))
    assert phase(evening.table) == "gathering"
    evening.ask(ANN, BotRemoved(seat=N), Sat(person=ANN, seat=N), BotRemoved(seat=E), Agreed(person=ANN))
    evening.ask(ANN, Sat(person=ANN, seat=N))
    assert evening.table.agreed == {ANN}
    evening.ask(ANN, BotSeated(seat=E, level="novice"))
    assert phase(evening.table) == "drawing"


def test_after_a_match_nobody_has_agreed_to_another_and_latecomers_have_their_seats() -> None:
    evening = seated(people=(ANN, BOB), seed=6)
    while evening.table.public_until == 0 or not isinstance(evening.table.match, MatchOver):
        if evening.table.hand is not None and evening.table.seat_of(CAT) is None:
            evening.ask(CAT, Sat(person=CAT, seat=S))
        if evening.table.seats[S] == SeatedPerson(CAT):
            evening.ask(CAT, Left(person=CAT))
        if not evening.house():
            evening.person_acts()
    table = evening.table
    assert (table.agreed, table.latecomers, table.seats[S], table.last_seats[S].__class__) == (
        frozenset(),
        {},
        SeatedPerson(CAT),
        SeatedBot,
    )
    evening.ask(ANN, Agreed(person=ANN))
    evening.ask(BOB, RematchRequested(person=BOB))
    assert phase(evening.table) == "over"
    evening.ask(CAT, RematchRequested(person=CAT))
    assert phase(evening.table) == "drawing"


# Undo


def test_when_the_last_one_who_has_not_agreed_leaves_the_act_is_undone() -> None:
    evening = TableFixture(seed=4)
    for person, seat in ((ANN, N), (BOB, S)):
        evening.ask(person, Sat(person=person, seat=seat))
    for seat in (E, W):
        evening.ask(ANN, BotSeated(seat=seat, level="novice"))
    for person in (ANN, BOB):
        evening.ask(person, Agreed(person=person))
    while not evening.table.undo_points:
        evening.until_asked()
        evening.person_acts()
    person, story = evening.table.undo_points[0].person, evening.table.undo_points[0].history
    evening.ask(person, UndoRequested(person=person))
    other = BOB if person == ANN else ANN
    evening.ask(other, Left(person=other))
    assert (evening.table.history, evening.table.undo) == (story, None)


def test_an_act_is_undone_against_bots_when_all_people_agree() -> None:
    evening = TableFixture(seed=4)
    for person, seat in ((ANN, N), (BOB, S)):
        evening.ask(person, Sat(person=person, seat=seat))
    for seat in (E, W):
        evening.ask(ANN, BotSeated(seat=seat, level="novice"))
    for person in (ANN, BOB):
        evening.ask(person, Agreed(person=person))
    evening.until_asked()
    evening.refused(ANN, UndoRequested(person=ANN), "nothing-to-undo")
    while not evening.table.undo_points:
        evening.until_asked()
        evening.person_acts()
    point = evening.table.undo_points[0]
    person, match, history = point.person, point.match, point.history
    evening.until_asked()
    other = BOB if person == ANN else ANN
    evening.refused(other, UndoAnswered(person=other, agreed=True), "nothing-to-undo")
    evening.ask(person, UndoRequested(person=person))
    assert table_to_json(evening.table, other)["undo"] == {"person": person, "agreed": []}
    evening.refused(person, UndoAnswered(person=person, agreed=True), "nothing-to-undo")
    evening.ask(other, UndoAnswered(person=other, agreed=False))
    assert evening.table.undo is None
    assert evening.table.match != match
    evening.ask(person, UndoRequested(person=person))
    evening.ask(other, UndoAnswered(person=other, agreed=True))
    assert (evening.table.match, evening.table.history, evening.table.undo) == (match, history, None)
    assert isinstance(evening.play_on().match, MatchOver)


def test_people_on_the_other_side_never_lose_what_they_won() -> None:
    evening = seated(people=(ANN, BOB))
    while not evening.table.undo_points:
        evening.until_asked()
        evening.person_acts()
    person = evening.table.undo_points[0].person
    evening.refused(person, UndoRequested(person=person), "nothing-to-undo")
    evening.refused(ANN, Agreed(person=BOB), "bad-usage")


# The last trick


@pytest.mark.parametrize("supervision", list(Supervision))
def test_a_trick_has_the_version_of_the_card_that_completed_it(supervision: Supervision) -> None:
    """To the last trick of the last hand, at honor tables too; what is said afterwards does not change it."""
    evening = seated(replace(preset("school-cup"), supervision=supervision), people=(ANN, BOB))
    completed = [0]
    while not isinstance(evening.table.match, MatchOver):
        before = hand_view_for(evening.table, None)
        evening.step()
        seen = hand_view_for(evening.table, None)
        played = bool(seen and seen.actions) and isinstance(evening.table.history[-1], Play)
        if before and seen and played and len(seen.tricks) > len(before.tricks):
            completed.append(evening.table.version)
        assert evening.table.trick_version == completed[-1]
    assert len(completed) > 20


def test_an_undo_leaves_no_trick_open() -> None:
    """The trick before the one that was taken back may be old."""
    evening = TableFixture(seed=4)
    evening.ask(ANN, Sat(person=ANN, seat=N), *(BotSeated(seat=seat, level="novice") for seat in (E, S, W)))
    evening.ask(ANN, Agreed(person=ANN))
    while not (evening.table.trick_version and evening.table.undo_points):
        evening.step()
    evening.ask(ANN, UndoRequested(person=ANN))
    assert evening.table.trick_version == 0


# What everybody may see


def test_what_is_shown_is_the_engines_view_and_opened_envelopes() -> None:
    """At every step of a game, to each seat, to a latecomer and to a spectator; every opened card fits the seal."""
    evening = seated(people=(ANN, BOB), seed=7)
    while not isinstance(evening.table.match, MatchOver):
        table = evening.table
        for person, seat in ((ANN, N), (BOB, E), ("eve", None), (None, None)):
            plain = json.loads(json.dumps(table_to_json(table, person)))
            state = table.hand or table.last_hand
            assert (plain["hand"] and view_from_json(plain["hand"])) == (state and view(state, seat))
            if plain["opened"]:
                assert table.sealed_deck is not None
                opened = dealing.openings_from_json({"cards": plain["opened"]})
                assert all(dealing.check(one, table.sealed_deck.commitment) for one in opened)
        if not evening.house():
            evening.person_acts()


def test_strange_facts_are_refused() -> None:
    for wrong, what in (
        ({"fact": "flown", "v": 1}, "is no fact of a table"),
        ({"fact": "agreed", "v": 2, "person": "a"}, "cannot be read"),
        ({"fact": "agreed", "v": 1}, "has person"),
        ({"fact": "agreed", "v": 1, "person": "a", "card": "Jd"}, "has person"),
    ):
        with pytest.raises(LeftbowerError, match=what):
            table_fact_from_json(wrong)


def test_only_the_latest_acts_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is played at for years does not grow with every act."""
    monkeypatch.setattr("leftbower.table.reducer.MAX_IDEMPOTENCY_KEYS", 3)
    evening = seated(people=(ANN,), seed=2)
    for _ in range(60):
        if not evening.house():
            evening.person_acts()
    assert len(evening.table.idempotency_keys) == 3
    assert [*evening.table.idempotency_keys.values()] == sorted(evening.table.idempotency_keys.values())
