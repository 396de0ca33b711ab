"""Identity, substitutes, divisions, ties and refusals of a season, each with the numbers written by hand."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from event_ledger import EventLedger, new_ledger
from leftbower import errors
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import ByeValue
from leftbower.tournament.model.facts import EntrantAdded, EntrantRenamed, Substituted
from leftbower.tournament.season.changes import late_corrections
from leftbower.tournament.season.codec import entry_from_json, entry_to_json
from leftbower.tournament.season.commands import evening_facts, evening_plan, next_season
from leftbower.tournament.season.exports import season_csv, season_to_json
from leftbower.tournament.season.facts import (
    DivisionChanged,
    EveningAdded,
    EveningRemoved,
    Identity,
    PlanChanged,
    PlayerErased,
    PlayersConfirmed,
    PlayoffsStarted,
    SeasonClosed,
    SeasonEntry,
    SeasonFact,
    SeasonReopened,
)
from leftbower.tournament.season.plan import Counting, SeasonPlan
from leftbower.tournament.season.standings import playoff_players, promotions, season_standings
from leftbower.tournament.season.validate import record
from season_ledger import SeasonLedger


def pod(names: list[str], *points: tuple[int, int]) -> EventLedger:
    """An evening of one pod: the first partners the last, then the third, then the second."""
    evening = new_ledger(Format.PODS, names, rounds=3)
    evening.pair()
    for number, scored in enumerate(points, 1):
        evening.score(number, 1, scored)
    return evening


def totals(season: SeasonLedger) -> dict[str, str]:
    return {name: str(line.total) for name, line in season.lines.items()}


FOUR = ["Ann", "Bob", "Cid", "Dot"]


def test_a_player_has_the_points_of_their_side() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2), (10, 4), (10, 6)))
    assert totals(season) == {"Ann": "30", "Dot": "20", "Cid": "18", "Bob": "16"}
    assert [line.place for line in season_standings(season.view)] == [1, 2, 3, 4]


def test_the_best_evenings_count_and_coming_counts_besides() -> None:
    season = SeasonLedger(SeasonPlan(title="Season", best=1, attendance=2))
    season.add("one", pod(FOUR, (10, 2), (10, 4), (10, 6)))
    season.add("two", pod(FOUR, (2, 10), (4, 10), (10, 8)))
    assert totals(season) == {"Ann": str(30 + 4), "Bob": str(30 + 4), "Dot": str(20 + 4), "Cid": str(22 + 4)}
    ann, bob = season.lines["Ann"], season.lines["Bob"]
    assert [cell.counts for cell in ann.cells if cell] == [True, False]
    assert [cell.is_top for cell in bob.cells if cell] == [False, True]
    assert (bob.per_round, ann.per_round) == (Fraction(46, 6), Fraction(46, 6))
    assert (bob.place, ann.place) == (1, 1)  # level on everything
    assert bob.moved == 3


def test_points_a_round_and_matches_count_instead_of_points() -> None:
    evening = pod(FOUR, (10, 2), (10, 4))
    by_round = SeasonLedger(SeasonPlan(title="Season", counting=Counting.POINTS_PER_ROUND))
    by_round.add("one", evening)
    assert totals(by_round) == {"Ann": "10", "Cid": "6", "Dot": "7", "Bob": "3"}
    by_match = SeasonLedger(SeasonPlan(title="Season", counting=Counting.MATCHES))
    by_match.add("one", evening)
    assert totals(by_match) == {"Ann": "2", "Cid": "1", "Dot": "1", "Bob": "0"}


def test_a_name_is_confirmed_once_and_not_by_spelling() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(["Ann Ashby", "Bob", "Cid", "Dot"], (10, 2)))
    season.add("two", pod(["Annie Ashby", "Bob", "Cid", "Dot"], (10, 3)))
    assert list(season.view.unconfirmed("two").values()) == ["Annie Ashby"]
    assert totals(season)["Ann Ashby"] == "10"  # until then it doesn't count
    ann = season.player("Ann Ashby")
    assert season.view.suggest("Annie Ashby") == ann
    season.record(PlayersConfirmed(event="two", identities=(Identity(chair="e1", player=ann),)))
    assert totals(season)["Ann Ashby"] == "20"
    season.add("three", pod(["annie  ashby", "Bob", "Cid", "Dot"], (10, 3)))
    assert not season.view.unconfirmed("three")
    assert totals(season)["Ann Ashby"] == "30"


def test_two_people_of_one_name_are_asked_about() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2)))
    evening = new_ledger(Format.PODS, ["Eve", *FOUR[1:]], rounds=3)
    evening.record(EntrantAdded(entrant="e5", name="Ann"))
    evening.record(EntrantRenamed(entrant="e1", name="ANN  "))
    season.add("two", evening)
    assert season.view.unconfirmed("two") == {"e1": "ANN  ", "e5": "Ann"}


def test_an_identity_survives_a_rename_at_the_desk() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2)))
    evening = pod(FOUR, (10, 3))
    season.add("two", evening)
    evening.record(EntrantRenamed(entrant="e1", name="Bobby"))
    evening.record(EntrantRenamed(entrant="e2", name="Ann"))
    assert totals(season)["Ann"] == "20"  # e1 in both evenings


def test_half_of_a_substitutes_points_go_to_the_absent_player() -> None:
    evening = pod(FOUR, (10, 2), (10, 4), (10, 6))
    evening.record(Substituted(entrant="e1", player="Ann", substitute="Zoe", rounds=(2, 3)))
    season = SeasonLedger(SeasonPlan(title="Season", substitute_share=Fraction(1, 3)))
    season.add("one", evening)
    assert totals(season) == {"Ann": "20", "Dot": "20", "Cid": "18", "Bob": "16", "Zoe": "20/3"}
    assert season.lines["Ann"].cells[0] is not None
    assert season.lines["Ann"].cells[0].substituted


def test_a_substitute_who_plays_as_an_entrant_plays_for_the_absent_one() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2)))
    season.add("two", pod(["Zoe", "Bob", "Cid", "Dot"], (10, 3)))
    ann = season.player("Ann")
    season.record(PlayersConfirmed(event="two", identities=(Identity(chair="e1", player="p5", absent=ann),)))
    assert totals(season) == {"Ann": "15", "Dot": "20", "Bob": "5", "Cid": "5"}
    assert season.lines["Ann"].came == 1


def test_results_that_the_desk_credits_to_an_entrant_are_that_ones() -> None:
    evening = new_ledger(Format.PROGRESSIVE, [*FOUR, "Eve"], rounds=5)
    evening.pair()
    [bye] = evening.event.rounds[0].byes
    [seating] = evening.event.rounds[0].tables
    absent = seating.entrants_on(0)[0]
    fact = Substituted(
        entrant=absent,
        player=evening.event.names[absent],
        substitute=evening.event.names[bye],
        rounds=(1, 1),
        credit=bye,
    )
    evening.record(fact)
    evening.score(1, seating.table, (10, 3))
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", evening)
    assert totals(season)[evening.event.names[bye]] == "10"
    assert evening.event.names[absent] not in totals(season)


def test_a_bye_that_is_a_win_counts_as_a_match() -> None:
    evening = new_ledger(Format.SWISS, ["Ann & Bob", "Cid & Dot", "Eve & Fay"], rounds=1, bye=ByeValue.WIN)
    evening.pair()
    evening.score(1, 1, (10, 3))
    season = SeasonLedger(SeasonPlan(title="Season", counting=Counting.MATCHES))
    season.add("one", evening)
    assert sorted(totals(season).values()) == ["0", "0", "1", "1", "1", "1"]


def test_teams_are_ranked_as_teams() -> None:
    evening = new_ledger(Format.SWISS, ["Ann & Bob", "Cid & Dot"], rounds=1)
    evening.pair()
    evening.score(1, 1, (10, 3))
    season = SeasonLedger(SeasonPlan(title="Season", teams=True, playoffs=2))
    season.add("one", evening)
    assert totals(season) == {"Ann & Bob": "10", "Cid & Dot": "3"}
    [first, _] = evening_facts(season.view)
    assert (first.name, first.players) == ("Ann & Bob", ("Ann", "Bob"))


def test_two_move_between_divisions_and_into_the_next_season() -> None:
    season = SeasonLedger(SeasonPlan(title="Season", divisions=("Gold", "Silver"), promoted=1))
    season.add("one", pod(FOUR, (10, 2), (10, 4), (10, 6)))
    for name, division in (("Ann", "Gold"), ("Bob", "Gold"), ("Cid", "Silver"), ("Dot", "Silver")):
        season.record(DivisionChanged(player=season.player(name), division=division))
    places = [(line.division, line.place, line.name) for line in season_standings(season.view)]
    assert places == [("Gold", 1, "Ann"), ("Gold", 2, "Bob"), ("Silver", 1, "Dot"), ("Silver", 2, "Cid")]
    moves = {season.view.names[move.player]: move.division for move in promotions(season.view)}
    assert moves == {"Bob": "Silver", "Dot": "Gold"}
    following = SeasonLedger(season.plan)
    following.events = season.events
    _, *carried = next_season(season.view, season.plan)
    following.record(*carried)
    divisions = {line.name: line.division for line in season_standings(following.view)}
    assert divisions == {"Ann": "Gold", "Dot": "Gold", "Bob": "Silver", "Cid": "Silver"}
    following.add("two", pod(FOUR, (10, 2)))
    assert not following.view.unconfirmed("two")
    assert totals(following)["Ann"] == "10"


def test_a_tie_for_the_last_place_in_the_playoffs_stands() -> None:
    season = SeasonLedger(SeasonPlan(title="Season", playoffs=3))
    season.add("one", pod(FOUR, (10, 2), (10, 2)))  # Ann 20, Cid and Dot 12, Bob 4
    assert [line.name for line in playoff_players(season.view)] == ["Ann", "Cid", "Dot"]
    season.record(PlanChanged(plan=SeasonPlan(title="Season", playoffs=2)))
    with pytest.raises(errors.TieStands, match="Cid and Dot are tied"):
        playoff_players(season.view)
    season.record(PlanChanged(plan=SeasonPlan(title="Season", playoffs=2, needed=2)))
    with pytest.raises(errors.BadPlan, match="there are 0"):
        playoff_players(season.view)


def test_an_erased_player_leaves_no_name() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2)))
    season.record(PlayerErased(player=season.player("Ann")))
    assert totals(season)["Player 1"] == "10"
    assert "Ann" not in season_csv(season.view)
    assert "Ann" not in str(season_to_json(season.view))
    assert "Ann" not in str([entry_to_json(entry) for entry in season.log])
    season.add("two", pod(FOUR, (10, 2)))
    assert list(season.view.unconfirmed("two").values()) == ["Ann"]


def test_the_next_evening_has_the_plan_of_the_last_one() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    assert evening_plan(season.view).stage.format is Format.PODS
    season.add("one", new_ledger(Format.PROGRESSIVE, FOUR, rounds=6, fee=500))
    plan = evening_plan(season.view)
    assert (plan.title, plan.fee, plan.stage.rounds) == ("Season, week 2", 500, 6)


REFUSED: list[tuple[SeasonFact, type[errors.LeftbowerError]]] = [
    (EveningAdded(event="one"), errors.BadEntry),
    (EveningAdded(event="x" * 501), errors.BadPlan),
    (EveningRemoved(event="none"), errors.UnknownEvent),
    (PlayersConfirmed(event="none", identities=(Identity(chair="e1", player="p1"),)), errors.UnknownEvent),
    (PlayersConfirmed(event="one", identities=()), errors.BadEntry),
    (PlayersConfirmed(event="one", identities=(Identity(chair="e1", player="p2"),)), errors.BadEntry),
    (PlayersConfirmed(event="one", identities=(Identity(chair="e1", player="p9"),)), errors.BadEntry),
    (PlayersConfirmed(event="one", identities=(Identity(chair="e1", player="p1", absent="p1"),)), errors.BadEntry),
    (DivisionChanged(player="p1", division="Gold"), errors.BadEntry),
    (DivisionChanged(player="p8", division=""), errors.UnknownEntrant),
    (PlayerErased(player="p4"), errors.BadEntry),
    (PlayoffsStarted(event="one"), errors.BadEntry),
]


@pytest.mark.parametrize(("fact", "error"), REFUSED, ids=lambda part: type(part).__name__)
def test_a_line_that_does_not_fit_is_refused(fact: SeasonFact, error: type[errors.LeftbowerError]) -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2)))
    season.record(PlayerErased(player="p4"))
    before = season.season
    with pytest.raises(error):
        season.record(fact)
    assert season.season == before


def test_nothing_but_privacy_changes_in_a_closed_season() -> None:
    season = SeasonLedger(SeasonPlan(title="Season"))
    season.add("one", pod(FOUR, (10, 2)))
    season.record(SeasonClosed())
    with pytest.raises(errors.SeasonIsClosed):
        season.record(EveningAdded(event="two"))
    season.record(PlayerErased(player="p1"), SeasonReopened(why="a mistake"))
    season.record(EveningRemoved(event="one"))
    assert late_corrections(season.view) == ()
    with pytest.raises(errors.BadLedger):
        record(None, SeasonEntry(fact=SeasonClosed(), by="", at=0.0))


BAD_PLANS: list[dict[str, Any]] = [
    {"title": " "},
    {"evenings": 3, "best": 4},
    {"evenings": 61},
    {"attendance": -1},
    {"absent_share": Fraction(3, 2)},
    {"playoffs": 1},
    {"divisions": ("Gold",)},
    {"divisions": ("Gold", "gold")},
    {"divisions": ("Gold", "x" * 31)},
    {"promoted": 1},
]


@pytest.mark.parametrize("terms", BAD_PLANS, ids=str)
def test_a_plan_that_can_not_be_held_is_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(errors.BadPlan):
        replace(SeasonPlan(title="Season"), **terms)


def test_every_line_of_a_log_survives_json() -> None:
    season = SeasonLedger(SeasonPlan(title="Season", divisions=("Gold", "Silver"), absent_share=Fraction(2, 7)))
    season.add("one", pod(FOUR, (10, 2)))
    season.record(DivisionChanged(player="p1", division="Gold"), PlayoffsStarted(event="final"), SeasonClosed())
    assert [entry_from_json(entry_to_json(entry)) for entry in season.log] == season.log


@given(st.dictionaries(st.sampled_from(["fact", "v", "data", "by", "at"]), st.none() | st.text() | st.integers()))
def test_hostile_lines_are_refused_by_name(plain: dict[str, object]) -> None:
    with pytest.raises(errors.BadLedger):
        entry_from_json(plain)
