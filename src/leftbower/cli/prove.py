"""`leftbower prove`: that a server loses nothing and goes on when it is killed, and shows nobody what is not theirs."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.output import print_json
from leftbower.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import Progress, TaskID

    from leftbower.bench.crash import Report as Storm
    from leftbower.bench.fuzz import Result as FuzzResult
    from leftbower.bench.mutated_requests import Report as Requests
    from leftbower.bench.processes import Report as Relay
    from leftbower.bench.round_three import Report as Evenings
    from leftbower.bench.trace import Trace
    from leftbower.bench.wire import Report as Twins

app = typer.Typer(help="Proofs that the server keeps what it answers, and its secrets.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
_TOGETHER: Final = 5
"""Tables compared between two looks at the progress bar; an interrupt loses no more than these."""
_INTERRUPTED: Final = 130


class Database(StrEnum):
    """Where a proof keeps its tables."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"


@app.command(epilog="Example:  leftbower prove crash --kills 20 --database postgresql")
def crash(
    kills: Annotated[int, typer.Option(min=1, help="How often the server is killed.")] = 200,
    database: Annotated[Database, typer.Option(help="What it keeps its tables in.")] = Database.SQLITE,
    seed: Annotated[int, typer.Option(help="Where the randomness of people and kills begins.")] = 1,
    json: Json = False,
) -> None:
    """Kill a server again and again, and miss nothing.

    People and bots play at several tables while the server is killed, as by kill -9: before and after a commit, before
    and after an answer, before and after a feed is told, and at any moment. Every answered act must be in the log once,
    everything that was shown must still be so, and play must go on. With SQLite, strace then shows that the disk had
    each act before its answer left. Status 1 when anything is wrong. Ctrl-C ends it early with what is done. Needs the
    server extra, and for PostgreSQL, which it starts itself, the test extra.
    """
    from asyncio import run

    try:
        from leftbower.bench.crash import own_database, storm
        from leftbower.bench.trace import can_trace, traced
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with own_database(database) as address, _bar() as progress:
        bar = progress.add_task("kills", total=kills)
        report = run(storm(address, kills=kills, seed=seed, progress=lambda done: progress.update(bar, completed=done)))
    done = sum(report.kills.values()) == kills
    trace = run(traced(seed=seed)) if done and database is Database.SQLITE and can_trace() else None
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": kills, "trace": asdict(trace) if trace else None})
    else:
        _print_storm(report, kills)
        if done and database is Database.SQLITE:
            _print_trace(trace)
    if not report.sound or (trace and not trace.sound):
        raise typer.Exit(1)
    if not done:
        raise typer.Exit(_INTERRUPTED)


@app.command(epilog="Example:  leftbower prove desk --kills 20")
def desk(
    kills: Annotated[int, typer.Option(min=1, help="How often the server is killed.")] = 50,
    seed: Annotated[int, typer.Option(help="Where the randomness of people and kills begins.")] = 1,
    json: Json = False,
) -> None:
    """Kill the server of an evening in round three, and miss nothing.

    Twelve teams play over HTTP, a phone for each side of each table. In round three the server is killed, as by kill
    -9: before and after a commit, before and after an answer, before and after a feed is told, and at any moment. It is
    started again on the same file and port, and phones send again what they have had no answer to. Every answered tap
    must be in the ledger once and nothing else, links and feeds must still work, and the standings must be what a
    second reading of the answered taps comes to. Status 1 when anything is wrong. Ctrl-C ends it early with what is
    done. Needs the server extra.
    """
    from asyncio import run

    try:
        from leftbower.bench.crash import own_database
        from leftbower.bench.round_three import storm
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with own_database(Database.SQLITE) as address, _bar() as progress:
        bar = progress.add_task("kills", total=kills)
        report = run(storm(address, kills=kills, seed=seed, progress=lambda done: progress.update(bar, completed=done)))
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": kills})
    else:
        _print_evenings(report, kills)
    if not report.sound:
        raise typer.Exit(1)
    if sum(report.kills.values()) < kills:
        raise typer.Exit(_INTERRUPTED)


