"""Plant a misreading in a copy of the program and run hand-written tests against it.

Starting Python and pytest takes longer than the tests. So one process has them loaded, but nothing of leftbower, and
for each plant a fork of it imports the program from the copy with the misreading.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Plant:
    """One misreading: the text in one file of the package that it replaces, and the tests that must notice."""

    file: str
    right: str
    wrong: str
    caught_by: str


@dataclass(frozen=True)
class Outcome:
    """How a run of pytest ended: 0 all passed, 1 something failed, more if it broke; and its output."""

    status: int
    printed: str


class MutationRunner:
    """A warm process that runs tests against copies of the program, one fork for each."""

    def __init__(self) -> None:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV", "PYTHON"))}
        env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            cwd=REPOSITORY,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, folder: Path, *tests: str) -> Outcome:
        """Run tests, up to the first failure, against the package in `folder`."""
        requests, responses = self._process.stdin, self._process.stdout
        assert requests is not None
        assert responses is not None
        print(json.dumps([str(folder), *tests]), file=requests, flush=True)
        return Outcome(int(responses.readline()), (folder / "printed.txt").read_text(encoding="utf-8"))

    def run_mutated(self, plant: Plant, folder: Path) -> Outcome:
        """Run the tests that must notice `plant` against a copy of the program with it in `folder`."""
        path = copy_package(folder) / "leftbower" / plant.file
        text = path.read_text(encoding="utf-8")
        times = text.count(plant.right)
        assert times == 1, f"the text to replace stands {times} times in {plant.file}"
        path.write_text(text.replace(plant.right, plant.wrong), encoding="utf-8")
        return self.run(folder, plant.caught_by)


def copy_package(folder: Path) -> Path:
    """Copy the package into `folder`, which then goes on Python's path."""
    shutil.copytree(REPOSITORY / "src" / "leftbower", folder / "leftbower")
    return folder


def serve(jobs: IO[str], answers: IO[str]) -> None:
    """For each job, a folder and tests, fork, and return the status of pytest."""
    for job in jobs:
        child = os.fork()
        if not child:
            os._exit(run_in_process(*json.loads(job)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


def run_in_process(folder: str, *tests: str) -> int:
    """Run tests in this process with the program from `folder`; leftbower must not be loaded yet."""
    with open(os.path.join(folder, "printed.txt"), "wb") as printed:
        os.dup2(printed.fileno(), 1)
        os.dup2(printed.fileno(), 2)
    assert "leftbower" not in sys.modules
    sys.path.insert(0, folder)
    options = ["-x", "-q", "--noconftest", "-p", "no:cacheprovider", "--tb=line", "--assert=plain"]
    status = pytest.main([*options, *tests])
    assert sys.modules["leftbower"].__file__ == os.path.join(folder, "leftbower", "__init__.py")
    sys.stdout.flush()
    return int(status)


if __name__ == "__main__":
    import hypothesis.strategies  # noqa: F401  (loaded once for all forks)
    import pytest

    serve(sys.stdin, sys.stdout)
