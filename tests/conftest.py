"""What all tests share: the folder of material that is not ours, and a Hypothesis profile for busy machines."""

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

from leftbower.cli import main
from planting import Nursery

settings.register_profile("leftbower", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("leftbower")


MEASURED = {"rules", "engine", "notation"}
"""The folders whose tests have to reach every line and branch of the package of that name."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Coverage is measured where tests are written for it: what others reach, or properties draw, is luck."""
    for item in items:
        by_luck = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if by_luck or item.path.parent.name not in MEASURED:
            item.add_marker(pytest.mark.unmeasured)


def pytest_collection_finish() -> None:
    """What is loaded stays loaded: looking for garbage among it again and again takes a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the checkout; without it the tests that need it say so and are skipped."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the folder shared/ must lie beside the checkout in CI")
        pytest.skip("the folder shared/ with sheets and recorded games is not beside the checkout")
    return folder


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Where misreadings are planted, ended with the tests."""
    with Nursery() as nursery:
        yield nursery


@dataclass(frozen=True)
class Answer:
    """What a command printed."""

    stdout: str
    stderr: str


@pytest.fixture
def leftbower(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """Run `leftbower WORDS` in this process, exactly as its entry point does, and check its exit status."""

    def run(*words: str, stdin: str | bytes = "", cwd: Path | None = None, status: int = 0) -> Answer:
        raw = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "argv", ["leftbower", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        out, err = io.StringIO(), io.StringIO()
        ended: object = None
        with contextlib.chdir(cwd or "."), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                ended = end.code
        assert (ended or 0) == status, (ended, out.getvalue(), err.getvalue())
        return Answer(out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def refused(leftbower: Callable[..., Answer]) -> Callable[..., str]:
    """Run a command that must be refused with `code` in one sentence; return the sentence."""

    def run(*words: str, code: str, stdin: str | bytes = "", cwd: Path | None = None) -> str:
        [sentence] = leftbower(*words, stdin=stdin, cwd=cwd, status=2).stderr.splitlines()
        assert sentence.startswith("leftbower: ")
        assert sentence.endswith(f" [{code}]")
        return sentence

    return run