@app.command(epilog="Example:  leftbower prove processes --kills 5 --restarts 5")
def processes(
    kills: Annotated[int, typer.Option(min=0, help="How often one of the processes is killed.")] = 20,
    restarts: Annotated[int, typer.Option(min=0, help="How often all of them are replaced.")] = 20,
    seed: Annotated[int, typer.Option(help="Where the randomness of people and kills begins.")] = 1,
    json: Json = False,
) -> None:
    """Kill and replace processes of a server while people play.

    Two processes serve one PostgreSQL, which is started for this. One of them is killed, as by kill -9, again and
    again, and again and again all of them are replaced in a rolling restart. Every answered act must be in the log
    once, no act may fail that was sent again, everything that was shown must still be so, and within 3 seconds of each
    kill every table must have moved on and everybody there have heard of it. Status 1 when anything is wrong. Ctrl-C
    ends it early with what is done. Needs the server and test extras.
    """
    from asyncio import run

    try:
        from leftbower.bench.crash import own_database
        from leftbower.bench.processes import storm
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with own_database(Database.POSTGRESQL) as address, _bar() as progress:
        bar = progress.add_task("kills and restarts", total=kills + restarts)
        storming = storm(
            address,
            kills=kills,
            restarts=restarts,
            seed=seed,
            progress=lambda done: progress.update(bar, completed=done),
        )
        report = run(storming)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": {"kills": kills, "restarts": restarts}})
    else:
        _print_relay(report, kills, restarts)
    if not report.sound:
        raise typer.Exit(1)
    if (report.kills, report.restarts) != (kills, restarts):
        raise typer.Exit(_INTERRUPTED)


@app.command(epilog="Example:  leftbower prove wire --hands 200")
def wire(
    hands: Annotated[int, typer.Option(min=1, help="How many hands to play, each with its twin.")] = 2000,
    seed: Annotated[int, typer.Option(help="Where the random tables begin; the same seed plays the same.")] = 1,
    json: Json = False,
) -> None:
    """Compare what clients are sent with what they may know, byte by byte.

    Every table is played twice, the second time with hidden cards exchanged so that a watcher may not notice. Answers,
    refusals, headers, feeds, feeds after a reconnection and logs must be the same bytes, but for hashes and salts.
    Status 1 when anything differs. Ctrl-C ends it early with what was compared so far. Needs the server extra.
    """
    try:
        from leftbower.bench.wire import ENOUGH, Report, compare
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    report = Report(seed=seed)
    with _bar() as progress:
        bar = progress.add_task("hands", total=hands)
        try:
            while report.hands < hands and len(report.differences) < ENOUGH:
                report += compare(report.tables, _TOGETHER, seed)
                progress.update(bar, completed=report.hands)
        except KeyboardInterrupt:
            pass
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": hands})
    else:
        _print_twins(report)
    if report.differences:
        raise typer.Exit(1)
    if report.hands < hands:
        raise typer.Exit(_INTERRUPTED)


@app.command("fuzz", epilog="Example:  leftbower prove fuzz --target egn --target toml --seconds 60")
def fuzz_parsers(
    target: Annotated[
        list[str] | None, typer.Option(metavar="<name>", help="What to fuzz, again for more; all targets by default.")
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, help="How long each target is fuzzed.")] = 600,
    corpus: Annotated[
        Path | None, typer.Option(help="Folder with a folder of inputs for each target: read first, and added to.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Where the mutations begin.")] = 1,
    json: Json = False,
) -> None:
    """Fuzz every parser that reads what strangers send.

    Coverage-guided, by atheris: hand lines, records, EGN, rules links, rules files, ledgers, forms, request bodies,
    passkeys, headers, and names, lists and scores as people type them. Only deliberate errors may be raised. A failure
    is any other exception, an input that takes more than a second of CPU time or much memory, and a result that is
    another one when it is written and parsed again. It is reported with a small input. Status 1 when anything fails.
    Ctrl-C ends it early with what is done. Needs the server and fuzz extras, on Linux.
    """
    try:
        from leftbower.bench.fuzz import check_names, fuzz, target_names

        names = tuple(target) if target else target_names()
        check_names(names)
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    results: list[FuzzResult] = []
    with _bar() as progress:
        for name in names:
            bar = progress.add_task(name, total=seconds)

            def show(result: "FuzzResult", bar: "TaskID" = bar) -> None:
                progress.update(bar, completed=min(seconds, round(result.seconds)))

            folder = corpus / name if corpus else None
            results.append(fuzz([name], seconds=seconds, seed=seed, corpus=folder, progress=show))
            progress.remove_task(bar)
            if results[-1].interrupted:
                break
    done = not any(one.interrupted for one in results)
    if json:
        from dataclasses import asdict

        print_json(
            {"asked": list(names), "seconds": seconds, "seed": seed, "results": [asdict(one) for one in results]}
        )
    else:
        _print_fuzz(results)
    if any(one.failure for one in results):
        raise typer.Exit(1)
    if not done:
        raise typer.Exit(_INTERRUPTED)


