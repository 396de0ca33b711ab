"""Shared fixtures: command lines, the folder of outside material, and a Hypothesis profile for busy machines."""

import contextlib
import gc
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from benchmarks.__main__ import main as benchmarks_main
from leftbower.cli import main
from mutation import MutationRunner
from proofs.__main__ import main as proofs_main
from training.__main__ import main as training_main

settings.register_profile("leftbower", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("leftbower")


MEASURED = {"rules", "engine", "notation"}
"""Folders whose tests must reach every line and branch of the package with that name."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure coverage only with hand-written tests, because properties draw random values."""
    for item in items:
        is_random = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if is_random or item.path.parent.name not in MEASURED:
            item.add_marker(pytest.mark.unmeasured)


def pytest_collection_finish() -> None:
    """Exempt loaded modules from garbage collection, which would take a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` next to the checkout; without it the tests that need it are skipped with a message."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the folder shared/ must lie beside the checkout in CI")
        pytest.skip("the folder shared/ with sheets and recorded games is not beside the checkout")
    return folder


@pytest.fixture(scope="session")
def mutation_runner() -> Iterator[MutationRunner]:
    """Runs tests against planted faults; closed with the session."""
    with MutationRunner() as mutation_runner:
        yield mutation_runner


@dataclass(frozen=True)
class CommandResult:
    """The output of a command."""

    stdout: str
    stderr: str


Command = Callable[..., CommandResult]
"""Runs a command with these words in this process, and checks its exit status."""


def command_line(monkeypatch: pytest.MonkeyPatch, program: str, main: Callable[[], None]) -> Command:
    """A command line that runs in this process, exactly like its entry point."""

    def run(*words: str, stdin: str | bytes = "", cwd: Path | None = None, status: int = 0) -> CommandResult:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", [program, *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        out, err = io.StringIO(), io.StringIO()
        exit_code: object = None
        with contextlib.chdir(cwd or "."), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                exit_code = end.code
        assert (exit_code or 0) == status, (exit_code, out.getvalue(), err.getvalue())
        return CommandResult(out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def leftbower(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `leftbower WORDS`."""
    return command_line(monkeypatch, "leftbower", main)


@pytest.fixture
def run_proofs(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `python -m proofs WORDS`."""
    return command_line(monkeypatch, "proofs", proofs_main)


@pytest.fixture
def run_benchmarks(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `python -m benchmarks WORDS`."""
    return command_line(monkeypatch, "benchmarks", benchmarks_main)


@pytest.fixture
def run_training(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `python -m training WORDS`."""
    return command_line(monkeypatch, "training", training_main)


def refusal_of(run: Command) -> Callable[..., str]:
    """Runs a command that must be refused with `code` in one sentence, and returns the sentence."""

    def run_refused(*words: str, code: str, stdin: str | bytes = "", cwd: Path | None = None) -> str:
        [sentence] = run(*words, stdin=stdin, cwd=cwd, status=2).stderr.splitlines()
        assert sentence.startswith("leftbower: ")
        assert sentence.endswith(f" [{code}]")
        return sentence

    return run_refused


@pytest.fixture
def refused(leftbower: Command) -> Callable[..., str]:
    """Run a `leftbower` command that must be refused with `code` in one sentence; return the sentence."""
    return refusal_of(leftbower)


@pytest.fixture
def proofs_refused(run_proofs: Command) -> Callable[..., str]:
    """The same for `python -m proofs`."""
    return refusal_of(run_proofs)


@pytest.fixture
def benchmarks_refused(run_benchmarks: Command) -> Callable[..., str]:
    """The same for `python -m benchmarks`."""
    return refusal_of(run_benchmarks)


@pytest.fixture
def training_refused(run_training: Command) -> Callable[..., str]:
    """The same for `python -m training`."""
    return refusal_of(run_training)
