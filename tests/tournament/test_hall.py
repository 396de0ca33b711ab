"""A hall during play: hands reported one by one, calls, papers, clocks, roles; expectations were written by hand."""

from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings, strategies as st

from event_ledger import EventLedger, new_ledger, played
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
from leftbower.rules.choices import NobodyCalls
from leftbower.rules.referee import Incident, Irregularity
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import (
    DirectorArrived,
    DirectorCalled,
    HandReported,
    PaperScoreEntered,
    PlayerJoined,
    ReportWithdrawn,
    RoundClockPaused,
    RoundClockSet,
    ScorerChanged,
    TableOpened,
    VisibilityChanged,
)
from leftbower.tournament.hall.score_buttons import score_buttons
from leftbower.tournament.model.choices import ScoreApproval
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import (
    FACT_KINDS,
    EventClosed,
    EventFact,
    EventPaused,
    EventResumed,
    PresenceMarked,
    PrizePaid,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
)
from leftbower.tournament.model.reducer import replay
from leftbower.tournament.model.roles import Role, RoleKind, authorize
from leftbower.tournament.model.state import Proposed, Settled
from leftbower.tournament.scoring.results import table_results
from leftbower.tournament.scoring.scores import Hands, NoShow, PassedOut, Played, game_scores, same_score
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.parse import format_hand, parse_hand

AT: Final[dict[str, Any]] = {"round": 1, "table": 1}


def started_event(sheet: str = "club", teams: int = 4, **terms: object) -> EventLedger:
    """An event of four teams with its first round drawn."""
    ledger = new_ledger(Format.SWISS, teams, preset(sheet), rounds=3, **terms)
    ledger.pair()
    return ledger


def report_hands(ledger: EventLedger, *words: str, side: str = "NS") -> None:
    for word in words:
        ledger.record(HandReported(hand=parse_hand(word), side=side, **AT))


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
    ledger = started_event(sheet)
    offered = score_buttons(ledger.event, ledger.event.seating(1, 1))
    ours = {button.hand: button.points for button in offered if button.hand[0] == "N"}
    theirs = {button.hand: button.points for button in offered if button.hand[0] == "E"}
    assert ours == BUTTONS[sheet]
    assert theirs == {word.replace("N", "E"): points for word, points in BUTTONS[sheet].items()}
    assert all(button.side == (0 if button.hand[1] != "2" else 1) for button in offered if button.hand[0] == "N")
    can_pass_out = preset(sheet).nobody_calls is NobodyCalls.PASS_OUT
    assert [button.side for button in offered if button.hand == "p"] == ([-1] if can_pass_out else [])


def test_single_players_have_a_loner_button_each() -> None:
    ledger = new_ledger(Format.PROGRESSIVE, 8)
    ledger.pair()
    loners = [button for button in score_buttons(ledger.event, ledger.event.seating(1, 1)) if button.seat]
    assert {str(button.seat) for button in loners} == set("NESW")


def test_hands_add_up_and_a_new_game_begins_when_one_is_over() -> None:
    ledger = started_event("prize-night")
    games = ledger.event.best_of_at(1, ledger.event.seating(1, 1))
    report_hands(ledger, "N5!", "E3", "N5!", "N5")
    assert tallied_scores(ledger) == ((10, 1),)
    if games == 1:
        with pytest.raises(BadScore, match="the match is over"):
            report_hands(ledger, "N3")
    else:
        report_hands(ledger, "E5!")
        assert tallied_scores(ledger) == ((10, 1), (0, 4))


def test_a_match_of_three_games_ends_when_two_are_won() -> None:
    ledger = new_ledger(Format.KNOCKOUT, 4, preset("club"))
    plan = replace(ledger.plan, stage=replace(ledger.plan.stage, best_of=3))
    ledger = EventLedger(plan)
    ledger.enter("A", "B", "C", "D")
    ledger.seed()
    ledger.pair()
    report_hands(ledger, *["N5!"] * 3, *["E5!"] * 3, *["N5!"] * 2)
    assert tallied_scores(ledger) == ((12, 0), (0, 12), (8, 0))
    report_hands(ledger, "N5")
    assert tallied_scores(ledger)[-1] == (10, 0)
    with pytest.raises(BadScore, match="the match is over"):
        report_hands(ledger, "N5")
    tally = ledger.event.hall.tallies[1, 1].games
    ledger.record(ScoreProposed(side="NS", score=Played(games=tally), **AT))
    ledger.record(ScoreConfirmed(side="EW", **AT))
    assert [str(result) for result in table_results(ledger.event, 1, ledger.event.seating(1, 1))] == ["win", "loss"]


