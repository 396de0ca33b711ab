"""A season of 24 players over 7 weeks, counted by hand from the text of its rules.

The text: every week the players who came sit in pods of four by their place, three rounds: the first partners the
last, then the third, then the second of the pod. A player scores what their side scores. The best five weeks count.
Of a substitute's points half go to the absent player. Ties: points a round, then the best week. The top four play off
in one more pod, and its points alone decide.
"""

from collections import defaultdict
from fractions import Fraction
from random import Random

from event_ledger import EventLedger, new_ledger, played
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.facts import ScoreCorrected, ScoreEntered, Substituted
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.season.changes import late_corrections
from leftbower.tournament.season.commands import entrant_facts, playoff_plan
from leftbower.tournament.season.facts import PlayoffsStarted
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.standings import playoff_players, season_standings
from season_ledger import SeasonLedger

NAMES = [
    f"{first} {last}" for first in ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay") for last in ("Ash", "Bay", "Elm", "Fir")
]
WEEKS = 7
Points = dict[str, dict[int, dict[int, Fraction]]]
"""By player, week and round, counted by hand."""


def pod_rounds(four: list[str]) -> list[tuple[set[str], set[str]]]:
    """The text: the first partners the last, then the third, then the second."""
    first, second, third, last = four
    return [({first, last}, {second, third}), ({first, third}, {second, last}), ({first, second}, {third, last})]


def play_evening(rng: Random, order: list[str], week: int, hand: Points) -> EventLedger:
    """Play an evening through its ledger, and write every player's points down."""
    ledger = new_ledger(Format.PODS, order, rounds=3)
    ledger.pair()
    assert len(ledger.event.rounds) == 3
    for round_ in ledger.event.rounds:
        for seating in round_.tables:
            four = order[4 * seating.table - 4 : 4 * seating.table]
            sides = pod_rounds(four)[round_.number - 1]
            names = [{ledger.event.names[entrant] for entrant in seating.entrants_on(side)} for side in (0, 1)]
            assert sorted(map(sorted, names)) == sorted(map(sorted, sides))
            points = rng.choice([(10, rng.randrange(10)), (rng.randrange(10), 10)])
            ledger.score(round_.number, seating.table, points)
            for side in (0, 1):
                for name in names[side]:
                    hand[name][week][round_.number] = Fraction(points[side])
    return ledger


def count(hand: Points) -> list[tuple[str, Fraction]]:
    """Names and totals, best first, from the written points alone."""
    rows = []
    for name, weeks in hand.items():
        sums = {week: sum(rounds.values(), Fraction(0)) for week, rounds in weeks.items()}
        rounds = sum(len(each) for each in weeks.values())
        best = sorted(sums.values(), reverse=True)[:5]
        rows.append((sum(best, Fraction(0)), sum(sums.values(), Fraction(0)) / rounds, max(best), name))
    rows.sort(key=lambda row: row[:3], reverse=True)
    return [(name, total) for total, _, _, name in rows]


def test_a_season_of_24_players_equals_a_count_by_hand() -> None:
    rng = Random(2026)
    hand: Points = defaultdict(lambda: defaultdict(dict))
    season = SeasonLedger(SeasonPlan(title="Tuesday", evenings=WEEKS, best=5, playoffs=4))
    for week in range(1, WEEKS + 1):
        order = [name for name, _ in count(hand)] or NAMES
        away = rng.sample(order[:-1], 4) if week in (2, 5) else []
        coming = [name for name in order if name not in away]
        evening = play_evening(rng, coming, week, hand)
        if week == 4:
            substitute_for(evening, "Dot Elm", week, hand)
        season.add(f"week{week}", evening, at=1000.0 * week)
        assert [(line.name, line.total) for line in season_standings(season.view)] == count(hand)
    assert not any(season.view.unconfirmed(f"week{week}") for week in range(1, WEEKS + 1) if week != 4)

    correct_week_2(season, hand)
    assert [(line.name, line.total) for line in season_standings(season.view)] == count(hand)

    check_playoffs(season, hand)


def substitute_for(evening: EventLedger, absent: str, week: int, hand: Points) -> None:
    """Zoe Zinn played rounds 2 and 3 for Dot Elm."""
    entrant = evening.event.find(absent)
    evening.record(Substituted(entrant=entrant.id, player=absent, substitute="Zoe Zinn", rounds=(2, 3)))
    for number in (2, 3):
        hand[absent][week][number] /= 2


def correct_week_2(season: SeasonLedger, hand: Points) -> None:
    """In week 7 the desk finds that table 4 of week 2 was written down the wrong way round."""
    before = dict(count(hand))
    evening = season.events["week2"]
    seating = evening.event.seating(1, 4)
    old = evening.event.settled_score(1, 4)
    assert old is not None
    sides = [[evening.event.names[entrant] for entrant in seating.entrants_on(side)] for side in (0, 1)]
    (first, *_), (second, *_) = sides
    ours, theirs = hand[first][2][1], hand[second][2][1]
    corrected = ScoreCorrected(round=1, table=4, old=old, new=played((int(theirs), int(ours))), why="misread")
    evening.record(corrected, at=7500.0)
    for side, points in zip(sides, (theirs, ours), strict=True):
        for name in side:
            hand[name][2][1] = points
    [change] = late_corrections(season.view)
    assert (change.evening, change.round, change.table, change.is_news) == (2, 1, 4, True)
    assert (change.old, change.new) == (f"{ours}-{theirs}", f"{theirs}-{ours}")
    after = dict(count(hand))
    assert dict(change.totals) == {name: after[name] - before[name] for name in after if after[name] != before[name]}
    assert change.totals


def check_playoffs(season: SeasonLedger, hand: Points) -> None:
    top = [name for name, _ in count(hand)[:4]]
    assert [line.name for line in playoff_players(season.view)] == top
    final = EventLedger(playoff_plan(season.view))
    for fact in entrant_facts(season.view, playoff_players(season.view)):
        final.record(fact)
    final.seed()
    final.pair()
    season.events["final"] = final
    season.record(PlayoffsStarted(event="final"))
    by_hand: dict[str, int] = defaultdict(int)
    for number, (ours, theirs) in enumerate(pod_rounds(top), 1):
        points = (10, 2 + number)
        [seating] = final.event.round(number).tables
        assert {final.event.names[entrant] for entrant in seating.entrants_on(0)} == ours
        final.record(ScoreEntered(round=number, table=1, score=played(points)))
        for side, score in zip((ours, theirs), points, strict=True):
            for name in side:
                by_hand[name] += score
    places = [(final.event.names[line.entrant], line.tally.points) for line in standings(final.event)]
    assert places == sorted(by_hand.items(), key=lambda item: -item[1])
    totals = [line.total for line in season_standings(season.view)]
    assert totals == [total for _, total in count(hand)]  # the playoffs don't change the table
