"""`leftbower arena`: compare two players on the same cards with the seats swapped."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from leftbower.cli.common.output import print_json
from leftbower.i18n import signed

if TYPE_CHECKING:
    from leftbower.cli.common.checkpoint import Work
    from leftbower.players.arena.arena import Bout, BoutTally, Interval, PlayerStats

EXAMPLES: Final = (
    "Examples:  leftbower arena random bid=random,play=random --pairs 500;  "
    "leftbower arena random random --games --rules club3 --processes 2 --out games.jsonl"
)
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Processes = Annotated[int, typer.Option(min=1, help="Number of processes.")]
Rules = Annotated[str, typer.Option(help="A preset, a TOML file, or a link.")]
INTERRUPTED: Final = 130

T = TypeVar("T")


def arena(
    a: Annotated[str, typer.Argument(help="A player: a name, or bid=X,play=Y.", show_default=False)],
    b: Annotated[str, typer.Argument(help="The player to compare it with.", show_default=False)],
    pairs: Annotated[
        int, typer.Option(min=1, help="Number of deals; each is played again with the seats swapped.")
    ] = 1000,
    games: Annotated[bool, typer.Option("--games", help="Play whole games instead of single hands.")] = False,
    rules: Rules = "club",
    seed: Annotated[int, typer.Option(help="The same seed deals the same cards.")] = 1,
    processes: Processes = 1,
    dask: Annotated[
        str | None, typer.Option(help="Run on the Dask cluster at this address.", show_default=False)
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Save finished work in this file, and resume from it.", show_default=False)
    ] = None,
    picture: Annotated[
        str | None, typer.Option(help="Draw the running mean: .svg, .png or .pdf.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Compare two players on the same cards.

    Every deal is played again with the seats swapped. Prints by how many points per hand A beats B, with a 95%
    interval. Ctrl-C stops early, prints the results so far and exits with status 130; with --out, run the same command
    again to continue.
    """
    from functools import partial
    from itertools import accumulate

    from leftbower.cli.common.checkpoint import open_checkpoint
    from leftbower.cli.common.input import read_rules
    from leftbower.players.arena.arena import Bout, BoutTally, play_pairs
    from leftbower.players.roster import player

    for name in (a, b):
        player(name)
    bout = Bout(a=a, b=b, rules=read_rules(rules), seed=seed, pairs=pairs, games=games)
    with open_checkpoint(out, _work(bout)) as checkpoint:
        run_with_progress(
            partial(play_pairs, bout), checkpoint.left, checkpoint.save, total=pairs, processes=processes, dask=dask
        )
    tally = sum(checkpoint.results, BoutTally())
    if json:
        print_json(_as_json(bout, tally))
    else:
        _print_text(bout, tally, rules)
    if picture:
        from leftbower.cli.common.plot import draw

        draw(picture, f"{bout.a} against {bout.b}", _unit(bout), list(accumulate(checkpoint.results)))
    if tally.pairs < pairs:
        raise typer.Exit(INTERRUPTED)


def _work(bout: "Bout") -> "Work[BoutTally]":
    """The chunks of a bout, and how their tallies are saved."""
    from leftbower.cli.common.checkpoint import Work
    from leftbower.errors import BadRecord
    from leftbower.players.arena.arena import BoutTally, tally_from_json, tally_to_json
    from leftbower.players.arena.parallel import chunks
    from leftbower.players.roster import player
    from leftbower.rules.formats import to_link

    def read(piece: range, plain: object) -> BoutTally:
        tally = tally_from_json(plain)
        if tally.pairs != len(piece):
            raise BadRecord("a piece of %(pairs)s pairs has a tally of %(tally)s", pairs=len(piece), tally=tally.pairs)
        return tally

    parameters = {
        "a": bout.a,
        "b": bout.b,
        "players": [player(bout.a).name, player(bout.b).name],
        "rules": to_link(bout.rules),
        "seed": bout.seed,
        "pairs": bout.pairs,
        "games": bout.games,
    }
    return Work(kind="arena", parameters=parameters, chunks=chunks(bout.pairs), as_json=tally_to_json, from_json=read)


