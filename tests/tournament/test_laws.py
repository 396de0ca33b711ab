"""Laws of every event, drawn at random: nothing is lost, money adds up, corrections count as if right at once."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from event_ledger import EventLedger, new_ledger, played
from leftbower.errors import BadLedger, EventIsClosed, LeftbowerError, NothingToPair, NotYourTable, ScoreStands
from leftbower.rules import Outcome, Seat, preset
from leftbower.rules.choices import Participation
from leftbower.tournament.formats.odd_numbers import seating_options
from leftbower.tournament.formats.pairing import is_stage_finished, planned_rounds
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.available import available_commands
from leftbower.tournament.model.choices import ExtraCategory, TieBreak
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import (
    FACT_KINDS,
    DrawDiscarded,
    EntrantAdded,
    EntrantFined,
    EntrantRenamed,
    EventClosed,
    EventFact,
    EventPaused,
    EventReopened,
    EventResumed,
    LedgerEntry,
    PaymentKind,
    PaymentRecorded,
    PresenceMarked,
    PrizePaid,
    RoundDrawn,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    ScoreRuled,
    SeedsDrawn,
    StageStarted,
    TeamFormed,
)
from leftbower.tournament.model.plan import Prizes, Stage, default_plan
from leftbower.tournament.model.reducer import replay
from leftbower.tournament.model.state import Disputed, Event, Proposed, Settled
from leftbower.tournament.model.validate import record
from leftbower.tournament.scoring.money import amount_due, payouts
from leftbower.tournament.scoring.scores import Hands, NoShow, Played
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.display import school_standings
from leftbower.tournament.text.duration import estimate_duration

ENDS = [(10, points) for points in range(10)] + [(points, 10) for points in range(10)]
scores = st.sampled_from([played(end) for end in ENDS] + [NoShow(absent=("EW",)), NoShow(absent=("NS",))])


def play_out(ledger: EventLedger, results: Sequence[Played | NoShow], *, most: int = 200) -> int:
    """Draw and score until there is nothing more; how many rounds it took."""
    index = 0
    for _ in range(most):
        for number, table in ledger.event.open_tables():
            score = results[index % len(results)]
            if isinstance(score, Played) and len(ledger.event.seating(number, table).seats) == 3:
                score = played((10, 3, 4))
            ledger.record(ScoreEntered(round=number, table=table, score=score))
            index += 1
        try:
            ledger.pair()
        except NothingToPair:
            return len(ledger.event.rounds)
    raise AssertionError("it never ends")


@pytest.mark.parametrize("format", [kind for kind in Format if kind is not Format.SCHOOLS])
@given(st.data())
@settings(max_examples=12)
def test_every_format_ends(format: Format, data: st.DataObject) -> None:
    """Every format ends after finitely many rounds, with any winners and any no-shows."""
    count = data.draw(st.integers(4, 13)) if format is not Format.CHART else data.draw(st.sampled_from((4, 8, 12)))
    ledger = new_ledger(format, count)
    results = data.draw(st.lists(scores, min_size=1, max_size=8))
    ledger.pair()
    play_out(ledger, results)
    assert is_stage_finished(ledger.event)
    lines = standings(ledger.event)
    assert sorted(line.entrant for line in lines) == sorted(ledger.event.entrants)
    assert [line.place for line in lines] == sorted(line.place for line in lines)
    assert lines[0].place == 1


@given(st.lists(scores, min_size=6, max_size=6), st.lists(scores, min_size=6, max_size=6), st.permutations(range(6)))
def test_corrections_count_as_if_it_had_been_right_at_once(
    wrong: list[Played | NoShow], right: list[Played | NoShow], order: list[int]
) -> None:
    """Wrong scores corrected in any order give the standings of the right ones."""
    first, second = new_ledger(Format.ROUND_ROBIN, 4), new_ledger(Format.ROUND_ROBIN, 4)
    first.pair()
    second.pair()
    keys = [(round_.number, seating.table) for round_ in first.event.rounds for seating in round_.tables]
    for (number, table), entered, correct in zip(keys, wrong, right, strict=True):
        first.record(ScoreEntered(round=number, table=table, score=entered))
        second.record(ScoreEntered(round=number, table=table, score=correct))
    for index in order:
        number, table = keys[index]
        fact = ScoreCorrected(round=number, table=table, old=wrong[index], new=right[index], why="misread")
        first.record(fact)
    assert standings(first.event) == standings(second.event)
    assert first.event.score_states == second.event.score_states
    assert len(first.event.corrections) == 6


@given(st.lists(scores, min_size=4, max_size=4), st.lists(st.sampled_from(["e1", "e2", "e3", "e4", "e5"]), max_size=4))
def test_withdrawing_and_coming_back_loses_no_result(results: list[Played | NoShow], leavers: list[str]) -> None:
    """Entrants who leave keep every result, and the standings are the same when they are back."""
    ledger = new_ledger(Format.ROUND_ROBIN, 5)
    ledger.pair()
    for (number, table), score in zip(ledger.event.open_tables(), results, strict=False):
        ledger.record(ScoreEntered(round=number, table=table, score=score))
    before = standings(ledger.event)
    for who in leavers:
        ledger.record(PresenceMarked(entrant=who, presence=EntrantPresence.WITHDRAWN))
    assert standings(ledger.event) == before
    for who in leavers:
        ledger.record(PresenceMarked(entrant=who, presence=EntrantPresence.PRESENT))
    assert standings(ledger.event) == before


@given(st.data())
@settings(max_examples=60)
def test_payouts_come_to_the_pool_to_the_cent(data: st.DataObject) -> None:
    """Whatever the prizes, the ties and the pot; shares take of the pot exactly what they name."""
    teams = data.draw(st.integers(2, 7))
    shares = data.draw(st.sampled_from([(), (50, 30, 20), (70, 30), (34, 33, 33), (40, 30, 10)]))
    cash = () if shares else data.draw(st.sampled_from([(), (10000, 5000, 2501), (7, 5, 1)]))
    extras = data.draw(
        st.sampled_from(
            [(), ((ExtraCategory.LAST, 333),), ((ExtraCategory.HIGH_GAME, 101), (ExtraCategory.LONERS, 50))]
        )
    )
    prizes = Prizes(cash=cash, shares=tuple(Fraction(percent, 100) for percent in shares), extras=extras)
    ledger = new_ledger(
        Format.ROUND_ROBIN, teams, fee=data.draw(st.integers(500, 2003)), prizes=prizes, ties=(TieBreak.MATCHES,)
    )
    for who in ledger.event.entrants:
        ledger.record(PaymentRecorded(kind=PaymentKind.FEE, cents=ledger.event.entrants[who].owes, entrant=who))
    ledger.pair()
    play_out(ledger, data.draw(st.lists(scores, min_size=1, max_size=5)))
    found = payouts(ledger.event)
    assert sum(prize.cents for prize in found.prizes) == found.pool
    assert all(prize.cents > 0 for prize in found.prizes)
    if shares:
        paid_extras = sum(prize.cents for prize in found.prizes if not prize.reason.startswith("place"))
        whole = sum(shares)
        assert found.pool - paid_extras == (ledger.event.pot - paid_extras) * whole // 100
    by_place = {line.entrant: line.place for line in standings(ledger.event)}
    placed = [prize for prize in found.prizes if prize.reason.startswith("place")]
    for better in placed:
        for worse in placed:
            if by_place[better.entrant] < by_place[worse.entrant]:
                assert better.cents >= worse.cents - 1


def test_a_prize_is_paid_once() -> None:
    """The second time nothing is due, and a payment that is not due is refused."""
    ledger = new_ledger(Format.ROUND_ROBIN, 2, prizes=Prizes(cash=(5000,)))
    ledger.pair()
    ledger.score(1, 1, (10, 2))
    with pytest.raises(LeftbowerError) as early:
        ledger.record(PrizePaid(entrant="e1", cents=5000))
    assert early.value.code == "event-is-open"
    ledger.record(EventClosed())
    winner = standings(ledger.event)[0].entrant
    ledger.record(PrizePaid(entrant=winner, cents=amount_due(ledger.event, winner)))
    assert amount_due(ledger.event, winner) == 0
    with pytest.raises(LeftbowerError):
        ledger.record(PrizePaid(entrant=winner, cents=5000))
    with pytest.raises(EventIsClosed):
        ledger.record(ScoreCorrected(round=1, table=1, old=played((10, 2)), new=played((2, 10)), why="too late"))


@given(
    st.integers(1, 12), st.integers(0, 3), st.lists(st.sampled_from("abnw"), min_size=12, max_size=12), st.booleans()
)
def test_schools_points_come_to_what_the_event_has(teams: int, more: int, ends: list[str], pool: bool) -> None:
    """Twenty points, plus participation, less the match-ups that were not played; exact fractions."""
    rules = preset("school-cup")
    if pool:
        rules = replace(rules, participation=Participation.SHARED_POOL)
    ledger = EventLedger(default_plan("Cup", rules))
    ledger.enter(*(f"Law {index}" for index in range(teams)), school="Law")
    ledger.enter(*(f"Med {index}" for index in range(teams + more)), school="Med")
    ledger.seed()
    ledger.pair()
    match_ups = len(ledger.event.round(1).tables)
    assert match_ups == teams
    unplayed = 0
    for (number, table), end in zip(ledger.event.open_tables(), ends, strict=False):
        if end == "n":
            unplayed += 1
            ledger.absent(number, table, "NS", "EW")
        elif end == "w":
            ledger.absent(number, table, "NS")
        else:
            ledger.score(number, table, *([(10, 3), (10, 9)] if end == "a" else [(3, 10), (10, 9), (0, 10)]))
    participation = Fraction(2) if pool else Fraction(2 * teams + more, 10)
    expected = 20 + participation - unplayed * Fraction(20, match_ups)
    assert sum(school.total for school in school_standings(ledger.event)) == expected


def test_a_ledger_replays_to_every_moment_of_its_event() -> None:
    """Every line goes out as JSON and comes back the same; a prefix of it is the event of that moment."""
    ledger = full_event()
    kinds = {type(entry.fact).__name__ for entry in ledger.ledger}
    assert len(kinds) >= 18
    moments: list[Event | None] = []
    event: Event | None = None
    for entry in ledger.ledger:
        assert entry_from_json(entry_to_json(entry)) == entry
        event = record(event, entry)
        moments.append(event)
    for count in range(1, len(ledger.ledger) + 1):
        assert replay(ledger.ledger[:count]) == moments[count - 1]
    assert moments[-1] == ledger.event


def full_event() -> EventLedger:
    """An event in which nearly everything happens."""
    ledger = EventLedger(
        default_plan(
            "All of it", preset("club"), Stage(format=Format.SWISS, rounds=2), fee=500, prizes=Prizes(cash=(1000,))
        )
    )
    ledger.enter("A & B", "C & D", "E", "F & G")
    ledger.record(EntrantAdded(entrant="s1", name="Sam", single=True))
    ledger.record(EntrantAdded(entrant="s2", name="Tom", single=True))
    ledger.record(TeamFormed(entrant="e7", singles=("s1", "s2"), name="Sam & Tom"))
    ledger.record(EntrantRenamed(entrant="e3", name="H & I", players=("H", "I")))
    ledger.record(PresenceMarked(entrant="e1", presence=EntrantPresence.PRESENT), requested_by="e1", by="A")
    ledger.record(EntrantFined(entrant="e2", cents=100, why="late"))
    ledger.record(PaymentRecorded(kind=PaymentKind.FEE, cents=600, entrant="e2"))
    ledger.record(PaymentRecorded(kind=PaymentKind.GIFT, cents=5000))
    ledger.seed()
    ledger.pair()
    ledger.record(DrawDiscarded(round=1, why="again"))
    ledger.pair()
    seating = ledger.event.round(1).tables[0]
    ours, theirs = seating.entrants_on(0)[0], seating.entrants_on(1)[0]
    ledger.record(ScoreProposed(round=1, table=1, side="NS", score=played((10, 8))), requested_by=ours, by="phone")
    ledger.record(ScoreDisputed(round=1, table=1, side="EW", why="no"), requested_by=theirs, by="phone")
    ledger.record(ScoreRuled(round=1, table=1, score=played((10, 9)), why="looked at the sheet"))
    hands = Hands(hands=(Outcome(maker=Seat.E, makers_tricks=5, alone=True),) * 3)
    ledger.record(ScoreProposed(round=1, table=2, side="EW", score=Played(games=(hands,))))
    ledger.record(ScoreConfirmed(round=1, table=2, side="NS"))
    ledger.record(EventPaused(why="supper"))
    ledger.record(EventResumed())
    ledger.pair()
    ledger.absent(2, 1, "EW")
    ledger.score(2, 2, (3, 10))
    ledger.record(ScoreCorrected(round=2, table=2, old=played((3, 10)), new=played((10, 3)), why="turned round"))
    best = tuple(line.entrant for line in standings(ledger.event))[:2]
    ledger.record(StageStarted(stage=Stage(format=Format.KNOCKOUT, best_of=3, entrants=best)))
    ledger.pair()
    ledger.score(3, 1, (10, 2), (10, 0))
    ledger.record(EventClosed())
    ledger.record(EventReopened(why="forgot"))
    ledger.record(EventClosed())
    winner = standings(ledger.event)[0].entrant
    ledger.record(PrizePaid(entrant=winner, cents=amount_due(ledger.event, winner)))
    return ledger


def test_a_final_stage_stands_above_all_that_came_before() -> None:
    """The finalists have the first places, in the order of the final."""
    ledger = new_ledger(Format.ROUND_ROBIN, 6)
    ledger.pair()
    play_out(ledger, [played((10, 3)), played((4, 10))])
    four = tuple(line.entrant for line in standings(ledger.event)[:4])
    fifth = standings(ledger.event)[4].entrant
    ledger.record(StageStarted(stage=Stage(format=Format.KNOCKOUT, best_of=3, entrants=four)))
    ledger.pair()
    assert {frozenset(seating.entrants) for seating in ledger.event.rounds[-1].tables} == {
        frozenset((four[0], four[3])),
        frozenset((four[1], four[2])),
    }
    play_out(ledger, [played((3, 10), (2, 10))])
    lines = standings(ledger.event)
    assert {line.entrant for line in lines[:4]} == set(four)
    assert lines[4].entrant == fifth
    assert lines[4].decided_by == "stage"
    assert lines[0].decided_by == "bracket"


# Who may do what


def score_commands(ledger: EventLedger, entrant: str) -> dict[tuple[str, int, int, str], LedgerEntry]:
    """Every score command of an event, as a ledger entry."""
    found: dict[tuple[str, int, int, str], LedgerEntry] = {}
    for drawn in ledger.event.rounds:
        for seating in drawn.tables:
            number, table = drawn.number, seating.table
            settled = ledger.event.settled_score(number, table)
            good = played((10, 5)) if settled == played((10, 4)) else played((10, 4))
            sheet = ledger.event.score_states.get((number, table))
            score: dict[tuple[str, str], EventFact] = {
                ("score", ""): ScoreEntered(round=number, table=table, score=good),
                ("rule", ""): ScoreRuled(round=number, table=table, score=good),
                ("correct", ""): ScoreCorrected(
                    round=number, table=table, old=sheet.score if sheet else good, new=good, why="so"
                ),
            }
            for side in seating.labels:
                score["propose", side] = ScoreProposed(round=number, table=table, side=side, score=good)
                score["confirm", side] = ScoreConfirmed(round=number, table=table, side=side)
                score["dispute", side] = ScoreDisputed(round=number, table=table, side=side)
            for (what, side), fact in score.items():
                found[what, number, table, side] = LedgerEntry(fact=fact, by="x", at=0.0, requested_by=entrant)
    return found


def accepted(ledger: EventLedger, entrant: str) -> set[tuple[str, int, int, str]]:
    taken = set()
    for key, entry in score_commands(ledger, entrant).items():
        try:
            record(ledger.event, entry)
            taken.add(key)
        except LeftbowerError:
            pass
    return taken


@pytest.mark.parametrize("state", ["blank", "proposed", "disputed", "settled", "paused", "closed"])
def test_the_listed_commands_are_exactly_the_accepted_ones(state: str) -> None:
    """`available_commands` and `validate` agree for every player and every state of a score, and for the desk."""
    ledger = new_ledger(Format.ROUND_ROBIN, 4)
    ledger.pair()
    if state in ("proposed", "disputed"):
        ledger.record(ScoreProposed(round=1, table=1, side="NS", score=played((10, 6))))
    if state == "disputed":
        ledger.record(ScoreDisputed(round=1, table=1, side="EW"))
    if state in ("settled", "closed"):
        ledger.score(1, 1, (10, 6))
    if state == "paused":
        ledger.record(EventPaused())
    if state == "closed":
        ledger.record(EventClosed())
    for entrant in ledger.event.entrants:
        listed = {
            (command.name, command.round, command.table, command.side)
            for command in available_commands(ledger.event, entrant)
        }
        assert listed == accepted(ledger, entrant)
    by_desk = {
        (command.name, command.round, command.table, "")
        for command in available_commands(ledger.event)
        if command.table
    }
    assert by_desk == {key for key in accepted(ledger, "") if key[0] in ("score", "rule", "correct")}


def test_players_confirm_only_their_opponents_score() -> None:
    ledger = new_ledger(Format.ROUND_ROBIN, 4)
    ledger.pair()
    seating, other = ledger.event.round(1).tables
    ledger.record(
        ScoreProposed(round=1, table=1, side="NS", score=played((10, 6))), requested_by=seating.entrants_on(0)[0]
    )
    for requester, side in (
        (seating.entrants_on(0)[0], "NS"),
        (other.entrants_on(0)[0], "EW"),
        (other.entrants_on(0)[0], "NS"),
    ):
        with pytest.raises(NotYourTable):
            ledger.record(ScoreConfirmed(round=1, table=1, side=side), requested_by=requester)
    with pytest.raises(NotYourTable):
        ledger.record(EventClosed(), requested_by=seating.entrants_on(0)[0])
    assert isinstance(ledger.event.score_states[1, 1], Proposed)
    ledger.record(ScoreDisputed(round=1, table=1, side="EW"), requested_by=seating.entrants_on(1)[0])
    assert isinstance(ledger.event.score_states[1, 1], Disputed)
    with pytest.raises(ScoreStands):
        ledger.record(
            ScoreProposed(round=1, table=1, side="NS", score=played((10, 5))), requested_by=seating.entrants_on(0)[0]
        )
    ledger.record(ScoreRuled(round=1, table=1, score=played((10, 7))))
    assert ledger.event.score_states[1, 1] == Settled(score=played((10, 7)))


def test_a_bracket_is_not_corrected_under_those_who_went_on() -> None:
    ledger = new_ledger(Format.KNOCKOUT, 4)
    ledger.pair()
    ledger.score(1, 1, (10, 2))
    ledger.score(1, 2, (10, 2))
    ledger.pair()
    assert ledger.event.stage.definition.bracket
    with pytest.raises(ScoreStands):
        ledger.record(ScoreCorrected(round=1, table=1, old=played((10, 2)), new=played((2, 10)), why="x"))
    ledger.record(ScoreCorrected(round=1, table=1, old=played((10, 2)), new=played((10, 9)), why="x"))
    with pytest.raises(LeftbowerError) as level:
        ledger.record(ScoreEntered(round=2, table=1, score=played((5, 5), stopped=True)))
    assert level.value.code == "bad-score"


def test_a_round_is_drawn_again_until_it_has_a_score() -> None:
    """A late team is in the rounds to come, and the round that was begun stays as it is."""
    ledger = new_ledger(Format.ROUND_ROBIN, 4)
    ledger.pair()
    ledger.score(1, 1, (10, 2))
    first = ledger.event.round(1)
    with pytest.raises(LeftbowerError):
        ledger.record(DrawDiscarded(round=1))
    ledger.enter("Late")
    ledger.record(DrawDiscarded(round=2))
    ledger.pair()
    assert ledger.event.round(1) == first
    assert any("e5" in seating.entrants for drawn in ledger.event.rounds[1:] for seating in drawn.tables)


@pytest.mark.parametrize("count", [4, 5, 6, 7, 9, 10, 11])
def test_odd_numbers_have_seating_options_with_their_cost(count: int) -> None:
    ledger = new_ledger(Format.PROGRESSIVE, count)
    found = {option.kind: option for option in seating_options(ledger.event)}
    if count % 4 == 0:
        assert found == {}
        return
    assert found["byes"].count == count % 4
    assert found["bots"].count == 4 - count % 4
    assert ("three-handed" in found) is (count >= 3 * (4 - count % 4))
    assert all(option.cost for option in found.values())


def test_an_event_takes_as_long_as_its_hands() -> None:
    """Eight rounds of one game to ten: hands by hand; best of three takes two and a half times the play."""
    ledger = new_ledger(Format.SWISS, 16, rounds=4)
    whole = estimate_duration(ledger.event)
    assert (whole.rounds, planned_rounds(ledger.event)) == (4, 4)
    assert 15 * 60 < whole.seconds_per_round < 45 * 60
    ledger.pair()
    for number, table in ledger.event.open_tables():
        ledger.score(number, table, (10, 4))
    assert estimate_duration(ledger.event).rounds == 3
    longer = EventLedger(default_plan("Cup", preset("club"), Stage(format=Format.SWISS, rounds=4, best_of=3)))
    longer.enter(*map(str, range(16)))
    assert 2 * whole.seconds_per_round < estimate_duration(longer.event).seconds_per_round < 3 * whole.seconds_per_round


# What comes from outside


words = st.sampled_from(["fact", "v", "by", "at", "data", "plan", "round", "x"])
plain = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
junk_of_all_kinds = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4)
)


@given(junk_of_all_kinds)
def test_nothing_that_is_no_ledger_is_read_as_one(junk: object) -> None:
    with pytest.raises(BadLedger):
        entry_from_json(
            junk if isinstance(junk, dict) else {"fact": "event-opened", "v": 1, "by": "x", "at": 0, "data": junk}
        )


@given(st.data())
@settings(max_examples=200)
def test_a_line_that_was_tampered_with_is_read_or_refused_by_name(data: st.DataObject) -> None:
    """Any one value of any line replaced by anything: an entry, or a bad ledger; never another error."""
    plain = entry_to_json(data.draw(st.sampled_from(_FULL_LEDGER)))
    body = plain["data"]
    if body:
        key = data.draw(st.sampled_from(sorted(body)))
        body[key] = data.draw(st.sampled_from([None, -1, "x", [], {}, [1], {"games": []}, {"absent": "N"}, True, 1.5]))
    try:
        entry = entry_from_json(plain)
    except BadLedger:
        return
    with suppress(LeftbowerError):
        record(_EARLY_STATE, entry)


_FULL_EVENT = full_event()
_FULL_LEDGER, _EARLY_STATE = _FULL_EVENT.ledger, replay(_FULL_EVENT.ledger[:20])


def test_numbers_are_drawn_before_the_first_round_only() -> None:
    ledger = new_ledger(Format.ROUND_ROBIN, 4)
    ledger.pair()
    with pytest.raises(LeftbowerError):
        ledger.record(SeedsDrawn(order=("e1", "e2", "e3", "e4")))
    with pytest.raises(LeftbowerError):
        ledger.record(RoundDrawn(round=9, tables=ledger.event.round(1).tables))


def test_every_kind_of_fact_is_documented_with_what_it_holds() -> None:
    """docs/program/event-files.md has one row for each kind, with its fields in their order."""
    page = (Path(__file__).parents[2] / "docs" / "program" / "event-files.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ([`a-z_, –]+) \| .+ \|$", page, re.MULTILINE)
    documented = {name: re.findall(r"`(\w+)`", held) for name, held in rows if name in FACT_KINDS}
    assert documented == {name: [field.name for field in fields(kind)] for name, kind in FACT_KINDS.items()}
