"""The matches of a table: each stays in the index with its result, and can be replayed from its own facts."""

from dataclasses import replace

import pytest

from leftbower.engine import MatchOver
from leftbower.errors import NotYourMatch, UnknownMatch
from leftbower.rules import Seat, preset
from leftbower.table import (
    Agreed,
    BotSeated,
    ChatSent,
    DeckSealed,
    Left,
    RematchRequested,
    RulesChanged,
    Sat,
    SeatedBot,
    SeatedPerson,
    Table,
    UndoAnswered,
    UndoRequested,
    apply_fact,
    check_match_access,
    match_to_json,
    readable_matches,
    replay,
    with_store_stamp,
)
from table_fixture import ANN, BOB, CAT, DAN, TableFixture, seated

N, E, S, W = Seat


def again(fixture: TableFixture) -> Table:
    """Everyone wants a rematch, which is played to its end."""
    for person in sorted(fixture.table.people):
        fixture.command(person, RematchRequested(person=person))
    return fixture.play_on()


def replayed(fixture: TableFixture, number: int) -> Table:
    """A match replayed from its own facts and its starting snapshot."""
    matches = fixture.table.matches
    start, ended = matches.starts[number - 1], matches.finished[number - 1]
    table = replay([(fact, 0.0) for fact in fixture.log[start.version : ended.version]], start)
    assert table is not None
    return table


@pytest.mark.parametrize("name", ["club", "campus", "round-robin", "school-cup", "prize-night", "club3", "club2"])
def test_every_match_is_replayed_from_its_own_facts(name: str) -> None:
    """History, seals, seats and result are those of its end, whatever was played since."""
    fixture = seated(preset(name), people=(ANN, BOB), seed=5)
    ended = [fixture.play_on(), again(fixture), again(fixture)]
    assert [match.number for match in fixture.table.matches.finished] == [1, 2, 3]
    for number, table in enumerate(ended, 1):
        past = replayed(fixture, number)
        assert past.version == table.version
        assert (past.history, past.sealed_decks, past.public_until) == (
            table.history,
            table.sealed_decks,
            table.public_until,
        )
        assert (past.match, past.last_seats, past.last_hand) == (table.match, table.last_seats, table.last_hand)


def test_the_index_holds_no_story_and_grows_by_matches_only() -> None:
    fixture = seated(people=(ANN, BOB), seed=3)
    index = fixture.table.matches
    while not isinstance(fixture.table.match, MatchOver):
        assert fixture.table.matches is index
        fixture.step()
    again(fixture)
    for start in fixture.table.matches.starts:
        assert (start.history, start.sealed_decks, start.undo_points, start.last_hand) == ((), (), (), None)
        assert not start.idempotency_keys
        assert not start.matches.starts


def test_a_finished_match_has_its_result_rules_and_seats() -> None:
    fixture = seated(preset("campus"), people=(ANN, BOB), seed=3)
    table = fixture.play_on()
    assert isinstance(table.match, MatchOver)
    fixture.command(BOB, Left(person=BOB))
    fixture.command(ANN, RulesChanged(rules=preset("club2")))
    [match] = fixture.table.matches.finished
    assert (match.number, match.version, match.at) == (1, table.version, table.at)
    assert match.rules == preset("campus")
    assert dict(match.seats) == {
        N: SeatedPerson(ANN),
        E: SeatedPerson(BOB),
        S: SeatedBot("regular"),
        W: SeatedBot("regular"),
    }
    assert (match.wins, match.scores, match.winner) == (table.match.wins, table.match.last.scores, table.match.winner)
    plain = match_to_json(match)
    assert plain["seats"] == {
        "N": {"person": ANN},
        "E": {"person": BOB},
        "S": {"bot": "regular"},
        "W": {"bot": "regular"},
    }
    assert plain["winner"] in (["N", "S"], ["E", "W"])
    assert match_to_json(replace(match, winner=None))["winner"] is None


