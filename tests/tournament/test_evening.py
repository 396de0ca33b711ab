"""What an evening asks of byes, hands, lists, clocks and entrants who come late or leave."""

from collections import Counter
from fractions import Fraction

import pytest

from event_ledger import EventLedger, new_ledger, played
from leftbower.errors import BadEntry, BadScore
from leftbower.rules import HouseRules, preset
from leftbower.rules.choices import GameEnds
from leftbower.tournament.formats.progressive import progressive
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import PaperScoreEntered, RoundClockSet
from leftbower.tournament.model.choices import ByeValue, TieBreak
from leftbower.tournament.model.entrants import EntrantPresence
from leftbower.tournament.model.facts import EntrantStruck, PaymentKind, PaymentRecorded, PresenceMarked, ScoreCorrected
from leftbower.tournament.scoring.scores import Hands, Played, Totals, check_score
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.csv import parse_pasted
from leftbower.tournament.text.parse import parse_hand

EIGHT_HANDS = HouseRules(game_ends=GameEnds.AFTER_8_HANDS)


def score_open_tables(ledger: EventLedger, number: int) -> None:
    for seating in ledger.event.round(number).tables:
        ledger.score(number, seating.table, (10, seating.table))


def hands(*tokens: str) -> Played:
    return Played(games=(Hands(hands=tuple(map(parse_hand, tokens))),))


# Byes


@pytest.mark.parametrize("format_", [Format.SWISS, Format.WINNERS_MOVE])
def test_a_late_entrant_is_not_the_next_to_sit_out(format_: Format) -> None:
    """Rounds missed count as rounds sat out."""
    ledger = new_ledger(format_, 8, rounds=5)
    ledger.pair()
    score_open_tables(ledger, 1)
    ledger.enter("Late")
    ledger.pair()
    [bye] = ledger.event.round(2).byes
    assert ledger.event.entrants[bye].name != "Late"


def test_a_late_player_of_a_progressive_evening_is_not_the_next_to_sit_out() -> None:
    ledger = new_ledger(Format.PROGRESSIVE, 12, rounds=4)
    ledger.pair()
    score_open_tables(ledger, 1)
    ledger.enter("Late")
    from leftbower.tournament.model.commands import draw_rounds  # noqa: PLC0415

    for fact in draw_rounds(ledger.event, "seed", redraw=True):
        ledger.record(fact)
    assert "Late" not in {ledger.event.entrants[bye].name for round_ in ledger.event.rounds for bye in round_.byes}


def test_nineteen_players_share_the_byes_of_six_rounds() -> None:
    rounds = progressive([f"p{number}" for number in range(19)], 6)
    byes = Counter(player for round_ in rounds for player in round_.byes)
    assert sorted(byes.values()) == [1] * 18
    met = Counter(pair for round_ in rounds for seating in round_.tables for pair in seating.partners())
    assert max(met.values()) == 1


def test_a_plan_can_rank_by_points_per_round_played() -> None:
    """Five players, five rounds: everyone sits out once, so each has four rounds; in round 1 only four have any."""
    ledger = new_ledger(Format.PROGRESSIVE, 5, rounds=5, ties=(TieBreak.POINTS_PER_ROUND, TieBreak.DRAW))
    ledger.pair()
    scores = [(10, 4), (6, 10), (10, 1), (10, 8), (3, 10)]
    for number, points in enumerate(scores, 1):
        ledger.score(number, 1, points)
    expected: dict[str, list[int]] = {}
    for round_, points in zip(ledger.event.rounds, scores, strict=True):
        for side in (0, 1):
            for entrant in round_.tables[0].entrants_on(side):
                expected.setdefault(entrant, []).append(points[side])
    averages = {entrant: Fraction(sum(got), len(got)) for entrant, got in expected.items()}
    lines = standings(ledger.event)
    assert {line.entrant: line.tally.points_per_round for line in lines} == averages
    assert [averages[line.entrant] for line in lines] == sorted(averages.values(), reverse=True)


# Hands


def test_a_game_of_eight_hands_has_eight() -> None:
    check_score(EIGHT_HANDS, 1, hands(*["N3"] * 8), ("NS", "EW"))
    with pytest.raises(BadScore, match="has 8 hands"):
        check_score(EIGHT_HANDS, 1, hands(*["N3"] * 9), ("NS", "EW"))
    with pytest.raises(BadScore, match="has 8 hands"):
        check_score(EIGHT_HANDS, 3, Played(games=(*hands(*["N3"] * 9).games,) * 2), ("NS", "EW"))


def test_only_a_tie_that_must_be_broken_has_a_ninth_hand() -> None:
    tied = ["N3", "E3"] * 4
    check_score(EIGHT_HANDS, 1, hands(*tied), ("NS", "EW"))
    with pytest.raises(BadScore, match="has 8 hands"):
        check_score(EIGHT_HANDS, 1, hands(*tied, "N3"), ("NS", "EW"))
    check_score(EIGHT_HANDS, 3, Played(games=(*hands(*tied, "N3").games,) * 2), ("NS", "EW"))


