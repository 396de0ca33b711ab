"""Ratings find the true strength of simulated people, and a strong partner lends nobody a rating."""

from itertools import pairwise
from random import Random

import pytest

from event_ledger import new_ledger
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.season.commands import add_table
from leftbower.tournament.season.exports import shown_ratings
from leftbower.tournament.season.facts import EveningRemoved, PlayerErased, RatingChosen
from leftbower.tournament.season.live import LiveMatch, LiveTable
from leftbower.tournament.season.plan import SeasonPlan
from leftbower.tournament.season.ratings import RatedMatch, rate_pairs, rate_people, season_matches
from leftbower.tournament.season.standings import season_standings
from season_ledger import SeasonLedger

SPREAD = 200.0
"""Standard deviation of true strength; the luck of a match has the same."""


def match(rng: Random, strength: dict[str, float], ours: tuple[str, str], theirs: tuple[str, str]) -> RatedMatch:
    """A match that the stronger side wins unless luck decides otherwise."""
    ahead = sum(strength[name] for name in ours) - sum(strength[name] for name in theirs)
    return RatedMatch(sides=(ours, theirs), winner=0 if ahead + rng.gauss(0, SPREAD) > 0 else 1)


def random_matches(rng: Random, strength: dict[str, float], people: list[str], games: int) -> list[RatedMatch]:
    """Every person plays this number of games, with random partners and opponents."""
    matches = []
    for _ in range(games):
        rng.shuffle(people)
        fours = [people[start : start + 4] for start in range(0, len(people), 4)]
        matches += [match(rng, strength, (four[0], four[1]), (four[2], four[3])) for four in fours]
    return matches


def rank_correlation(first: dict[str, float], second: dict[str, float]) -> float:
    """Spearman's, for values without ties."""
    orders = [sorted(each, key=each.__getitem__) for each in (first, second)]
    places = [{name: place for place, name in enumerate(order)} for order in orders]
    count = len(first)
    squares = sum((places[0][name] - places[1][name]) ** 2 for name in first)
    return 1 - 6 * squares / (count * (count**2 - 1))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_400_people_with_random_partners_rank_as_they_are(seed: int) -> None:
    """60 games each; the errors are honest too: about two in three are within one standard error."""
    rng = Random(seed)
    strength = {f"p{number}": rng.gauss(0, SPREAD) for number in range(400)}
    lines = rate_people(random_matches(rng, strength, list(strength), 60))
    rated = {line.players[0]: line.rating + line.error / 1e6 for line in lines}
    assert rank_correlation(rated, strength) >= 0.9
    near = sum(abs(line.rating - 1500 - strength[line.players[0]]) <= line.error for line in lines)
    assert 0.55 <= near / 400 <= 0.85
    assert all(line.matches == 60 for line in lines)


@pytest.mark.parametrize("seed", range(8))
def test_a_fixed_strong_partner_does_not_lift_a_rating_beyond_its_error(seed: int) -> None:
    """An average player who only ever plays with a far stronger one, among 40 who change partners."""
    rng = Random(seed)
    people = [f"x{number}" for number in range(40)]
    strength = {name: rng.gauss(0, SPREAD) for name in people} | {"average": 0.0, "strong": 2 * SPREAD}
    matches = []
    for _ in range(60):
        matches += random_matches(rng, strength, people, 1)
        matches.append(match(rng, strength, ("average", "strong"), (people[0], people[1])))
    rated = {line.players[0]: line for line in rate_people(matches)}
    lifted = rated["average"]
    assert lifted.rating - 1500 <= lifted.error
    assert lifted.error > 1.3 * rated["x0"].error
    assert lifted.safe_rating <= 1500
    [pair] = [line for line in rate_pairs(matches) if line.players == ("average", "strong")]
    assert pair.rating > 1600  # as a pair they are strong
    assert pair.matches == 60


def rated_season(*, ratings: bool = True) -> SeasonLedger:
    season = SeasonLedger(SeasonPlan(title="Rated", ratings=ratings))
    rng = Random(7)
    for week in range(1, 4):
        evening = new_ledger(Format.PODS, ["Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gus", "Hal"], rounds=3)
        evening.pair()
        for drawn in evening.event.rounds:
            for seating in drawn.tables:
                evening.score(drawn.number, seating.table, rng.choice([(10, 4), (7, 10)]))
        season.add(f"week{week}", evening)
    return season


def test_ratings_are_off_by_default() -> None:
    assert not SeasonPlan(title="Any").ratings
    assert shown_ratings(rated_season(ratings=False).view) == ((), ())


def test_who_opts_out_or_is_erased_has_no_rating() -> None:
    season = rated_season()
    people, _ = shown_ratings(season.view)
    assert {season.view.names[line.players[0]] for line in people} >= {"Ann", "Bob", "Cid"}
    assert all(better.safe_rating >= worse.safe_rating for better, worse in pairwise(people))
    ann, bob = season.player("Ann"), season.player("Bob")
    season.record(RatingChosen(player=ann, rated=False), PlayerErased(player=bob))
    people, pairs = shown_ratings(season.view)
    assert len(people) == 6
    assert not {ann, bob} & {player for line in (*people, *pairs) for player in line.players}
    assert all("" in side for match in season_matches(season.view) for side in match.sides if len(set(side)) < 2)
    season.record(RatingChosen(player=ann, rated=True))
    assert len(shown_ratings(season.view)[0]) == 7


def test_matches_at_live_tables_count_for_the_ratings_alone() -> None:
    """Their chairs are people; a bot, and a player who opted out, is a stranger."""
    season = rated_season()
    before = {line.name: line.total for line in season_standings(season.view)}
    table = LiveTable(
        title="Friday",
        names={"x1": "Ann", "x2": "Bob", "x3": "Cid"},
        matches=(LiveMatch(sides=(("x1", "x2"), ("x3", "")), winner=0),) * 5,
    )
    season.live["t1"] = table
    season.record(*add_table(season.view, "t1"))
    assert not season.view.unconfirmed("t1")
    played = {season.view.names[line.players[0]]: line.matches for line in shown_ratings(season.view)[0]}
    assert (played["Ann"], played["Cid"], played["Dot"]) == (14, 14, 9)
    assert {line.name: line.total for line in season_standings(season.view)} == before
    season.record(RatingChosen(player=season.player("Cid"), rated=False))
    *_, last = season_matches(season.view)
    assert last.sides == ((season.player("Ann"), season.player("Bob")), ("", ""))
    season.record(EveningRemoved(event="t1"))
    assert len(list(season_matches(season.view))) == 18
