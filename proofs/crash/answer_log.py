"""What phones were answered in an evening, and the ledger and standings held against it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from leftbower.web.event.live import idempotency_key
from proofs.crash import recount
from proofs.crash.http_client import Response
from proofs.crash.phones import Form

Place = tuple[int, int]
"""A round and a table."""
Act = tuple[str, str]
"""Who tapped, and the name of what was tapped."""


@dataclass(slots=True)
class AnswerLog:
    """What phones were answered."""

    answered: dict[Act, tuple[int, Form]] = field(default_factory=dict)
    """Each tap with its table."""
    hands: dict[Place, list[str]] = field(default_factory=dict)
    confirmed: set[Place] = field(default_factory=set)
    desk: list[Form] = field(default_factory=list)
    """What the desk sent, and was answered with yes."""
    resent: int = 0
    repeated: int = 0
    wrong: list[str] = field(default_factory=list)

    def hear(self, table: int, who: str, form: Form, response: Response) -> None:
        """Keep in mind what was answered."""
        act = who, idempotency_key(form)
        if response.status != 200:
            self.wrong.append(f"{who} sent {form} and was answered with {response.status}: {response.body.decode()}")
        elif act not in self.answered:
            self.answered[act] = table, form
            place = int(form["r"]), table
            if "tap" in form:
                self.hands.setdefault(place, []).append(form["tap"])
            elif form["do"] == "confirm":
                self.confirmed.add(place)


def compare_with_ledger(memory: AnswerLog, ledger: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What does not agree between a ledger and what phones were answered."""
    tapped = [line for line in ledger if line["by"].startswith("table ")]
    times = Counter((line["by"], line.get("request_id", "")) for line in tapped)
    lines = {(line["by"], line.get("request_id", "")): line for line in tapped}
    done = {line.get("request_id", "") for line in ledger if line["by"] == "desk"}
    lost = [
        f"{who} was answered, and {form} is not in the ledger"
        for (who, act), (table, form) in memory.answered.items()
        if not _tells(lines.get((who, act)), table, form)
    ]
    lost += [
        f"the desk was answered, and {form} is not in the ledger"
        for form in memory.desk
        if idempotency_key(form) not in done
    ]
    return {
        "lost": lost,
        "doubled": [f"{act} of {who} is in the ledger {many} times" for (who, act), many in times.items() if many > 1],
        "unheard": [
            f"{act} of {who} is in the ledger, and nobody was told"
            for who, act in times.keys() - memory.answered.keys()
        ],
    }


def _tells(line: Mapping[str, Any] | None, table: int, form: Form) -> bool:
    """Is this line of the ledger what a form said?"""
    if line is None or (line["data"]["round"], line["data"]["table"]) != (int(form["r"]), table):
        return False
    if "tap" not in form:
        return bool(line["fact"] == {"tell": "score-proposed", "confirm": "score-confirmed"}[form["do"]])
    return bool(line["fact"] == "hand-reported" and _word(line["data"]["hand"]) == form["tap"])


def _word(hand: Mapping[str, Any]) -> str:
    if "maker" not in hand:
        return "p"
    return f"{hand['maker']}{hand['makers_tricks']}{'!' * hand['alone']}"


def standings_errors(
    memory: AnswerLog, ledger: Sequence[Mapping[str, Any]], shown: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Lines of the standings that are not what a pencil makes of the taps that were answered."""
    names = {line["data"]["entrant"]: line["data"]["name"] for line in ledger if line["fact"] == "entrant-added"}
    teams = {
        (line["data"]["round"], one["table"]): (names[one["seats"]["N"]], names[one["seats"]["E"]])
        for line in ledger
        if line["fact"] == "round-drawn"
        for one in line["data"]["tables"]
    }
    matches = [(teams[place], recount.game_score(memory.hands[place])) for place in sorted(memory.confirmed)]
    lines = recount.team_totals(matches)
    found = [
        f"{team} has {line}, and the standings say {told}"
        for team, line in lines.items()
        for told in [next((one for one in shown if one["entrant"] == team), {})]
        if (str(line.matches), line.played, line.points, line.conceded)
        != tuple(told.get(name) for name in ("matches", "played", "points", "conceded"))
    ]
    if not recount.is_ordered([one["entrant"] for one in shown], [pair for pair, _ in matches], lines):
        found.append("the standings are not in the order of matches, and then of those of opponents")
    return found
