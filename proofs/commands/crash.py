"""`python -m proofs crash | event-crash | processes`: servers that are killed while people play."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, CrashSeed, Database, Json, format_done, progress_bar

if TYPE_CHECKING:
    from proofs.crash.crash import CrashReport
    from proofs.crash.event_crash import EventCrashReport
    from proofs.crash.fsync_trace import Trace
    from proofs.crash.processes import ProcessesReport


def crash(
    kills: Annotated[int, typer.Option(min=1, help="How often the server is killed.")] = 200,
    database: Annotated[Database, typer.Option(help="What it keeps its tables in.")] = Database.SQLITE,
    seed: CrashSeed = 1,
    json: Json = False,
) -> None:
    """Kill a server again and again, and miss nothing.

    People and bots play at several tables while the server is killed, as by kill -9: before and after a commit, before
    and after an answer, before and after a feed message, and at any moment. Every answered act must be in the log once,
    everything that was shown must still be so, and play must go on. With SQLite, strace then shows that the disk had
    each act before its answer left. Status 1 when anything is wrong. Ctrl-C ends it early with what is done. Needs the
    server extra, and for PostgreSQL, which it starts itself, the test extra.
    """
    from asyncio import run

    try:
        from proofs.crash.crash import run_crash_test, temporary_database
        from proofs.crash.fsync_trace import can_trace, trace_server
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with temporary_database(database) as address, progress_bar() as progress:
        bar = progress.add_task("kills", total=kills)
        test = run_crash_test(
            address, kills=kills, seed=seed, progress=lambda done: progress.update(bar, completed=done)
        )
        report = run(test)
    done = sum(report.kills.values()) == kills
    trace = run(trace_server(seed=seed)) if done and database is Database.SQLITE and can_trace() else None
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"requested": kills, "trace": asdict(trace) if trace else None})
    else:
        _print_crash(report, kills)
        if done and database is Database.SQLITE:
            _print_trace(trace)
    if not report.sound or (trace and not trace.sound):
        raise typer.Exit(1)
    if not done:
        raise typer.Exit(INTERRUPTED_STATUS)


def event_crash(
    kills: Annotated[int, typer.Option(min=1, help="How often the server is killed.")] = 50,
    seed: CrashSeed = 1,
    json: Json = False,
) -> None:
    """Kill the server of an event in round three, and miss nothing.

    Twelve teams play over HTTP, a phone for each side of each table. In round three the server is killed, as by kill
    -9: before and after a commit, before and after an answer, before and after a feed message, and at any moment. It is
    started again on the same file and port, and phones send again what they have had no answer to. Every answered tap
    must be in the ledger once and nothing else, links and feeds must still work, and the standings must be what a
    second reading of the answered taps comes to. Status 1 when anything is wrong. Ctrl-C ends it early with what is
    done. Needs the server extra.
    """
    from asyncio import run

    try:
        from proofs.crash.crash import temporary_database
        from proofs.crash.event_crash import run_event_crash_test
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with temporary_database(Database.SQLITE) as address, progress_bar() as progress:
        bar = progress.add_task("kills", total=kills)
        test = run_event_crash_test(
            address, kills=kills, seed=seed, progress=lambda done: progress.update(bar, completed=done)
        )
        report = run(test)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"requested": kills})
    else:
        _print_event_crash(report, kills)
    if not report.sound:
        raise typer.Exit(1)
    if sum(report.kills.values()) < kills:
        raise typer.Exit(INTERRUPTED_STATUS)


def processes(
    kills: Annotated[int, typer.Option(min=0, help="How often one of the processes is killed.")] = 20,
    restarts: Annotated[int, typer.Option(min=0, help="How often all of them are replaced.")] = 20,
    seed: CrashSeed = 1,
    json: Json = False,
) -> None:
    """Kill and replace processes of a server while people play.

    Two processes serve one PostgreSQL, which is started for this. One of them is killed, as by kill -9, again and
    again, and again and again all of them are replaced in a rolling restart. Every answered act must be in the log
    once, no act may fail that was sent again, everything that was shown must still be so, and within 3 seconds of each
    kill every table must have moved on and all players there must have seen it. Status 1 when anything is wrong. Ctrl-C
    ends it early with what is done. Needs the server and test extras.
    """
    from asyncio import run

    try:
        from proofs.crash.crash import temporary_database
        from proofs.crash.processes import run_process_test
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with temporary_database(Database.POSTGRESQL) as address, progress_bar() as progress:
        bar = progress.add_task("kills and restarts", total=kills + restarts)
        test = run_process_test(
            address,
            kills=kills,
            restarts=restarts,
            seed=seed,
            progress=lambda done: progress.update(bar, completed=done),
        )
        report = run(test)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"requested": {"kills": kills, "restarts": restarts}})
    else:
        _print_processes(report, kills, restarts)
    if not report.sound:
        raise typer.Exit(1)
    if (report.kills, report.restarts) != (kills, restarts):
        raise typer.Exit(INTERRUPTED_STATUS)


def _print_crash(report: "CrashReport", requested: int) -> None:
    done = format_done(sum(report.kills.values()), requested)
    print(f"{done} kills of a server on {report.database}, seed {report.seed}.")
    for kind, times in report.kills.items():
        print(f"  {kind:<22} {times:>9,}")
    print(
        f"\n{report.answered:,} acts of people were answered; {report.resent:,} were sent again as the answer was lost,"
    )
    print(f"{report.committed:,} of them on disk already, and {report.repeated:,} for no reason.")
    print(f"{report.views:,} views of {report.tables:,} tables were shown; the logs have {report.facts:,} facts.\n")
    counts = (report.lost, report.doubled, report.forgotten, report.flaws, report.stuck)
    print("lost {}, doubled {}, forgotten {}, broken chains {}, stuck {}".format(*counts))
    print("Nothing that was answered or shown is missing." if report.sound else "The server LOSES things:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_trace(trace: "Trace | None") -> None:
    if trace is None:
        print("System calls were not traced, as strace is not installed.")
    elif trace.sound:
        print(f"System calls: {trace.answers} acts, each answered after fsync of the log had returned.")
    else:
        print(f"System calls: {trace.unsynced} of {trace.answers} acts were answered BEFORE fsync of the log returned.")


def _print_event_crash(report: "EventCrashReport", requested: int) -> None:
    events = f"{report.events} event{'' if report.events == 1 else 's'}"
    done = format_done(sum(report.kills.values()), requested)
    print(f"{done} kills in round three of {events}, seed {report.seed}.")
    for kind, times in report.kills.items():
        print(f"  {kind:<22} {times:>9,}")
    print(f"\n{report.answered:,} taps were answered; {report.resent:,} were sent again as the answer was lost, and")
    print(f"{report.repeated:,} for no reason. The ledgers have {report.lines:,} lines.\n")
    counts = (report.lost, report.doubled, report.unanswered, report.wrong, report.stuck)
    print("lost {}, doubled {}, unanswered {}, wrong standings {}, stuck {}".format(*counts))
    print("Nothing that was confirmed is missing, and phones went on." if report.sound else "The desk LOSES things:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_processes(report: "ProcessesReport", kills: int, restarts: int) -> None:
    done = f"{format_done(report.kills, kills)} kills and {format_done(report.restarts, restarts)} rolling restarts"
    print(f"{done} of {report.workers} processes on postgresql, seed {report.seed}.\n")
    print(
        f"{report.answered:,} acts of people were answered; {report.resent:,} were sent again as the answer was lost."
    )
    print(f"{report.views:,} views of {report.tables:,} tables were shown; the logs have {report.facts:,} facts.\n")
    table, player, silence = report.table_recovery_seconds, report.player_recovery_seconds, report.silence
    print(f"After a kill the last table moved on within {table:.2f} s, and the last player had seen it within")
    print(f"{player:.2f} s. During a restart no player saw nothing new for longer than {silence:.2f} s.\n")
    counts = (report.lost, report.doubled, report.forgotten, report.flaws, report.failed, report.late)
    print("lost {}, doubled {}, forgotten {}, broken chains {}, failed {}, late {}".format(*counts))
    print("Nothing is missing, and all players went on." if report.sound else "The server does NOT go on as it should:")
    for sentence in report.examples:
        print(f"  {sentence}")
