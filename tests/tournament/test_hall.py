"""A hall while it plays: hands told one by one, calls, papers, clocks, roles; what to expect was written by hand."""

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from event_ledger import EventLedger, desk, played
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
    FACT_KINDS,
    DirectorArrived,
    DirectorCalled,
    EntrantPresence,
    EventClosed,
    EventFact,
    EventPaused,
    EventResumed,
    Format,
    HandReported,
    Hands,
    NoShow,
    PaperScoreEntered,
    PassedOut,
    Played,
    PlayerJoined,
    PresenceMarked,
    PrizePaid,
    Proposed,
    ReportWithdrawn,
    Role,
    RoleKind,
    RoundClockPaused,
    RoundClockSet,
    ScoreApproval,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    ScorerChanged,
    Settled,
    TableOpened,
    VisibilityChanged,
    authorize,
    entry_from_json,
    entry_to_json,
    game_scores,
    replay,
    same_score,
    score_buttons,
    standings,
    table_results,
)
from leftbower.tournament.text.parse import format_hand, parse_hand

AT: Final[dict[str, Any]] = {"round": 1, "table": 1}


def evening(sheet: str = "club", teams: int = 4, **terms: object) -> EventLedger:
    """Four teams, the first round drawn."""
    ledger = desk(Format.SWISS, teams, preset(sheet), rounds=3, **terms)
    ledger.pair()
    return ledger


def tell_hands(ledger: EventLedger, *words: str, side: str = "NS") -> None:
    for word in words:
        ledger.tell(HandReported(hand=parse_hand(word), side=side, **AT))


def tallied_scores(ledger: EventLedger) -> tuple[tuple[int, ...], ...]:
    event = ledger.event
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
    ledger = evening(sheet)
    offered = score_buttons(ledger.event, ledger.event.seating(1, 1))
    ours = {tap.hand: tap.points for tap in offered if tap.hand[0] == "N"}
    theirs = {tap.hand: tap.points for tap in offered if tap.hand[0] == "E"}
    assert ours == BUTTONS[sheet]
    assert theirs == {word.replace("N", "E"): points for word, points in BUTTONS[sheet].items()}
    assert all(tap.side == (0 if tap.hand[1] != "2" else 1) for tap in offered if tap.hand[0] == "N")
    assert [tap.side for tap in offered if tap.hand == "p"] == [-1]


def test_where_players_are_counted_one_by_one_a_loner_has_a_button_for_each() -> None:
    ledger = desk(Format.PROGRESSIVE, 8)
    ledger.pair()
    loners = [tap for tap in score_buttons(ledger.event, ledger.event.seating(1, 1)) if tap.seat]
    assert {str(tap.seat) for tap in loners} == set("NESW")


def test_hands_add_up_and_a_new_game_begins_when_one_is_over() -> None:
    ledger = evening("prize-night")
    games = ledger.event.best_of_at(1, ledger.event.seating(1, 1))
    tell_hands(ledger, "N5!", "E3", "N5!", "p", "N5")
    assert tallied_scores(ledger) == ((10, 1),)
    if games == 1:
        with pytest.raises(BadScore, match="the match is over"):
            tell_hands(ledger, "N3")
    else:
        tell_hands(ledger, "E5!")
        assert tallied_scores(ledger) == ((10, 1), (0, 4))


def test_a_match_of_three_games_ends_when_two_are_won() -> None:
    ledger = desk(Format.KNOCKOUT, 4, preset("club"))
    plan = replace(ledger.plan, stage=replace(ledger.plan.stage, best_of=3))
    ledger = EventLedger(plan)
    ledger.enter("A", "B", "C", "D")
    ledger.number()
    ledger.pair()
    tell_hands(ledger, *["N5!"] * 3, *["E5!"] * 3, *["N5!"] * 2)
    assert tallied_scores(ledger) == ((12, 0), (0, 12), (8, 0))
    tell_hands(ledger, "N5")
    assert tallied_scores(ledger)[-1] == (10, 0)
    with pytest.raises(BadScore, match="the match is over"):
        tell_hands(ledger, "N5")
    tally = ledger.event.hall.tallies[1, 1].games
    ledger.tell(ScoreProposed(side="NS", score=Played(games=tally), **AT))
    ledger.tell(ScoreConfirmed(side="EW", **AT))
    assert [str(result) for result in table_results(ledger.event, 1, ledger.event.seating(1, 1))] == ["win", "loss"]


