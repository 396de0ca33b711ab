"""`python -m proofs fuzz`: coverage-guided fuzzing of every parser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from leftbower.cli.common.output import print_json
from leftbower.errors import MissingExtra
from proofs.commands.options import INTERRUPTED_STATUS, Json, progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.progress import TaskID

    from proofs.fuzz.runner import FuzzResult


def fuzz(
    target: Annotated[
        list[str] | None, typer.Option(metavar="<name>", help="A target; can be repeated. By default all.")
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, help="Seconds per target.")] = 600,
    corpus: Annotated[
        Path | None,
        typer.Option(help="A folder with one folder of inputs per target, which are run first; new inputs are added."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the mutations.")] = 1,
    json: Json = False,
) -> None:
    """Fuzz every parser of untrusted input.

    Coverage-guided, with atheris: hand lines, records, EGN, rules links, rules files, ledgers, forms, request bodies,
    passkeys, headers, and typed names, lists and scores. Only a LeftbowerError may be raised. A failure is any other
    exception, an input that takes more than a second of CPU time or too much memory, or a result that changes when it
    is written and parsed again. Prints a minimized input for each failure, and exits with status 1 if there is one.
    Ctrl-C stops early and prints the results so far. Needs the server and test extras, and Linux.
    """
    try:
        from proofs.fuzz import runner

        names = tuple(target) if target else runner.target_names()
        runner.check_names(names)
    except ModuleNotFoundError as missing:
        raise MissingExtra("server") from missing
    results: list[FuzzResult] = []
    with progress_bar() as progress:
        for name in names:
            bar = progress.add_task(name, total=seconds)

            def update(result: "FuzzResult", bar: "TaskID" = bar) -> None:
                progress.update(bar, completed=min(seconds, round(result.seconds)))

            folder = corpus / name if corpus else None
            results.append(runner.fuzz([name], seconds=seconds, seed=seed, corpus=folder, progress=update))
            progress.remove_task(bar)
            if results[-1].interrupted:
                break
    if json:
        from dataclasses import asdict

        rows = [asdict(result) for result in results]
        print_json({"targets": list(names), "seconds": seconds, "seed": seed, "results": rows})
    else:
        _print_results(results)
    if any(result.failure for result in results):
        raise typer.Exit(1)
    if any(result.interrupted for result in results):
        raise typer.Exit(INTERRUPTED_STATUS)


def _print_results(results: "Sequence[FuzzResult]") -> None:
    print("target        executions    edges  features  inputs   slowest  memory  result")
    for result in results:
        failure = result.failure
        outcome = failure.kind.upper() if failure else "interrupted" if result.interrupted else "nothing found"
        print(
            f"{result.target:<12} {result.executions:>11,} {result.edges:>8,} {result.features:>9,} {result.corpus:>7,}"
            f" {1000 * result.slowest:>6.0f} ms {result.peak_mib:>3} MiB  {outcome}"
        )
    for result in results:
        if failure := result.failure:
            at = f"at {failure.location}, input of {failure.size:,} bytes in base64:"
            print(f"\n{result.target}: {failure.error}\n  {at}\n  {failure.input}")
