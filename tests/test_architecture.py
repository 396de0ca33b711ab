"""The layers of ARCHITECTURE.md hold: the table there is read, and every import in `src` is held against it."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src" / "leftbower"

FRONT_DOOR = "leftbower"
DOORS = {"__init__", "__main__"}
"""Modules beside the packages that belong to no layer: they let people in, and nobody inside imports them."""

IMPURE = {
    *("datetime", "sched", "time", "zoneinfo"),
    *("random", "secrets", "uuid"),
    *("dbm", "fileinput", "glob", "importlib", "io", "logging", "mmap", "os", "pathlib", "runpy", "shelve", "shutil"),
    *("sqlite3", "sys", "tempfile", "zipfile"),
    *("asyncio", "ftplib", "http", "imaplib", "poplib", "select", "selectors", "smtplib", "socket", "socketserver"),
    *("ssl", "urllib", "webbrowser", "wsgiref", "xmlrpc"),
    *("concurrent", "ctypes", "multiprocessing", "platform", "signal", "subprocess", "threading"),
}
"""Clocks, randomness, disk, network, processes, and whatever leads to them."""
ALLOWED = {("rules", "importlib.resources")}
"""The presets are files of the package, read through this and nothing else."""
IMPURE_BUILTINS = {"open", "input", "print", "__import__", "breakpoint"}


@dataclass(frozen=True)
class Layers:
    """The table of ARCHITECTURE.md: which row each package is on, counted from the bottom, and which are pure."""

    rows: dict[str, int]
    pure: frozenset[str]


@dataclass(frozen=True)
class Import:
    """One name imported by one module, with the line it stands on."""

    module: str
    target: str
    line: int


def read_layers(page: str) -> Layers:
    """The rows of the one table that begins with level and package; one level may take several rows."""
    rows: dict[str, int] = {}
    pure: set[str] = set()
    for level, names, lives in re.findall(r"^\| (\d+) \| ([^|]+) \| (.+) \|$", page, re.MULTILINE):
        packages = re.findall(r"`(\w+)`", names)
        assert packages, f"the row of level {level} names no package"
        assert not rows.keys() & set(packages), f"{packages} stand in the table twice"
        rows |= dict.fromkeys(packages, int(level))
        if lives.startswith("**pure.**"):
            pure |= set(packages)
    assert list(rows.values()) == sorted(rows.values()), "the table does not go from the bottom up"
    return Layers(rows, frozenset(pure))


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    """What a module imports, wherever in it: whole modules, as far as a name is one, else the module it comes from."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (Import(module, name.name, node.lineno) for name in names)
            case ast.ImportFrom(module=origin, names=names, level=level):
                if level:
                    above = package.split(".")[: len(package.split(".")) - level + 1]
                    origin = ".".join([*above, origin] if origin else above)
                for name in names:
                    whole = f"{origin}.{name.name}"
                    yield Import(module, whole if whole in known or origin == "importlib" else str(origin), node.lineno)


def violations(source: Path, layers: Layers) -> list[str]:
    """Every break of the layers in one sentence each; none in a sound tree."""
    known = modules(source)
    found = list(_strays(known, layers))
    everything = [one for module, path in known.items() for one in imports(module, path, known)]
    for one in everything:
        found += _breaks(one, layers)
    for module, path in known.items():
        if _package_of(module) in layers.pure:
            found += _impure_calls(module, path)
    return found + _cycles(everything, known)


def _package_of(module: str) -> str:
    """The layer a module belongs to; empty for the front door."""
    parts = module.split(".")
    return "" if len(parts) == 1 or parts[1] in DOORS else parts[1]


def _strays(known: dict[str, Path], layers: Layers) -> Iterator[str]:
    packages = {_package_of(module) for module in known} - {""}
    yield from (f"{package} is not in the table" for package in sorted(packages - layers.rows.keys()))


