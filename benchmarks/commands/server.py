"""`python -m benchmarks server`: load tests of a server."""

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
    LOAD = "load"
    STALLED = "stalled"
    RECONNECT = "reconnect"
    RESTART = "restart"
    ATTACK = "attack"


def server(
    tables: Annotated[int, typer.Option(min=1, help="Number of tables of four people.")] = 1000,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds per measurement.")] = 30.0,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two actions at a table.")] = 3.0,
    part: Annotated[
        list[Part] | None, typer.Option(help="Only this part; can be repeated.", show_default=False)
    ] = None,
    database: Annotated[Database, typer.Option(help="The server's database.")] = Database.SQLITE,
    processes: Annotated[
        int, typer.Option(min=1, help="Server processes on one PostgreSQL, compared with a single one.")
    ] = 1,
    seed: LoadSeed = 1,
    json: Json = False,
) -> None:
    """Load-test a server.

    A real server runs in its own process, with default limits and its tables on disk; simulated people follow feeds and
    act. load: response times, CPU and memory, alternating with a bare FastAPI echo of the same size. stalled: clients
    that never read (one per table) and slow headers (one per two tables) on one of two servers, alternating, with half
    the tables each. reconnect: half of all feeds cut at once. restart: the server is killed and restarted. attack: one
    address sends the largest imports and draws as fast as limits allow to one of two servers, alternating, with up to
    200 tables each. Ctrl-C stops early and prints the results so far. Needs the server extra, Linux, and for PostgreSQL
    the test extra.
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
            f"Compared with the echo: p99 of delivery {ratios['delivery_p99']:.2f} ×, in the median turn "
            f"{ratios['typical_p99']:.2f} ×; CPU {ratios['cpu_per_act']:.2f} ×.\n"
        )
    if stalled := report.stalled:
        print(f"{stalled.silent:,} clients that never read and {stalled.slow_headers:,} slow headers")
        _print_percentiles("both, before", stalled.before)
        _print_percentiles("without them", stalled.without)
        _print_percentiles("with them", stalled.during)
        comparison = ", ".join(f"{ratio:.2f} × {name}" for name, ratio in stalled.ratios.items())
        print(f"  p99 {comparison}; {_format_refusals(stalled.refused)}.\n")
    if reconnect := report.reconnect:
        print(f"{reconnect.feeds:,} feeds cut at once")
        print(
            f"  {reconnect.reconnected:,} reconnected, the last after {reconnect.seconds:.2f} s; {reconnect.acts:,} "
            f"actions in that time, {_format_refusals(reconnect.refused)}.\n"
        )
    if restart := report.restart:
        print(f"Killed with {restart.tables:,} live tables and restarted")
        print(f"  listening after {restart.listening:.2f} s, first response after {restart.first_act:.2f} s.\n")
    for attack in report.attacks:
        _print_attack(attack)


def _print_attack(attack: "AttackResult") -> None:
    print(f"One address attacks with {attack.kind}: {attack.tables:,} tables on each of two servers")
    _print_percentiles("without, same time", attack.without)
    _print_percentiles("during the attack", attack.during)
    turns = ", ".join(f"{during:.1f} to {without:.1f}" for during, without in attack.turns)
    print(f"    p99 by turns         {turns} ms")
    if attack.ratio is not None:
        print(f"  p99 {attack.ratio:.2f} times as long, in the median turn {attack.median_ratio:.2f} times; ", end="")
    refusals = _format_refusals(attack.refused)
    print(f"{refusals}; CPU {attack.cpu[0]:.2f} of a core, the other server {attack.cpu[1]:.2f}")
    print(f"  sent: {', '.join(f'{number:,} {name}' for name, number in attack.requests.items())}\n")


def _print_load(load: "LoadResult") -> None:
    print(f"{load.name}: {load.tables:,} tables, {load.feeds:,} feeds, {load.seconds:.1f} s")
    refusals = _format_refusals(load.refused)
    print(
        f"  {load.acts:,} actions, {load.acts_per_second:.1f} per second, {refusals}; "
        f"{load.server_acts:,} more by the server"
    )
    _print_percentiles("POST to response", load.answer)
    _print_percentiles("POST to last feed", load.delivery)
    turns = ", ".join(f"{p99:.1f}" for p99 in load.turns)
    print(f"    its p99 by turns     {turns} ms; median {load.median_p99:.1f} ms")
    _print_percentiles("client lag", load.client_lag)
    database = "" if load.database_cpu_per_act is None else f", database {load.database_cpu_per_act:.2f} ms"
    clients = f"clients {100 * load.client_cpu:.0f} % of a core"
    print(f"  CPU: {load.cpu_per_act:.2f} ms per action{database}; {clients}")
    print(
        f"  waiting for a core {100 * load.cpu_wait:.0f} % of the time; "
        f"{100 * load.stolen:.0f} % of the machine's time stolen by its host"
    )
    request, answer, event = load.bytes
    memory = f"memory {load.kib_per_feed:.1f} KiB per feed"
    print(f"  {memory}; bytes: request {request:,}, response {answer:,}, feed message {event:,}\n")


def _print_percentiles(label: str, times: "Percentiles") -> None:
    print(f"  {label:<22} p50 {times.p50:>8.2f} ms   p99 {times.p99:>8.2f} ms   max {times.max:>8.2f} ms")


def _format_refusals(refused: dict[str, Any]) -> str:
    if not refused:
        return "none refused"
    return "refused: " + ", ".join(f"{number:,} {code}" for code, number in sorted(refused.items()))
