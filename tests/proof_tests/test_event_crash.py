"""An evening whose server is killed in round three loses nothing it confirmed; if it did, the proof would notice."""

from pathlib import Path
from typing import Any

from leftbower.web.event.live import idempotency_key
from proofs.crash import recount
from proofs.crash.answer_log import AnswerLog, compare_with_ledger, standings_errors
from proofs.crash.event_crash import run_event_crash_test
from proofs.crash.http_client import Response
from proofs.crash.phones import Form

FAULTS = Path(__file__).with_name("faults.py")


async def test_two_kills_in_round_three_lose_nothing(tmp_path: Path) -> None:
    """What was answered is in the ledger once, nothing else is, and the standings are what a pencil makes of it."""
    report = await run_event_crash_test(str(tmp_path / "store.db"), kills=2, teams=6)
    assert report.examples == ()
    assert (report.lost, report.doubled, report.unanswered, report.wrong, report.stuck) == (0, 0, 0, 0, 0)
    assert report.kills == {"before-commit": 1, "after-commit": 1}
    assert report.resent > 0
    assert report.lines > report.answered > 50


async def test_a_desk_that_answers_before_it_writes_is_caught(tmp_path: Path) -> None:
    """A fraction of a second too early is enough."""
    report = await run_event_crash_test(
        str(tmp_path / "store.db"), kills=1, teams=6, fault=f"{FAULTS}:hasty_desk", timeout=5.0
    )
    assert report.lost > 0


# The check itself, on small ledgers

NS, EW = "table 1 NS", "table 1 EW"
HAND: Form = {"r": "1", "v": "0", "tap": "N5!"}
TOLD: Form = {"r": "1", "v": "4", "do": "tell"}
CONFIRMED: Form = {"r": "1", "v": "5", "do": "confirm"}


def remembered(*taps: tuple[str, Form]) -> AnswerLog:
    """Everybody was answered with yes."""
    memory = AnswerLog()
    for who, form in taps:
        memory.hear(1, who, form, Response(200, b"{}"))
    return memory


def line(who: str, form: Form, fact: str, **told: Any) -> dict[str, Any]:
    """A line of a ledger."""
    return {
        "fact": fact,
        "by": who,
        "request_id": idempotency_key(form),
        "data": {"round": 1, "table": 1, "side": who[-2:]} | told,
    }


LONER = line(NS, HAND, "hand-reported", hand={"maker": "N", "makers_tricks": 5, "alone": True, "defended_alone": False})
WHOLE = [LONER, line(NS, TOLD, "score-proposed"), line(EW, CONFIRMED, "score-confirmed")]


def counts(memory: AnswerLog, ledger: list[dict[str, Any]]) -> dict[str, int]:
    return {what: len(told) for what, told in compare_with_ledger(memory, ledger).items() if told}


def test_a_tap_that_is_missing_another_one_or_there_twice_is_noticed() -> None:
    memory = remembered((NS, HAND), (NS, TOLD), (EW, CONFIRMED))
    assert counts(memory, WHOLE) == {}
    assert counts(memory, WHOLE[1:]) == {"lost": 1}
    assert counts(memory, [*WHOLE, LONER]) == {"doubled": 1}
    passed = line(NS, HAND, "hand-reported", hand={})
    assert counts(memory, [passed, *WHOLE[1:]]) == {"lost": 1}
    elsewhere = LONER | {"data": LONER["data"] | {"round": 2}}
    assert counts(memory, [elsewhere, *WHOLE[1:]]) == {"lost": 1}
    assert counts(remembered((NS, HAND), (NS, TOLD)), WHOLE) == {"unheard": 1}
    memory.desk.append({"do": "draw", "v": "9"})
    assert counts(memory, WHOLE) == {"lost": 1}


def test_the_same_answer_twice_is_one_tap_and_a_refusal_is_wrong() -> None:
    memory = remembered((NS, HAND), (NS, HAND))
    assert memory.hands == {(1, 1): ["N5!"]}
    assert memory.wrong == []
    memory.hear(1, NS, TOLD, Response(409, b"stale"))
    assert memory.wrong == [f"{NS} sent {TOLD} and was answered with 409: stale"]


def test_points_are_added_up_with_a_pencil() -> None:
    assert recount.game_score(["N3", "S5", "E5!", "W3!", "p"]) == (3, 5)
    assert recount.game_score(["N2", "E2!", "W2"]) == (4, 2)


def test_standings_that_a_pencil_does_not_make_are_noticed() -> None:
    memory = remembered((NS, HAND), (NS, HAND | {"v": "2"}), (NS, HAND | {"v": "3"}), (NS, TOLD), (EW, CONFIRMED))
    people = [{"fact": "entrant-added", "by": "desk", "data": {"entrant": one, "name": one * 2}} for one in "ab"]
    seats = {"N": "a", "E": "b", "S": "a", "W": "b"}
    drawn = {"fact": "round-drawn", "by": "desk", "data": {"round": 1, "tables": [{"table": 1, "seats": seats}]}}
    best = {"entrant": "aa", "matches": "1", "played": 1, "points": 12, "conceded": 0}
    last = {"entrant": "bb", "matches": "0", "played": 1, "points": 0, "conceded": 12}
    ledger = [*people, drawn]
    assert standings_errors(memory, ledger, [best, last]) == []
    assert len(standings_errors(memory, ledger, [best | {"points": 8}, last])) == 1
    assert standings_errors(memory, ledger, [last, best]) == [
        "the standings are not in the order of matches, and then of those of opponents"
    ]