@app.command("requests", epilog="Example:  leftbower prove requests --count 20000 --processes 2")
def send_requests(
    count: Annotated[int, typer.Option(min=1, help="How many requests are sent.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Where the randomness of worlds and mutations begins.")] = 1,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 1,
    json: Json = False,
) -> None:
    """Send mutated requests to the whole application; none may be answered with 5xx.

    Worlds are opened one after another: people, tables in many phases, events, tokens and links of every kind. Valid
    requests are made for every route, and most are mutated before they are sent: method, path, query, headers, body
    and caller. A failure is a status of 500 or more, an exception, an answer that takes more than a second of CPU time
    or never comes, and an error in the log. It is reported with the request. Limits of rates are out of reach. Status
    1 when anything fails. Ctrl-C ends it early with what is done. Needs the server extra.
    """
    from functools import partial

    from leftbower.players.spreading import spread, workers

    try:
        from leftbower.bench.mutated_requests import Report, send_to_worlds, worlds_for
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    report = Report()
    with _bar() as progress:
        bar = progress.add_task("requests", total=count)
        try:
            with workers(processes) as executor:
                work = partial(send_to_worlds, seed=seed, requests=count)
                for _, part in spread(work, worlds_for(count), executor):
                    report += part
                    progress.update(bar, completed=report.requests)
        except KeyboardInterrupt:
            pass
    if json:
        print_json(report.as_json() | {"asked": count, "seed": seed})
    else:
        _print_requests(report, count, seed)
    if report.failures:
        raise typer.Exit(1)
    if report.requests < count:
        raise typer.Exit(_INTERRUPTED)


