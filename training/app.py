"""The command line `python -m training`: make the bots' data files from hands that bots play."""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

import typer

from leftbower.cli.arena import INTERRUPTED, Processes

app = typer.Typer(
    help="Make the bots' data files: call-model, then call-table, then call-values. Each file needs those before it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

File = Annotated[str, typer.Argument(help="The file to write.", show_default=False)]
Hands = Annotated[int, typer.Option(min=1, help="Number of hands to play.")]
_CHECKPOINT_SUFFIX: Final = ".part"
"""Finished chunks are saved next to the file until all are done."""

T = TypeVar("T")


@app.command("call-model", epilog="Example:  python -m training call-model call_model.json --hands 200")
def call_model(file: File, hands: Hands = 20_000, processes: Processes = 1) -> None:
    """Fit the probability that a hand calls trump.

    The baseline player bids the hands. Ctrl-C stops with status 130; run the same command again to continue.
    """
    from leftbower.players.arena.parallel import chunks
    from training.fit import Rows, collect_calls, fit_call_model

    def serialize(results: list[Rows]) -> bytes:
        rows: Rows = {}
        for result in results:
            for key, more in result.items():
                rows.setdefault(key, []).extend(more)
        return fit_call_model(rows).encode()

    parameters = {"file": "call-model", "hands": hands}
    _make(file, collect_calls, chunks(hands), serialize, parameters=parameters, processes=processes)


@app.command("call-table", epilog="Example:  python -m training call-table call_table.bin --layouts 50 --processes 2")
def call_table(
    file: File,
    layouts: Annotated[int, typer.Option(min=1, help="Layouts to solve for each call.")] = 160,
    processes: Processes = 1,
) -> None:
    """Solve every call of all 105,798 classes of hands.

    With 160 layouts this takes about 20 minutes on two cores. Ctrl-C stops with status 130; run the same command again
    to continue.
    """
    from functools import partial

    from leftbower.players.arena.parallel import chunks
    from leftbower.players.judgment.call_table import compress_table
    from leftbower.players.judgment.hand_classes import CLASS_COUNT
    from training.fit import solve_classes, to_columns

    _make(
        file,
        partial(solve_classes, layouts=layouts),
        chunks(CLASS_COUNT),
        lambda results: compress_table(to_columns(results)),
        parameters={"file": "call-table", "layouts": layouts},
        processes=processes,
        as_json=bytes.hex,
        from_json=bytes.fromhex,
    )


@app.command("call-values", epilog="Example:  python -m training call-values call_values.json --hands 400")
def call_values(file: File, hands: Hands = 24_000, processes: Processes = 1) -> None:
    """Fit the values of calls and passes.

    In one decision of each hand the expert tries every choice and plays the hand out. Ctrl-C stops with status 130; run
    the same command again to continue.
    """
    from leftbower.players.arena.parallel import chunks
    from training.fit import add_sums, explore_calls, fit_call_values

    _make(
        file,
        explore_calls,
        chunks(hands),
        lambda results: fit_call_values(add_sums(results)).encode(),
        parameters={"file": "call-values", "hands": hands},
        processes=processes,
    )


def _identity(result: Any) -> Any:
    return result


def _make(
    file: str,
    work: Callable[[range], T],
    chunks: tuple[range, ...],
    serialize: Callable[[list[T]], bytes],
    *,
    parameters: dict[str, object],
    processes: int,
    as_json: Callable[[T], object] = _identity,
    from_json: Callable[[Any], T] = _identity,
) -> None:
    """Run the chunks missing from the checkpoint file, and write the data file when all are done."""
    from pathlib import Path

    from leftbower.cli.arena import run_with_progress
    from leftbower.cli.common.checkpoint import Work, open_checkpoint

    checkpoint_file = file + _CHECKPOINT_SUFFIX
    job: Work[T] = Work(
        kind="training",
        parameters=parameters,
        chunks=chunks,
        as_json=as_json,
        from_json=lambda _, plain: from_json(plain),
    )
    with open_checkpoint(checkpoint_file, job) as checkpoint:
        total = sum(map(len, chunks))
        run_with_progress(work, checkpoint.left, checkpoint.save, total=total, processes=processes)
        if checkpoint.left:
            print(f"{total - sum(map(len, checkpoint.left)):,} of {total:,} done and saved in {checkpoint_file}.")
            raise typer.Exit(INTERRUPTED)
        content = serialize(checkpoint.results)
    Path(file).write_bytes(content)
    Path(checkpoint_file).unlink()
    print(f"{file}: {len(content):,} bytes.")