def test_withdrawing_removes_the_score_then_hand_by_hand() -> None:
    ledger = started_event()
    report_hands(ledger, "N3", "E5", "N5!")
    ledger.record(ScoreProposed(side="NS", score=played((5, 2), stopped=True), **AT))
    with pytest.raises(NotYourTable, match="confirm or dispute"):
        ledger.record(ReportWithdrawn(side="EW", **AT))
    ledger.record(ReportWithdrawn(side="NS", **AT))
    assert (1, 1) not in ledger.event.score_states
    assert tallied_scores(ledger) == ((5, 2),)
    ledger.record(ReportWithdrawn(side="NS", **AT))
    assert tallied_scores(ledger) == ((1, 2),)
    ledger.record(ReportWithdrawn(side="NS", **AT))
    ledger.record(ReportWithdrawn(side="NS", **AT))
    assert tallied_scores(ledger) == ()
    with pytest.raises(BadScore, match="no hand to remove"):
        ledger.record(ReportWithdrawn(side="NS", **AT))


def test_one_side_keeps_the_score_until_the_other_takes_it_over() -> None:
    ledger = started_event()
    report_hands(ledger, "N3")
    with pytest.raises(NotYourTable, match="NS keeps score"):
        report_hands(ledger, "E3", side="EW")
    with pytest.raises(NotYourTable, match="NS keeps score"):
        ledger.record(ReportWithdrawn(side="EW", **AT))
    ledger.record(ScorerChanged(side="EW", **AT))
    report_hands(ledger, "E3", side="EW")
    assert tallied_scores(ledger) == ((1, 1),)
    with pytest.raises(ScoreStands, match="already keeps score"):
        ledger.record(ScorerChanged(side="EW", **AT))


def test_a_penalty_that_was_ruled_is_a_hand_of_the_tally() -> None:
    ledger = started_event("club")
    incident = Incident(irregularity=Irregularity.RENEGE, offender=Seat.E)
    ledger.record(HandReported(hand=incident, side="NS", **AT))
    assert tallied_scores(ledger) == ((2, 0),)  # the club's sheet: two points to the other side
    with pytest.raises(BadScore, match="five tricks"):
        ledger.record(HandReported(hand=Outcome(maker=Seat.N, makers_tricks=6), side="NS", **AT))


def test_a_round_with_reported_hands_is_not_redrawn_nor_closed() -> None:
    ledger = started_event()
    assert ledger.event.first_redrawable_round == 1
    report_hands(ledger, "N3")
    assert ledger.event.first_redrawable_round == 2
    with pytest.raises(RoundIsOn, match="table 1 has no final score yet"):
        ledger.record(EventClosed())


def test_single_hands_and_calls_are_not_public() -> None:
    ledger = started_event()
    public_version = ledger.event.hall.public_version
    report_hands(ledger, "N3")
    ledger.record(DirectorCalled(side="NS", why="", **AT))
    assert ledger.event.hall.public_version == public_version
    ledger.record(ScoreProposed(side="NS", score=played((10, 6)), **AT))
    assert ledger.event.hall.public_version == ledger.event.version
    assert ledger.event.table_version((1, 1)) == ledger.event.version
    assert ledger.event.table_version((1, 2)) == 0


def test_where_one_side_is_enough_its_score_stands_at_once() -> None:
    ledger = started_event(approval=ScoreApproval.ONE_SIDE)
    ledger.record(ScoreProposed(side="EW", score=played((3, 10)), **AT))
    assert isinstance(ledger.event.score_states[1, 1], Settled)


