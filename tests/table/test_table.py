"""A table: seats, agreement, matches from the draw to the rematch, undo, and views."""

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
    replay,
    table_fact_from_json,
    table_to_json,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat

# Gathering


def test_a_seat_is_one_persons_and_a_person_has_one_seat() -> None:
    fixture = TableFixture()
    fixture.command(ANN, Sat(person=ANN, seat=S))
    fixture.refused(BOB, Sat(person=BOB, seat=S), "seat-taken")
    fixture.command(ANN, Sat(person=ANN, seat=N))
    assert dict(fixture.table.seats) == {N: SeatedPerson(ANN)}
    fixture.command(BOB, Sat(person=BOB, seat=S))
    assert fixture.table.seat_of(BOB) is S
    fixture.refused(BOB, PlayerRemoved(person=ANN), "not-the-host")


def test_there_are_as_many_seats_as_the_rules_have() -> None:
    fixture = TableFixture(preset("club3"))
    fixture.refused(ANN, Sat(person=ANN, seat=W), "nobody-there")
    fixture.refused(ANN, BotSeated(seat=W, level="novice"), "nobody-there")
    fixture.refused(ANN, SeatsSwapped(seat=N, other=W), "nobody-there")


def test_the_host_seats_bots_clears_swaps_removes_and_hands_over() -> None:
    fixture = TableFixture()
    fixture.command(ANN, Sat(person=ANN, seat=N), BotSeated(seat=E, level="expert"))
    fixture.command(BOB, Sat(person=BOB, seat=S))
    fixture.refused(BOB, BotSeated(seat=W, level="expert"), "not-the-host")
    fixture.refused(ANN, BotSeated(seat=S, level="expert"), "seat-taken")
    fixture.refused(ANN, BotRemoved(seat=S), "nobody-there")
    fixture.command(ANN, SeatsSwapped(seat=E, other=S))
    assert dict(fixture.table.seats) == {N: SeatedPerson(ANN), E: SeatedPerson(BOB), S: SeatedBot("expert")}
    fixture.command(ANN, BotRemoved(seat=S), HostChanged(person=BOB), Left(person=ANN))
    assert dict(fixture.table.seats) == {E: SeatedPerson(BOB)}
    assert fixture.table.host == BOB
    fixture.refused(BOB, HostChanged(person=DAN), "not-seated")
    fixture.command(BOB, PlayerRemoved(person=BOB))
    assert not fixture.table.seats


def test_when_the_host_leaves_another_person_is_host() -> None:
    fixture = seated(people=(ANN, BOB))
    fixture.command(ANN, Left(person=ANN))
    assert fixture.table.host == BOB
    assert fixture.table.seats[N] == SeatedBot("novice")


def test_nothing_is_dealt_before_everyone_has_agreed() -> None:
    fixture = TableFixture()
    fixture.command(ANN, Sat(person=ANN, seat=N), Agreed(person=ANN))
    fixture.command(BOB, Sat(person=BOB, seat=S))
    fixture.command(ANN, BotSeated(seat=E, level="novice"), BotSeated(seat=W, level="novice"))
    assert next_due(fixture.table) is None
    assert fixture.table.phase == "gathering"
    fixture.refused(CAT, Agreed(person=CAT), "not-seated")
    fixture.command(BOB, Agreed(person=BOB))
    for due in (MatchOpeningDue, DrawDue):
        assert fixture.table.phase == "drawing"
        assert isinstance(next_due(fixture.table), due)
        assert next_due(fixture.table) == next_due(fixture.table, Timeouts(hand_pause=9.0))
        fixture.server_acts()


def test_other_rules_need_agreement_again() -> None:
    """A change after they agreed, and one to fewer seats, which removes a seated person."""
    fixture = TableFixture(preset("campus"))
    fixture.command(ANN, Sat(person=ANN, seat=N), Agreed(person=ANN))
    fixture.command(BOB, Sat(person=BOB, seat=W), Agreed(person=BOB))
    fixture.refused(BOB, RulesChanged(rules=preset("club")), "not-the-host")
    fixture.command(ANN, RulesChanged(rules=replace(preset("campus"), target=11)))
    assert fixture.table.agreed == frozenset()
    fixture.command(ANN, RulesChanged(rules=preset("club3")))
    assert dict(fixture.table.seats) == {N: SeatedPerson(ANN)}


