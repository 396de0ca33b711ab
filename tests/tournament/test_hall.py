"""A hall while it plays: hands told one by one, calls, papers, clocks, roles; what to expect was written by hand."""

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from an_event import Desk, desk, played
from leftbower.errors import (
    BadEntry,
    BadScore,
    EventIsPaused,
    NotYourRole,
    NotYourTable,
    RoundIsOn,
    ScoreStands,
)
from leftbower.rules import Outcome, Seat, preset
from leftbower.rules.referee import Incident, Irregularity
from leftbower.tournament import (
    KINDS,
    ClockHeld,
    ClockSet,
    Closed,
    DirectorCalled,
    DirectorCame,
    EventFact,
    Format,
    Hands,
    HandTold,
    Joined,
    KeeperChanged,
    Kind,
    Marked,
    NoShow,
    PaidOut,
    PaperRead,
    PassedOut,
    Paused,
    Played,
    Presence,
    Proposed,
    Published,
    Resumed,
    Role,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    Settled,
    TableOpened,
    TakenBack,
    Word,
    asks_as,
    fold,
    from_plain,
    game_scores,
    results_at,
    same_score,
    standings,
    taps,
    to_plain,
)
from leftbower.tournament.spelling import hand, hand_word

AT: Final[dict[str, Any]] = {"round": 1, "table": 1}


def evening(sheet: str = "club", teams: int = 4, **terms: object) -> Desk:
    """Four teams, the first round drawn."""
    one = desk(Format.SWISS, teams, preset(sheet), rounds=3, **terms)
    one.pair()
    return one


def tell_hands(one: Desk, *words: str, side: str = "NS") -> None:
    for word in words:
        one.tell(HandTold(hand=hand(word), side=side, **AT))


def told(one: Desk) -> tuple[tuple[int, ...], ...]:
    event = one.event
    rules = event.rules_of(event.seating(1, 1))
    return game_scores(rules, event.hall.tallies[1, 1].games)


# Hands


BUTTONS = {
    # maker's side scores for 3, 5, 5 alone; the others for a euchre, a euchre of a loner
    "club": {"N3": 1, "N5": 2, "N5!": 4, "N2": 2, "N2!": 4},
    "campus": {"N3": 1, "N5": 2, "N5!": 4, "N2": 2},
    "school-cup": {"N3": 1, "N5": 2, "N5!": 4, "N2": 2},
    "prize-night": {"N3": 1, "N5": 2, "N5!": 4, "N2": 2},
    "round-robin": {"N3": 1, "N5": 2, "N5!": 4, "N2": 2},
}


@pytest.mark.parametrize("sheet", BUTTONS)
def test_a_phone_offers_what_counts_differently_under_each_sheet(sheet: str) -> None:
    one = evening(sheet)
    offered = taps(one.event, one.event.seating(1, 1))
    ours = {tap.word: tap.points for tap in offered if tap.word[0] == "N"}
    theirs = {tap.word: tap.points for tap in offered if tap.word[0] == "E"}
    assert ours == BUTTONS[sheet]
    assert theirs == {word.replace("N", "E"): points for word, points in BUTTONS[sheet].items()}
    assert all(tap.side == (0 if tap.word[1] != "2" else 1) for tap in offered if tap.word[0] == "N")
    assert [tap.side for tap in offered if tap.word == "p"] == [-1]


def test_where_players_are_counted_one_by_one_a_loner_has_a_button_for_each() -> None:
    one = desk(Format.PROGRESSIVE, 8)
    one.pair()
    loners = [tap for tap in taps(one.event, one.event.seating(1, 1)) if tap.seat]
    assert {str(tap.seat) for tap in loners} == set("NESW")


def test_hands_add_up_and_a_new_game_begins_when_one_is_over() -> None:
    one = evening("prize-night")
    games = one.event.match_of(1, one.event.seating(1, 1))
    tell_hands(one, "N5!", "E3", "N5!", "p", "N5")
    assert told(one) == ((10, 1),)
    if games == 1:
        with pytest.raises(BadScore, match="the match is over"):
            tell_hands(one, "N3")
    else:
        tell_hands(one, "E5!")
        assert told(one) == ((10, 1), (0, 4))


