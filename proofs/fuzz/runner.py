"""Coverage-guided fuzzing with atheris: each target in its own process, for some seconds or a number of runs.

libFuzzer takes over a process and ends it, so targets run in children; this module is imported there before anything
that is to be instrumented, and imports none of it. A failure is an unexpected exception, an input that takes more than
a second of CPU time, or one that takes too much memory. CPU time is measured instead of wall time, so that a busy
machine is not a finding.
"""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import traceback
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from resource import RLIMIT_AS, RUSAGE_SELF, getrusage, setrlimit
from tempfile import TemporaryDirectory
from time import monotonic, thread_time
from types import FrameType
from typing import Any, Final

from leftbower.errors import BadUsage, MissingExtra
from proofs.checkout import child_environment
from proofs.fuzz.mutations import mutated_bytes

TARGETS_MODULE: Final = "proofs.fuzz.targets"
_FRESH_PROCESS: Final = ("/bin/sh", "-c", '"$@"; exit $?', "sh")
"""Starts the fuzzer from a small process, because Linux counts the memory of the parent into its peak."""
MAX_CPU_SECONDS: Final = 1.0
"""CPU time of one input; more counts as a hang."""
MAX_GROWTH_MIB: Final = 128
"""How much one input may raise the peak memory."""
MAX_RSS_MIB: Final = 1024
"""Memory of a whole process."""
_ADDRESS_SPACE_BYTES: Final = 8 << 30
_WALL_SECONDS: Final = 60
"""Seconds after which libFuzzer itself stops an input that no signal can interrupt."""
_SHRINK_SECONDS: Final = 20.0
_MAX_SHOWN_BYTES: Final = 64 << 10
_INSTRUMENTED: Final = ("leftbower", "tomllib", "python_multipart", "webauthn")
_PULSE: Final = re.compile(
    r"^#(?P<executions>\d+)\s.*?cov: (?P<edges>\d+) ft: (?P<features>\d+) corp: (?P<corpus>\d+)/"
    r".*? rss: (?P<peak_mib>\d+)Mb"
)
_STAT: Final = re.compile(r"^stat::(?P<name>\w+):\s+(?P<value>\d+)")


class LawBroken(Exception):
    """A parser accepted an input, but its result breaks the law of the target."""


class Hang(BaseException):
    """An input took too much CPU time; no parser catches this."""


class MemoryGrowth(BaseException):
    """An input raised the peak memory by too much."""


