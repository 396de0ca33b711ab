"""`python -m benchmarks server`: a server under load."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from benchmarks.commands.options import LoadSeed, step_progress
from leftbower.cli.common.output import print_json
from leftbower.errors import BadUsage, MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Database, Json

if TYPE_CHECKING:
    from benchmarks.attack import AttackResult
    from benchmarks.load import LoadResult, Percentiles
    from benchmarks.server import ServerReport

EXAMPLES: Final = (
    "Examples:  python -m benchmarks server;  python -m benchmarks server --part load --tables 100 --seconds 5;  "
    "python -m benchmarks server --database postgresql --processes 2"
)


class Part(StrEnum):
    """What can be measured."""

    LOAD = "load"
    STALLED = "stalled"
    RECONNECT = "reconnect"
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
    processes: Annotated[int, typer.Option(min=1, help="How many servers over one PostgreSQL, beside one alone.")] = 1,
    seed: LoadSeed = 1,
    json: Json = False,
) -> None:
    """Measure a server under load.

    The real server runs in a process of its own, with default limits and its tables on disk; people follow feeds and
    act. load: times, processor and memory, in turns with a bare FastAPI echo of equal bytes. stalled: as many clients
    that never read as there are tables, and half as many slow headers, at one of two servers with half the tables each,
    in turns. reconnect: half of all feeds cut at once. restart: killed and started. attack: one address sends the
    largest imports and draws as fast as limits allow, at one of two servers with up to 200 tables each, in turns.
    Ctrl-C ends it early with what is done.
    Needs the server extra, Linux, and for PostgreSQL the test extra.
    """
    if processes > 1 and database is not Database.POSTGRESQL:
        raise BadUsage("more than one process needs --database postgresql")
    try:
        import asyncio

        import uvloop

        from benchmarks.server import measure
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    with step_progress() as progress, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
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
        raise typer.Exit(INTERRUPTED_STATUS)


def _print(report: "ServerReport") -> None:
    for load in report.loads:
        _print_load(load)
    if report.echo:
        _print_load(report.echo)
    ratios = report.ratios
    if "delivery_p99" in ratios:
        print(
            f"To the echo: p99 of delivery {ratios['delivery_p99']:.2f} ×, in the middle turn of each "
            f"{ratios['typical_p99']:.2f} ×; processor {ratios['cpu_per_act']:.2f} ×.\n"
        )
    if stalled := report.stalled:
        print(f"{stalled.silent:,} clients that never read and {stalled.slow_headers:,} slow headers")
        _print_percentiles("at both, before", stalled.before)
        _print_percentiles("without them", stalled.without)
        _print_percentiles("with them", stalled.during)
        comparison = ", ".join(f"{ratio:.2f} times as long as {name}" for name, ratio in stalled.ratios.items())
        print(f"  p99 {comparison}; {_format_refusals(stalled.refused)}.\n")
    if reconnect := report.reconnect:
        print(f"{reconnect.feeds:,} feeds cut at once")
        print(
            f"  {reconnect.reconnected:,} back, the last after {reconnect.seconds:.2f} s; {reconnect.acts:,} acts in "
            f"that time, {_format_refusals(reconnect.refused)}.\n"
        )
    if restart := report.restart:
        print(f"Killed with {restart.tables:,} live tables, and started again")
        print(f"  listens after {restart.listening:.2f} s, first act answered after {restart.first_act:.2f} s.\n")
    for attack in report.attacks:
        _print_attack(attack)


def _print_attack(attack: "AttackResult") -> None:
    print(f"One address attacks with {attack.kind}: {attack.tables:,} tables at each of two servers")
    _print_percentiles("without, same moments", attack.without)
    _print_percentiles("during the attack", attack.during)
    turns = ", ".join(f"{during:.1f} to {without:.1f}" for during, without in attack.turns)
    print(f"    p99 by turns         {turns} ms")
    if attack.ratio is not None:
        print(f"  p99 {attack.ratio:.2f} times as long, in the middle turn {attack.median_ratio:.2f} times; ", end="")
    refusals = _format_refusals(attack.refused)
    print(f"{refusals}; processor {attack.cpu[0]:.2f} of a core, the other {attack.cpu[1]:.2f}")
    print(f"  sent: {', '.join(f'{number:,} {name}' for name, number in attack.requests.items())}\n")


def _print_load(load: "LoadResult") -> None:
    print(f"{load.name}: {load.tables:,} tables, {load.feeds:,} feeds, {load.seconds:.1f} s")
    refusals = _format_refusals(load.refused)
    print(f"  {load.acts:,} acts, {load.acts_per_second:.1f} a second, {refusals}; {load.server_acts:,} by the server")
    _print_percentiles("post to answer", load.answer)
    _print_percentiles("post to last feed", load.delivery)
    turns = ", ".join(f"{p99:.1f}" for p99 in load.turns)
    print(f"    its p99 by turns     {turns} ms; the middle {load.median_p99:.1f} ms")
    _print_percentiles("lag of the clients", load.client_lag)
    database = "" if load.database_cpu_per_act is None else f", of the database {load.database_cpu_per_act:.2f} ms"
    clients = f"of the clients {100 * load.client_cpu:.0f} % of a core"
    print(f"  processor {load.cpu_per_act:.2f} ms an act{database}; {clients}")
    print(
        f"  ready without a core {100 * load.cpu_wait:.0f} % of the time: what others on this machine took; "
        f"{100 * load.stolen:.0f} % of the machine's time had other guests of its host"
    )
    request, answer, event = load.bytes
    memory = f"memory {load.kib_per_feed:.1f} KiB a feed"
    print(f"  {memory}; bytes: request {request:,}, answer {answer:,}, event {event:,}\n")


def _print_percentiles(label: str, times: "Percentiles") -> None:
    print(f"  {label:<22} p50 {times.p50:>8.2f} ms   p99 {times.p99:>8.2f} ms   max {times.max:>8.2f} ms")


def _format_refusals(refused: dict[str, Any]) -> str:
    if not refused:
        return "none refused"
    return "refused: " + ", ".join(f"{number:,} {code}" for code, number in sorted(refused.items()))
