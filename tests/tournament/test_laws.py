"""Laws of every event, drawn at random: nothing is lost, money adds up, corrections count as if right at once."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from an_event import Desk, desk, played
from leftbower.errors import BadLedger, EventIsClosed, LeftbowerError, NothingToPair, NotYourTable, ScoreStands
from leftbower.rules import Outcome, Seat, preset
from leftbower.rules.choices import Participation
from leftbower.tournament import (
    BRACKETS,
    KINDS,
    Closed,
    Counter,
    Disputed,
    Entered,
    Entry,
    Event,
    EventFact,
    Fined,
    Format,
    Hands,
    Marked,
    Money,
    NoShow,
    NumbersDrawn,
    PaidIn,
    PaidOut,
    Paired,
    Paused,
    Played,
    Presence,
    Prizes,
    Proposed,
    Renamed,
    Reopened,
    Resumed,
    ScoreConfirmed,
    ScoreCorrected,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
    ScoreRuled,
    Settled,
    Stage,
    StageBegun,
    Teamed,
    TieBreak,
    Unpaired,
    asks,
    due_to,
    estimate,
    fold,
    from_plain,
    is_over,
    offers,
    payouts,
    planned,
    record,
    rounds_planned,
    schools,
    standings,
    to_plain,
)

ENDS = [(10, points) for points in range(10)] + [(points, 10) for points in range(10)]
scores = st.sampled_from([played(one) for one in ENDS] + [NoShow(absent=("EW",)), NoShow(absent=("NS",))])


def play_out(one: Desk, results: Sequence[Played | NoShow], *, most: int = 200) -> int:
    """Draw and score until there is nothing more; how many rounds it took."""
    at = 0
    for _ in range(most):
        for number, table in one.event.open_tables():
            score = results[at % len(results)]
            if isinstance(score, Played) and len(one.event.seating(number, table).seats) == 3:
                score = played((10, 3, 4))
            one.tell(ScoreEntered(round=number, table=table, score=score))
            at += 1
        try:
            one.pair()
        except NothingToPair:
            return len(one.event.rounds)
    raise AssertionError("it never ends")


@pytest.mark.parametrize("format", [one for one in Format if one is not Format.SCHOOLS])
@given(st.data())
@settings(max_examples=12)
def test_every_format_ends(format: Format, data: st.DataObject) -> None:
    """Whoever wins, and whoever does not come, the last round is over after finitely many."""
    count = data.draw(st.integers(4, 13)) if format is not Format.CHART else data.draw(st.sampled_from((4, 8, 12)))
    one = desk(format, count)
    results = data.draw(st.lists(scores, min_size=1, max_size=8))
    one.pair()
    play_out(one, results)
    assert is_over(one.event)
    lines = standings(one.event)
    assert sorted(line.entrant for line in lines) == sorted(one.event.entrants)
    assert [line.place for line in lines] == sorted(line.place for line in lines)
    assert lines[0].place == 1


@given(st.lists(scores, min_size=6, max_size=6), st.lists(scores, min_size=6, max_size=6), st.permutations(range(6)))
def test_corrections_count_as_if_it_had_been_right_at_once(
    wrong: list[Played | NoShow], right: list[Played | NoShow], order: list[int]
) -> None:
    """Scores entered wrongly and put right in any order give the standings of the right ones."""
    first, second = desk(Format.ROUND_ROBIN, 4), desk(Format.ROUND_ROBIN, 4)
    first.pair()
    second.pair()
    places = [(one.number, seating.table) for one in first.event.rounds for seating in one.tables]
    for (number, table), told, put_right in zip(places, wrong, right, strict=True):
        first.tell(ScoreEntered(round=number, table=table, score=told))
        second.tell(ScoreEntered(round=number, table=table, score=put_right))
    for at in order:
        number, table = places[at]
        fact = ScoreCorrected(round=number, table=table, old=wrong[at], new=right[at], why="misread")
        first.tell(fact)
    assert standings(first.event) == standings(second.event)
    assert first.event.sheets == second.event.sheets
    assert len(first.event.corrections) == 6


@given(st.lists(scores, min_size=4, max_size=4), st.lists(st.sampled_from(["e1", "e2", "e3", "e4", "e5"]), max_size=4))
def test_withdrawing_and_coming_back_loses_no_result(results: list[Played | NoShow], leavers: list[str]) -> None:
    """Whoever leaves keeps every result, and the standings are the same when they are back."""
    one = desk(Format.ROUND_ROBIN, 5)
    one.pair()
    for (number, table), score in zip(one.event.open_tables(), results, strict=False):
        one.tell(ScoreEntered(round=number, table=table, score=score))
    before = standings(one.event)
    for who in leavers:
        one.tell(Marked(entrant=who, presence=Presence.WITHDRAWN))
    assert standings(one.event) == before
    for who in leavers:
        one.tell(Marked(entrant=who, presence=Presence.HERE))
    assert standings(one.event) == before


@given(st.data())
@settings(max_examples=60)
def test_payouts_come_to_the_pool_to_the_cent(data: st.DataObject) -> None:
    """Whatever the prizes, the ties and the pot; shares take of the pot exactly what they name."""
    teams = data.draw(st.integers(2, 7))
    shares = data.draw(st.sampled_from([(), (50, 30, 20), (70, 30), (34, 33, 33), (40, 30, 10)]))
    cash = () if shares else data.draw(st.sampled_from([(), (10000, 5000, 2501), (7, 5, 1)]))
    extras = data.draw(st.sampled_from([(), ((Counter.LAST, 333),), ((Counter.HIGH_GAME, 101), (Counter.LONERS, 50))]))
    prizes = Prizes(cash=cash, shares=tuple(Fraction(one, 100) for one in shares), extras=extras)
    one = desk(
        Format.ROUND_ROBIN, teams, fee=data.draw(st.integers(500, 2003)), prizes=prizes, ties=(TieBreak.MATCHES,)
    )
    for who in one.event.entrants:
        one.tell(PaidIn(what=Money.FEE, cents=one.event.entrants[who].owes, entrant=who))
    one.pair()
    play_out(one, data.draw(st.lists(scores, min_size=1, max_size=5)))
    found = payouts(one.event)
    assert sum(prize.cents for prize in found.prizes) == found.pool
    assert all(prize.cents > 0 for prize in found.prizes)
    if shares:
        given_extras = sum(prize.cents for prize in found.prizes if not prize.what.startswith("place"))
        whole = sum(shares)
        assert found.pool - given_extras == (one.event.pot - given_extras) * whole // 100
    by_place = {line.entrant: line.place for line in standings(one.event)}
    placed = [prize for prize in found.prizes if prize.what.startswith("place")]
    for better in placed:
        for worse in placed:
            if by_place[better.entrant] < by_place[worse.entrant]:
                assert better.cents >= worse.cents - 1


def test_a_prize_is_paid_once_however_often_it_is_asked() -> None:
    """The second time nothing is due, and a payment that is not due is refused."""
    one = desk(Format.ROUND_ROBIN, 2, prizes=Prizes(cash=(5000,)))
    one.pair()
    one.score(1, 1, (10, 2))
    with pytest.raises(LeftbowerError) as early:
        one.tell(PaidOut(entrant="e1", cents=5000))
    assert early.value.code == "event-is-open"
    one.tell(Closed())
    winner = standings(one.event)[0].entrant
    one.tell(PaidOut(entrant=winner, cents=due_to(one.event, winner)))
    assert due_to(one.event, winner) == 0
    with pytest.raises(LeftbowerError):
        one.tell(PaidOut(entrant=winner, cents=5000))
    with pytest.raises(EventIsClosed):
        one.tell(ScoreCorrected(round=1, table=1, old=played((10, 2)), new=played((2, 10)), why="too late"))


@given(
    st.integers(1, 12), st.integers(0, 3), st.lists(st.sampled_from("abnw"), min_size=12, max_size=12), st.booleans()
)
def test_schools_points_come_to_what_the_event_has(teams: int, more: int, ends: list[str], pool: bool) -> None:
    """Twenty points, plus participation, less the match-ups that nobody played; exact fractions."""
    rules = preset("school-cup")
    if pool:
        rules = replace(rules, participation=Participation.SHARED_POOL)
    one = Desk(planned("Cup", rules))
    one.enter(*(f"Law {at}" for at in range(teams)), school="Law")
    one.enter(*(f"Med {at}" for at in range(teams + more)), school="Med")
    one.number()
    one.pair()
    match_ups = len(one.event.round(1).tables)
    assert match_ups == teams
    unplayed = 0
    for (number, table), end in zip(one.event.open_tables(), ends, strict=False):
        if end == "n":
            unplayed += 1
            one.absent(number, table, "NS", "EW")
        elif end == "w":
            one.absent(number, table, "NS")
        else:
            one.score(number, table, *([(10, 3), (10, 9)] if end == "a" else [(3, 10), (10, 9), (0, 10)]))
    participation = Fraction(2) if pool else Fraction(2 * teams + more, 10)
    expected = 20 + participation - unplayed * Fraction(20, match_ups)
    assert sum(school.total for school in schools(one.event)) == expected


def test_a_ledger_tells_every_moment_of_its_event() -> None:
    """Every line goes out as JSON and comes back the same; a prefix of it is the event of that moment."""
    one = full_evening()
    kinds = {type(entry.fact).__name__ for entry in one.ledger}
    assert len(kinds) >= 18
    moments: list[Event | None] = []
    event: Event | None = None
    for entry in one.ledger:
        assert from_plain(to_plain(entry)) == entry
        event = record(event, entry)
        moments.append(event)
    for count in range(1, len(one.ledger) + 1):
        assert fold(one.ledger[:count]) == moments[count - 1]
    assert moments[-1] == one.event


def full_evening() -> Desk:
    """An evening in which nearly everything happens."""
    one = Desk(
        planned("All of it", preset("club"), Stage(format=Format.SWISS, rounds=2), fee=500, prizes=Prizes(cash=(1000,)))
    )
    one.enter("A & B", "C & D", "E", "F & G")
    one.tell(Entered(entrant="s1", name="Sam", single=True))
    one.tell(Entered(entrant="s2", name="Tom", single=True))
    one.tell(Teamed(entrant="e7", singles=("s1", "s2"), name="Sam & Tom"))
    one.tell(Renamed(entrant="e3", name="H & I", players=("H", "I")))
    one.tell(Marked(entrant="e1", presence=Presence.HERE), asks="e1", by="A")
    one.tell(Fined(entrant="e2", cents=100, why="late"))
    one.tell(PaidIn(what=Money.FEE, cents=600, entrant="e2"))
    one.tell(PaidIn(what=Money.GIFT, cents=5000))
    one.number()
    one.pair()
    one.tell(Unpaired(round=1, why="again"))
    one.pair()
    seating = one.event.round(1).tables[0]
    ours, theirs = seating.on(0)[0], seating.on(1)[0]
    one.tell(ScoreProposed(round=1, table=1, side="NS", score=played((10, 8))), asks=ours, by="phone")
    one.tell(ScoreDisputed(round=1, table=1, side="EW", why="no"), asks=theirs, by="phone")
    one.tell(ScoreRuled(round=1, table=1, score=played((10, 9)), why="looked at the sheet"))
    hands = Hands(hands=(Outcome(maker=Seat.E, makers_tricks=5, alone=True),) * 3)
    one.tell(ScoreProposed(round=1, table=2, side="EW", score=Played(games=(hands,))))
    one.tell(ScoreConfirmed(round=1, table=2, side="NS"))
    one.tell(Paused(why="supper"))
    one.tell(Resumed())
    one.pair()
    one.absent(2, 1, "EW")
    one.score(2, 2, (3, 10))
    one.tell(ScoreCorrected(round=2, table=2, old=played((3, 10)), new=played((10, 3)), why="turned round"))
    best = tuple(line.entrant for line in standings(one.event))[:2]
    one.tell(StageBegun(stage=Stage(format=Format.KNOCKOUT, best_of=3, entrants=best)))
    one.pair()
    one.score(3, 1, (10, 2), (10, 0))
    one.tell(Closed())
    one.tell(Reopened(why="forgot"))
    one.tell(Closed())
    winner = standings(one.event)[0].entrant
    one.tell(PaidOut(entrant=winner, cents=due_to(one.event, winner)))
    return one


def test_a_final_stage_stands_above_all_that_came_before() -> None:
    """The finalists have the first places, in the order of the final."""
    one = desk(Format.ROUND_ROBIN, 6)
    one.pair()
    play_out(one, [played((10, 3)), played((4, 10))])
    four = tuple(line.entrant for line in standings(one.event)[:4])
    fifth = standings(one.event)[4].entrant
    one.tell(StageBegun(stage=Stage(format=Format.KNOCKOUT, best_of=3, entrants=four)))
    one.pair()
    assert {frozenset(seating.entrants) for seating in one.event.rounds[-1].tables} == {
        frozenset((four[0], four[3])),
        frozenset((four[1], four[2])),
    }
    play_out(one, [played((3, 10), (2, 10))])
    lines = standings(one.event)
    assert {line.entrant for line in lines[:4]} == set(four)
    assert lines[4].entrant == fifth
    assert lines[4].decided_by == "stage"
    assert lines[0].decided_by == "bracket"


# Who may ask for what


def requests(one: Desk, entrant: str) -> dict[tuple[str, int, int, str], Entry]:
    """Every way in which scores can be told in an event, as a request."""
    found: dict[tuple[str, int, int, str], Entry] = {}
    for drawn in one.event.rounds:
        for seating in drawn.tables:
            number, table = drawn.number, seating.table
            settled = one.event.settled(number, table)
            good = played((10, 5)) if settled == played((10, 4)) else played((10, 4))
            sheet = one.event.sheets.get((number, table))
            told: dict[tuple[str, str], EventFact] = {
                ("score", ""): ScoreEntered(round=number, table=table, score=good),
                ("rule", ""): ScoreRuled(round=number, table=table, score=good),
                ("correct", ""): ScoreCorrected(
                    round=number, table=table, old=sheet.score if sheet else good, new=good, why="so"
                ),
            }
            for side in seating.labels:
                told["propose", side] = ScoreProposed(round=number, table=table, side=side, score=good)
                told["confirm", side] = ScoreConfirmed(round=number, table=table, side=side)
                told["dispute", side] = ScoreDisputed(round=number, table=table, side=side)
            for (what, side), fact in told.items():
                found[what, number, table, side] = Entry(fact=fact, by="x", at=0.0, asks=entrant)
    return found


def accepted(one: Desk, entrant: str) -> set[tuple[str, int, int, str]]:
    taken = set()
    for key, entry in requests(one, entrant).items():
        try:
            record(one.event, entry)
            taken.add(key)
        except LeftbowerError:
            pass
    return taken


@pytest.mark.parametrize("state", ["blank", "proposed", "disputed", "settled", "paused", "closed"])
def test_what_is_listed_is_exactly_what_is_accepted_of_players(state: str) -> None:
    """`asks` and `allow` say the same for every player at every moment of a score; the desk's list is accepted too."""
    one = desk(Format.ROUND_ROBIN, 4)
    one.pair()
    if state in ("proposed", "disputed"):
        one.tell(ScoreProposed(round=1, table=1, side="NS", score=played((10, 6))))
    if state == "disputed":
        one.tell(ScoreDisputed(round=1, table=1, side="EW"))
    if state in ("settled", "closed"):
        one.score(1, 1, (10, 6))
    if state == "paused":
        one.tell(Paused())
    if state == "closed":
        one.tell(Closed())
    for entrant in one.event.entrants:
        listed = {(ask.what, ask.round, ask.table, ask.side) for ask in asks(one.event, entrant)}
        assert listed == accepted(one, entrant)
    by_desk = {(ask.what, ask.round, ask.table, "") for ask in asks(one.event) if ask.table}
    assert by_desk == {key for key in accepted(one, "") if key[0] in ("score", "rule", "correct")}