Mutate = Callable[[bytes, Random], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzTarget:
    """One parser, or a few that read the same format."""

    name: str
    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    max_bytes: int
    """The largest input that the server accepts."""
    mutate: Mutate = mutated_bytes
    """A mutation that knows the format, used along with those of libFuzzer."""
    tokens: tuple[str, ...] = ()
    """Words that occur in inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzFailure:
    """An input on which a parser failed."""

    kind: str
    """`crash`, `hang`, `memory`, or `died` if the process ended without a report."""
    error: str
    """The exception, in one line."""
    location: str
    """The innermost line of leftbower's code, or the last line of any."""
    input: str
    """The smallest input found that fails, in base64."""
    size: int
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzResult:
    """Result of fuzzing one target."""

    target: str
    seconds: float = 0.0
    executions: int = 0
    edges: int = 0
    """Control-flow edges reached, if instrumented."""
    features: int = 0
    corpus: int = 0
    """Inputs that reach something no other input reaches."""
    slowest: float = 0.0
    """CPU seconds of the slowest input."""
    slowest_size: int = 0
    slowest_input: str = ""
    """In base64, unless it is long."""
    peak_mib: int = 0
    each: Mapping[str, int] | None = None
    """Executions by target, if several were fuzzed in one process."""
    failure: FuzzFailure | None = None
    interrupted: bool = False


Progress = Callable[[FuzzResult], None]


def target_names(module: str = TARGETS_MODULE) -> tuple[str, ...]:
    """The names of all targets, in order."""
    return tuple(_targets(module))


def check_names(names: Sequence[str], module: str = TARGETS_MODULE) -> None:
    """Raise BadUsage for an unknown target."""
    known = target_names(module)
    for name in names:
        if name not in known:
            raise BadUsage(f"the targets are {', '.join(known)}", path="target")


def fuzz(
    names: Sequence[str],
    *,
    seconds: float = 0,
    runs: int = 0,
    seed: int = 1,
    corpus: Path | None = None,
    module: str = TARGETS_MODULE,
    progress: Progress = lambda result: None,
) -> FuzzResult:
    """Fuzz a target for `seconds`, or `runs` times; several names share one process and take turns.

    `corpus` is a folder of inputs to start with; inputs that reach new code are added to it. Ctrl-C stops early.
    """
    if find_spec("atheris") is None:
        raise MissingExtra("test")
    with TemporaryDirectory(prefix="leftbower-fuzz-") as temporary:
        work = Path(temporary)
        found = work / "corpus" if corpus is None else corpus
        found.mkdir(parents=True, exist_ok=True)
        limits = [f"-runs={runs}"] if runs else [f"-max_total_time={max(1, round(seconds))}"]
        code = f"from proofs.fuzz.runner import child; child({module!r}, {list(names)!r}, {temporary!r}, {seed})"
        command = [*_FRESH_PROCESS, sys.executable, "-c", code, *limits, f"-seed={seed}", str(found)]
        environment = child_environment() | {"PYTHONHASHSEED": "0"}
        started = monotonic()
        process = subprocess.Popen(
            command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace",
            start_new_session=True,
        )  # fmt: skip
        output = _OutputParser("+".join(names), started, progress)
        assert process.stderr is not None
        try:
            for line in process.stderr:
                output.read_line(line.rstrip("\n"))
            process.wait()
            interrupted = False
        except KeyboardInterrupt:
            interrupted = True
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.stderr.close()
            process.wait()
        return output.result(work, process.returncode, interrupted=interrupted)


class _OutputParser:
    """Parses the output of libFuzzer."""

    def __init__(self, name: str, started: float, progress: Progress) -> None:
        self._name, self._started, self._progress = name, started, progress
        self._counts: dict[str, Any] = {}
        self._last: list[str] = []

    def read_line(self, line: str) -> None:
        self._last = [*self._last[-30:], line]
        if pulse := _PULSE.match(line):
            for name, value in pulse.groupdict().items():
                self._counts[name] = max(int(value), self._counts.get(name, 0))
            self._progress(self._so_far())
        elif stat := _STAT.match(line):
            known = {"number_of_executed_units": "executions", "peak_rss_mb": "peak_mib"}
            if name := known.get(stat["name"], ""):
                self._counts[name] = max(int(stat["value"]), self._counts.get(name, 0))

    def _so_far(self, **more: Any) -> FuzzResult:
        return FuzzResult(target=self._name, seconds=round(monotonic() - self._started, 1), **self._counts, **more)

    def result(self, work: Path, status: int, *, interrupted: bool) -> FuzzResult:
        measured = _read_json(work / "measured.json")
        counted = sum(measured.get("each", {}).values())
        self._counts["executions"] = max(self._counts.get("executions", 0), counted)
        failure = None if interrupted else self._failure(work, status)
        return self._so_far(
            slowest=round(measured.get("slowest", 0.0), 4),
            slowest_size=measured.get("size", 0),
            slowest_input=measured.get("input", ""),
            each=measured.get("each"),
            failure=failure,
            interrupted=interrupted,
        )

    def _failure(self, work: Path, status: int) -> FuzzFailure | None:
        if plain := _read_json(work / "failure.json"):
            return FuzzFailure(**plain)
        if status == 0:
            return None
        artifacts = [*work.glob("*-*")]
        left = artifacts[0].read_bytes() if artifacts else b""
        kinds = {"timeout": "hang", "oom": "memory"}
        kind = kinds.get(artifacts[0].name.partition("-")[0], "died") if artifacts else "died"
        says = f"the process exited with status {status}"
        return FuzzFailure(
            kind=kind, error=says, location="", input=_base64(left), size=len(left), trace="\n".join(self._last)
        )


def _read_json(path: Path) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return plain


# In the child


def child(module: str, names: Sequence[str], folder: str, seed: int) -> None:
    """Fuzz in this process, which ends afterwards. The command-line arguments are libFuzzer's."""
    atheris: Any = importlib.import_module("atheris")
    setrlimit(RLIMIT_AS, (_ADDRESS_SPACE_BYTES, _ADDRESS_SPACE_BYTES))
    with atheris.instrument_imports(include=[*_INSTRUMENTED, module]):
        targets = list(_chosen(module, names).values())
    work = Path(folder)
    measured_targets = MeasuredTargets(targets, work)
    (work / "seeds").mkdir()
    examples = list(measured_targets.seeds())
    for number, data in enumerate(examples):
        (work / "seeds" / str(number)).write_bytes(data)
    (work / "tokens").write_text(_dictionary(targets))
    measured_targets.warm_up(examples)
    mutating = Random(seed)

    def mutate(data: bytes, max_size: int, number: int) -> bytes:
        if mutating.random() < 0.5:
            return bytes(atheris.Mutate(data, max_size))
        return measured_targets.mutate(data, Random(number))[:max_size]

    atheris.Setup(
        [
            *sys.argv,
            str(work / "seeds"),
            f"-dict={work / 'tokens'}",
            f"-max_len={max(target.max_bytes for target in targets) + 1}",
            f"-timeout={_WALL_SECONDS}",
            f"-rss_limit_mb={MAX_RSS_MIB}",
            f"-artifact_prefix={folder}/",
            "-print_final_stats=1",
            "-use_value_profile=1",
            "-reload=0",
        ],
        measured_targets.run,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


class MeasuredTargets:
    """Runs and measures targets. With several targets, the first byte of an input selects one."""

    def __init__(self, targets: Sequence[FuzzTarget], work: Path) -> None:
        self._targets, self._work = targets, work
        self._slowest, self._slowest_data = 0.0, b""
        self._each: Counter[str] = Counter()
        self._peak_kib = 0
        signal.signal(signal.SIGPROF, _hang)

    def seeds(self) -> Iterator[bytes]:
        """Examples of all targets."""
        for at, target in enumerate(self._targets):
            for data in target.seeds():
                yield bytes([at]) + data if len(self._targets) > 1 else data

    def warm_up(self, examples: Iterable[bytes]) -> None:
        """Run an example of each target unmeasured, so that imports and caches don't count for any input."""
        by_target = {target.name: (target, data) for target, data in map(self._split, examples)}
        for target, data in by_target.values():
            with suppress(Exception):
                target.run(data)

    def mutate(self, data: bytes, rng: Random) -> bytes:
        """A mutation that knows the format of the input's target."""
        target, rest = self._split(data)
        return data[: len(data) - len(rest)] + target.mutate(rest, rng)

    def run(self, data: bytes) -> None:
        """Run one input within its limits; a failure is written to a file and raised."""
        target, rest = self._split(data)
        if len(rest) > target.max_bytes:
            return
        self._each[target.name] += 1
        began = thread_time()
        try:
            with limited():
                target.run(rest)
            self._check_memory()
        except BaseException as error:
            self._record_slowest(rest, thread_time() - began)
            self._fail(target, rest, error)
            raise
        taken = thread_time() - began
        if taken > self._slowest or not sum(self._each.values()) % 500:
            self._record_slowest(rest, taken)

    def _split(self, data: bytes) -> tuple[FuzzTarget, bytes]:
        if len(self._targets) == 1:
            return self._targets[0], data
        return self._targets[(data or b"\0")[0] % len(self._targets)], data[1:]

    def _check_memory(self) -> None:
        peak = getrusage(RUSAGE_SELF).ru_maxrss
        before, self._peak_kib = self._peak_kib, peak
        if before and peak - before > MAX_GROWTH_MIB << 10:
            raise MemoryGrowth(f"the peak of memory rose by {(peak - before) >> 10} MiB")

    def _record_slowest(self, data: bytes, taken: float) -> None:
        if taken > self._slowest:
            self._slowest, self._slowest_data = taken, data
        known = self._slowest_data
        plain = {
            "slowest": self._slowest,
            "size": len(known),
            "input": _base64(known[:_MAX_SHOWN_BYTES]),
            "each": self._each,
        }
        (self._work / "measured.json").write_text(json.dumps(plain))

    def _fail(self, target: FuzzTarget, data: bytes, error: BaseException) -> None:
        small = shrink(data, target.run, error)
        failure = FuzzFailure(
            kind=_kind(error),
            error=_one_line(error),
            location=location(error),
            input=_base64(small),
            size=len(small),
            trace="".join(traceback.format_exception(error))[-4000:],
        )
        (self._work / "failure.json").write_text(json.dumps(asdict(failure)))


@contextmanager
def limited() -> Iterator[None]:
    """Raise Hang after a second of CPU time in the block."""
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def shrink(data: bytes, run: Callable[[bytes], None], error: BaseException) -> bytes:
    """A smaller input with the same failure at the same location, by dropping slices; not for memory failures."""
    if isinstance(error, MemoryGrowth | MemoryError):
        return data
    wanted, until = (type(error), location(error)), monotonic() + _SHRINK_SECONDS
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data) and monotonic() < until:
            less = data[:at] + data[at + size :]
            if _failure_of(less, run) == wanted:
                data = less
            else:
                at += size
        size //= 2
    return data


def _failure_of(data: bytes, run: Callable[[bytes], None]) -> tuple[type[BaseException], str] | None:
    try:
        with limited():
            run(data)
    except BaseException as error:
        return type(error), location(error)
    return None


def location(error: BaseException) -> str:
    """Where an error was raised: the innermost line in leftbower outside of the fuzzer, otherwise the innermost of
    all."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name != _hang.__name__]
    ours = [frame for frame in frames if _is_ours(Path(frame.filename))]
    innermost = (ours or frames)[-1:]
    return f"{_short(innermost[0].filename)}:{innermost[0].lineno}" if innermost else ""


def _is_ours(file: Path) -> bool:
    return "leftbower" in file.parts and "proofs" not in file.parts


def _short(filename: str) -> str:
    """The path relative to the package."""
    parts = Path(filename).parts
    at = max((at for at, part in enumerate(parts) if part in ("leftbower", "site-packages")), default=len(parts) - 1)
    return "/".join(parts[at:])


def _hang(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {MAX_CPU_SECONDS:g} s of CPU time")


def _kind(error: BaseException) -> str:
    match error:
        case Hang():
            return "hang"
        case MemoryGrowth() | MemoryError():
            return "memory"
        case _:
            return "crash"


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300].encode("utf-8", "replace").decode()


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _targets(module: str) -> Mapping[str, FuzzTarget]:
    targets: Mapping[str, FuzzTarget] = importlib.import_module(module).TARGETS
    return targets


def _chosen(module: str, names: Sequence[str]) -> dict[str, FuzzTarget]:
    return {name: _targets(module)[name] for name in names}


def _dictionary(targets: Sequence[FuzzTarget]) -> str:
    """The words of inputs in libFuzzer's format."""
    words = {token.encode("utf-8", "surrogatepass") for target in targets for token in target.tokens}
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in sorted(words) if word)
    return "".join(f'"{word}"\n' for word in escaped)
