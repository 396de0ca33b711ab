"""The layers of ARCHITECTURE.md hold for every import in `src`, and the tree follows its naming rules."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src" / "leftbower"

ROOT_PACKAGE = "leftbower"
ENTRY_MODULES = {"__init__", "__main__"}
"""Modules outside of any layer: users import them, but no module inside does."""
NOT_INSTALLED = {"benchmarks", "proofs", "training", "tests"}

IMPURE = {
    *("datetime", "sched", "time", "zoneinfo"),
    *("random", "secrets", "uuid"),
    *("dbm", "fileinput", "glob", "importlib", "io", "logging", "mmap", "os", "pathlib", "runpy", "shelve", "shutil"),
    *("sqlite3", "sys", "tempfile", "zipfile"),
    *("asyncio", "ftplib", "http", "imaplib", "poplib", "select", "selectors", "smtplib", "socket", "socketserver"),
    *("ssl", "urllib", "webbrowser", "wsgiref", "xmlrpc"),
    *("concurrent", "ctypes", "multiprocessing", "platform", "signal", "subprocess", "threading"),
}
"""Clocks, randomness, disk, network, processes, and anything that leads to them."""
ALLOWED = {(package, "importlib.resources") for package in ("rules", "tournament")}
"""Presets and schedules are package data, read only through this."""
IMPURE_BUILTINS = {"open", "input", "print", "__import__", "breakpoint"}

Level = tuple[int, ...]


@dataclass(frozen=True)
class Layers:
    """The table of ARCHITECTURE.md: packages, sub-packages and single modules, each with its level."""

    levels: dict[str, Level]
    """By dotted name without `leftbower.`; a module belongs to its longest prefix."""
    pure: frozenset[str]
    """Packages without clock, randomness, disk and network."""
    joined: dict[str, frozenset[str]]
    """Names joined by `+` in one row, which may import each other."""

    def unit(self, module: str) -> str:
        """The name in the table that a module belongs to; empty for entry modules and strays."""
        parts = module.split(".")[1:]
        for length in range(len(parts), 0, -1):
            if (name := ".".join(parts[:length])) in self.levels:
                return name
        return ""

    def may_import(self, importer: str, target: str) -> bool:
        """May a unit import another? Only from lower rows, or from one it is joined with.

        Within a package every digit of a level counts, between two packages only the first.
        """
        if importer == target or target in self.joined[importer]:
            return True
        digits = None if _package(importer) == _package(target) else 1
        return self.levels[target][:digits] < self.levels[importer][:digits]


@dataclass(frozen=True)
class Import:
    """One name imported by one module, with its line."""

    module: str
    target: str
    line: int


def read_layers(page: str) -> Layers:
    """Parse the one table that starts with level and package; a level may have several rows."""
    levels: dict[str, Level] = {}
    pure: set[str] = set()
    joined: dict[str, frozenset[str]] = {}
    for level, names, contents in re.findall(r"^\| ([\d.]+) \| ([^|]+) \| (.+) \|$", page, re.MULTILINE):
        units = re.findall(r"`([\w.]+)`", names)
        assert units, f"the row of level {level} names no package"
        assert not levels.keys() & set(units), f"{units} stand in the table twice"
        levels |= dict.fromkeys(units, tuple(map(int, level.split("."))))
        for group in names.split(","):
            members = frozenset(re.findall(r"`([\w.]+)`", group))
            joined |= dict.fromkeys(members, members)
        if contents.startswith("**pure.**"):
            pure |= {_package(unit) for unit in units}
    assert list(levels.values()) == sorted(levels.values()), "the table does not go from the bottom up"
    return Layers(levels, frozenset(pure), joined)


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package by its full name."""
    paths = {}
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


