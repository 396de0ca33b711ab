"""What is installed from the wheel works without the checkout: package data is where projects break."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

pytestmark = pytest.mark.unmeasured

REPOSITORY = Path(__file__).parents[1]
PRESETS = ["campus", "club", "club2", "club3", "prize-night", "round-robin", "school-cup"]


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; its whole output in the report when it fails."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV", "COV"))}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def copy_of_the_tree(to: Path) -> Path:
    """The files git knows or would add, in a place of their own, so that building leaves the checkout clean."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("the tree is not a git checkout")
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=REPOSITORY)
    for name in filter(None, listed.split("\0")):
        if (REPOSITORY / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(REPOSITORY / name, to / name)
    return to


def assert_sdist_is_complete(archive: Path) -> None:
    """Licence, readme, and whatever the wheel is made of."""
    with tarfile.open(archive) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "PKG-INFO", "src/leftbower/py.typed"} <= names
    assert {f"src/leftbower/rules/presets/{name}.toml" for name in PRESETS} <= names


def assert_wheel_is_complete(archive: Path, tree: Path) -> Message:
    """Every module and every preset, the marker for types, the licence, and nothing from beside the package."""
    with zipfile.ZipFile(archive) as wheel:
        names = set(wheel.namelist())
        [metadata] = [wheel.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    modules = {str(path.relative_to(tree / "src")) for path in (tree / "src").rglob("*.py")}
    assert modules <= names
    assert "leftbower/py.typed" in names
    assert {f"leftbower/rules/presets/{name}.toml" for name in PRESETS} <= names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"leftbower"}
    return Parser().parsestr(metadata)


def test_the_wheel_works_in_an_empty_environment_outside_the_tree(tmp_path: Path) -> None:
    """Build the sdist and from it the wheel, install that one alone, and run a command from another folder."""
    tree = copy_of_the_tree(tmp_path / "tree")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", tree, cwd=tmp_path)
    [sdist] = (tmp_path / "dist").glob("leftbower-*.tar.gz")
    [wheel] = (tmp_path / "dist").glob("leftbower-*.whl")
    assert_sdist_is_complete(sdist)
    metadata = assert_wheel_is_complete(wheel, tree)
    assert (metadata["Name"], metadata["License-Expression"]) == ("leftbower", "MIT")
    shutil.rmtree(tree / "src")

    uv = Path(sys.executable).with_name("uv")
    assert uv.exists(), "uv is not beside Python; `make test` puts it there"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run(uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv", cwd=elsewhere)
    bin_folder = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = bin_folder / "python"
    constraints = tree / "constraints.txt"
    run(uv, "pip", "install", "--quiet", "--python", python, "-c", constraints, wheel, cwd=elsewhere)

    installed = run(uv, "pip", "list", "--quiet", "--format", "freeze", "--python", python, cwd=elsewhere)
    assert not {"hypothesis", "pytest", "mypy"} & {line.partition("==")[0] for line in installed.splitlines()}
    assert "EUCHRE RULES: CLUB, THREE-HANDED" in run(bin_folder / "leftbower", "rules", "show", "club3", cwd=elsewhere)
    prompt = "import leftbower; print(leftbower.__file__, leftbower.preset('club').euchre_alone)"
    where, _, scored = run(python, "-W", "error", "-c", prompt, cwd=elsewhere).strip().rpartition(" ")
    assert Path(where).is_relative_to(tmp_path / "venv")
    assert scored == "4"
