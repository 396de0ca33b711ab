"""No parser of untrusted input fails on some thousand mutated inputs; and planted faults are found.

`python -m proofs fuzz` fuzzes each of them for ten minutes.
"""

import base64
import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import faulty_parsers
from proofs.fuzz import runner as fuzzing
from proofs.fuzz.runner import FuzzFailure, FuzzResult, fuzz, location, shrink, target_names
from proofs.fuzz.targets import TARGETS

Command = Callable[..., Any]
Refusal = Callable[..., str]
HAS_WHEEL = sys.platform == "linux" and platform.machine() == "x86_64" and sys.version_info < (3, 15)
needs_atheris = pytest.mark.skipif(
    find_spec("atheris") is None and not (HAS_WHEEL and os.environ.get("CI") == "true"),
    reason="atheris is not installed: pip install 'leftbower[test]', on Linux",
)
NAMED = {"hand-line", "record", "egn", "link", "toml", "ledger", "multipart", "form", "json-body"}
"""The most exposed targets."""
PLANTED = "faulty_parsers"


@needs_atheris
def test_no_target_fails_in_some_thousand_mutated_inputs() -> None:
    """All in one process, because starting one for each would take longer than the inputs."""
    result = fuzz(target_names(), runs=6000, seed=3)
    assert result.failure is None, result.failure
    assert result.executions >= 6000
    assert result.each is not None
    assert min(result.each[name] for name in TARGETS) > 20
    assert result.edges > 1500


def test_every_parser_that_must_be_fuzzed_is_a_target() -> None:
    assert set(TARGETS) >= NAMED
    for target in TARGETS.values():
        assert all(len(seed) <= target.max_bytes for seed in target.seeds()), target.name


@pytest.mark.parametrize("name", TARGETS)
def test_examples_are_what_their_parser_takes(name: str) -> None:
    """No example fails; mutating rejected inputs would be useless."""
    target = TARGETS[name]
    seeds = list(target.seeds())
    assert seeds
    for seed in seeds:
        target.run(seed)


# Planted faults


@needs_atheris
@pytest.mark.parametrize(
    ("name", "kind"), [("crash", "crash"), ("hang", "hang"), ("memory", "memory"), ("law", "crash")]
)
def test_a_planted_fault_is_found(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(faulty_parsers.__file__).parent))
    result = fuzz([name], runs=200_000, seed=1, module=PLANTED)
    failure = result.failure
    assert failure is not None
    assert failure.kind == kind
    assert base64.b64decode(failure.input).startswith(b"OK")
    if kind != "memory":
        assert failure.location.startswith("faulty_parsers.py:")
    if kind == "crash":
        assert failure.size == 4, "the input is as small as it can be"


@needs_atheris
def test_a_parser_without_a_fault_is_left_in_peace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Inputs that reach new code are saved if requested."""
    monkeypatch.setenv("PYTHONPATH", str(Path(faulty_parsers.__file__).parent))
    progress: list[FuzzResult] = []
    result = fuzz(["sound"], runs=3000, module=PLANTED, corpus=tmp_path / "corpus", progress=progress.append)
    assert result.failure is None
    assert result.executions == 3000
    assert result.corpus > 0
    assert result.peak_mib > 10
    assert progress
    assert len(list((tmp_path / "corpus").iterdir())) > 0


def test_an_input_is_shrunk_as_long_as_the_failure_is_the_same() -> None:
    def parse(data: bytes) -> None:
        if b"x" in data and b"y" in data:
            raise KeyError("both")
        if b"x" in data:
            raise ValueError("one")

    data = b"a" * 500 + b"x" + b"b" * 500 + b"y" + b"c" * 200
    with pytest.raises(KeyError) as raised:
        parse(data)
    assert shrink(data, parse, raised.value) == b"xy"
    assert location(raised.value).startswith("test_fuzz.py:")


# The command

DONE = FuzzResult(
    target="egn",
    seconds=600.0,
    executions=1_234_567,
    edges=800,
    features=3000,
    corpus=250,
    slowest=0.0412,
    peak_mib=110,
)
FOUND = FuzzFailure(kind="crash", error="KeyError: 'x'", location="leftbower/notation/egn.py:12", input="eA==", size=1)


@pytest.fixture
def fuzzed(monkeypatch: pytest.MonkeyPatch) -> Callable[[FuzzResult], None]:
    """Make fuzzing return this result without running."""

    def plant(result: FuzzResult) -> None:
        def instead(names: list[str], **options: Any) -> FuzzResult:
            options["progress"](result)
            return replace(result, target=names[0])

        monkeypatch.setattr(fuzzing, "fuzz", instead)

    return plant


def test_targets_at_which_nothing_was_found_say_so(run_proofs: Command, fuzzed: Any) -> None:
    fuzzed(DONE)
    text = run_proofs("fuzz", "--target", "egn", "--target", "toml", "--seconds", "5").stdout
    assert "egn            1,234,567      800     3,000     250     41 ms 110 MiB  nothing found\n" in text
    assert "\ntoml " in text
    plain = json.loads(run_proofs("fuzz", "--target", "egn", "--json").stdout)
    assert (plain["targets"], plain["seconds"]) == (["egn"], 600)
    assert plain["results"] == [asdict(DONE)]
    assert len(json.loads(run_proofs("fuzz", "--json").stdout)["results"]) == len(TARGETS)


def test_a_failure_is_shown_with_its_input(run_proofs: Command, fuzzed: Any) -> None:
    fuzzed(replace(DONE, failure=FOUND))
    text = run_proofs("fuzz", "--target", "egn", status=1).stdout
    assert "110 MiB  CRASH\n" in text
    assert "egn: KeyError: 'x'\n  at leftbower/notation/egn.py:12, input of 1 bytes in base64:\n  eA==\n" in text


def test_an_interrupt_ends_it_with_what_is_done(run_proofs: Command, fuzzed: Any) -> None:
    fuzzed(replace(DONE, interrupted=True))
    text = run_proofs("fuzz", status=130).stdout
    assert text.count("interrupted") == 1


def test_what_is_no_target_is_refused(proofs_refused: Refusal) -> None:
    proofs_refused("fuzz", "--target", "nothing", code="bad-usage")


def test_without_atheris_the_extra_is_named(proofs_refused: Refusal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "find_spec", lambda name: None)
    assert "leftbower[test]" in proofs_refused("fuzz", "--target", "egn", code="missing-extra")