def _bar() -> "Progress":
    """A progress bar where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_storm(report: "Storm", asked: int) -> None:
    done = sum(report.kills.values())
    of = "" if done == asked else f" of {asked:,}"
    print(f"{done:,}{of} kills of a server on {report.database}, seed {report.seed}.")
    for kind, times in report.kills.items():
        print(f"  {kind:<22} {times:>9,}")
    print(
        f"\n{report.answered:,} acts of people were answered; {report.resent:,} were sent again as the answer was lost,"
    )
    print(f"{report.known:,} of them on disk already, and {report.repeated:,} for no reason.")
    print(f"{report.views:,} views of {report.tables:,} tables were shown; the logs have {report.facts:,} facts.\n")
    counts = (report.lost, report.doubled, report.forgotten, report.flaws, report.stuck)
    print("lost {}, doubled {}, forgotten {}, broken chains {}, stuck {}".format(*counts))
    print("Nothing that was answered or shown is missing." if report.sound else "The server LOSES things:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_evenings(report: "Evenings", asked: int) -> None:
    evenings = f"{report.evenings} evening{'' if report.evenings == 1 else 's'}"
    print(f"{_of(sum(report.kills.values()), asked)} kills in round three of {evenings}, seed {report.seed}.")
    for kind, times in report.kills.items():
        print(f"  {kind:<22} {times:>9,}")
    print(f"\n{report.answered:,} taps were answered; {report.resent:,} were sent again as the answer was lost, and")
    print(f"{report.repeated:,} for no reason. The ledgers have {report.lines:,} lines.\n")
    counts = (report.lost, report.doubled, report.unheard, report.wrong, report.stuck)
    print("lost {}, doubled {}, unheard {}, wrong standings {}, stuck {}".format(*counts))
    print("Nothing that was confirmed is missing, and phones went on." if report.sound else "The desk LOSES things:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_relay(report: "Relay", kills: int, restarts: int) -> None:
    done = f"{_of(report.kills, kills)} kills and {_of(report.restarts, restarts)} rolling restarts"
    print(f"{done} of {report.workers} processes on postgresql, seed {report.seed}.\n")
    print(
        f"{report.answered:,} acts of people were answered; {report.resent:,} were sent again as the answer was lost."
    )
    print(f"{report.views:,} views of {report.tables:,} tables were shown; the logs have {report.facts:,} facts.\n")
    print(
        f"After a kill the last table moved on within {report.moved:.2f} s, and the last player had heard of it within"
    )
    print(f"{report.heard:.2f} s. During a restart nobody heard nothing new for longer than {report.silence:.2f} s.\n")
    counts = (report.lost, report.doubled, report.forgotten, report.flaws, report.failed, report.late)
    print("lost {}, doubled {}, forgotten {}, broken chains {}, failed {}, late {}".format(*counts))
    print("Nothing is missing, and everybody went on." if report.sound else "The server does NOT go on as it should:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_fuzz(results: "Sequence[FuzzResult]") -> None:
    print("target        executions    edges  features  inputs   slowest  memory  result")
    for one in results:
        outcome = one.failure.kind.upper() if one.failure else "interrupted" if one.interrupted else "nothing found"
        print(
            f"{one.target:<12} {one.executions:>11,} {one.edges:>8,} {one.features:>9,} {one.corpus:>7,}"
            f" {1000 * one.slowest:>6.0f} ms {one.peak_mib:>3} MiB  {outcome}"
        )
    for one in results:
        if failure := one.failure:
            print(
                f"\n{one.target}: {failure.error}\n  at {failure.location}, by these {failure.size:,} bytes in base64:"
            )
            print(f"  {failure.input}")


def _print_requests(report: "Requests", asked: int, seed: int) -> None:
    reached = f"{len(report.routes & report.reached)} of {len(report.routes)} routes gave a good answer"
    print(f"{_of(report.requests, asked)} requests to {report.worlds:,} worlds, seed {seed}; {reached}.\n")
    print("area                2xx        3xx        4xx        5xx    no answer")
    for area, classes in report.by_area().items():
        numbers = "".join(f"{classes.get(name, 0):>11,}" for name in ("2xx", "3xx", "4xx", "5xx", "0xx"))
        print(f"{area:<12}{numbers}")
    print(f"\nThe slowest answer took {report.slowest:.2f} s of CPU time ({report.slowest_route}).")
    if report.unreached:
        print(f"Never well answered: {', '.join(report.unreached)}.")
    print(f"{report.failures:,} failures." if report.failures else "No failure.")
    for one in report.examples:
        print(f"\nworld {one.world}, request {one.number}, {one.kind}: {one.says.strip()}\n  {one.request}")


def _of(done: int, asked: int) -> str:
    return f"{done:,}" if done == asked else f"{done:,} of {asked:,}"


def _print_trace(trace: "Trace | None") -> None:
    if trace is None:
        print("System calls were not traced, as strace is not installed.")
    elif trace.sound:
        print(f"System calls: {trace.answers} acts, each answered after fsync of the log had returned.")
    else:
        print(f"System calls: {trace.unsynced} of {trace.answers} acts were answered BEFORE fsync of the log returned.")


def _print_twins(report: "Twins") -> None:
    number = len(report.differences)
    found = f"{number} difference{'' if number == 1 else 's'}" if number else "no difference"
    sent = f"{report.answers:,} answers and feeds, {report.bytes:,} bytes"
    print(f"{report.hands:,} hands at {report.tables:,} tables, {sent}, seed {report.seed}: {found}.")
    for what, times in sorted(report.occurred.items()):
        print(f"  {what:<26} {times:>9,}")
    for one in report.differences:
        print(f"\ntable {one.number}, watched from {one.watcher}: {one.what}")
        print(f"  {one.sent!r}\n  {one.sent_in_the_twin!r}\n  {one.position}\n  {one.twin}")