def test_what_is_taken_back_is_gone_first_the_score_then_hand_by_hand() -> None:
    ledger = evening()
    tell_hands(ledger, "N3", "E5", "N5!")
    ledger.tell(ScoreProposed(side="NS", score=played((5, 2), stopped=True), **AT))
    with pytest.raises(NotYourTable, match="confirm or dispute"):
        ledger.tell(ReportWithdrawn(side="EW", **AT))
    ledger.tell(ReportWithdrawn(side="NS", **AT))
    assert (1, 1) not in ledger.event.score_states
    assert tallied_scores(ledger) == ((5, 2),)
    ledger.tell(ReportWithdrawn(side="NS", **AT))
    assert tallied_scores(ledger) == ((1, 2),)
    ledger.tell(ReportWithdrawn(side="NS", **AT))
    ledger.tell(ReportWithdrawn(side="NS", **AT))
    assert tallied_scores(ledger) == ()
    with pytest.raises(BadScore, match="no hand is told"):
        ledger.tell(ReportWithdrawn(side="NS", **AT))


def test_one_side_keeps_the_score_until_the_other_takes_it_over() -> None:
    ledger = evening()
    tell_hands(ledger, "N3")
    with pytest.raises(NotYourTable, match="NS keeps the score"):
        tell_hands(ledger, "E3", side="EW")
    with pytest.raises(NotYourTable, match="NS keeps the score"):
        ledger.tell(ReportWithdrawn(side="EW", **AT))
    ledger.tell(ScorerChanged(side="EW", **AT))
    tell_hands(ledger, "E3", side="EW")
    assert tallied_scores(ledger) == ((1, 1),)
    with pytest.raises(ScoreStands, match="keeps the score already"):
        ledger.tell(ScorerChanged(side="EW", **AT))


def test_a_penalty_that_was_ruled_is_a_hand_of_the_tally() -> None:
    ledger = evening("club")
    incident = Incident(irregularity=Irregularity.RENEGE, offender=Seat.E)
    ledger.tell(HandReported(hand=incident, side="NS", **AT))
    assert tallied_scores(ledger) == ((2, 0),)  # the club's sheet: two points to the other side
    with pytest.raises(BadScore, match="five tricks"):
        ledger.tell(HandReported(hand=Outcome(maker=Seat.N, makers_tricks=6), side="NS", **AT))


def test_a_round_of_which_hands_are_told_is_not_drawn_again_nor_closed() -> None:
    ledger = evening()
    assert ledger.event.first_redrawable_round == 1
    tell_hands(ledger, "N3")
    assert ledger.event.first_redrawable_round == 2
    with pytest.raises(RoundIsOn, match="table 1 is not settled"):
        ledger.tell(EventClosed())


def test_single_hands_and_calls_are_between_the_table_and_the_desk() -> None:
    ledger = evening()
    public_version = ledger.event.hall.public_version
    tell_hands(ledger, "N3")
    ledger.tell(DirectorCalled(side="NS", why="", **AT))
    assert ledger.event.hall.public_version == public_version
    ledger.tell(ScoreProposed(side="NS", score=played((10, 6)), **AT))
    assert ledger.event.hall.public_version == ledger.event.version
    assert ledger.event.table_version((1, 1)) == ledger.event.version
    assert ledger.event.table_version((1, 2)) == 0


def test_where_one_side_is_enough_its_score_stands_at_once() -> None:
    ledger = evening(approval=ScoreApproval.ONE_SIDE)
    ledger.tell(ScoreProposed(side="EW", score=played((3, 10)), **AT))
    assert isinstance(ledger.event.score_states[1, 1], Settled)


