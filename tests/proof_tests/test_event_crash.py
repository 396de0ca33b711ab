"""An event whose server is killed in round three loses nothing it confirmed; and if it did, the test would notice."""

from pathlib import Path
from typing import Any

from leftbower.server.http.form_data import idempotency_key
from proofs.crash import recount
from proofs.crash.answer_log import AnswerLog, compare_with_ledger, standings_errors
from proofs.crash.event_crash import run_event_crash_test
from proofs.crash.http_client import Response
from proofs.crash.phones import Form

FAULTS = Path(__file__).with_name("faults.py")


async def test_two_kills_in_round_three_lose_nothing(tmp_path: Path) -> None:
    """Everything answered is in the ledger once, nothing else is, and the standings match a recount."""
    report = await run_event_crash_test(str(tmp_path / "store.db"), kills=2, teams=6)
    assert report.examples == ()
    assert (report.lost, report.doubled, report.unanswered, report.wrong, report.stuck) == (0, 0, 0, 0, 0)
    assert report.kills == {"before-commit": 1, "after-commit": 1}
    assert report.resent > 0
    assert report.offline > 0
    assert report.lines > report.answered > 50


async def test_a_desk_that_answers_before_it_writes_is_caught(tmp_path: Path) -> None:
    """A fraction of a second too early is enough."""
    report = await run_event_crash_test(str(tmp_path / "store.db"), kills=1, teams=6, fault=f"{FAULTS}:hasty_desk")
    assert report.lost > 0


# The check itself, on small ledgers

NS, EW = "table 1 NS", "table 1 EW"
HAND: Form = {"round": "1", "version": "0", "tap": "N5!"}
PROPOSED: Form = {"round": "1", "version": "4", "command": "report"}
CONFIRMED: Form = {"round": "1", "version": "5", "command": "confirm"}


def answered(*taps: tuple[str, Form]) -> AnswerLog:
    """Every form was answered with 200."""
    answers = AnswerLog()
    for who, form in taps:
        answers.record(1, who, form, Response(200, b"{}"))
    return answers


def line(who: str, form: Form, fact: str, **data: Any) -> dict[str, Any]:
    """A line of a ledger."""
    return {
        "fact": fact,
        "by": who,
        "request_id": idempotency_key(form),
        "data": {"round": 1, "table": 1, "side": who[-2:]} | data,
    }


LONER = line(NS, HAND, "hand-reported", hand={"maker": "N", "makers_tricks": 5, "alone": True, "defended_alone": False})
WHOLE = [LONER, line(NS, PROPOSED, "score-proposed"), line(EW, CONFIRMED, "score-confirmed")]


def counts(answers: AnswerLog, ledger: list[dict[str, Any]]) -> dict[str, int]:
    return {kind: len(sentences) for kind, sentences in compare_with_ledger(answers, ledger).items() if sentences}


def test_a_tap_that_is_missing_differs_or_is_doubled_is_noticed() -> None:
    answers = answered((NS, HAND), (NS, PROPOSED), (EW, CONFIRMED))
    assert counts(answers, WHOLE) == {}
    assert counts(answers, WHOLE[1:]) == {"lost": 1}
    assert counts(answers, [*WHOLE, LONER]) == {"doubled": 1}
    passed = line(NS, HAND, "hand-reported", hand={})
    assert counts(answers, [passed, *WHOLE[1:]]) == {"lost": 1}
    elsewhere = LONER | {"data": LONER["data"] | {"round": 2}}
    assert counts(answers, [elsewhere, *WHOLE[1:]]) == {"lost": 1}
    assert counts(answered((NS, HAND), (NS, PROPOSED)), WHOLE) == {"unanswered": 1}
    answers.desk.append({"command": "draw", "version": "9"})
    assert counts(answers, WHOLE) == {"lost": 1}


def test_the_same_answer_twice_is_one_tap_and_a_refusal_is_wrong() -> None:
    answers = answered((NS, HAND), (NS, HAND))
    assert answers.hands == {(1, 1): ["N5!"]}
    assert answers.wrong == []
    answers.record(1, NS, PROPOSED, Response(409, b"stale"))
    assert answers.wrong == [f"{NS} sent {PROPOSED} and got 409: stale"]


def test_points_are_recounted() -> None:
    assert recount.game_score(["N3", "S5", "E5!", "W3!", "p"]) == (3, 5)
    assert recount.game_score(["N2", "E2!", "W2"]) == (4, 2)


def test_standings_that_differ_from_a_recount_are_noticed() -> None:
    answers = answered(
        (NS, HAND), (NS, HAND | {"version": "2"}), (NS, HAND | {"version": "3"}), (NS, PROPOSED), (EW, CONFIRMED)
    )
    people = [{"fact": "entrant-added", "by": "desk", "data": {"entrant": key, "name": key * 2}} for key in "ab"]
    seats = {"N": "a", "E": "b", "S": "a", "W": "b"}
    drawn = {"fact": "round-drawn", "by": "desk", "data": {"round": 1, "tables": [{"table": 1, "seats": seats}]}}
    best = {"entrant": "aa", "matches": "1", "played": 1, "points": 12, "conceded": 0}
    last = {"entrant": "bb", "matches": "0", "played": 1, "points": 0, "conceded": 12}
    ledger = [*people, drawn]
    assert standings_errors(answers, ledger, [best, last]) == []
    assert len(standings_errors(answers, ledger, [best | {"points": 8}, last])) == 1
    assert standings_errors(answers, ledger, [last, best]) == [
        "the standings are not ordered by matches won, then by those of the opponents"
    ]
