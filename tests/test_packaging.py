"""The installed wheel works without the checkout, with all its package data.

It works with a compiled kernel and, if nothing can be compiled, without one.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from sysconfig import get_config_var

import pytest

from leftbower.kernel import is_compiled, solve
from leftbower.notation import parse_hand_line

REPOSITORY = Path(__file__).parents[1]
PRESETS = ["campus", "club", "club2", "club3", "prize-night", "round-robin", "school-cup"]


HAND = "{campus} W 9h N:AhJhJc9d9s E:KhThAcTcAd S:QsKsQdKdTd W:JsTsKc9cQc | o -Qc"
SOLUTION = {
    "makers_tricks": 4,
    "makers_points": 1,
    "to_act": "N",
    "cards": {"Ah": 4, "Jh": 4, "Jc": 2, "9d": 2, "9s": 2},
}
UNCOMPILED = "leftbower: the kernel stays uncompiled and will be slow"
NO_COMPILER = {"PATH": os.devnull, "CC": "/nonexistent/cc", "CXX": "/nonexistent/c++"}


def ran(*command: str | Path, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """A command that succeeded, in an environment with these changes; a failure reports its whole output."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "COV"))}
    done = subprocess.run(command, cwd=cwd, env=env | changes, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


def run(*command: str | Path, cwd: Path) -> str:
    """The output of a command."""
    return ran(*command, cwd=cwd).stdout


def copy_of_the_tree(to: Path) -> Path:
    """The files git tracks or would add, in their own folder, so that building leaves the checkout clean."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("the tree is not a git checkout")
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=REPOSITORY)
    for name in filter(None, listed.split("\0")):
        if (REPOSITORY / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, to / name)
    return to


def assert_sdist_is_complete(archive: Path) -> None:
    """License, readme, and everything the wheel is made of."""
    with tarfile.open(archive) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "setup.py", "PKG-INFO", "src/leftbower/py.typed"} <= names
    assert {"src/leftbower/kernel/search.py", "src/leftbower/kernel/search.pyi"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyd", ".c"))]
    assert {f"src/leftbower/rules/presets/{name}.toml" for name in PRESETS} <= names


def assert_wheel_is_complete(archive: Path, tree: Path, *, compiled: bool) -> Message:
    """All modules and presets, the marker for types, the license, and nothing from outside of the package.

    The search is there as source, with its types, and also compiled if possible.
    """
    with zipfile.ZipFile(archive) as wheel:
        names = set(wheel.namelist())
        [metadata] = [wheel.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    modules = {str(path.relative_to(tree / "src")) for path in (tree / "src").rglob("*.py")}
    assert modules <= names
    assert {"leftbower/py.typed", "leftbower/kernel/search.py", "leftbower/kernel/search.pyi"} <= names
    binaries = [name for name in names if name.endswith((".so", ".pyd", ".c"))]
    assert len(binaries) == compiled
    assert all(name.startswith("leftbower/kernel/search.") for name in binaries)
    assert {f"leftbower/rules/presets/{name}.toml" for name in PRESETS} <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"leftbower"}
    assert not [name for name in names if {"benchmarks", "proofs", "training"} & set(Path(name).parts)]
    return Parser().parsestr(metadata)


def install(wheel: Path, tree: Path, folder: Path) -> Path:
    """A fresh environment with only this wheel and its dependencies; returns the folder of its commands."""
    uv = Path(sys.executable).with_name("uv")
    assert uv.exists(), "uv is not beside Python; `make test` puts it there"
    run(uv, "venv", "--quiet", "--python", sys.executable, folder, cwd=tree)
    bin_folder = folder / ("Scripts" if os.name == "nt" else "bin")
    python, constraints = bin_folder / "python", tree / "constraints.txt"
    run(uv, "pip", "install", "--quiet", "--python", python, "-c", constraints, wheel, cwd=tree)
    installed = run(uv, "pip", "list", "--quiet", "--format", "freeze", "--python", python, cwd=tree)
    assert not {"hypothesis", "pytest", "mypy"} & {line.partition("==")[0] for line in installed.splitlines()}
    return bin_folder


def test_the_wheel_works_in_an_empty_environment_outside_the_tree(tmp_path: Path) -> None:
    """Build the sdist and from it the wheel, install only that, and run commands from another folder."""
    tree = copy_of_the_tree(tmp_path / "tree")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", tree, cwd=tmp_path)
    [sdist] = (tmp_path / "dist").glob("leftbower-*.tar.gz")
    [wheel] = (tmp_path / "dist").glob("leftbower-*.whl")
    assert_sdist_is_complete(sdist)
    metadata = assert_wheel_is_complete(wheel, tree, compiled=is_compiled())
    assert (metadata["Name"], metadata["License-Expression"]) == ("leftbower", "MIT")
    shutil.rmtree(tree / "src")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bin_folder = install(wheel, tree, tmp_path / "venv")
    assert "EUCHRE RULES: CLUB, THREE-HANDED" in run(bin_folder / "leftbower", "rules", "show", "club3", cwd=elsewhere)
    prompt = "import leftbower; print(leftbower.__file__, leftbower.preset('club').euchre_points_alone)"
    where, _, scored = run(bin_folder / "python", "-W", "error", "-c", prompt, cwd=elsewhere).strip().rpartition(" ")
    assert Path(where).is_relative_to(tmp_path / "venv")
    assert scored == "4"
    solved = ran(bin_folder / "leftbower", "solve", HAND, "--json", cwd=elsewhere)
    assert json.loads(solved.stdout) == SOLUTION
    assert (solved.stderr == "") == is_compiled()


def test_without_a_compiler_the_package_installs_and_warns(tmp_path: Path) -> None:
    """Build with the compiler hidden, install, and solve a hand: one warning at the build and one at the run.

    A compiled search next to the source, as after an editable install, doesn't get into the wheel.
    """
    tree = copy_of_the_tree(tmp_path / "tree")
    (tree / "src" / "leftbower" / "kernel" / f"search{get_config_var('EXT_SUFFIX')}").write_bytes(b"old")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "dist", tree)
    assert ran(*build, cwd=tmp_path, **NO_COMPILER).stderr.count(UNCOMPILED) == 1
    [wheel] = (tmp_path / "dist").glob("leftbower-*.whl")
    assert_wheel_is_complete(wheel, tree, compiled=False)
    shutil.rmtree(tree / "src")

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bin_folder = install(wheel, tree, tmp_path / "venv")
    solved = ran(bin_folder / "leftbower", "solve", HAND, "--json", cwd=elsewhere)
    assert json.loads(solved.stdout) == SOLUTION
    [sentence] = solved.stderr.splitlines()
    assert sentence.startswith("leftbower: the kernel is not compiled, so solving is right but slow")
    warned = ran(bin_folder / "python", "-c", WARNINGS_SCRIPT, cwd=elsewhere)
    assert (warned.stdout, warned.stderr) == ("['Uncompiled'] False\n", "")


WARNINGS_SCRIPT = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import leftbower
    import leftbower.kernel
    from leftbower.kernel import Batch, is_compiled, solve
    Batch.random(2, seed=1).outcomes()
print([warning.category.__name__ for warning in caught], is_compiled())
"""


def test_without_a_compiler_an_editable_install_works_too(tmp_path: Path) -> None:
    """As in `make play`: nothing is compiled, nothing is copied next to the source, and there is one warning."""
    tree = copy_of_the_tree(tmp_path / "tree")
    editable = "import sys; from setuptools import build_meta; build_meta.build_editable(sys.argv[1])"
    built = ran(sys.executable, "-c", editable, tmp_path, cwd=tree, **NO_COMPILER)
    assert built.stderr.count("leftbower: ") == built.stderr.count(UNCOMPILED) == 1
    assert len(list(tmp_path.glob("leftbower-*.whl"))) == 1
    assert not [*tree.rglob("*.so"), *tree.rglob("*.pyd")]


def test_the_hand_solved_where_it_is_installed_has_this_solution() -> None:
    """The kernel here gives the same."""
    solution = solve(parse_hand_line(HAND))
    assert {str(card): tricks for card, tricks in solution.cards.items()} == SOLUTION["cards"]
    assert (solution.makers_tricks, solution.makers_points, str(solution.to_act)) == tuple(SOLUTION.values())[:3]