@given(st.lists(st.sampled_from(("N3", "N5", "N5!", "N2", "E3", "E5", "E5!", "E2", "p", "back")), max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_tally_is_what_its_hands_come_to_whatever_is_taken_back(words: list[str]) -> None:
    points = {"N3": (1, 0), "N5": (2, 0), "N5!": (4, 0), "N2": (0, 2), "p": (0, 0)}
    points |= {word.replace("N", "E"): (b, a) for word, (a, b) in points.items() if word != "p"}
    ledger = evening("campus")
    remaining: list[tuple[int, int]] = []
    for word in words:
        total = tuple(map(sum, zip((0, 0), *remaining, strict=True)))
        if word == "back":
            if remaining:
                ledger.tell(ReportWithdrawn(side="NS", **AT))
                remaining.pop()
        elif max(total) < 10:
            tell_hands(ledger, word)
            remaining.append(points[word])
    assert (
        tallied_scores(ledger) == ((tuple(map(sum, zip(*remaining, strict=True))),) if remaining else ())
        if (1, 1) in ledger.event.hall.tallies
        else True
    )


# The clock, calls, papers


def test_a_clock_stops_with_the_evening_and_goes_on_with_it() -> None:
    ledger = evening()
    ledger.tell(RoundClockSet(seconds=1500))
    began = ledger.event.updated_at
    clock = ledger.event.hall.clock
    assert clock is not None
    assert clock.seconds_left_at(began + 100) == 1400
    ledger.tell(EventPaused())
    held = ledger.event.hall.clock
    assert held is not None
    assert held.seconds_left_at(began + 9999) == 1499  # the desk's clock ticks once for each line
    ledger.tell(EventResumed())
    going = ledger.event.hall.clock
    assert going is not None
    assert going.seconds_left_at(ledger.event.updated_at + 10) == 1489
    ledger.tell(RoundClockPaused(paused=True))
    ledger.tell(EventPaused())
    ledger.tell(EventResumed())
    assert ledger.event.hall.clock is not None
    assert ledger.event.hall.clock.running_since is None  # who stopped it by hand starts it by hand
    with pytest.raises(BadEntry, match="no clock is running"):
        ledger.tell(RoundClockPaused(paused=True))
    ledger.tell(RoundClockSet(seconds=0))
    assert ledger.event.hall.clock is None


def test_a_call_for_the_director_waits_until_one_came() -> None:
    ledger = evening()
    ledger.tell(DirectorCalled(side="EW", why="a card is missing", **AT))
    with pytest.raises(RoundIsOn, match="on the way"):
        ledger.tell(DirectorCalled(side="NS", **AT))
    assert list(ledger.event.hall.calls) == [(1, 1)]
    ledger.tell(DirectorArrived(**AT))
    assert not ledger.event.hall.calls
    with pytest.raises(RoundIsOn, match="nobody waits"):
        ledger.tell(DirectorArrived(**AT))


def test_what_is_on_paper_stands_confirms_or_differs() -> None:
    ledger = evening(teams=6)
    ledger.tell(PaperScoreEntered(round=1, table=1, score=played((10, 4))))
    assert ledger.event.settled_score(1, 1) == played((10, 4))
    ledger.tell(ScoreProposed(round=1, table=2, side="NS", score=played((10, 8))))
    ledger.tell(PaperScoreEntered(round=1, table=2, score=played((10, 8))))
    assert isinstance(ledger.event.score_states[1, 2], Settled)
    ledger.tell(ScoreProposed(round=1, table=3, side="NS", score=played((10, 8))))
    ledger.tell(PaperScoreEntered(round=1, table=3, score=played((8, 10))))
    assert ledger.event.score_states[1, 3] == Proposed(score=played((10, 8)), side="NS")
    with pytest.raises(BadScore):
        ledger.tell(PaperScoreEntered(round=1, table=3, score=played((11, 10))))
    rules = ledger.event.rules
    tallied = Played(games=(Hands(hands=tuple(map(parse_hand, ["N5!", "N5!", "N5", "E5!", "E5!", "p"]))),))
    assert same_score(rules, tallied, played((10, 8)))
    assert not same_score(rules, tallied, NoShow(absent=("NS",)))
    assert same_score(rules, NoShow(absent=("NS", "EW")), NoShow(absent=("EW", "NS")))


# Roles


def test_every_role_may_tell_what_is_its_own_and_nothing_else() -> None:
    ledger = evening()
    tell_hands(ledger, "N3")
    event = ledger.event
    ns = event.seating(1, 1).entrants_on(0)[0]
    score = played((10, 6))
    side = Role(kind=RoleKind.SIDE, number=1, subject="NS")
    helper, player = Role(kind=RoleKind.HELPER, number=1), Role(kind=RoleKind.PLAYER, number=0, subject=ns)
    house, wall = Role(kind=RoleKind.SERVER), Role(kind=RoleKind.WALL, number=1)
    allowed: list[tuple[Role, EventFact, str]] = [
        (side, HandReported(hand=PassedOut(), side="NS", **AT), ns),
        (side, ScoreProposed(score=score, side="NS", **AT), ns),
        (side, DirectorCalled(side="NS", **AT), ns),
        (helper, ScoreEntered(score=score, **AT), ""),
        (helper, PaperScoreEntered(score=score, **AT), ""),
        (helper, ScoreCorrected(old=score, new=score, why="x", **AT), ""),
        (player, PlayerJoined(entrant=ns, chair=0, person="p1"), ""),
        (player, PresenceMarked(entrant=ns, presence=EntrantPresence.PRESENT), ns),
        (house, TableOpened(log="t1", **AT), ""),
        (Role(kind=RoleKind.ORGANIZER), PrizePaid(entrant=ns, cents=1), ""),
    ]
    for role, fact, asks in allowed:
        assert authorize(event, role, fact) == asks
    refused: list[tuple[Role, EventFact, type[Exception]]] = [
        (helper, PrizePaid(entrant=ns, cents=1), NotYourRole),
        (helper, VisibilityChanged(public_page=True, show_standings=True), NotYourRole),
        (side, HandReported(hand=PassedOut(), side="EW", **AT), NotYourTable),
        (side, HandReported(hand=PassedOut(), side="NS", round=1, table=2), NotYourTable),
        (side, ScoreEntered(score=score, **AT), NotYourRole),
        (side, PrizePaid(entrant=ns, cents=1), NotYourRole),
        (player, PlayerJoined(entrant=ns, chair=1, person="p1"), NotYourTable),
        (player, ScoreProposed(score=score, side="NS", **AT), NotYourRole),
        (wall, VisibilityChanged(public_page=True, show_standings=True), NotYourRole),
        (house, PrizePaid(entrant=ns, cents=1), NotYourRole),
    ]
    for role, fact, error in refused:
        with pytest.raises(error):
            authorize(event, role, fact)


def test_a_side_cannot_confirm_its_own_score_even_for_somebody_who_may() -> None:
    ledger = evening()
    ns, ew = (ledger.event.seating(1, 1).entrants_on(side)[0] for side in (0, 1))
    ledger.tell(ScoreProposed(side="NS", score=played((10, 6)), **AT), asks=ns)
    with pytest.raises(NotYourTable, match="the other side answers"):
        ledger.tell(ScoreConfirmed(side="NS", **AT), asks=ns)
    with pytest.raises(NotYourTable):
        ledger.tell(ScoreDisputed(side="NS", **AT), asks=ew)
    ledger.tell(ScoreConfirmed(side="EW", **AT), asks=ew)
    assert standings(ledger.event)[0].tally.points == 10


@pytest.mark.parametrize("kind", list(RoleKind))
def test_the_word_of_a_role_is_the_role_again(kind: RoleKind) -> None:
    for role in (Role(kind=kind), Role(kind=kind, number=3, subject="NS"), Role(kind=kind, subject="e5")):
        assert Role.parse(role.key) == role
    assert Role.parse("king") is None
    assert Role.parse("side:x:NS") is None


# As lines


def test_every_fact_of_the_hall_is_read_back_from_its_line_and_folds_to_the_same_event() -> None:
    ledger = evening()
    tell_hands(ledger, "N3", "E5!", "p")
    ledger.tell(HandReported(hand=Incident(irregularity=Irregularity.RENEGE, offender=Seat.E), side="NS", **AT))
    ledger.tell(ScorerChanged(side="EW", **AT))
    ledger.tell(ReportWithdrawn(side="EW", **AT))
    ledger.tell(DirectorCalled(side="NS", **AT))
    ledger.tell(DirectorArrived(**AT))
    ledger.tell(RoundClockSet(seconds=60))
    ledger.tell(RoundClockPaused(paused=True))
    ledger.tell(VisibilityChanged(public_page=True, show_standings=False))
    ledger.tell(PlayerJoined(entrant="e1", chair=0, person="p7"))
    ledger.tell(TableOpened(log="t77", **AT))
    ledger.tell(PaperScoreEntered(score=played((10, 0)), **AT))
    again = [entry_from_json(entry_to_json(entry)) for entry in ledger.ledger]
    assert again == ledger.ledger
    assert replay(again) == ledger.event
    kinds = {type(entry.fact) for entry in ledger.ledger}
    assert {
        FACT_KINDS[name] for name in ("hand-reported", "report-withdrawn", "paper-score-entered", "table-opened")
    } <= kinds


def test_nothing_is_told_of_hands_while_the_evening_is_paused() -> None:
    ledger = evening()
    ledger.tell(EventPaused())
    with pytest.raises(EventIsPaused):
        tell_hands(ledger, "N3")


@pytest.mark.parametrize("word", ["N3", "E5!", "S2", "W2!N!", "p", "^renege:E", "^renege:N!", "^renege:E:N!"])
def test_the_word_of_a_hand_is_the_hand_again(word: str) -> None:
    assert format_hand(parse_hand(word)) == word