@given(st.lists(st.sampled_from(("N3", "N5", "N5!", "N2", "E3", "E5", "E5!", "E2", "back")), max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_tally_is_the_sum_of_the_hands_not_withdrawn(words: list[str]) -> None:
    points = {"N3": (1, 0), "N5": (2, 0), "N5!": (4, 0), "N2": (0, 2)}
    points |= {word.replace("N", "E"): (b, a) for word, (a, b) in points.items()}
    ledger = started_event("campus")
    remaining: list[tuple[int, int]] = []
    for word in words:
        total = tuple(map(sum, zip((0, 0), *remaining, strict=True)))
        if word == "back":
            if remaining:
                ledger.record(ReportWithdrawn(side="NS", **AT))
                remaining.pop()
        elif max(total) < 10:
            report_hands(ledger, word)
            remaining.append(points[word])
    assert (
        tallied_scores(ledger) == ((tuple(map(sum, zip(*remaining, strict=True))),) if remaining else ())
        if (1, 1) in ledger.event.hall.tallies
        else True
    )


# The clock, calls, papers


def test_a_clock_stops_with_the_evening_and_goes_on_with_it() -> None:
    ledger = started_event()
    ledger.record(RoundClockSet(seconds=1500))
    began = ledger.event.updated_at
    clock = ledger.event.hall.clock
    assert clock is not None
    assert clock.seconds_left_at(began + 100) == 1400
    ledger.record(EventPaused())
    held = ledger.event.hall.clock
    assert held is not None
    assert held.seconds_left_at(began + 9999) == 1499  # the desk's clock ticks once for each line
    ledger.record(EventResumed())
    going = ledger.event.hall.clock
    assert going is not None
    assert going.seconds_left_at(ledger.event.updated_at + 10) == 1489
    ledger.record(RoundClockPaused(paused=True))
    ledger.record(EventPaused())
    ledger.record(EventResumed())
    assert ledger.event.hall.clock is not None
    assert ledger.event.hall.clock.running_since is None  # a clock paused by hand is started by hand
    with pytest.raises(BadEntry, match="no clock is running"):
        ledger.record(RoundClockPaused(paused=True))
    ledger.record(RoundClockSet(seconds=0))
    assert ledger.event.hall.clock is None


def test_a_call_for_the_director_waits_until_one_came() -> None:
    ledger = started_event()
    ledger.record(DirectorCalled(side="EW", why="a card is missing", **AT))
    with pytest.raises(RoundIsOn, match="on the way"):
        ledger.record(DirectorCalled(side="NS", **AT))
    assert list(ledger.event.hall.calls) == [(1, 1)]
    ledger.record(DirectorArrived(**AT))
    assert not ledger.event.hall.calls
    with pytest.raises(RoundIsOn, match="did not call the director"):
        ledger.record(DirectorArrived(**AT))


def test_what_is_on_paper_stands_confirms_or_differs() -> None:
    ledger = started_event(teams=6)
    ledger.record(PaperScoreEntered(round=1, table=1, score=played((10, 4))))
    assert ledger.event.settled_score(1, 1) == played((10, 4))
    ledger.record(ScoreProposed(round=1, table=2, side="NS", score=played((10, 8))))
    ledger.record(PaperScoreEntered(round=1, table=2, score=played((10, 8))))
    assert isinstance(ledger.event.score_states[1, 2], Settled)
    ledger.record(ScoreProposed(round=1, table=3, side="NS", score=played((10, 8))))
    ledger.record(PaperScoreEntered(round=1, table=3, score=played((8, 10))))
    assert ledger.event.score_states[1, 3] == Proposed(score=played((10, 8)), side="NS")
    with pytest.raises(BadScore):
        ledger.record(PaperScoreEntered(round=1, table=3, score=played((11, 10))))
    rules = ledger.event.rules
    tallied = Played(games=(Hands(hands=tuple(map(parse_hand, ["N5!", "N5!", "N5", "E5!", "E5!"]))),))
    assert same_score(rules, tallied, played((10, 8)))
    assert not same_score(rules, tallied, NoShow(absent=("NS",)))
    assert same_score(rules, NoShow(absent=("NS", "EW")), NoShow(absent=("EW", "NS")))


# Roles


def test_every_role_may_record_its_own_facts_only() -> None:
    ledger = started_event()
    report_hands(ledger, "N3")
    event = ledger.event
    ns = event.seating(1, 1).entrants_on(0)[0]
    score = played((10, 6))
    side = Role(kind=RoleKind.SIDE, number=1, subject="NS")
    helper, player = Role(kind=RoleKind.HELPER, number=1), Role(kind=RoleKind.PLAYER, number=0, subject=ns)
    server, wall = Role(kind=RoleKind.SERVER), Role(kind=RoleKind.WALL, number=1)
    allowed: list[tuple[Role, EventFact, str]] = [
        (side, HandReported(hand=PassedOut(), side="NS", **AT), ns),
        (side, ScoreProposed(score=score, side="NS", **AT), ns),
        (side, DirectorCalled(side="NS", **AT), ns),
        (helper, ScoreEntered(score=score, **AT), ""),
        (helper, PaperScoreEntered(score=score, **AT), ""),
        (helper, ScoreCorrected(old=score, new=score, why="x", **AT), ""),
        (player, PlayerJoined(entrant=ns, chair=0, person="p1"), ""),
        (player, PresenceMarked(entrant=ns, presence=EntrantPresence.PRESENT), ns),
        (server, TableOpened(log="t1", **AT), ""),
        (Role(kind=RoleKind.ORGANIZER), PrizePaid(entrant=ns, cents=1), ""),
    ]
    for role, fact, requester in allowed:
        assert authorize(event, role, fact) == requester
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
        (server, PrizePaid(entrant=ns, cents=1), NotYourRole),
    ]
    for role, fact, error in refused:
        with pytest.raises(error):
            authorize(event, role, fact)


def test_a_side_cannot_confirm_its_own_score() -> None:
    ledger = started_event()
    ns, ew = (ledger.event.seating(1, 1).entrants_on(side)[0] for side in (0, 1))
    ledger.record(ScoreProposed(side="NS", score=played((10, 6)), **AT), requested_by=ns)
    with pytest.raises(NotYourTable, match="the other side answers"):
        ledger.record(ScoreConfirmed(side="NS", **AT), requested_by=ns)
    with pytest.raises(NotYourTable):
        ledger.record(ScoreDisputed(side="NS", **AT), requested_by=ew)
    ledger.record(ScoreConfirmed(side="EW", **AT), requested_by=ew)
    assert standings(ledger.event)[0].tally.points == 10


@pytest.mark.parametrize("kind", list(RoleKind))
def test_the_word_of_a_role_is_the_role_again(kind: RoleKind) -> None:
    for role in (Role(kind=kind), Role(kind=kind, number=3, subject="NS"), Role(kind=kind, subject="e5")):
        assert Role.parse(role.key) == role
    assert Role.parse("king") is None
    assert Role.parse("side:x:NS") is None


# As lines


def test_every_hall_fact_is_read_back_and_replays_the_same() -> None:
    ledger = started_event()
    report_hands(ledger, "N3", "E5!")
    ledger.record(HandReported(hand=Incident(irregularity=Irregularity.RENEGE, offender=Seat.E), side="NS", **AT))
    ledger.record(ScorerChanged(side="EW", **AT))
    ledger.record(ReportWithdrawn(side="EW", **AT))
    ledger.record(DirectorCalled(side="NS", **AT))
    ledger.record(DirectorArrived(**AT))
    ledger.record(RoundClockSet(seconds=60))
    ledger.record(RoundClockPaused(paused=True))
    ledger.record(VisibilityChanged(public_page=True, show_standings=False))
    ledger.record(PlayerJoined(entrant="e1", chair=0, person="p7"))
    ledger.record(TableOpened(log="t77", **AT))
    ledger.record(PaperScoreEntered(score=played((10, 0)), **AT))
    again = [entry_from_json(entry_to_json(entry)) for entry in ledger.ledger]
    assert again == ledger.ledger
    assert replay(again) == ledger.event
    kinds = {type(entry.fact) for entry in ledger.ledger}
    assert {
        FACT_KINDS[name] for name in ("hand-reported", "report-withdrawn", "paper-score-entered", "table-opened")
    } <= kinds


def test_no_hand_is_reported_while_the_event_is_paused() -> None:
    ledger = started_event()
    ledger.record(EventPaused())
    with pytest.raises(EventIsPaused):
        report_hands(ledger, "N3")


@pytest.mark.parametrize("word", ["N3", "E5!", "S2", "W2!N!", "p", "^renege:E", "^renege:N!", "^renege:E:N!"])
def test_the_word_of_a_hand_is_the_hand_again(word: str) -> None:
    assert format_hand(parse_hand(word)) == word
