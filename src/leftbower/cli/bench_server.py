"""`leftbower bench server`: what a server costs and bears under load."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from leftbower.cli.output import print_json
from leftbower.cli.prove import Database
from leftbower.errors import BadUsage, MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable

    from leftbower.bench.attack import Attack
    from leftbower.bench.loading import Load, Times
    from leftbower.bench.server import Report

_INTERRUPTED: Final = 130
EXAMPLES: Final = (
    "Examples:  leftbower bench server;  leftbower bench server --part load --tables 100 --seconds 5;  "
    "leftbower bench server --database postgresql --processes 2"
)


class Part(StrEnum):
    """What can be measured."""

    LOAD = "load"
    STALLED = "stalled"
    STORM = "storm"
    RESTART = "restart"
    ATTACK = "attack"


def server(
    tables: Annotated[int, typer.Option(min=1, help="How many tables of four people.")] = 1000,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each measurement takes.")] = 30.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two acts at a table.")] = 3.0,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this part; can be repeated.", show_default=False)
    ] = None,
    database: Annotated[Database, typer.Option(help="What the server keeps its tables in.")] = Database.SQLITE,
    processes: Annotated[int, typer.Option(min=1, help="So many servers over one PostgreSQL, beside one alone.")] = 1,
    seed: Annotated[int, typer.Option(help="Where the randomness of people begins.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Measure a server under load.

    The real server runs in a process of its own, with default limits and its tables on disk; people follow feeds and
    act. load: times, processor and memory, in turns with a bare FastAPI echo of equal bytes. stalled: as many clients
    that never read as there are tables, and half as many slow headers, at one of two servers with half the tables each,
    in turns. storm: half of all feeds cut at once. restart: killed and started. attack: one address sends the largest
    imports and draws as fast as limits allow, at one of two servers with up to 200 tables each, in turns. Ctrl-C ends
    it early with what is done.
    Needs the server extra, Linux, and for PostgreSQL the test extra.
    """
    if processes > 1 and database is not Database.POSTGRESQL:
        raise BadUsage("more than one process needs --database postgresql")
    try:
        import asyncio

        import uvloop

        from leftbower.bench.server import measure
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with progress_bar() as progress, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        report = runner.run(
            measure(
                database,
                parts=part or list(Part),
                tables=tables,
                seconds=seconds,
                every=every,
                processes=processes,
                seed=seed,
                progress=progress,
            )
        )
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"ratios": report.ratios, "tables": tables, "every": every, "seed": seed})
    else:
        _print(report)
    if not report.finished:
        raise typer.Exit(_INTERRUPTED)


@contextmanager
def progress_bar() -> "Iterator[Callable[[str, int, int], None]]":
    """A progress bar where somebody looks; it is drawn when there is something new, and at no other time."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet, auto_refresh=False) as progress:
        task = progress.add_task("", total=None)

        def show(what: str, done: int, of: int) -> None:
            progress.update(task, description=what, completed=done, total=of, refresh=True)

        yield show


def _print(report: "Report") -> None:
    for one in report.loads:
        _print_load(one)
    if report.echo:
        _print_load(report.echo)
    ratios = report.ratios
    if "delivery_p99" in ratios:
        print(
            f"To the echo: p99 of delivery {ratios['delivery_p99']:.2f} ×, in the middle turn of each "
            f"{ratios['typical_p99']:.2f} ×; processor {ratios['cpu_per_act']:.2f} ×.\n"
        )
    if still := report.stalled:
        print(f"{still.silent:,} clients that never read and {still.dripping:,} slow headers")
        _print_times("at both, before", still.before)
        _print_times("meanwhile, beside", still.beside)
        _print_times("meanwhile, with them", still.during)
        told = ", ".join(f"{ratio:.2f} times as long as {name}" for name, ratio in still.ratios.items())
        print(f"  p99 {told}; {_refusals(still.refused)}.\n")
    if gust := report.storm:
        print(f"{gust.feeds:,} feeds cut at once")
        print(f"  {gust.back:,} back, the last after {gust.seconds:.2f} s; {gust.acts:,} acts meanwhile, ", end="")
        print(f"{_refusals(gust.refused)}.\n")
    if again := report.restart:
        print(f"Killed with {again.tables:,} live tables, and started again")
        print(f"  listens after {again.listening:.2f} s, first act answered after {again.first_act:.2f} s.\n")
    for attack in report.attacks:
        _print_attack(attack)


def _print_attack(attack: "Attack") -> None:
    print(f"One address attacks with {attack.kind}: {attack.tables:,} tables at each of two servers")
    _print_times("without, same moments", attack.without)
    _print_times("during the attack", attack.during)
    turns = ", ".join(f"{during:.1f} to {without:.1f}" for during, without in attack.turns)
    print(f"    p99 by turns         {turns} ms")
    if attack.ratio is not None:
        print(f"  p99 {attack.ratio:.2f} times as long, in the middle turn {attack.typical:.2f} times; ", end="")
    print(f"{_refusals(attack.refused)}; processor {attack.cpu[0]:.2f} of a core, the other {attack.cpu[1]:.2f}")
    print(f"  sent: {', '.join(f'{number:,} {name}' for name, number in attack.requests.items())}\n")


def _print_load(one: "Load") -> None:
    print(f"{one.what}: {one.tables:,} tables, {one.feeds:,} feeds, {one.seconds:.1f} s")
    print(
        f"  {one.acts:,} acts, {one.acts_per_second:.1f} a second, {_refusals(one.refused)}; {one.house:,} by the house"
    )
    _print_times("post to answer", one.answer)
    _print_times("post to last feed", one.delivery)
    print(
        f"    its p99 by turns     {', '.join(f'{p99:.1f}' for p99 in one.turns)} ms; the middle {one.typical:.1f} ms"
    )
    _print_times("the crowd's own lag", one.crowd_lag)
    database = "" if one.database_cpu_per_act is None else f", of the database {one.database_cpu_per_act:.2f} ms"
    print(f"  processor {one.cpu_per_act:.2f} ms an act{database}; the crowd's {100 * one.crowd_cpu:.0f} % of a core")
    print(
        f"  ready without a core {100 * one.starved:.0f} % of the time: what others on this machine took; "
        f"{100 * one.stolen:.0f} % of the machine's time had other guests of its host"
    )
    sent, answered, told = one.bytes
    print(f"  memory {one.kib_per_feed:.1f} KiB a feed; bytes: request {sent:,}, answer {answered:,}, event {told:,}\n")


def _print_times(what: str, times: "Times") -> None:
    print(f"  {what:<22} p50 {times.p50:>8.2f} ms   p99 {times.p99:>8.2f} ms   max {times.max:>8.2f} ms")


def _refusals(refused: dict[str, Any]) -> str:
    if not refused:
        return "none refused"
    return "refused: " + ", ".join(f"{number:,} {code}" for code, number in sorted(refused.items()))