def imports(module: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    """Every import of a module, also inside functions: the module that a name is, else the one it comes from."""
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
    """All violations of the layers, one sentence each; none in a sound tree."""
    known = modules(source)
    sentences = list(_strays(known, layers))
    all_imports = [each for module, path in known.items() for each in imports(module, path, known)]
    for each in all_imports:
        sentences += _breaks(each, known, layers)
    for module, path in known.items():
        if _package(layers.unit(module)) in layers.pure:
            sentences += _impure_calls(module, path)
    return sentences + _cycles(all_imports, known)


def _package(unit: str) -> str:
    return unit.partition(".")[0]


def _is_entry_module(module: str) -> bool:
    parts = module.split(".")
    return len(parts) == 1 or parts[1] in ENTRY_MODULES


def _strays(known: dict[str, Path], layers: Layers) -> Iterator[str]:
    """Modules without a row, and folders without one in packages whose folders have rows."""
    divided = {_package(unit) for unit in layers.levels if "." in unit}
    for module, path in known.items():
        name, unit = module.removeprefix(f"{ROOT_PACKAGE}."), layers.unit(module)
        is_folder = path.stem == "__init__" and "." in name
        is_opened = path.stem == "__init__" and name in divided
        if not _is_entry_module(module) and not is_opened and (not unit or (is_folder and unit in divided)):
            yield f"{name} is not in the table"


def _breaks(each: Import, known: dict[str, Path], layers: Layers) -> Iterator[str]:
    where = f"{each.module}:{each.line}"
    importer, target = layers.unit(each.module), layers.unit(each.target)
    root = each.target.partition(".")[0]
    if root in NOT_INSTALLED:
        yield f"{where} imports {each.target}, which is not installed"
    elif root != ROOT_PACKAGE:
        if _package(importer) in layers.pure and _leads_out(_package(importer), each.target):
            yield f"{where} is pure and imports {each.target}"
    elif _is_entry_module(each.target):
        yield f"{where} imports the front door {each.target}"
    elif importer and target and not _opens(each, known) and not layers.may_import(importer, target):
        yield f"{where} imports {each.target}, which is not below {importer}"


def _opens(each: Import, known: dict[str, Path]) -> bool:
    """Does the `__init__` of a package import from inside it?"""
    return known[each.module].stem == "__init__" and each.target.startswith(f"{each.module}.")


def _leads_out(package: str, target: str) -> bool:
    return target.partition(".")[0] in IMPURE and (package, target) not in ALLOWED


def _impure_calls(module: str, path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in IMPURE_BUILTINS:
                yield f"{module}:{node.lineno} is pure and calls {name}()"


def _cycles(all_imports: list[Import], known: dict[str, Path]) -> list[str]:
    needs: dict[str, set[str]] = {module: set() for module in known}
    for each in all_imports:
        if each.target in known:
            needs[each.module].add(each.target)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as cycle:
        return ["modules import each other in a cycle: " + " < ".join(cycle.args[1])]
    return []


# The layers


def layers() -> Layers:
    """The table in the repository."""
    return read_layers((REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8"))


def test_no_module_breaks_the_layers() -> None:
    """Imports point down the table, pure packages touch nothing outside, and there are no cycles."""
    assert violations(SOURCE, layers()) == []


def test_every_name_in_the_table_exists() -> None:
    """A row for a package or module that was moved would protect nothing."""
    known = modules(SOURCE)
    planned = {"client", "tui"}
    assert {unit for unit in layers().levels if f"leftbower.{unit}" not in known} == planned


def test_the_table_is_the_one_we_mean() -> None:
    """Errors at the bottom, commands on top, and the rules are pure: a misread table would allow everything."""
    table = layers()
    assert table.levels["errors"] == (0,)
    assert table.levels["rules"] == (1,)
    assert table.levels["cli"] == max(table.levels.values())
    assert {"rules", "engine", "tournament", "notation", "dealing", "table"} <= table.pure
    assert not {"errors", "store", "server", "cli", "testing"} & table.pure
    assert {table.levels[name][0] for name in ("server.api", "client", "printing")} == {6}
    assert not table.may_import("server.feeds", "server.api")
    assert table.may_import("server.api", "server.feeds")
    assert not table.may_import("server.observability", "printing")


def test_every_module_is_looked_at() -> None:
    """The checker sees the modules it is meant to see."""
    known = modules(SOURCE)
    assert {"leftbower", "leftbower.errors", "leftbower.rules", "leftbower.rules.house", "leftbower.cli"} <= set(known)
    targets = [each.target for each in imports("leftbower.rules.house", known["leftbower.rules.house"], known)]
    assert {"leftbower.errors", "leftbower.rules.cards", "leftbower.rules.options"} <= set(targets)


# The tree

MAX_MODULES = 16
NOUNS_IN_ING = {
    *("bidding", "calling", "dealing", "pairing", "printing", "scoring", "seating", "testing"),
    "encoding",  # the bits of a card
    "edge_coloring",  # of graphs
}
PUBLIC_TWICE: set[str] = set()
"""Public class names that may be in two packages."""
NAMED_AS_FOLDER = {"players/arena/arena.py", "players/coach/coach.py", "players/player.py"}
"""The main module of its folder, with the same name."""


def module_paths() -> list[Path]:
    """All modules of the package except `__init__`, relative to it."""
    return [path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py")) if path.stem != "__init__"]


def test_no_folder_has_more_than_sixteen_modules() -> None:
    """A folder that can be read at a glance."""
    sizes = Counter(path.parent.as_posix() for path in module_paths())
    assert {folder: size for folder, size in sizes.items() if size > MAX_MODULES} == {}


def test_modules_are_named_for_things_not_activities() -> None:
    """No `-ing` but words of the game and nouns of the field."""
    activities = {path.stem for path in module_paths() if path.stem.endswith("ing")}
    assert activities - NOUNS_IN_ING == set()
    assert {path.stem for path in module_paths()} | {path.name for path in SOURCE.iterdir()} >= NOUNS_IN_ING


def test_no_public_class_name_stands_in_two_packages() -> None:
    """One word, one meaning: a class can be searched for by its name."""
    packages = defaultdict(set)
    for path in module_paths():
        for node in ast.parse((SOURCE / path).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                packages[node.name].add(path.parts[0])
    assert {name: found for name, found in packages.items() if len(found) > 1 and name not in PUBLIC_TWICE} == {}


def test_no_module_repeats_the_name_of_its_folder() -> None:
    """`feeds/queue.py`, not `feeds/feed_queue.py`."""
    repeated = {path.as_posix() for path in module_paths() if _repeats_folder(path)}
    assert repeated == NAMED_AS_FOLDER


def _repeats_folder(path: Path) -> bool:
    folder = path.parent.name
    return bool(folder) and path.stem.split("_")[0].rstrip("s") == folder.rstrip("s")


# The checker itself, on small trees with planted violations

TABLE = """
| level | package | what lives there |
|---|---|---|
| 0 | `errors` | errors |
| 1 | `rules` | **pure.** rules |
| 2 | `engine` | **pure.** engine |
| 2 | `tournament` | **pure.** events |
| 6 | `client` | clients |
| 6.0 | `server.http` + `server.feeds`, `server.cache` | servers |
| 6.1 | `server.api`, `server.http.fast_path` | routes |
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
    "server/__init__.py": "import time, socket\nimport leftbower.engine\nfrom leftbower.server.api import routes\n",
    "server/cache.py": "x = 1\n",
    "server/http/__init__.py": "",
    "server/http/sse.py": "x = 1\n",
    "server/http/fast_path.py": "import leftbower.server.http.sse, leftbower.server.cache\n",
    "server/feeds/__init__.py": "",
    "server/feeds/queue.py": "from leftbower.server.http import sse\n",
    "server/api/__init__.py": "",
    "server/api/routes.py": "from leftbower.server.feeds.queue import Queue\n",
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
    "server/cache.py: from leftbower.client import get": "which is not below server.cache",
    "server/api/routes.py: from leftbower.client import get": "which is not below server.api",
    "client/__init__.py: if 1: from leftbower.server.api import routes": "which is not below client",
    "server/feeds/queue.py: from leftbower.server.api import routes": "which is not below server.feeds",
    "server/feeds/queue.py: from leftbower.server.cache import Cache": "which is not below server.feeds",
    "server/http/sse.py: import leftbower.server.http.fast_path": "which is not below server.http",
    "server/api/routes.py: from leftbower.server.http.fast_path import x": "which is not below server.api",
    "server/people.py: x = 1": "server.people is not in the table",
    "server/live/__init__.py: x = 1": "server.live is not in the table",
    "server/cache.py: import benchmarks.server": "which is not installed",
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
    "rules/house.py: from leftbower.rules.card import words": "in a cycle",
    "rules/house.py: from leftbower.rules import card": "in a cycle",
    "rules/house.py: from leftbower.rules import HouseRules": "in a cycle",
    "rules/house.py: from . import card": "in a cycle",
    "utils.py: x = 1": "utils is not in the table",
    "helpers/__init__.py: x = 1": "helpers is not in the table",
}


def plant(folder: Path, changes: dict[str, str]) -> list[str]:
    """The checker's output for the small sound tree with lines added to its files."""
    for name, text in {**dict.fromkeys(changes, ""), **SOUND}.items():
        path = folder / "leftbower" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + changes.get(name, "") + "\n", encoding="utf-8")
    return violations(folder / "leftbower", read_layers(TABLE))


def test_the_checker_accepts_a_sound_tree(tmp_path: Path) -> None:
    """Entry modules may import anything, and packages anything below them."""
    assert plant(tmp_path, {}) == []


@pytest.mark.parametrize("planted", PLANTS)
def test_the_checker_catches_a_planted_violation(planted: str, tmp_path: Path) -> None:
    """One line in one file, and one sentence about it; an import that points up the table also closes a cycle."""
    name, line = planted.split(": ", 1)
    sentence, *more = plant(tmp_path, {name: line})
    assert PLANTS[planted] in sentence
    assert all("in a cycle" in other for other in more)


@pytest.mark.parametrize("table", [TABLE.replace("| 0 |", "| 7 |"), TABLE + "| 9 | `rules` | again |\n"])
def test_the_checker_refuses_a_table_that_contradicts_itself(table: str) -> None:
    """Rows go from the bottom up, and no package is in two of them."""
    with pytest.raises(AssertionError):
        read_layers(table)
