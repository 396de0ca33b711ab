"""Responses to phones during an event, compared with its ledger and standings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leftbower.server.http.form_data import idempotency_key
from proofs.crash import recount
from proofs.crash.http_client import Response
from proofs.crash.phones import Form

TableKey = tuple[int, int]
"""A round and a table."""
Tap = tuple[str, str]
"""The phone, and the idempotency key of its form."""


@dataclass(slots=True)
class AnswerLog:
    """Responses to phones and to the desk."""

    answered: dict[Tap, tuple[int, Form]] = field(default_factory=dict)
    """Answered taps, each with its table and form."""
    hands: dict[TableKey, list[str]] = field(default_factory=dict)
    confirmed: set[TableKey] = field(default_factory=set)
    desk: list[Form] = field(default_factory=list)
    """Forms of the desk that were answered with 200."""
    offline: int = 0
    resent: int = 0
    repeated: int = 0
    wrong: list[str] = field(default_factory=list)

    def record(self, table: int, who: str, form: Form, response: Response) -> None:
        tap = who, idempotency_key(form)
        if response.status != 200:
            self.wrong.append(f"{who} sent {form} and got {response.status}: {response.body.decode()}")
        elif tap not in self.answered:
            self.answered[tap] = table, form
            table_key = int(form["round"]), table
            if "tap" in form:
                self.hands.setdefault(table_key, []).append(form["tap"])
            elif form["command"] == "confirm":
                self.confirmed.add(table_key)


def compare_with_ledger(answers: AnswerLog, ledger: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Differences between a ledger and the responses to phones."""
    tapped = [line for line in ledger if line["by"].startswith("table ")]
    times = Counter((line["by"], line.get("request_id", "")) for line in tapped)
    lines = {(line["by"], line.get("request_id", "")): line for line in tapped}
    done = {line.get("request_id", "") for line in ledger if line["by"] == "desk"}
    lost = [
        f"{who} was answered, but {form} is not in the ledger"
        for (who, tap), (table, form) in answers.answered.items()
        if not _matches(lines.get((who, tap)), table, form)
    ]
    lost += [
        f"the desk was answered, but {form} is not in the ledger"
        for form in answers.desk
        if idempotency_key(form) not in done
    ]
    return {
        "lost": lost,
        "doubled": [
            f"{tap} of {who} is in the ledger {count} times" for (who, tap), count in times.items() if count > 1
        ],
        "unanswered": [
            f"{tap} of {who} is in the ledger, but was not answered"
            for who, tap in times.keys() - answers.answered.keys()
        ],
    }


def _matches(line: Mapping[str, Any] | None, table: int, form: Form) -> bool:
    """Does this ledger line match the form?"""
    if line is None or (line["data"]["round"], line["data"]["table"]) != (int(form["round"]), table):
        return False
    if "tap" not in form:
        return bool(line["fact"] == {"report": "score-proposed", "confirm": "score-confirmed"}[form["command"]])
    return bool(line["fact"] == "hand-reported" and _word(line["data"]["hand"]) == form["tap"])


def _word(hand: Mapping[str, Any]) -> str:
    if "maker" not in hand:
        return "p"
    return f"{hand['maker']}{hand['makers_tricks']}{'!' * hand['alone']}"


def standings_errors(
    answers: AnswerLog, ledger: Sequence[Mapping[str, Any]], standings: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Lines of the standings that differ from a recount of the answered taps."""
    names = {line["data"]["entrant"]: line["data"]["name"] for line in ledger if line["fact"] == "entrant-added"}
    teams = {
        (line["data"]["round"], seating["table"]): (names[seating["seats"]["N"]], names[seating["seats"]["E"]])
        for line in ledger
        if line["fact"] == "round-drawn"
        for seating in line["data"]["tables"]
    }
    matches = [
        (teams[table_key], recount.game_score(answers.hands[table_key])) for table_key in sorted(answers.confirmed)
    ]
    lines = recount.team_totals(matches)
    errors = [
        f"{team} has {line}, but the standings say {listed}"
        for team, line in lines.items()
        for listed in [next((entry for entry in standings if entry["entrant"] == team), {})]
        if (str(line.matches), line.played, line.points, line.conceded)
        != tuple(listed.get(name) for name in ("matches", "played", "points", "conceded"))
    ]
    if not recount.is_ordered([entry["entrant"] for entry in standings], [pair for pair, _ in matches], lines):
        errors.append("the standings are not ordered by matches won, then by those of the opponents")
    return errors