def test_a_match_of_three_games_ends_when_two_are_won() -> None:
    one = desk(Format.KNOCKOUT, 4, preset("club"))
    plan = replace(one.plan, stage=replace(one.plan.stage, best_of=3))
    one = Desk(plan)
    one.enter("A", "B", "C", "D")
    one.number()
    one.pair()
    tell_hands(one, *["N5!"] * 3, *["E5!"] * 3, *["N5!"] * 2)
    assert told(one) == ((12, 0), (0, 12), (8, 0))
    tell_hands(one, "N5")
    assert told(one)[-1] == (10, 0)
    with pytest.raises(BadScore, match="the match is over"):
        tell_hands(one, "N5")
    kept = one.event.hall.tallies[1, 1].games
    one.tell(ScoreProposed(side="NS", score=Played(games=kept), **AT))
    one.tell(ScoreConfirmed(side="EW", **AT))
    assert [str(result) for result in results_at(one.event, 1, one.event.seating(1, 1))] == ["win", "loss"]


def test_what_is_taken_back_is_gone_first_the_score_then_hand_by_hand() -> None:
    one = evening()
    tell_hands(one, "N3", "E5", "N5!")
    one.tell(ScoreProposed(side="NS", score=played((5, 2), stopped=True), **AT))
    with pytest.raises(NotYourTable, match="confirm or dispute"):
        one.tell(TakenBack(side="EW", **AT))
    one.tell(TakenBack(side="NS", **AT))
    assert (1, 1) not in one.event.sheets
    assert told(one) == ((5, 2),)
    one.tell(TakenBack(side="NS", **AT))
    assert told(one) == ((1, 2),)
    one.tell(TakenBack(side="NS", **AT))
    one.tell(TakenBack(side="NS", **AT))
    assert told(one) == ()
    with pytest.raises(BadScore, match="no hand is told"):
        one.tell(TakenBack(side="NS", **AT))


def test_one_side_keeps_the_score_until_the_other_takes_it_over() -> None:
    one = evening()
    tell_hands(one, "N3")
    with pytest.raises(NotYourTable, match="NS keeps the score"):
        tell_hands(one, "E3", side="EW")
    with pytest.raises(NotYourTable, match="NS keeps the score"):
        one.tell(TakenBack(side="EW", **AT))
    one.tell(KeeperChanged(side="EW", **AT))
    tell_hands(one, "E3", side="EW")
    assert told(one) == ((1, 1),)
    with pytest.raises(ScoreStands, match="keeps the score already"):
        one.tell(KeeperChanged(side="EW", **AT))


def test_a_penalty_that_was_ruled_is_a_hand_of_the_tally() -> None:
    one = evening("club")
    incident = Incident(irregularity=Irregularity.RENEGE, offender=Seat.E)
    one.tell(HandTold(hand=incident, side="NS", **AT))
    assert told(one) == ((2, 0),)  # the club's sheet: two points to the other side
    with pytest.raises(BadScore, match="five tricks"):
        one.tell(HandTold(hand=Outcome(maker=Seat.N, makers_tricks=6), side="NS", **AT))


def test_a_round_of_which_hands_are_told_is_not_drawn_again_nor_closed() -> None:
    one = evening()
    assert one.event.first_free == 1
    tell_hands(one, "N3")
    assert one.event.first_free == 2
    with pytest.raises(RoundIsOn, match="table 1 is not settled"):
        one.tell(Closed())


def test_single_hands_and_calls_are_between_the_table_and_the_desk() -> None:
    one = evening()
    shown = one.event.hall.shown
    tell_hands(one, "N3")
    one.tell(DirectorCalled(side="NS", why="", **AT))
    assert one.event.hall.shown == shown
    one.tell(ScoreProposed(side="NS", score=played((10, 6)), **AT))
    assert one.event.hall.shown == one.event.version
    assert one.event.moved((1, 1)) == one.event.version
    assert one.event.moved((1, 2)) == 0


def test_where_one_side_is_enough_its_score_stands_at_once() -> None:
    one = evening(word=Word.ONE)
    one.tell(ScoreProposed(side="EW", score=played((3, 10)), **AT))
    assert isinstance(one.event.sheets[1, 1], Settled)