def _breaks(one: Import, layers: Layers) -> Iterator[str]:
    where = f"{one.module}:{one.line}"
    ours = _package_of(one.module)
    if one.target.partition(".")[0] != FRONT_DOOR:
        if ours in layers.pure and _leads_out(ours, one.target):
            yield f"{where} is pure and imports {one.target}"
        return
    theirs = _package_of(one.target)
    if not theirs:
        yield f"{where} imports the front door {one.target}"
    elif ours and ours != theirs and {ours, theirs} <= layers.rows.keys() and layers.rows[theirs] >= layers.rows[ours]:
        yield f"{where} imports {one.target}, which is not below {ours}"


def _leads_out(package: str, target: str) -> bool:
    return target.partition(".")[0] in IMPURE and (package, target) not in ALLOWED


def _impure_calls(module: str, path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_BUILTINS:
                yield f"{module}:{node.lineno} is pure and calls {name}()"


def _cycles(everything: list[Import], known: dict[str, Path]) -> list[str]:
    needs: dict[str, set[str]] = {module: set() for module in known}
    for one in everything:
        if one.target in known:
            needs[one.module].add(one.target)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as cycle:
        return ["modules import each other in a circle: " + " < ".join(cycle.args[1])]
    return []


# The laws


def layers() -> Layers:
    """The table as it stands in the repository."""
    return read_layers((REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8"))


def test_no_module_breaks_the_layers() -> None:
    """Imports point down the table, pure packages touch nothing outside, and there are no circles."""
    assert violations(SOURCE, layers()) == []


def test_the_table_is_the_one_we_mean() -> None:
    """Errors at the bottom, commands on top, and the rules are pure: a table misread would allow everything."""
    table = layers()
    assert table.rows["errors"] == 0
    assert table.rows["rules"] == 1
    assert table.rows["cli"] == max(table.rows.values())
    assert {"rules", "engine", "tournament", "notation", "dealing", "table"} <= table.pure
    assert not {"errors", "store", "server", "cli", "testing"} & table.pure
    assert table.rows["server"] == table.rows["client"] == table.rows["printing"]


def test_every_module_is_looked_at() -> None:
    """The checker sees the modules it is meant to see."""
    known = modules(SOURCE)
    assert {"leftbower", "leftbower.errors", "leftbower.rules", "leftbower.rules.house", "leftbower.cli"} <= set(known)
    house = [one.target for one in imports("leftbower.rules.house", known["leftbower.rules.house"], known)]
    assert {"leftbower.errors", "leftbower.rules.cards", "leftbower.rules.options"} <= set(house)


# The checker itself, on small trees with planted violations

TABLE = """
| level | package | what lives there |
|---|---|---|
| 0 | `errors` | errors |
| 1 | `rules` | **pure.** rules |
| 2 | `engine` | **pure.** engine |
| 2 | `tournament` | **pure.** events |
| 6 | `server`, `client` | servers and clients |
| 9 | `cli` | commands |
"""

SOUND = {
    "__init__.py": "from importlib import import_module\nfrom leftbower.rules import house\n",
    "__main__.py": "from leftbower.cli import main\n",
    "errors.py": "class LeftbowerError(Exception): ...\n",
    "rules/__init__.py": "from leftbower.rules.house import HouseRules\n",
    "rules/house.py": "from importlib.resources import files\nfrom leftbower.errors import LeftbowerError\n",
    "rules/card.py": "import json\nfrom . import house\nfrom .house import HouseRules\n",
    "engine/__init__.py": "from leftbower.rules import HouseRules\nfrom leftbower.rules.card import words\n",
    "tournament/__init__.py": "from leftbower import errors\nimport leftbower.rules\n",
    "server/__init__.py": "import time, socket\nimport leftbower.engine\n",
    "client/__init__.py": "import socket\n",
    "cli/__init__.py": "from leftbower.server import serve\n",
}

PLANTS = {
    "rules/house.py: from leftbower.engine import apply": "which is not below rules",
    "rules/house.py: import leftbower.cli": "imports leftbower.cli, which is not below rules",
    "rules/house.py: from leftbower import engine": "imports leftbower.engine, which is not below rules",
    "rules/house.py: from ..engine import apply": "imports leftbower.engine, which is not below rules",
    "rules/house.py: from .. import engine": "imports leftbower.engine, which is not below rules",
    "errors.py: from leftbower.rules.house import HouseRules": "which is not below errors",
    "engine/__init__.py: from leftbower.tournament import Event": "which is not below engine",
    "tournament/__init__.py: import leftbower.engine": "which is not below tournament",
    "server/__init__.py: from leftbower.client import get": "which is not below server",
    "client/__init__.py: if 1: from leftbower.server import serve": "which is not below client",
    "engine/__init__.py: def f(): from leftbower.cli import main": "leftbower.cli, which is not below engine",
    "cli/__init__.py: import leftbower": "imports the front door leftbower",
    "cli/__init__.py: from leftbower import preset": "imports the front door leftbower",
    "cli/__init__.py: def f(): from leftbower import __version__": "imports the front door leftbower",
    "cli/__init__.py: from .. import preset": "imports the front door leftbower",
    "cli/__init__.py: from leftbower.__main__ import main": "imports the front door leftbower.__main__",
    "rules/house.py: import time": "rules.house:3 is pure and imports time",
    "rules/house.py: import json, random": "is pure and imports random",
    "rules/house.py: from datetime import datetime": "is pure and imports datetime",
    "rules/house.py: import os.path": "is pure and imports os.path",
    "rules/house.py: from concurrent.futures import Future": "is pure and imports concurrent.futures",
    "rules/house.py: from importlib import import_module": "is pure and imports importlib",
    "rules/house.py: import importlib.util": "is pure and imports importlib.util",
    "engine/__init__.py: from importlib.resources import files": "is pure and imports importlib.resources",
    "engine/__init__.py: from importlib import resources": "is pure and imports importlib.resources",
    "engine/__init__.py: def f(): import secrets": "is pure and imports secrets",
    "rules/house.py: open('presets')": "rules.house:3 is pure and calls open()",
    "rules/house.py: x = [print(1)]": "is pure and calls print()",
    "rules/house.py: from leftbower.rules.card import words": "in a circle",
    "rules/house.py: from leftbower.rules import card": "in a circle",
    "rules/house.py: from leftbower.rules import HouseRules": "in a circle",
    "rules/house.py: from . import card": "in a circle",
    "utils.py: x = 1": "utils is not in the table",
    "helpers/__init__.py: x = 1": "helpers is not in the table",
}


def plant(folder: Path, changes: dict[str, str]) -> list[str]:
    """What the checker says of the small sound tree with lines added to its files."""
    for name, text in {**dict.fromkeys(changes, ""), **SOUND}.items():
        path = folder / "leftbower" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + changes.get(name, "") + "\n", encoding="utf-8")
    return violations(folder / "leftbower", read_layers(TABLE))


def test_the_checker_accepts_a_sound_tree(tmp_path: Path) -> None:
    """The front door may import anything, and packages what lies below them."""
    assert plant(tmp_path, {}) == []


@pytest.mark.parametrize("planted", PLANTS)
def test_the_checker_catches_a_planted_violation(planted: str, tmp_path: Path) -> None:
    """One line in one file, and one sentence about it; what points up the table also closes a circle."""
    name, line = planted.split(": ", 1)
    sentence, *more = plant(tmp_path, {name: line})
    assert PLANTS[planted] in sentence
    assert all("in a circle" in other for other in more)


@pytest.mark.parametrize("table", [TABLE.replace("| 0 |", "| 7 |"), TABLE + "| 9 | `rules` | again |\n"])
def test_the_checker_refuses_a_table_that_contradicts_itself(table: str) -> None:
    """Rows go from the bottom up and no package has two places."""
    with pytest.raises(AssertionError):
        read_layers(table)
