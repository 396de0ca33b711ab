"""`leftbower fit`: make the bots' data anew, from hands that bots play."""

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

import typer

from leftbower.cli.arena import INTERRUPTED, Processes

app = typer.Typer(
    help="Make the bots' data anew: hunches, then solved, then values. Each file needs those before it.",
    no_args_is_help=True,
)

File = Annotated[str, typer.Argument(help="The file to write.", show_default=False)]
Hands = Annotated[int, typer.Option(min=1, help="How many hands to play.")]
_ROOM: Final = ".part"
"""What is finished is kept beside the file until the whole is."""

T = TypeVar("T")


@app.command(epilog="Example:  leftbower fit hunches hunches.json --hands 200")
def hunches(file: File, hands: Hands = 20_000, processes: Processes = 1) -> None:
    """Fit what a call tells of a hand.

    The baseline player bids so many hands. Ctrl-C ends it with status 130; the same command goes on later.
    """
    from leftbower.players.fitting import Rows, called
    from leftbower.players.fitting import hunches as fitted
    from leftbower.players.spreading import pieces

    def write(found: list[Rows]) -> bytes:
        rows: Rows = {}
        for one in found:
            for key, some in one.items():
                rows.setdefault(key, []).extend(some)
        return fitted(rows).encode()

    _make(file, called, pieces(hands), write, asked={"file": "hunches", "hands": hands}, processes=processes)


@app.command(epilog="Example:  leftbower fit solved solved.bin --layouts 50 --processes 2")
def solved(
    file: File,
    layouts: Annotated[int, typer.Option(min=1, help="How many layouts to solve for each call.")] = 160,
    processes: Processes = 1,
) -> None:
    """Solve every call of all 105,798 classes of hands.

    With 160 layouts this takes some 20 minutes on two cores. Ctrl-C ends it with status 130; the same command goes on
    later.
    """
    from functools import partial

    from leftbower.players.classes import CLASSES
    from leftbower.players.fitting import solved_classes, table_of
    from leftbower.players.solved import packed
    from leftbower.players.spreading import pieces

    _make(
        file,
        partial(solved_classes, layouts=layouts),
        pieces(CLASSES),
        lambda found: packed(table_of(found)),
        asked={"file": "solved", "layouts": layouts},
        processes=processes,
        as_json=bytes.hex,
        from_json=bytes.fromhex,
    )


@app.command(epilog="Example:  leftbower fit values values.json --hands 400")
def values(file: File, hands: Hands = 24_000, processes: Processes = 1) -> None:
    """Fit what calls and passes are worth.

    In one decision of each hand the expert tries every choice and plays the hand out. Ctrl-C ends it with status 130;
    the same command goes on later.
    """
    from leftbower.players.fitting import added, explored
    from leftbower.players.fitting import values as fitted
    from leftbower.players.spreading import pieces

    _make(
        file,
        explored,
        pieces(hands),
        lambda found: fitted(added(found)).encode(),
        asked={"file": "values", "hands": hands},
        processes=processes,
    )


def _plain(result: Any) -> Any:
    return result


def _make(
    file: str,
    work: Callable[[range], T],
    pieces: tuple[range, ...],
    write: Callable[[list[T]], bytes],
    *,
    asked: dict[str, object],
    processes: int,
    as_json: Callable[[T], object] = _plain,
    from_json: Callable[[Any], T] = _plain,
) -> None:
    """Do the work, piece by piece, and write the file when all of it is done."""
    from pathlib import Path

    from leftbower.cli.arena import gather
    from leftbower.cli.journal import Work, journal

    room = file + _ROOM
    kept_as: Work[T] = Work(
        kind="fit", asked=asked, pieces=pieces, as_json=as_json, from_json=lambda _, plain: from_json(plain)
    )
    with journal(room, kept_as) as kept:
        total = sum(map(len, pieces))
        gather(work, kept.left, kept.keep, total=total, processes=processes)
        if kept.left:
            print(f"{total - sum(map(len, kept.left)):,} of {total:,} are done and kept in {room}.")
            raise typer.Exit(INTERRUPTED)
        content = write(kept.results)
    Path(file).write_bytes(content)
    Path(room).unlink()
    print(f"{file}: {len(content):,} bytes.")