# The match


@pytest.mark.parametrize("name", ["club", "campus", "round-robin", "school-cup", "prize-night", "club3", "club2"])
def test_a_match_is_played_from_the_draw_to_the_rematch(name: str) -> None:
    """People and bots, under every sheet; replaying the log gives the same table, and wins are counted."""
    fixture = seated(preset(name), people=(ANN, BOB), seed=3)
    fixture.play_on()
    assert replay([(fact, float(index)) for index, fact in enumerate(fixture.log, 1)]) == replace(
        fixture.table, at=float(len(fixture.log))
    )
    assert isinstance(fixture.table.match, MatchOver)
    assert max(fixture.table.match.wins) == 1 + fixture.rules.best_of // 2
    assert fixture.table.public_until == len(fixture.table.history)
    assert fixture.table.phase == "over"
    fixture.command(ANN, RematchRequested(person=ANN))
    assert fixture.table.phase == "over"
    fixture.command(BOB, RematchRequested(person=BOB))
    assert fixture.table.phase == "drawing"
    assert fixture.table.history == ()


def test_seats_and_rules_stand_while_a_match_is_played() -> None:
    fixture = seated(people=(ANN, BOB))
    fixture.until_decision()
    fixture.refused(ANN, RulesChanged(rules=preset("campus")), "match-is-on")
    fixture.refused(ANN, BotRemoved(seat=S), "match-is-on")
    fixture.refused(BOB, Sat(person=BOB, seat=S), "match-is-on")
    fixture.refused(BOB, Agreed(person=BOB), "match-is-on")
    fixture.refused(CAT, Sat(person=CAT, seat=N), "seat-taken")


def test_a_latecomer_takes_a_bots_seat_with_the_next_hand() -> None:
    fixture = seated(people=(ANN,))
    fixture.until_decision()
    fixture.command(CAT, Sat(person=CAT, seat=S))
    fixture.refused(DAN, Sat(person=DAN, seat=S), "seat-taken")
    assert fixture.table.seats[S] == SeatedBot("regular")
    assert fixture.table.seat_of(CAT) is S
    assert not table_to_json(fixture.table, CAT)["you"]["plays"]
    fixture.refused(CAT, UndoRequested(person=CAT), "not-seated")
    for played in (False, True):
        while (fixture.table.hand is None) is played:
            if not fixture.server_acts():
                fixture.person_acts()
    assert fixture.table.seats[S] == SeatedPerson(CAT)
    assert not fixture.table.latecomers


def test_who_leaves_in_a_match_is_played_for_by_a_bot() -> None:
    fixture = seated(people=(ANN, BOB))
    fixture.until_decision()
    fixture.command(BOB, Left(person=BOB))
    assert fixture.table.seats[E] == SeatedBot("novice")
    assert isinstance(fixture.play_on().match, MatchOver)


