"""Draws of large fields: fair, linear in their matches by a count of calls, and refused beforehand beyond the limit."""

import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations

import pytest

from event_ledger import EventLedger, new_ledger, played
from leftbower.errors import BadPlan
from leftbower.printing import PRINTOUTS
from leftbower.rules import preset
from leftbower.tournament.formats.limits import MAX_ENTRANTS, MAX_MATCHES_PER_DRAW
from leftbower.tournament.formats.meetings import meetings
from leftbower.tournament.formats.pairing import is_stage_finished, iter_next_rounds, next_rounds
from leftbower.tournament.formats.progressive import progressive, remaining_rounds as rest_of_progressive
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.formats.round_robin import remaining_rounds, round_robin
from leftbower.tournament.formats.schedules.bracket import Bracket, elimination_round
from leftbower.tournament.formats.swiss import swiss_round
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import DrawDiscarded, EntrantAdded, PresenceMarked, ScoreEntered
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.seating import Pairings
from leftbower.tournament.model.table_map import PairMap, TableMap
from leftbower.tournament.scoring.audit import audit
from leftbower.tournament.scoring.standings import standings


def names(count: int) -> list[str]:
    return [f"t{number}" for number in range(count)]


def calls(work: Callable[[], object], only: object = None) -> int:
    """How many calls some work makes, of Python functions and of those in C, or of one of those only."""
    count = 0

    def profile(frame: object, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call") and only in (None, arg)

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


# Fairness


@pytest.mark.parametrize("teams", [*range(2, 70), 99, 100, 129, 130, 199, 200])
def test_a_circle_draw_is_fair_in_meetings_byes_tables_and_sides(teams: int) -> None:
    """Every pair once, byes within one, each table twice (thrice where n-1 divides by 3), both sides equally."""
    rounds = round_robin(names(teams))
    met = meetings(rounds)
    assert met.opponents == Counter(map(frozenset, combinations(names(teams), 2)))
    assert set(met.byes.values()) <= {1}
    assert len(met.byes) == (teams if teams % 2 else 0)
    assert max(met.tables.values()) <= (3 if teams % 2 == 0 and (teams - 1) % 3 == 0 else 2)
    north = Counter(seating.entrants[0] for drawn in rounds for seating in drawn.tables)
    assert all(abs(2 * north[team] - met.played[team]) <= 1 for team in names(teams))


def test_the_first_rounds_of_a_large_round_robin_are_the_same() -> None:
    """A plan with fewer rounds draws only those."""
    assert round_robin(names(30), 4) == round_robin(names(30))[:4]
    assert len(round_robin(names(1000), 3)) == 3


def rest_is_whole(teams: list[str], played_rounds: tuple[Pairings, ...], drawn: list[str]) -> int:
    """Check that the rest brings every open pair together once, and give its number of rounds."""
    before = meetings(played_rounds)
    rest = remaining_rounds(teams, before, drawn)
    for round_ in rest:
        seated = [team for seating in round_.tables for team in seating.entrants] + list(round_.byes)
        assert len(set(seated)) == len(seated)
    every = set(map(frozenset, combinations(teams, 2)))
    assert meetings(rest).opponents == Counter(every - before.opponents.keys())
    return len(rest)


@pytest.mark.parametrize("teams", [5, 6, 9, 10, 16, 23, 40])
@pytest.mark.parametrize("done", [1, 2, 4])
def test_a_round_robin_drawn_again_takes_few_rounds(teams: int, done: int) -> None:
    """The same teams: the rounds that were left. With others: at most one more than the busiest team needs."""
    field = names(teams)
    first = round_robin(field)[:done]
    assert rest_is_whole(field, first, field) == len(round_robin(field)) - done
    for changed in (field[1:], [*field, "late"], [*field[2:], "late"], [*field, "late", "later"]):
        open_pairs = set(map(frozenset, combinations(changed, 2))) - meetings(first).opponents.keys()
        busiest = max(Counter(team for pair in open_pairs for team in pair).values())
        assert rest_is_whole(changed, first, field) <= busiest + 1
        assert rest_is_whole(changed[::-1], first, []) <= busiest + 2


def test_a_redrawn_large_field_computes_only_the_rounds_played() -> None:
    """No two meet twice, and a team that does not play sits out."""
    field = names(500)
    first = round_robin(field, 2)
    rest = remaining_rounds([*field[1:], "late"], meetings(first), field, rounds=3)
    assert len(rest) == 3
    assert max(meetings((*first, *rest)).opponents.values()) == 1
    for round_ in rest:
        assert sum(len(seating.entrants) for seating in round_.tables) + len(round_.byes) == 500
        assert len(round_.byes) <= 4


def test_a_draw_again_through_the_desk_keeps_what_was_played() -> None:
    """A team leaves after two rounds: the others meet those they have not met, and no two meet twice."""
    ledger = new_ledger(Format.ROUND_ROBIN, 8)
    ledger.pair()
    for number, table in [key for key in ledger.event.open_tables() if key[0] <= 2]:
        ledger.score(number, table, (10, 5))
    ledger.record(PresenceMarked(entrant="e3", presence=EntrantPresence.WITHDRAWN))
    ledger.record(DrawDiscarded(round=3, why="a team left"))
    assert not is_stage_finished(ledger.event)
    ledger.pair()
    met = meetings(ledger.event.rounds).opponents
    left = [entrant for entrant in ledger.event.entrants if entrant != "e3"]
    assert set(map(frozenset, combinations(left, 2))) <= set(met)
    assert max(met.values()) == 1
    for number, table in ledger.event.open_tables():
        ledger.score(number, table, (10, 5))
    assert is_stage_finished(ledger.event)


@pytest.mark.parametrize("teams", [301, 402])
def test_a_large_swiss_field_meets_equals_without_repeats(teams: int) -> None:
    """Four rounds in blocks: no repeats, one bye each at most, nearly all matches between equal scores."""
    who = names(teams)
    drawn: list[Pairings] = []
    scores = dict.fromkeys(who, Fraction(0))
    for turn in range(4):
        round_ = swiss_round(sorted(who, key=lambda team: -scores[team]), scores, meetings(drawn))
        drawn.append(round_)
        assert 2 * len(round_.tables) + len(round_.byes) == teams
        unequal = sum(scores[seating.entrants[0]] != scores[seating.entrants[1]] for seating in round_.tables)
        assert unequal <= 8
        for number, seating in enumerate(round_.tables):
            scores[seating.entrants[(number + turn) % 2]] += 1
        for team in round_.byes:
            scores[team] += 1
    met = meetings(drawn)
    assert max(met.opponents.values()) == 1
    assert max(met.byes.values(), default=0) <= 1


# Work, counted in calls


def test_a_round_robin_draw_is_linear_in_its_matches() -> None:
    """Twice the teams are four times the matches, and no more than that of work."""
    assert calls(lambda: round_robin(names(80))) < 4.5 * calls(lambda: round_robin(names(40)))


def test_a_round_robin_drawn_again_is_linear_in_its_matches() -> None:
    """With a team that came late."""

    def again(count: int) -> int:
        met = meetings(round_robin(names(count))[:3])
        return calls(lambda: remaining_rounds([*names(count), "late"], met, names(count)))

    assert again(80) < 4.7 * again(40)


def test_the_audit_of_a_draw_is_linear_in_its_matches() -> None:
    def audited(count: int) -> int:
        rounds = round_robin(names(count))
        return calls(lambda: audit(rounds, names(count), singles=False))

    assert audited(80) < 4.5 * audited(40)


def test_the_printed_audit_sorts_the_tables_of_a_draw_once() -> None:
    """And not once for each team, which took 18 s of a thousand players."""

    def printed(count: int) -> int:
        ledger = new_ledger(Format.ROUND_ROBIN, count)
        ledger.pair()
        return calls(lambda: PRINTOUTS["audit"](ledger.event), only=sorted)

    assert printed(24) == printed(12)


def test_a_draw_computes_each_round_when_it_is_asked_for() -> None:
    """The first of 139 rounds takes a small part of the work of all, so that a draw can be stopped between two."""
    event = large(Format.ROUND_ROBIN, 140).event
    assert calls(lambda: next(iter_next_rounds(event))) < calls(lambda: list(iter_next_rounds(event))) / 20
    assert tuple(iter_next_rounds(event)) == next_rounds(event)


def scored(teams: int) -> EventLedger:
    """A round robin in which North always wins."""
    ledger = new_ledger(Format.ROUND_ROBIN, teams)
    ledger.pair()
    for number, table in ledger.event.open_tables():
        ledger.record(ScoreEntered(round=number, table=table, score=played((10, 4))))
    return ledger


def test_standings_of_a_round_robin_are_linear_in_its_matches() -> None:
    """Where most are level as well: before the first score, and when all have won about as much."""
    small, large = scored(12), scored(24)
    assert calls(lambda: standings(large.event)) < 5 * calls(lambda: standings(small.event))
    before = [new_ledger(Format.ROUND_ROBIN, count).event for count in (30, 60)]
    work = [calls(partial(standings, event)) for event in before]
    assert work[1] < 3 * work[0]


def test_a_swiss_round_is_linear_in_its_teams_beyond_one_block() -> None:
    def drawn(count: int) -> int:
        scores = {team: Fraction(number * 4 // count) for number, team in enumerate(names(count))}
        order = sorted(names(count), key=lambda team: -scores[team])
        return calls(lambda: swiss_round(order, scores, meetings([])))

    drawn(10)  # the matching is imported by the first draw
    assert drawn(480) < 3 * drawn(240)


def test_a_bracket_round_is_linear_in_its_teams() -> None:
    """With a bye for nearly every team."""

    def drawn(count: int) -> int:
        bracket = Bracket(seeds=tuple(names(count)), winners={})
        return calls(lambda: elimination_round(bracket))

    assert drawn(257) < 3 * drawn(129)


def test_a_progressive_evening_drawn_again_rotates_tables_once() -> None:
    """Of all the ways that are tried only the best is given its tables."""
    met = meetings(progressive(names(28))[:2])
    assert calls(lambda: rest_of_progressive(names(28), 8, met)) < 16 * calls(lambda: progressive(names(28)))


def test_a_score_copies_only_the_round_it_is_in() -> None:
    """All other rounds are shared with the event before it, so that a long ledger folds in linear time."""
    ledger = new_ledger(Format.ROUND_ROBIN, 6)
    ledger.pair()
    ledger.score(1, 1, (10, 2))
    before = ledger.event
    ledger.score(2, 1, (10, 2))
    assert ledger.event.score_states.parts[1] is before.score_states.parts[1]
    assert ledger.event.hall.versions.parts[1] is before.hall.versions.parts[1]
    assert set(before.score_states) == {(1, 1)}
    assert set(ledger.event.score_states) == {(1, 1), (2, 1)}


def test_a_table_map_is_a_mapping_by_round_and_table() -> None:
    """Put and drop leave the map before them as it was."""
    empty: TableMap[str] = PairMap()
    full = empty.put((1, 1), "a").put((1, 2), "b").put((2, 1), "c")
    assert dict(full) == {(1, 1): "a", (1, 2): "b", (2, 1): "c"} == full
    assert (len(empty), len(full), len(full.drop((1, 1)))) == (0, 3, 2)
    assert 2 not in full.drop((2, 1)).parts
    assert full.drop((3, 3)) == full
    assert full.get((9, 9)) is None
    assert repr(empty.put((1, 2), "b")) == "PairMap({(1, 2): 'b'})"


# Refusals


def large(format: Format, count: int, rounds: int = 0) -> EventLedger:
    """An event with many entrants, in two schools."""
    ledger = EventLedger(default_plan("A large event", preset("club"), Stage(format=format, rounds=rounds)))
    for number in range(1, count + 1):
        ledger.record(EntrantAdded(entrant=f"e{number}", name=f"T{number}", school=("East", "West")[number % 2]))
    ledger.seed()
    return ledger


@pytest.mark.parametrize("format", Format)
def test_every_format_draws_1000_entrants_or_refuses_early(format: Format) -> None:
    """Every entrant plays or sits out in each drawn round; a refusal takes less work than the entries did."""
    ledger = large(format, MAX_ENTRANTS)
    if format in (Format.ROUND_ROBIN, Format.PROGRESSIVE, Format.CHART):

        def refused() -> None:
            with pytest.raises(BadPlan, match="1000"):
                next_rounds(ledger.event)

        assert calls(refused) < 20 * MAX_ENTRANTS
        return
    for drawn in next_rounds(ledger.event):
        seated = [entrant for seating in drawn.tables for entrant in seating.entrants]
        assert len({*seated, *drawn.byes}) == MAX_ENTRANTS


def test_a_round_robin_is_limited_by_its_matches() -> None:
    """141 teams meet in 9,870 matches; 142 do not, unless the plan has fewer rounds."""
    assert 141 * 140 // 2 <= MAX_MATCHES_PER_DRAW < 142 * 141 // 2
    with pytest.raises(BadPlan, match="10,011 matches, the limit is 10,000"):
        next_rounds(large(Format.ROUND_ROBIN, 142).event)
    assert len(next_rounds(large(Format.ROUND_ROBIN, 142, rounds=2).event)) == 2