@given(st.lists(st.sampled_from(("N3", "N5", "N5!", "N2", "E3", "E5", "E5!", "E2", "p", "back")), max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_tally_is_what_its_hands_come_to_whatever_is_taken_back(words: list[str]) -> None:
    points = {"N3": (1, 0), "N5": (2, 0), "N5!": (4, 0), "N2": (0, 2), "p": (0, 0)}
    points |= {word.replace("N", "E"): (b, a) for word, (a, b) in points.items() if word != "p"}
    one = evening("campus")
    kept: list[tuple[int, int]] = []
    for word in words:
        total = tuple(map(sum, zip((0, 0), *kept, strict=True)))
        if word == "back":
            if kept:
                one.tell(TakenBack(side="NS", **AT))
                kept.pop()
        elif max(total) < 10:
            tell_hands(one, word)
            kept.append(points[word])
    assert (
        told(one) == ((tuple(map(sum, zip(*kept, strict=True))),) if kept else ())
        if (1, 1) in one.event.hall.tallies
        else True
    )


# The clock, calls, papers


def test_a_clock_stops_with_the_evening_and_goes_on_with_it() -> None:
    one = evening()
    one.tell(ClockSet(seconds=1500))
    began = one.event.at
    clock = one.event.hall.clock
    assert clock is not None
    assert clock.left_at(began + 100) == 1400
    one.tell(Paused())
    held = one.event.hall.clock
    assert held is not None
    assert held.left_at(began + 9999) == 1499  # the desk's clock ticks once for each line
    one.tell(Resumed())
    going = one.event.hall.clock
    assert going is not None
    assert going.left_at(one.event.at + 10) == 1489
    one.tell(ClockHeld(held=True))
    one.tell(Paused())
    one.tell(Resumed())
    assert one.event.hall.clock is not None
    assert one.event.hall.clock.since is None  # who stopped it by hand starts it by hand
    with pytest.raises(BadEntry, match="no clock is running"):
        one.tell(ClockHeld(held=True))
    one.tell(ClockSet(seconds=0))
    assert one.event.hall.clock is None


def test_a_call_for_the_director_waits_until_one_came() -> None:
    one = evening()
    one.tell(DirectorCalled(side="EW", why="a card is missing", **AT))
    with pytest.raises(RoundIsOn, match="on the way"):
        one.tell(DirectorCalled(side="NS", **AT))
    assert list(one.event.hall.calls) == [(1, 1)]
    one.tell(DirectorCame(**AT))
    assert not one.event.hall.calls
    with pytest.raises(RoundIsOn, match="nobody waits"):
        one.tell(DirectorCame(**AT))


def test_what_is_on_paper_stands_confirms_or_differs() -> None:
    one = evening(teams=6)
    one.tell(PaperRead(round=1, table=1, score=played((10, 4))))
    assert one.event.settled(1, 1) == played((10, 4))
    one.tell(ScoreProposed(round=1, table=2, side="NS", score=played((10, 8))))
    one.tell(PaperRead(round=1, table=2, score=played((10, 8))))
    assert isinstance(one.event.sheets[1, 2], Settled)
    one.tell(ScoreProposed(round=1, table=3, side="NS", score=played((10, 8))))
    one.tell(PaperRead(round=1, table=3, score=played((8, 10))))
    assert one.event.sheets[1, 3] == Proposed(score=played((10, 8)), side="NS")
    with pytest.raises(BadScore):
        one.tell(PaperRead(round=1, table=3, score=played((11, 10))))
    rules = one.event.rules
    tallied = Played(games=(Hands(hands=tuple(map(hand, ["N5!", "N5!", "N5", "E5!", "E5!", "p"]))),))
    assert same_score(rules, tallied, played((10, 8)))
    assert not same_score(rules, tallied, NoShow(absent=("NS",)))
    assert same_score(rules, NoShow(absent=("NS", "EW")), NoShow(absent=("EW", "NS")))


# Roles


def test_every_role_may_tell_what_is_its_own_and_nothing_else() -> None:
    one = evening()
    tell_hands(one, "N3")
    event = one.event
    ns = event.seating(1, 1).on(0)[0]
    score = played((10, 6))
    side = Role(kind=Kind.SIDE, number=1, whose="NS")
    helper, player = Role(kind=Kind.HELPER, number=1), Role(kind=Kind.PLAYER, number=0, whose=ns)
    house, wall = Role(kind=Kind.HOUSE), Role(kind=Kind.WALL, number=1)
    allowed: list[tuple[Role, EventFact, str]] = [
        (side, HandTold(hand=PassedOut(), side="NS", **AT), ns),
        (side, ScoreProposed(score=score, side="NS", **AT), ns),
        (side, DirectorCalled(side="NS", **AT), ns),
        (helper, ScoreEntered(score=score, **AT), ""),
        (helper, PaperRead(score=score, **AT), ""),
        (helper, ScoreCorrected(old=score, new=score, why="x", **AT), ""),
        (player, Joined(entrant=ns, chair=0, person="p1"), ""),
        (player, Marked(entrant=ns, presence=Presence.HERE), ns),
        (house, TableOpened(log="t1", **AT), ""),
        (Role(kind=Kind.ORGANISER), PaidOut(entrant=ns, cents=1), ""),
    ]
    for role, fact, asks in allowed:
        assert asks_as(event, role, fact) == asks
    refused: list[tuple[Role, EventFact, type[Exception]]] = [
        (helper, PaidOut(entrant=ns, cents=1), NotYourRole),
        (helper, Published(page=True, standings=True), NotYourRole),
        (side, HandTold(hand=PassedOut(), side="EW", **AT), NotYourTable),
        (side, HandTold(hand=PassedOut(), side="NS", round=1, table=2), NotYourTable),
        (side, ScoreEntered(score=score, **AT), NotYourRole),
        (side, PaidOut(entrant=ns, cents=1), NotYourRole),
        (player, Joined(entrant=ns, chair=1, person="p1"), NotYourTable),
        (player, ScoreProposed(score=score, side="NS", **AT), NotYourRole),
        (wall, Published(page=True, standings=True), NotYourRole),
        (house, PaidOut(entrant=ns, cents=1), NotYourRole),
    ]
    for role, fact, error in refused:
        with pytest.raises(error):
            asks_as(event, role, fact)


def test_a_side_cannot_confirm_its_own_score_even_for_somebody_who_may() -> None:
    one = evening()
    ns, ew = (one.event.seating(1, 1).on(side)[0] for side in (0, 1))
    one.tell(ScoreProposed(side="NS", score=played((10, 6)), **AT), asks=ns)
    with pytest.raises(NotYourTable, match="the other side answers"):
        one.tell(ScoreConfirmed(side="NS", **AT), asks=ns)
    with pytest.raises(NotYourTable):
        one.tell(ScoreDisputed(side="NS", **AT), asks=ew)
    one.tell(ScoreConfirmed(side="EW", **AT), asks=ew)
    assert standings(one.event)[0].tally.points == 10


@pytest.mark.parametrize("kind", list(Kind))
def test_the_word_of_a_role_is_the_role_again(kind: Kind) -> None:
    for role in (Role(kind=kind), Role(kind=kind, number=3, whose="NS"), Role(kind=kind, whose="e5")):
        assert Role.of(role.word) == role
    assert Role.of("king") is None
    assert Role.of("side:x:NS") is None


# As lines


def test_every_fact_of_the_hall_is_read_back_from_its_line_and_folds_to_the_same_event() -> None:
    one = evening()
    tell_hands(one, "N3", "E5!", "p")
    one.tell(HandTold(hand=Incident(irregularity=Irregularity.RENEGE, offender=Seat.E), side="NS", **AT))
    one.tell(KeeperChanged(side="EW", **AT))
    one.tell(TakenBack(side="EW", **AT))
    one.tell(DirectorCalled(side="NS", **AT))
    one.tell(DirectorCame(**AT))
    one.tell(ClockSet(seconds=60))
    one.tell(ClockHeld(held=True))
    one.tell(Published(page=True, standings=False))
    one.tell(Joined(entrant="e1", chair=0, person="p7"))
    one.tell(TableOpened(log="t77", **AT))
    one.tell(PaperRead(score=played((10, 0)), **AT))
    again = [from_plain(to_plain(entry)) for entry in one.ledger]
    assert again == one.ledger
    assert fold(again) == one.event
    kinds = {type(entry.fact) for entry in one.ledger}
    assert {KINDS[name] for name in ("hand-told", "taken-back", "paper-read", "table-opened")} <= kinds


def test_nothing_is_told_of_hands_while_the_evening_is_paused() -> None:
    one = evening()
    one.tell(Paused())
    with pytest.raises(EventIsPaused):
        tell_hands(one, "N3")


@pytest.mark.parametrize("word", ["N3", "E5!", "S2", "W2!N!", "p", "^renege:E", "^renege:N!", "^renege:E:N!"])
def test_the_word_of_a_hand_is_the_hand_again(word: str) -> None:
    assert hand_word(hand(word)) == word