def test_the_cut_is_offered_to_whom_the_sheet_says() -> None:
    """The cut rotates the sealed deck, and comes after its root was published."""
    rules = replace(preset("club"), deal_cut=Cut.RIGHT)
    assert cutting_seat(rules, rules.deal_cut, S) is E
    assert [cutting_seat(rules, offered, S) for offered in (Cut.NONE, Cut.LEFT)] == [None, W]
    fixture = seated(rules, people=(ANN, BOB, CAT, DAN), seed=2)
    table = fixture.until_decision()
    assert table.phase == "cutting"
    seat = table.cutter
    assert seat is not None
    assert table_to_json(table, None)["sealed"]["root"] == table.sealed_deck.root if table.sealed_deck else False
    sitter = table.seats[seat]
    assert isinstance(sitter, SeatedPerson)
    other = next(
        occupant.id for occupant in table.seats.values() if isinstance(occupant, SeatedPerson) and occupant != sitter
    )
    fixture.refused(other, DeckCut(seat=seat, lifted=3), "not-your-turn")
    fixture.refused(sitter.id, DeckCut(seat=seat, lifted=24), "bad-cut")
    fixture.command(sitter.id, DeckCut(seat=seat, lifted=5))
    hand = fixture.table.hand
    assert hand is not None
    assert fixture.table.sealed_deck is not None
    order = dealing.cut(fixture.table.sealed_deck.deck, 5)
    first = rules.left_of(hand.hand.deal.dealer)
    assert hand.hand.deal.hands[first.index][0] is order[0]
    fixture.refused(sitter.id, DeckCut(seat=seat, lifted=5), "nothing-dealt")


def test_a_person_acts_for_their_own_seat_and_by_the_rules() -> None:
    fixture = seated(people=(ANN, BOB, CAT, DAN))
    fixture.refused(ANN, Acted(action=Pass(N)), "nothing-dealt")
    table = fixture.until_decision()
    if table.cutter:
        fixture.person_acts()
    hand = fixture.table.hand
    assert hand is not None
    seat = hand.to_act
    person = dict(zip(Seat, (ANN, BOB, CAT, DAN), strict=True))[seat]
    fixture.refused(person, Acted(action=Pass(seat.partner)), "not-your-turn")
    fixture.refused(person, Acted(action=Play(seat, Card.parse("9c"))), "not-now")
    fixture.command(person, Acted(action=Pass(seat), action_id="one"))
    assert fixture.table.idempotency_keys == {idempotency_key(person, "one"): fixture.table.version}
    fixture.refused(person, Acted(action=Pass(seat)), "not-your-turn")
    fixture.refused("eve", Acted(action=Order(seat)), "not-seated")
    fixture.refused(ANN, DeckSealed(entropy="00"), "bad-usage")


def test_the_last_card_plays_itself_unless_a_player_keeps_it() -> None:
    last_card_turns = []
    for keeps in (False, True):
        fixture = seated(people=(ANN,), seed=5)
        if keeps:
            fixture.command(ANN, LastCardModeChanged(person=ANN, manual=True))
        turns_with_one_card = 0
        for _ in range(60):
            if not fixture.server_acts():
                hand = fixture.table.hand
                turns_with_one_card += hand is not None and len(view(hand, N).cards) == 1 and hand.to_act is N
                fixture.person_acts()
        last_card_turns.append(turns_with_one_card)
        assert table_to_json(fixture.table, ANN)["auto_last_card"] is not keeps
    assert last_card_turns[0] == 0 < last_card_turns[1]
    honor = seated(replace(preset("club"), supervision=Supervision.HONOR), people=(ANN,))
    for _ in range(80):
        assert not isinstance(next_due(honor.table), LastCardDue)
        if not honor.server_acts():
            honor.person_acts()


def test_a_seat_taken_later_gives_no_view_of_the_last_hand() -> None:
    """A latecomer who now has a bot's seat doesn't see the bot's cards; the person who sat there before still does."""
    rules = replace(preset("club"), deal_cut=Cut.RIGHT)
    fixture = seated(rules, people=(ANN, BOB, CAT))
    for seed in range(20):
        fixture = seated(rules, people=(ANN, BOB, CAT), seed=seed)
        while fixture.table.hand is None:
            fixture.step()
        fixture.command(DAN, Sat(person=DAN, seat=W))
        while fixture.table.latecomers:
            fixture.step()
        if fixture.table.hand is None:
            break
    table = fixture.table
    assert (table.phase, table.seats[W], table.last_seats[W]) == ("cutting", SeatedPerson(DAN), SeatedBot("regular"))
    assert table.last_hand is not None
    views = {person: view_from_json(table_to_json(table, person)["hand"]) for person in (ANN, BOB, CAT, DAN)}
    assert views == {
        ANN: view(table.last_hand, N),
        BOB: view(table.last_hand, E),
        CAT: view(table.last_hand, S),
        DAN: view(table.last_hand, None),
    }
    assert table.last_players == {ANN, BOB, CAT}