def test_latecomers_and_those_who_left_have_played_the_match() -> None:
    fixture = seated(people=(ANN, BOB), seed=6)
    fixture.until_decision()
    fixture.command(BOB, Left(person=BOB))
    fixture.command(CAT, Sat(person=CAT, seat=S))
    while fixture.table.latecomers:
        fixture.step()
    fixture.play_on()
    assert fixture.table.matches.finished[0].people == {ANN, BOB, CAT}


def test_a_latecomer_without_a_seat_has_not_played_the_match() -> None:
    """A person who sits down during the last hand only gets the seat for the next match."""
    fixture = seated(people=(ANN,), seed=6)
    fixture.play_on()
    last = max(number for number, fact in enumerate(fixture.log) if isinstance(fact, DeckSealed))
    fixture.log.insert(last + 1, Sat(person=CAT, seat=S))
    table = replay([(fact, 0.0) for fact in fixture.log])
    assert table is not None
    fixture.table = table
    assert fixture.table.seats[S] == SeatedPerson(CAT)
    assert fixture.table.matches.finished[0].people == {ANN}
    assert fixture.table.matches.finished[0].seats[S] == SeatedBot("regular")
    again(fixture)
    assert [match.people for match in fixture.table.matches.finished] == [{ANN}, {ANN, CAT}]


def test_earlier_matches_are_for_those_who_played_them() -> None:
    fixture = seated(people=(ANN, BOB), seed=3)
    with pytest.raises(UnknownMatch):
        check_match_access(fixture.table, ANN, 2)
    check_match_access(fixture.table, None, 1)
    assert readable_matches(fixture.table, ANN) == ()
    fixture.play_on()
    assert [len(readable_matches(fixture.table, person)) for person in (ANN, CAT, None)] == [1, 1, 1]
    fixture.command(BOB, Left(person=BOB))
    fixture.command(CAT, Sat(person=CAT, seat=E))
    for person in (ANN, CAT):
        fixture.command(person, RematchRequested(person=person))
    read = {who: [match.number for match in readable_matches(fixture.table, who)] for who in (ANN, BOB, CAT, DAN)}
    assert read == {ANN: [1], BOB: [1], CAT: [], DAN: []}
    for other in (CAT, DAN, None, ""):
        check_match_access(fixture.table, other, 2)
        with pytest.raises(NotYourMatch):
            check_match_access(fixture.table, other, 1)
    for number in (-1, 0, 3):
        with pytest.raises(UnknownMatch):
            check_match_access(fixture.table, ANN, number)
    fixture.play_on()
    read = {who: [match.number for match in readable_matches(fixture.table, who)] for who in (ANN, BOB, CAT, DAN)}
    assert read == {ANN: [1, 2], BOB: [1, 2], CAT: [2], DAN: [2]}


def test_an_undone_act_is_in_no_history_of_an_earlier_match() -> None:
    fixture = TableFixture(seed=4)
    for person, seat in ((ANN, N), (BOB, S)):
        fixture.command(person, Sat(person=person, seat=seat))
    for seat in (E, W):
        fixture.command(ANN, BotSeated(seat=seat, level="novice"))
    for person in (ANN, BOB):
        fixture.command(person, Agreed(person=person))
    while not fixture.table.undo_points:
        fixture.step()
    person = fixture.table.undo_points[0].person
    other = BOB if person == ANN else ANN
    fixture.command(person, UndoRequested(person=person), ChatSent(person=person, phrase="sorry"))
    fixture.command(other, UndoAnswered(person=other, agreed=True))
    ended = fixture.play_on()
    again(fixture)
    assert replayed(fixture, 1).history == ended.history
    assert len(ended.history) < ended.version - fixture.table.matches.starts[0].version


def test_a_fact_stamped_after_it_was_applied_is_the_same() -> None:
    """The time of the last fact is in the table, and in the result of the match it ended."""
    fixture = seated(people=(ANN,), seed=3)
    while True:
        before = fixture.table
        fixture.step()
        planned = apply_fact(before, fixture.log[-1], before.at)
        assert with_store_stamp(planned, fixture.table.at, b"") == fixture.table
        if isinstance(fixture.table.match, MatchOver):
            break
    assert fixture.table.matches.finished[0].at == fixture.table.at != before.at
