"""`python -m proofs requests`: send mutated requests to the application."""

from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Json, Processes, format_done, progress_bar

if TYPE_CHECKING:
    from proofs.requests.mutated import RequestsReport


def requests(
    count: Annotated[int, typer.Option(min=1, help="Number of requests.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Random seed of the worlds and mutations.")] = 1,
    processes: Processes = 1,
    json: Json = False,
) -> None:
    """Send mutated requests to every route; none may get a 5xx response.

    Each world has people, tables in many phases, events, tokens and links of every kind. Valid requests are made for
    every route, and most are mutated: method, path, query, headers, body and caller. A failure is a status of 500 or
    more, an exception, a response that takes more than a second of CPU time or never comes, or an error in the log.
    Rate limits are raised so that they refuse nothing. Prints the request of each failure, and exits with status 1 if
    there is one. Ctrl-C stops early and prints the results so far. Needs the server extra.
    """
    from functools import partial

    from leftbower.players.arena.parallel import open_executor, run_chunks

    try:
        from proofs.requests.mutated import RequestsReport, send_to_worlds, worlds_for
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    report = RequestsReport()
    with progress_bar() as progress:
        bar = progress.add_task("requests", total=count)
        try:
            with open_executor(processes) as executor:
                work = partial(send_to_worlds, seed=seed, requests=count)
                for _, part in run_chunks(work, worlds_for(count), executor):
                    report += part
                    progress.update(bar, completed=report.requests)
        except KeyboardInterrupt:
            pass
    if json:
        print_json(report.as_json() | {"requested": count, "seed": seed})
    else:
        _print_report(report, count, seed)
    if report.failures:
        raise typer.Exit(1)
    if report.requests < count:
        raise typer.Exit(INTERRUPTED_STATUS)


def _print_report(report: "RequestsReport", requested: int, seed: int) -> None:
    reached = f"{len(report.routes & report.reached)} of {len(report.routes)} routes gave a 2xx or 3xx response"
    done = format_done(report.requests, requested)
    print(f"{done} requests to {report.worlds:,} worlds, seed {seed}; {reached}.\n")
    print("area                2xx        3xx        4xx        5xx  no response")
    for area, classes in report.by_area().items():
        numbers = "".join(f"{classes.get(name, 0):>11,}" for name in ("2xx", "3xx", "4xx", "5xx", "0xx"))
        print(f"{area:<12}{numbers}")
    print(f"\nThe slowest response took {report.slowest:.2f} s of CPU time ({report.slowest_route}).")
    if report.unreached:
        print(f"No 2xx or 3xx response: {', '.join(report.unreached)}.")
    print(f"{report.failures:,} failures." if report.failures else "No failures.")
    for failure in report.examples:
        location = f"world {failure.world}, request {failure.number}, {failure.kind}"
        print(f"\n{location}: {failure.says.strip()}\n  {failure.request}")