def test_totals_of_nine_loners_are_no_score_of_eight_hands() -> None:
    check_score(EIGHT_HANDS, 3, Played(games=(Totals(points=(32, 0)),) * 2), ("NS", "EW"))
    with pytest.raises(BadScore, match="8 hands can't end 36-0"):
        check_score(EIGHT_HANDS, 3, Played(games=(Totals(points=(36, 0)),) * 2), ("NS", "EW"))


def test_no_hand_is_passed_out_where_the_dealer_is_stuck() -> None:
    with pytest.raises(BadScore, match="dealer must call"):
        check_score(preset("club"), 1, hands("N5!", "N5!", "p", "N5"), ("NS", "EW"))
    check_score(preset("round-robin"), 1, hands("N5!", "N5!", "p", "N5"), ("NS", "EW"))


# Lists


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann\tBob", ["Ann & Bob"]),
        ("1\tAnn\tBob\tLaw", ["Ann & Bob (Law)"]),
        ("Ann, Bob", ["Ann & Bob"]),
        ("Ann & Bob, Law", ["Ann & Bob (Law)"]),
        ("2. Ann and Bob", ["Ann & Bob"]),
        ("Sammy Davis, Jr.; Bob", ["Sammy Davis, Jr. & Bob"]),
        ("Ann &", ["Ann"]),
    ],
)
def test_rows_of_a_spreadsheet_are_teams(text: str, names: list[str]) -> None:
    listed = parse_pasted(text, singles=False)
    assert [f"{entry.name} ({entry.school})" if entry.school else entry.name for entry in listed] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [("Ann\tSmith", ["Ann Smith"]), ("Ann, Bob, Cid", ["Ann", "Bob", "Cid"]), ("Ann & Bob", ["Ann", "Bob"])],
)
def test_rows_of_a_spreadsheet_are_single_players(text: str, names: list[str]) -> None:
    assert [entry.name for entry in parse_pasted(text, singles=True)] == names


@pytest.mark.parametrize("text", ["A & B & C", ";;;", "Ann\tBob\tLaw\tMed", "Eve & Fay\n&\n"])
def test_a_line_that_is_no_team_is_refused(text: str) -> None:
    with pytest.raises(BadEntry, match="one player or team per line"):
        parse_pasted(text, singles=False)


# The clock


def test_the_clock_stops_with_its_round() -> None:
    ledger = new_ledger(Format.SWISS, 4, rounds=2)
    ledger.pair()
    ledger.record(RoundClockSet(seconds=1500))
    ledger.score(1, 1, (10, 4))
    assert ledger.event.hall.clock is not None
    ledger.record(PaperScoreEntered(round=1, table=2, score=played((10, 2))))
    assert ledger.event.hall.clock is None
    ledger.record(RoundClockSet(seconds=300))  # for the break
    ledger.record(ScoreCorrected(round=1, table=1, old=played((10, 4)), new=played((10, 5)), why="misread"))
    assert ledger.event.hall.clock is not None


# Entrants who are late or leave


def test_late_and_absent_entrants_are_drawn_once_they_are_here() -> None:
    ledger = new_ledger(Format.SWISS, 4, rounds=2)
    for presence in (EntrantPresence.LATE, EntrantPresence.ABSENT):
        ledger.record(PresenceMarked(entrant="e4", presence=presence))
        assert len(ledger.event.drawable_entrants()) == 3
    ledger.record(PresenceMarked(entrant="e4", presence=EntrantPresence.PRESENT))
    assert len(ledger.event.drawable_entrants()) == 4


def test_a_struck_team_takes_its_results_along_and_can_come_back() -> None:
    """A round robin of three: a team that met the struck team has a bye instead."""
    ledger = new_ledger(Format.ROUND_ROBIN, 4, bye=ByeValue.WIN)
    ledger.pair()
    for number in (1, 2, 3):
        score_open_tables(ledger, number)
    before = standings(ledger.event)
    ledger.record(EntrantStruck(entrant="e1", why="went home after one game"))
    lines = {line.entrant: line.tally for line in standings(ledger.event)}
    assert set(lines) == {"e2", "e3", "e4"}
    assert [(tally.played, tally.byes) for tally in lines.values()] == [(2, 1)] * 3
    assert "e1" not in {entrant.id for entrant in ledger.event.drawable_entrants()}
    ledger.record(EntrantStruck(entrant="e1", struck=False))
    assert standings(ledger.event) == before


def test_an_entrant_who_leaves_can_be_freed_of_the_fee() -> None:
    ledger = new_ledger(Format.SWISS, 4, fee=1000)
    ledger.record(PaymentRecorded(kind=PaymentKind.WAIVER, cents=1000, entrant="e4"))
    assert (ledger.event.entrants["e4"].owes, ledger.event.entrants["e4"].paid, ledger.event.pot) == (0, 0, 0)