def test_nobody_confirms_the_own_score_or_another_table() -> None:
    one = desk(Format.ROUND_ROBIN, 4)
    one.pair()
    seating, other = one.event.round(1).tables
    one.tell(ScoreProposed(round=1, table=1, side="NS", score=played((10, 6))), asks=seating.on(0)[0])
    for asker, side in ((seating.on(0)[0], "NS"), (other.on(0)[0], "EW"), (other.on(0)[0], "NS")):
        with pytest.raises(NotYourTable):
            one.tell(ScoreConfirmed(round=1, table=1, side=side), asks=asker)
    with pytest.raises(NotYourTable):
        one.tell(Closed(), asks=seating.on(0)[0])
    assert isinstance(one.event.sheets[1, 1], Proposed)
    one.tell(ScoreDisputed(round=1, table=1, side="EW"), asks=seating.on(1)[0])
    assert isinstance(one.event.sheets[1, 1], Disputed)
    with pytest.raises(ScoreStands):
        one.tell(ScoreProposed(round=1, table=1, side="NS", score=played((10, 5))), asks=seating.on(0)[0])
    one.tell(ScoreRuled(round=1, table=1, score=played((10, 7))))
    assert one.event.sheets[1, 1] == Settled(score=played((10, 7)))


def test_a_bracket_is_not_corrected_under_those_who_went_on() -> None:
    one = desk(Format.KNOCKOUT, 4)
    one.pair()
    one.score(1, 1, (10, 2))
    one.score(1, 2, (10, 2))
    one.pair()
    assert one.event.stage.format in BRACKETS
    with pytest.raises(ScoreStands):
        one.tell(ScoreCorrected(round=1, table=1, old=played((10, 2)), new=played((2, 10)), why="x"))
    one.tell(ScoreCorrected(round=1, table=1, old=played((10, 2)), new=played((10, 9)), why="x"))
    with pytest.raises(LeftbowerError) as level:
        one.tell(ScoreEntered(round=2, table=1, score=played((5, 5), stopped=True)))
    assert level.value.code == "bad-score"