def run_with_progress(
    work: Callable[[range], T],
    left: Sequence[range],
    save: Callable[[range, T], object],
    *,
    total: int,
    processes: int = 1,
    dask: str | None = None,
) -> None:
    """Run chunks with a progress bar, and pass each result to `save`; Ctrl-C stops early."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from leftbower.players.arena.parallel import open_executor, run_chunks

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, disable=hidden) as progress:
        bar = progress.add_task("", total=total, completed=total - sum(map(len, left)))
        try:
            with open_executor(processes, dask) as executor:
                for chunk, result in run_chunks(work, left, executor):
                    save(chunk, result)
                    progress.advance(bar, len(chunk))
        except KeyboardInterrupt:
            pass


def _unit(bout: "Bout") -> str:
    return "games per game" if bout.games else "points per hand"


def _as_json(bout: "Bout", tally: "BoutTally") -> dict[str, object]:
    from leftbower.players.arena.arena import tally_to_json
    from leftbower.rules.formats import to_link

    settings = {"a": bout.a, "b": bout.b, "rules": to_link(bout.rules), "seed": bout.seed, "requested": bout.pairs}
    found: dict[str, object] = {"difference": tally.difference._asdict()}
    if bout.games:
        found["won"] = tally.won._asdict()
    return {**settings, **found, "tally": tally_to_json(tally)}


def _print_text(bout: "Bout", tally: "BoutTally", rules: str) -> None:
    of = "" if tally.pairs == bout.pairs else f" of {bout.pairs:,}"
    games = f"{tally.games:,} games, " if bout.games else ""
    print(f"A {bout.a}, B {bout.b}; rules {rules}, seed {bout.seed}.")
    print(f"{tally.pairs:,}{of} pairs, {games}{tally.hands:,} hands.\n")
    print(f"A minus B: {_signed(tally.difference)} {_unit(bout)}.\n{_verdict(tally.difference)}")
    if bout.games:
        won = tally.won
        between = "" if won.low is None else f", 95% interval {won.low:.1%} to {won.high:.1%}"
        ties = f"; {tally.ties:,} ties" if tally.ties else ""
        print(f"A won {tally.a.games:,} games and B {tally.b.games:,}{ties}: {won.mean:.1%} to A{between}.")
    print(f"\n{'':<22}{'A':>12}{'B':>12}")
    for name, describe in _ROWS.items():
        print(f"{name:<22}{describe(tally.a):>12}{describe(tally.b):>12}")
    print(f"\nPassed out: {tally.passed_out:,}. Redealt: {tally.redeals:,}.")


def _signed(found: "Interval") -> str:
    if found.low is None or found.high is None:
        return f"{signed(found.mean, 3)} (too few pairs for an interval)"
    return f"{signed(found.mean, 3)} (95% interval {signed(found.low, 3)} to {signed(found.high, 3)})"


def _verdict(found: "Interval") -> str:
    if found.low is None or found.high is None or found.low <= 0 <= found.high:
        return "No significant difference."
    return f"{'A' if found.mean > 0 else 'B'} is better."


_ROWS: "Final[dict[str, Callable[[PlayerStats], str]]]" = {
    "points per hand": lambda line: f"{line.points_a_hand:.3f}",
    "contracts": lambda line: f"{line.called:,}",
    "  in the first round": lambda line: f"{line.share(line.first_round):.1%}",
    "  made": lambda line: f"{line.share(line.made_it):.1%}",
    "  marches": lambda line: f"{line.share(line.marches):.1%}",
    "  euchred": lambda line: f"{line.share(line.euchred):.1%}",
    "  alone": lambda line: f"{line.share(line.alone):.1%}",
    "  lone sweeps": lambda line: f"{line.share(line.sweeps):.1%}",
    "  euchred alone": lambda line: f"{line.share(line.alone_euchred):.1%}",
}
