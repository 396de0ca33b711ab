"""`python -m proofs crash | event-crash | processes`: kill servers while people play."""

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
    kills: Annotated[int, typer.Option(min=1, help="Number of kills.")] = 200,
    database: Annotated[Database, typer.Option(help="The server's database.")] = Database.SQLITE,
    seed: CrashSeed = 1,
    json: Json = False,
) -> None:
    """Kill a server many times, and check that nothing is lost.

    People and bots play at several tables while the server is killed with SIGKILL: before and after a commit, a
    response and a feed message, and at random times. Every answered action must be in the log exactly once, everything
    that was shown must still be true, and play must continue. With SQLite, strace then checks that each action was on
    disk before its response was sent. Exits with status 1 if anything is wrong. Ctrl-C stops early and prints the
    results so far. Needs the server extra, and for PostgreSQL, which it starts itself, the test extra.
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
    kills: Annotated[int, typer.Option(min=1, help="Number of kills.")] = 50,
    seed: CrashSeed = 1,
    json: Json = False,
) -> None:
    """Kill the server of an event in round three, and check that nothing is lost.

    Twelve teams play over HTTP, with a phone for each side of each table. In round three the server is killed with
    SIGKILL: before and after a commit, a response and a feed message, and at random times. It restarts on the same
    file and port, and phones resend unanswered taps. Now and then a phone is offline for up to five hands, which
    wait in order. The ledger must have every answered tap exactly once and nothing else, links and feeds must still
    work, and the standings must match an independent count of the answered taps. Exits with status 1 if anything is
    wrong. Ctrl-C stops early and prints the results so far. Needs the server extra.
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
    kills: Annotated[int, typer.Option(min=0, help="Number of kills of one process.")] = 20,
    restarts: Annotated[int, typer.Option(min=0, help="Number of rolling restarts.")] = 20,
    seed: CrashSeed = 1,
    json: Json = False,
) -> None:
    """Kill and restart processes of a server while people play.

    Two processes serve one PostgreSQL, which this command starts. One process at a time is killed with SIGKILL, and
    rolling restarts replace both. Every answered action must be in the log exactly once, no resent action may fail,
    everything that was shown must still be true, and within 3 seconds of each kill every table must have moved on for
    all its players. Exits with status 1 if anything is wrong. Ctrl-C stops early and prints the results so far. Needs
    the server and test extras.
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
        f"\n{report.answered:,} actions answered; {report.resent:,} resent after a lost response, {report.committed:,}"
    )
    print(f"of those already on disk, and {report.repeated:,} resent for no reason.")
    print(f"{report.views:,} views of {report.tables:,} tables shown; {report.facts:,} facts in the logs.\n")
    counts = (report.lost, report.doubled, report.forgotten, report.flaws, report.stuck)
    print("lost {}, doubled {}, forgotten {}, broken chains {}, stuck {}".format(*counts))
    print("Nothing was lost." if report.sound else "The server LOST data:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_trace(trace: "Trace | None") -> None:
    if trace is None:
        print("System calls not traced: strace is not installed.")
    elif trace.sound:
        print(f"System calls: {trace.answers} actions, each answered after fsync of the log returned.")
    else:
        print(f"System calls: {trace.unsynced} of {trace.answers} actions answered BEFORE fsync of the log returned.")


def _print_event_crash(report: "EventCrashReport", requested: int) -> None:
    events = f"{report.events} event{'' if report.events == 1 else 's'}"
    done = format_done(sum(report.kills.values()), requested)
    print(f"{done} kills in round three of {events}, seed {report.seed}.")
    for kind, times in report.kills.items():
        print(f"  {kind:<22} {times:>9,}")
    print(f"\n{report.answered:,} taps answered; {report.resent:,} resent after a lost response, and")
    print(f"{report.repeated:,} for no reason; {report.offline:,} were tapped while the phone was offline.")
    print(f"The ledgers have {report.lines:,} lines.\n")
    counts = (report.lost, report.doubled, report.unanswered, report.wrong, report.stuck)
    print("lost {}, doubled {}, unanswered {}, wrong standings {}, stuck {}".format(*counts))
    print("Nothing was lost, and all phones continued." if report.sound else "The server LOST data:")
    for sentence in report.examples:
        print(f"  {sentence}")


def _print_processes(report: "ProcessesReport", kills: int, restarts: int) -> None:
    done = f"{format_done(report.kills, kills)} kills and {format_done(report.restarts, restarts)} rolling restarts"
    print(f"{done} of {report.workers} processes on postgresql, seed {report.seed}.\n")
    print(f"{report.answered:,} actions answered; {report.resent:,} resent after a lost response.")
    print(f"{report.views:,} views of {report.tables:,} tables shown; {report.facts:,} facts in the logs.\n")
    table, player, silence = report.table_recovery_seconds, report.player_recovery_seconds, report.silence
    print(f"After a kill, all tables had moved on within {table:.2f} s, and all players had seen it within")
    print(f"{player:.2f} s. During a restart, the longest time without news for a player was {silence:.2f} s.\n")
    counts = (report.lost, report.doubled, report.forgotten, report.flaws, report.failed, report.late)
    print("lost {}, doubled {}, forgotten {}, broken chains {}, failed {}, late {}".format(*counts))
    print("Nothing was lost, and all players continued." if report.sound else "The server FAILED:")
    for sentence in report.examples:
        print(f"  {sentence}")