def test_the_last_bot_starts_the_match_but_not_without_people() -> None:
    fixture = TableFixture()
    fixture.command(ANN, *(BotSeated(seat=seat, level="novice") for seat in Seat))
    assert fixture.table.phase == "gathering"
    fixture.command(ANN, BotRemoved(seat=N), Sat(person=ANN, seat=N), BotRemoved(seat=E), Agreed(person=ANN))
    fixture.command(ANN, Sat(person=ANN, seat=N))
    assert fixture.table.agreed == {ANN}
    fixture.command(ANN, BotSeated(seat=E, level="novice"))
    assert fixture.table.phase == "drawing"


def test_after_a_match_agreement_is_needed_again() -> None:
    fixture = seated(people=(ANN, BOB), seed=6)
    while fixture.table.public_until == 0 or not isinstance(fixture.table.match, MatchOver):
        if fixture.table.hand is not None and fixture.table.seat_of(CAT) is None:
            fixture.command(CAT, Sat(person=CAT, seat=S))
        if fixture.table.seats[S] == SeatedPerson(CAT):
            fixture.command(CAT, Left(person=CAT))
        if not fixture.server_acts():
            fixture.person_acts()
    table = fixture.table
    assert (table.agreed, table.latecomers, table.seats[S], table.last_seats[S].__class__) == (
        frozenset(),
        {},
        SeatedPerson(CAT),
        SeatedBot,
    )
    fixture.command(ANN, Agreed(person=ANN))
    fixture.command(BOB, RematchRequested(person=BOB))
    assert fixture.table.phase == "over"
    fixture.command(CAT, RematchRequested(person=CAT))
    assert fixture.table.phase == "drawing"


# Undo


def test_the_act_is_undone_when_the_last_dissenter_leaves() -> None:
    fixture = TableFixture(seed=4)
    for person, seat in ((ANN, N), (BOB, S)):
        fixture.command(person, Sat(person=person, seat=seat))
    for seat in (E, W):
        fixture.command(ANN, BotSeated(seat=seat, level="novice"))
    for person in (ANN, BOB):
        fixture.command(person, Agreed(person=person))
    while not fixture.table.undo_points:
        fixture.until_decision()
        fixture.person_acts()
    person, story = fixture.table.undo_points[0].person, fixture.table.undo_points[0].history
    fixture.command(person, UndoRequested(person=person))
    other = BOB if person == ANN else ANN
    fixture.command(other, Left(person=other))
    assert (fixture.table.history, fixture.table.undo) == (story, None)


def test_an_act_is_undone_against_bots_when_all_people_agree() -> None:
    fixture = TableFixture(seed=4)
    for person, seat in ((ANN, N), (BOB, S)):
        fixture.command(person, Sat(person=person, seat=seat))
    for seat in (E, W):
        fixture.command(ANN, BotSeated(seat=seat, level="novice"))
    for person in (ANN, BOB):
        fixture.command(person, Agreed(person=person))
    fixture.until_decision()
    fixture.refused(ANN, UndoRequested(person=ANN), "nothing-to-undo")
    while not fixture.table.undo_points:
        fixture.until_decision()
        fixture.person_acts()
    point = fixture.table.undo_points[0]
    person, match, history = point.person, point.match, point.history
    fixture.until_decision()
    other = BOB if person == ANN else ANN
    fixture.refused(other, UndoAnswered(person=other, agreed=True), "nothing-to-undo")
    fixture.command(person, UndoRequested(person=person))
    assert table_to_json(fixture.table, other)["undo"] == {"person": person, "agreed": []}
    fixture.refused(person, UndoAnswered(person=person, agreed=True), "nothing-to-undo")
    fixture.command(other, UndoAnswered(person=other, agreed=False))
    assert fixture.table.undo is None
    assert fixture.table.match != match
    fixture.command(person, UndoRequested(person=person))
    fixture.command(other, UndoAnswered(person=other, agreed=True))
    assert (fixture.table.match, fixture.table.history, fixture.table.undo) == (match, history, None)
    assert isinstance(fixture.play_on().match, MatchOver)