def test_a_round_is_drawn_again_until_it_has_a_score() -> None:
    """A late team is in the rounds to come, and the round that was begun stays as it is."""
    one = desk(Format.ROUND_ROBIN, 4)
    one.pair()
    one.score(1, 1, (10, 2))
    first = one.event.round(1)
    with pytest.raises(LeftbowerError):
        one.tell(Unpaired(round=1))
    one.enter("Late")
    one.tell(Unpaired(round=2))
    one.pair()
    assert one.event.round(1) == first
    assert any("e5" in seating.entrants for drawn in one.event.rounds[1:] for seating in drawn.tables)


@pytest.mark.parametrize("count", [4, 5, 6, 7, 9, 10, 11])
def test_numbers_that_do_not_fit_have_offers_with_their_cost(count: int) -> None:
    one = desk(Format.PROGRESSIVE, count)
    found = {offer.what: offer for offer in offers(one.event)}
    if count % 4 == 0:
        assert found == {}
        return
    assert found["byes"].how_many == count % 4
    assert found["bots"].how_many == 4 - count % 4
    assert ("three-handed" in found) is (count >= 3 * (4 - count % 4))
    assert all(offer.cost for offer in found.values())


def test_an_evening_takes_as_long_as_its_hands() -> None:
    """Eight rounds of one game to ten: hands by hand; best of three takes two and a half times the play."""
    one = desk(Format.SWISS, 16, rounds=4)
    whole = estimate(one.event)
    assert (whole.rounds, rounds_planned(one.event)) == (4, 4)
    assert 15 * 60 < whole.seconds_a_round < 45 * 60
    one.pair()
    for number, table in one.event.open_tables():
        one.score(number, table, (10, 4))
    assert estimate(one.event).rounds == 3
    longer = Desk(planned("Cup", preset("club"), Stage(format=Format.SWISS, rounds=4, best_of=3)))
    longer.enter(*map(str, range(16)))
    assert 2 * whole.seconds_a_round < estimate(longer.event).seconds_a_round < 3 * whole.seconds_a_round


