"""The registry of formats: complete, named once, documented, and read by everything that asks about a format."""

import ast
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from event_ledger import EventLedger, played
from leftbower.rules import preset
from leftbower.tournament.formats.pairing import is_stage_finished, planned_rounds
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.choices import TieBreak
from leftbower.tournament.model.codec import entry_from_json, entry_to_json
from leftbower.tournament.model.facts import EntrantAdded, ScoreEntered
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.reducer import replay
from leftbower.tournament.scoring.scores import NoShow
from leftbower.tournament.scoring.standings import standings
from leftbower.tournament.text.parse import parse_choice

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / "src" / "leftbower"
REGISTRY = SOURCE / "tournament" / "formats" / "registry.py"


def test_every_format_in_the_registry_is_found_by_its_key() -> None:
    for format_ in Format:
        assert format_.name == format_.definition.key.upper().replace("-", "_")
        assert parse_choice(Format, format_.definition.key, "format") is format_
        assert str(format_) == format_.value == format_.definition.key
        assert pickle.loads(pickle.dumps(format_)) is format_


def test_wire_names_of_formats_stay() -> None:
    """Ledgers of earlier evenings name them; a new one goes anywhere."""
    written = {"round-robin", "schools", "progressive", "winners-move", "chart", "swiss", "knockout", "double"}
    assert written <= {format_.value for format_ in Format}


def test_default_tie_breaks_ask_each_question_once_and_end_by_lot() -> None:
    for format_ in Format:
        tie_breaks = format_.definition.tie_breaks
        assert len(set(tie_breaks)) == len(tie_breaks)
        assert tie_breaks[-1] is TieBreak.DRAW
        assert (TieBreak.BRACKET in tie_breaks) is format_.definition.bracket


def test_every_format_is_documented_as_the_registry_describes_it() -> None:
    """docs/tournament/formats.md has one row for each, in the registry's order."""
    page = (REPOSITORY / "docs" / "tournament" / "formats.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^\| format \| for \| how they meet \| in detail \|\n\|[-|]+\|\n((?:\|.+\|\n)+)", page, re.M)
    rows = [tuple(cell.strip() for cell in row.strip("|").split("|")[:3]) for row in table.splitlines()]
    expected = [
        (f"`{format_}`", "single players" if format_.definition.singles else "teams", format_.definition.description)
        for format_ in Format
    ]
    assert sorted(rows) == sorted(expected)


def test_the_help_lists_every_format_of_the_registry(
    leftbower: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = " ".join(leftbower("tournament", "new", "--help").stdout.split())
    [teams, players] = re.findall(r"Formats for teams: (.+?)\. For single players: (.+?)\.", text)[0]
    for listed, singles in ((teams, False), (players, True)):
        words = re.split(", | and ", listed)
        assert words == [str(format_) for format_ in Format if format_.definition.singles is singles]


# Traits instead of comparisons


def comparisons(path: Path) -> Iterator[str]:
    """Every place where a module asks which format it has: a comparison or a pattern with a member of `Format`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        asked = [*node.comparators, node.left] if isinstance(node, ast.Compare) else []
        asked += [node.value] if isinstance(node, ast.MatchValue) else []
        for inner in (inner for expression in asked for inner in ast.walk(expression)):
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == "Format":
                yield f"{path.name}: {ast.unparse(inner)}"


def test_no_module_asks_which_format_it_has() -> None:
    """A format that is not in a comparison cannot be forgotten there: traits stand in its definition."""
    assert [found for path in sorted(SOURCE.rglob("*.py")) for found in comparisons(path)] == []


@pytest.mark.parametrize(
    "line",
    [
        "stage.format is Format.SWISS",
        "stage.format in (Format.SWISS, Format.CHART)",
        "match stage.format:\n    case Format.SWISS: pass",
    ],
)
def test_the_check_of_comparisons_finds_a_planted_one(line: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(f"{line}\n", encoding="utf-8")
    assert "planted.py: Format.SWISS" in comparisons(tmp_path / "planted.py")


def test_every_definition_is_registered_once() -> None:
    """Each module with a subclass of `TournamentFormat` is imported by the registry."""
    formats = {path.stem for path in REGISTRY.parent.glob("*.py") if "(TournamentFormat):" in path.read_text()}
    imported = set(re.findall(r"^from leftbower\.tournament\.formats\.(\w+) import", REGISTRY.read_text(), re.M))
    assert imported == formats | {"base"}
    assert len({id(format_.definition) for format_ in Format}) == len(Format)


# Events


@pytest.mark.parametrize("format_", Format)
@pytest.mark.parametrize("count", [8, 12])
def test_an_event_of_every_format_is_played_through_its_ledger(format_: Format, count: int) -> None:
    """It ends after the rounds planned, or a second final; the ledger read back from JSON is the same event."""
    ledger = EventLedger(default_plan("Friday", preset("club"), Stage(format=format_)))
    for number in range(1, count + 1):
        school = ("East", "West")[number % 2] if format_.definition.by_school else ""
        ledger.record(EntrantAdded(entrant=f"e{number}", name=f"T{number}", school=school))
    ledger.seed()
    planned = planned_rounds(ledger.event)
    while not is_stage_finished(ledger.event):
        drawn = ledger.pair()
        assert len(drawn) == planned if format_.definition.scheduled else len(drawn) == 1
        for round_, table in ledger.event.open_tables():
            absent = (round_ + table) % 7 == 0
            score = NoShow(absent=("EW",)) if absent else played((10, table % 10) if round_ % 2 else (table % 10, 10))
            ledger.record(ScoreEntered(round=round_, table=table, score=score))
    rounds = len(ledger.event.rounds)
    assert rounds == planned or (format_.definition.bracket and rounds < planned + format_.definition.losses)
    assert {line.entrant for line in standings(ledger.event)} == set(ledger.event.entrants)
    assert replay([entry_from_json(entry_to_json(entry)) for entry in ledger.ledger]) == ledger.event
