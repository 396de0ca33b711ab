"""The matches of a table: each stays in the index with its result, and its facts alone give its story again."""

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


def again(evening: TableFixture) -> Table:
    """Everyone wants another match, which is played to its end."""
    for person in sorted(evening.table.people):
        evening.ask(person, RematchRequested(person=person))
    return evening.play_on()


def replayed(evening: TableFixture, number: int) -> Table:
    """A match from its own facts, and the snapshot where it began."""
    matches = evening.table.matches
    start, ended = matches.starts[number - 1], matches.finished[number - 1]
    table = replay([(fact, 0.0) for fact in evening.log[start.version : ended.version]], start)
    assert table is not None
    return table


@pytest.mark.parametrize("name", ["club", "campus", "round-robin", "school-cup", "prize-night", "club3", "club2"])
def test_every_match_is_replayed_from_its_own_facts(name: str) -> None:
    """Story, seals, seats and result are those with which it ended, whatever was played since."""
    evening = seated(preset(name), people=(ANN, BOB), seed=5)
    ended = [evening.play_on(), again(evening), again(evening)]
    assert [match.number for match in evening.table.matches.finished] == [1, 2, 3]
    for number, table in enumerate(ended, 1):
        past = replayed(evening, number)
        assert past.version == table.version
        assert (past.history, past.sealed_decks, past.public_until) == (
            table.history,
            table.sealed_decks,
            table.public_until,
        )
        assert (past.match, past.last_seats, past.last_hand) == (table.match, table.last_seats, table.last_hand)


def test_the_index_holds_no_story_and_grows_by_matches_only() -> None:
    evening = seated(people=(ANN, BOB), seed=3)
    index = evening.table.matches
    while not isinstance(evening.table.match, MatchOver):
        assert evening.table.matches is index
        evening.step()
    again(evening)
    for start in evening.table.matches.starts:
        assert (start.history, start.sealed_decks, start.undo_points, start.last_hand) == ((), (), (), None)
        assert not start.idempotency_keys
        assert not start.matches.starts


def test_a_finished_match_has_its_result_rules_and_seats() -> None:
    evening = seated(preset("campus"), people=(ANN, BOB), seed=3)
    table = evening.play_on()
    assert isinstance(table.match, MatchOver)
    evening.ask(BOB, Left(person=BOB))
    evening.ask(ANN, RulesChanged(rules=preset("club2")))
    [match] = evening.table.matches.finished
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
    evening = seated(people=(ANN, BOB), seed=6)
    evening.until_asked()
    evening.ask(BOB, Left(person=BOB))
    evening.ask(CAT, Sat(person=CAT, seat=S))
    while evening.table.latecomers:
        evening.step()
    evening.play_on()
    assert evening.table.matches.finished[0].people == {ANN, BOB, CAT}


def test_who_waited_for_a_seat_when_the_match_ended_has_not_played_it() -> None:
    """Somebody who sits down during the last hand has the seat for the next match only."""
    evening = seated(people=(ANN,), seed=6)
    evening.play_on()
    last = max(number for number, fact in enumerate(evening.log) if isinstance(fact, DeckSealed))
    evening.log.insert(last + 1, Sat(person=CAT, seat=S))
    table = replay([(fact, 0.0) for fact in evening.log])
    assert table is not None
    evening.table = table
    assert evening.table.seats[S] == SeatedPerson(CAT)
    assert evening.table.matches.finished[0].people == {ANN}
    assert evening.table.matches.finished[0].seats[S] == SeatedBot("regular")
    again(evening)
    assert [match.people for match in evening.table.matches.finished] == [{ANN}, {ANN, CAT}]


def test_the_latest_match_is_everyones_and_earlier_ones_are_for_those_who_played_them() -> None:
    evening = seated(people=(ANN, BOB), seed=3)
    with pytest.raises(UnknownMatch):
        check_match_access(evening.table, ANN, 2)
    check_match_access(evening.table, None, 1)
    assert readable_matches(evening.table, ANN) == ()
    evening.play_on()
    assert [len(readable_matches(evening.table, person)) for person in (ANN, CAT, None)] == [1, 1, 1]
    evening.ask(BOB, Left(person=BOB))
    evening.ask(CAT, Sat(person=CAT, seat=E))
    for person in (ANN, CAT):
        evening.ask(person, RematchRequested(person=person))
    read = {who: [match.number for match in readable_matches(evening.table, who)] for who in (ANN, BOB, CAT, DAN)}
    assert read == {ANN: [1], BOB: [1], CAT: [], DAN: []}
    for other in (CAT, DAN, None, ""):
        check_match_access(evening.table, other, 2)
        with pytest.raises(NotYourMatch):
            check_match_access(evening.table, other, 1)
    for number in (-1, 0, 3):
        with pytest.raises(UnknownMatch):
            check_match_access(evening.table, ANN, number)
    evening.play_on()
    read = {who: [match.number for match in readable_matches(evening.table, who)] for who in (ANN, BOB, CAT, DAN)}
    assert read == {ANN: [1, 2], BOB: [1, 2], CAT: [2], DAN: [2]}


def test_an_act_that_was_undone_is_in_no_story_of_an_earlier_match() -> None:
    evening = TableFixture(seed=4)
    for person, seat in ((ANN, N), (BOB, S)):
        evening.ask(person, Sat(person=person, seat=seat))
    for seat in (E, W):
        evening.ask(ANN, BotSeated(seat=seat, level="novice"))
    for person in (ANN, BOB):
        evening.ask(person, Agreed(person=person))
    while not evening.table.undo_points:
        evening.step()
    person = evening.table.undo_points[0].person
    other = BOB if person == ANN else ANN
    evening.ask(person, UndoRequested(person=person), ChatSent(person=person, phrase="sorry"))
    evening.ask(other, UndoAnswered(person=other, agreed=True))
    ended = evening.play_on()
    again(evening)
    assert replayed(evening, 1).history == ended.history
    assert len(ended.history) < ended.version - evening.table.matches.starts[0].version


def test_a_fact_that_is_timed_after_it_was_folded_is_the_same_fact() -> None:
    """The time of the last fact stands in the table, and in the result of the match that it ended."""
    evening = seated(people=(ANN,), seed=3)
    while True:
        before = evening.table
        evening.step()
        planned = apply_fact(before, evening.log[-1], before.at)
        assert with_store_stamp(planned, evening.table.at, b"") == evening.table
        if isinstance(evening.table.match, MatchOver):
            break
    assert evening.table.matches.finished[0].at == evening.table.at != before.at