# What comes from outside


words = st.sampled_from(["fact", "v", "by", "at", "is", "plan", "round", "x"])
plain = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
junk_of_all_kinds = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4)
)


@given(junk_of_all_kinds)
def test_nothing_that_is_no_ledger_is_read_as_one(junk: object) -> None:
    with pytest.raises(BadLedger):
        from_plain(junk if isinstance(junk, dict) else {"fact": "opened", "v": 1, "by": "x", "at": 0, "is": junk})


@given(st.data())
@settings(max_examples=200)
def test_a_line_that_was_tampered_with_is_read_or_refused_by_name(data: st.DataObject) -> None:
    """Any one value of any line replaced by anything: an entry, or a bad ledger; never another error."""
    plain = to_plain(data.draw(st.sampled_from(_EVENING)))
    body = plain["is"]
    if body:
        key = data.draw(st.sampled_from(sorted(body)))
        body[key] = data.draw(st.sampled_from([None, -1, "x", [], {}, [1], {"games": []}, {"absent": "N"}, True, 1.5]))
    try:
        entry = from_plain(plain)
    except BadLedger:
        return
    with suppress(LeftbowerError):
        record(_STATE, entry)


_DONE = full_evening()
_EVENING, _STATE = _DONE.ledger, fold(_DONE.ledger[:20])


def test_numbers_are_drawn_before_the_first_round_only() -> None:
    one = desk(Format.ROUND_ROBIN, 4)
    one.pair()
    with pytest.raises(LeftbowerError):
        one.tell(NumbersDrawn(order=("e1", "e2", "e3", "e4")))
    with pytest.raises(LeftbowerError):
        one.tell(Paired(round=9, tables=one.event.round(1).tables))


def test_every_kind_of_fact_is_documented_with_what_it_holds() -> None:
    """docs/tournaments.md has one row for each kind, with its fields in their order."""
    page = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ([`a-z_, –]+) \| .+ \|$", page, re.MULTILINE)
    told = {name: re.findall(r"`(\w+)`", held) for name, held in rows if name in KINDS}
    assert told == {name: [one.name for one in fields(kind)] for name, kind in KINDS.items()}
