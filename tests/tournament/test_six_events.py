"""Six evenings from the first entry to the last cent, against sums that are worked out here from the scores alone."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

import pytest

from event_ledger import EventLedger, new_ledger, played
from leftbower.rules import preset
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.commands import draw_rounds, pay_out, start_final
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import (
    EntrantStruck,
    EventClosed,
    EventFact,
    PaymentKind,
    PaymentRecorded,
    PresenceMarked,
    ScoreCorrected,
    ScoreEntered,
    Substituted,
    TieDrawn,
)
from leftbower.tournament.model.plan import Prizes, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.scoring.money import payouts
from leftbower.tournament.scoring.scores import NoShow, Played, Totals
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.display import school_standings
from leftbower.web.event.player import player_view_model
from leftbower.web.event.view_models import Amount


@dataclass
class Recount:
    """Matches won and points of each entrant, and whom they met, added up from the scores as they are entered."""

    won: Counter[str] = field(default_factory=Counter)
    points: Counter[str] = field(default_factory=Counter)
    rounds: Counter[str] = field(default_factory=Counter)
    met: dict[str, list[str]] = field(default_factory=dict)

    def add(self, seating: Seating, points: tuple[int, int], times: int = 1) -> None:
        for side in (0, 1):
            for entrant in seating.entrants_on(side):
                self.won[entrant] += times * (points[side] > points[1 - side])
                self.points[entrant] += times * points[side]
                self.rounds[entrant] += times
                self.met.setdefault(entrant, []).extend(seating.entrants_on(1 - side) if times > 0 else ())

    def opponents_won(self, entrant: str) -> int:
        return sum(self.won[other] for other in self.met.get(entrant, ()))


def points_at(ledger: EventLedger, number: int, table: int) -> tuple[int, int]:
    """The points of both sides in all games of a match."""
    score = ledger.event.settled_score(number, table)
    assert isinstance(score, Played)
    games = [game.points for game in score.games if isinstance(game, Totals)]
    return sum(game[0] for game in games), sum(game[1] for game in games)


def record_all(ledger: EventLedger, facts: Iterator[EventFact] | list[EventFact]) -> None:
    for fact in facts:
        ledger.record(fact)


def play_round(ledger: EventLedger, number: int, rng: Random, recount: Recount) -> None:
    """A random result at every open table of a round; a bye is a match won where the plan says so."""
    round_ = ledger.event.round(number)
    for seating in round_.tables:
        points = (10, rng.randrange(10)) if rng.random() < 0.5 else (rng.randrange(10), 10)
        games = [points] * (ledger.event.best_of_at(number, seating) // 2 + 1)
        ledger.score(number, seating.table, *games)
        recount.add(seating, (points[0] * len(games), points[1] * len(games)))
    recount.won.update(round_.byes if str(ledger.event.plan.bye) == "win" else ())


def prize_night(seed: int) -> tuple[EventLedger, Recount]:
    """Ten teams pay and play; one comes after round 1, another goes home after round 2."""
    rng, recount = Random(seed), Recount()
    prizes = Prizes(cash=(7500, 5000, 2500))
    ties = (TieBreak.MATCHES, TieBreak.POINTS)
    ledger = new_ledger(Format.SWISS, 10, preset("prize-night"), rounds=3, fee=1000, prizes=prizes, ties=ties)
    ledger.pair()
    play_round(ledger, 1, rng, recount)
    ledger.enter("Late & Later")
    ledger.pair()
    assert ledger.event.round(2).byes != ("e11",)
    play_round(ledger, 2, rng, recount)
    ledger.record(PresenceMarked(entrant="e3", presence=EntrantPresence.WITHDRAWN, why="babysitter"))
    ledger.pair()
    play_round(ledger, 3, rng, recount)
    return ledger, recount


def test_a_prize_night_of_eleven_teams_splits_second_and_third_prize() -> None:
    """Two teams tie for second: $50 and $25 make $37.50 each."""
    for seed in range(500):
        ledger, recount = prize_night(seed)
        order = sorted(ledger.event.entrants, key=lambda team: (recount.won[team], recount.points[team]), reverse=True)
        keys = [(recount.won[team], recount.points[team]) for team in order]
        if keys[0] > keys[1] == keys[2] > keys[3]:
            break
    else:
        pytest.fail("no seed has a tie for second")
    lines = standings(ledger.event)
    assert [(int(line.tally.matches), line.tally.points) for line in lines] == keys
    assert [line.place for line in lines[:4]] == [1, 2, 2, 4]
    for team in ledger.event.entrants:
        ledger.record(PaymentRecorded(kind=PaymentKind.FEE, cents=1000, entrant=team))
    assert ledger.event.pot == 11 * 1000
    ledger.record(EventClosed())
    assert payouts(ledger.event).by_entrant() == {order[0]: 7500, **dict.fromkeys({order[1], order[2]}, 3750)}
    record_all(ledger, pay_out(ledger.event))
    assert sum(ledger.event.paid_out.values()) == 15000


def test_a_school_cup_of_nine_and_eleven_teams_adds_up_to_fractions() -> None:
    """Nine match-ups share 20 points, each team is worth a tenth: 5 x 20/9 + 11/10 = 12 19/90, shown as 12.21."""
    ledger = EventLedger(default_plan("A cup", preset("school-cup")))
    ledger.enter(*(f"N{number}a & N{number}b" for number in range(9)), school="North")
    ledger.enter(*(f"S{number}a & S{number}b" for number in range(11)), school="South")
    record_all(ledger, draw_rounds(ledger.event, "seed"))
    [round_] = ledger.event.rounds
    assert (len(round_.tables), len(round_.byes)) == (9, 2)
    for index, seating in enumerate(round_.tables):
        south = next(s for s in (0, 1) if ledger.event.entrants[seating.entrants_on(s)[0]].school == "South")
        game = (10, 6) if (index < 5) == (south == 0) else (6, 10)
        ledger.score(1, seating.table, game, game)
    totals = {row.school: row.total for row in school_standings(ledger.event)}
    assert totals == {"South": Fraction(5 * 20, 9) + Fraction(11, 10), "North": Fraction(4 * 20, 9) + Fraction(9, 10)}
    assert sum(totals.values()) == 22
    assert (Amount(totals["South"]).text, Amount(totals["South"]).exact) == ("12.21", "12 19/90")
    assert (Amount(Fraction(21, 2)).text, Amount(Fraction(21, 2)).exact) == ("10.5", "")


def test_a_campus_evening_of_seven_goes_on_after_a_withdrawal() -> None:
    """The team that left after two of its matches is struck: the others are ranked by their matches with each other."""
    rng, recount = Random(7), Recount()
    ledger = new_ledger(Format.ROUND_ROBIN, 7, preset("campus"), ties=(TieBreak.MATCHES, TieBreak.POINTS))
    ledger.pair()
    for number in (1, 2):
        play_round(ledger, number, rng, recount)
    ledger.record(PresenceMarked(entrant="e7", presence=EntrantPresence.WITHDRAWN))
    record_all(ledger, draw_rounds(ledger.event, "again", redraw=True))
    for number in range(3, len(ledger.event.rounds) + 1):
        play_round(ledger, number, rng, recount)
    ledger.record(EntrantStruck(entrant="e7", why="played less than half"))
    ours = Recount()
    pairs: Counter[frozenset[str]] = Counter()
    for round_ in ledger.event.rounds:
        for seating in round_.tables:
            if "e7" not in seating.entrants:
                pairs[frozenset(seating.entrants)] += 1
                ours.add(seating, points_at(ledger, round_.number, seating.table))
    assert set(pairs.values()) == {1}
    assert len(pairs) == 15
    lines = standings(ledger.event)
    assert {line.entrant: (int(line.tally.matches), line.tally.points) for line in lines} == {
        f"e{number}": (ours.won[f"e{number}"], ours.points[f"e{number}"]) for number in range(1, 7)
    }
    keys = [(ours.won[line.entrant], ours.points[line.entrant]) for line in lines]
    assert keys == sorted(keys, reverse=True)


def test_a_progressive_evening_of_nineteen_ranks_by_points_per_round() -> None:
    """A substitute plays rounds 3 and 4 for a player, who keeps the points; round 1 is corrected at the end."""
    rng, recount = Random(19), Recount()
    ties = (TieBreak.POINTS_PER_ROUND, TieBreak.POINTS)
    ledger = new_ledger(Format.PROGRESSIVE, 19, rounds=6, ties=ties)
    ledger.pair()
    away = ledger.event.round(3).tables[0].entrants[0]
    name = ledger.event.entrants[away].name
    ledger.record(Substituted(entrant=away, player=name, substitute="Zoe", rounds=(3, 4)))
    for number in range(1, 7):
        play_round(ledger, number, rng, recount)
    assert "Zoe" in (ledger.event.player_name(3, away), ledger.event.player_name(4, away))
    seating = ledger.event.round(1).tables[0]
    old = ledger.event.settled_score(1, seating.table)
    assert old is not None
    recount.add(seating, points_at(ledger, 1, seating.table), -1)
    recount.add(seating, (4, 10))
    ledger.record(ScoreCorrected(round=1, table=seating.table, old=old, new=played((4, 10)), why="sheet misread"))
    byes = Counter(player for round_ in ledger.event.rounds for player in round_.byes)
    assert max(byes.values()) == 1
    lines = standings(ledger.event)
    averages = {player: Fraction(recount.points[player], recount.rounds[player]) for player in ledger.event.entrants}
    assert {line.entrant: line.tally.points_per_round for line in lines} == averages
    keys = [(averages[line.entrant], recount.points[line.entrant]) for line in lines]
    assert keys == sorted(keys, reverse=True)


def test_thirty_teams_play_five_swiss_rounds_and_four_a_final() -> None:
    rng, recount = Random(30), Recount()
    ties = (TieBreak.MATCHES, TieBreak.OPPONENTS, TieBreak.POINTS, TieBreak.DRAW)
    ledger = new_ledger(Format.SWISS, 30, preset("prize-night"), rounds=5, ties=ties)
    for number in range(1, 6):
        ledger.pair()
        play_round(ledger, number, rng, recount)
    assert all(len(set(others)) == len(others) == 5 for others in recount.met.values())
    ledger.record(TieDrawn(order=tuple(ledger.event.entrants)))

    def key(team: str) -> tuple[int, int, int, int]:
        number = int(team.removeprefix("e"))
        return recount.won[team], recount.opponents_won(team), recount.points[team], -number

    best = sorted(ledger.event.entrants, key=key, reverse=True)
    assert [line.entrant for line in standings(ledger.event)] == best
    ledger.record(start_final(ledger.event, 4, best_of=1))
    final = Recount()
    while len(ledger.event.rounds) < 7:
        ledger.pair()
        play_round(ledger, len(ledger.event.rounds), rng, final)
    [champion] = [team for team in best[:4] if final.won[team] == 2]
    lines = standings(ledger.event)
    assert lines[0].entrant == champion
    assert {line.entrant for line in lines[:4]} == set(best[:4])
    assert [line.entrant for line in lines[4:]] == best[4:]


def test_a_double_elimination_of_thirteen_ends_when_all_but_one_have_lost_twice() -> None:
    rng, recount = Random(13), Recount()
    ledger = new_ledger(Format.DOUBLE, 13, preset("prize-night"))
    lost: Counter[str] = Counter()
    while max(13 - sum(times > 1 for times in lost.values()), 1) > 1:
        ledger.pair()
        number = len(ledger.event.rounds)
        for seating in ledger.event.round(number).tables:
            assert all(lost[team] < 2 for team in seating.entrants)
        before = Counter(recount.won)
        play_round(ledger, number, rng, recount)
        played_now = [team for seating in ledger.event.round(number).tables for team in seating.entrants]
        lost.update(team for team in played_now if recount.won[team] == before[team])
    [champion] = [team for team in ledger.event.entrants if lost[team] < 2]
    assert standings(ledger.event)[0].entrant == champion
    assert sum(lost.values()) == 24 + lost[champion]


def test_an_online_no_show_is_a_win_that_the_others_are_told() -> None:
    ledger = new_ledger(Format.ROUND_ROBIN, 4, preset("campus"), online=True)
    ledger.pair()
    first = ledger.event.round(1).tables[0]
    came, absent = first.entrants_on(0)[0], first.entrants_on(1)[0]
    ledger.record(ScoreEntered(round=1, table=first.table, score=NoShow(absent=(first.labels[1],))))
    texts = {
        team: player_view_model(ledger.event, Role(kind=RoleKind.PLAYER, subject=team)).rounds[0].score
        for team in (came, absent)
    }
    assert texts == {came: "you won: they didn't show up", absent: "you didn't show up"}
    recount = Recount()
    for number in (1, 2, 3):
        for seating in ledger.event.round(number).tables:
            if (number, seating.table) != (1, first.table):
                ledger.score(number, seating.table, (10, 5), (10, 5))
                recount.add(seating, (20, 10))
    recount.won[came] += 1
    assert {line.entrant: line.tally.matches for line in standings(ledger.event)} == {
        f"e{number}": recount.won[f"e{number}"] for number in range(1, 5)
    }