def test_people_on_the_other_side_never_lose_what_they_won() -> None:
    fixture = seated(people=(ANN, BOB))
    while not fixture.table.undo_points:
        fixture.until_decision()
        fixture.person_acts()
    person = fixture.table.undo_points[0].person
    fixture.refused(person, UndoRequested(person=person), "nothing-to-undo")
    fixture.refused(ANN, Agreed(person=BOB), "bad-usage")


# The last trick


@pytest.mark.parametrize("supervision", list(Supervision))
def test_a_trick_has_the_version_of_the_card_that_completed_it(supervision: Supervision) -> None:
    """To the last trick of the last hand, at honor tables too; later talk doesn't change it."""
    fixture = seated(replace(preset("school-cup"), supervision=supervision), people=(ANN, BOB))
    completed = [0]
    while not isinstance(fixture.table.match, MatchOver):
        before = hand_view_for(fixture.table, None)
        fixture.step()
        after = hand_view_for(fixture.table, None)
        played = bool(after and after.actions) and isinstance(fixture.table.history[-1], Play)
        if before and after and played and len(after.tricks) > len(before.tricks):
            completed.append(fixture.table.version)
        assert fixture.table.trick_version == completed[-1]
    assert len(completed) > 20


def test_an_undo_leaves_no_trick_open() -> None:
    """The trick before the one taken back may be old."""
    fixture = TableFixture(seed=4)
    fixture.command(ANN, Sat(person=ANN, seat=N), *(BotSeated(seat=seat, level="novice") for seat in (E, S, W)))
    fixture.command(ANN, Agreed(person=ANN))
    while not (fixture.table.trick_version and fixture.table.undo_points):
        fixture.step()
    fixture.command(ANN, UndoRequested(person=ANN))
    assert fixture.table.trick_version == 0


# Views


def test_what_is_shown_is_the_engines_view_and_opened_envelopes() -> None:
    """At every step of a game, for each seat, a latecomer and a spectator; every opened card matches the seal."""
    fixture = seated(people=(ANN, BOB), seed=7)
    while not isinstance(fixture.table.match, MatchOver):
        table = fixture.table
        for person, seat in ((ANN, N), (BOB, E), ("eve", None), (None, None)):
            plain = json.loads(json.dumps(table_to_json(table, person)))
            state = table.hand or table.last_hand
            assert (plain["hand"] and view_from_json(plain["hand"])) == (state and view(state, seat))
            if plain["opened"]:
                assert table.sealed_deck is not None
                opened = dealing.openings_from_json({"cards": plain["opened"]})
                assert all(dealing.check(opening, table.sealed_deck.commitment) for opening in opened)
        if not fixture.server_acts():
            fixture.person_acts()


def test_strange_facts_are_refused() -> None:
    for wrong, what in (
        ({"fact": "flown", "v": 1}, "is not a fact of a table"),
        ({"fact": "agreed", "v": 2, "person": "a"}, "is not supported"),
        ({"fact": "agreed", "v": 1}, "has person"),
        ({"fact": "agreed", "v": 1, "person": "a", "card": "Jd"}, "has person"),
    ):
        with pytest.raises(LeftbowerError, match=what):
            table_fact_from_json(wrong)


def test_only_the_latest_acts_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is used for years doesn't grow with every act."""
    monkeypatch.setattr("leftbower.table.reducer.MAX_IDEMPOTENCY_KEYS", 3)
    fixture = seated(people=(ANN,), seed=2)
    for _ in range(60):
        if not fixture.server_acts():
            fixture.person_acts()
    assert len(fixture.table.idempotency_keys) == 3
    assert [*fixture.table.idempotency_keys.values()] == sorted(fixture.table.idempotency_keys.values())
