"""`leftbower bench behaviour | ismcts`: bots in positions that players complain about, and against another's."""

from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from leftbower.cli.bench_options import INTERRUPTED, Json, Seed, shown_progress
from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.peeking import Report as Peeking
    from leftbower.players.arena import Tally

    R = TypeVar("R", Proof, Peeking)


def behaviour(
    player: Annotated[str, typer.Argument(help="A player of ours: a name, or bid=X,play=Y.")] = "expert",
    times: Annotated[int, typer.Option(min=1, help="How often it decides in each position.")] = 3,
    confirm: Annotated[
        str | None,
        typer.Option(help="Confirm the positions anew instead, and write them to this file.", show_default=False),
    ] = None,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Ask a player what players complain about.

    Positions in which bots are often wrong, each with its reason. Status 1 when the player is wrong in one that solver
    or simulation confirm. With --confirm these are asked again, which takes half an hour and goes on in the same file.
    """
    if confirm is not None:
        _confirm(confirm, seed, json=json)
        return
    from leftbower.bench.behaviour import examine, read
    from leftbower.players import roster

    who = roster.player(player)
    found = [examine(entry, who, times=times) for entry in read()]
    missed = [one for one in found if not one.right]
    if json:
        rows = [
            {"id": one.entry.id, "confirmed": one.entry.confirmed, "chosen": one.chosen, "right": one.right}
            for one in found
        ]
        print_json({"player": player, "times": times, "positions": rows})
    else:
        sure = sum(one.entry.confirmed != "opinion" for one in found)
        print(f"{player}: {len(found) - len(missed)} of {len(found)} positions right; {sure} of them are confirmed.")
        for one in missed:
            entry = one.entry
            print(f"\n{entry.id} ({entry.confirmed}): {entry.reason}\n  {entry.line}  seat {entry.seat}")
            wanted = f"right {' '.join(entry.right)}" if entry.right else f"wrong {' '.join(entry.wrong)}"
            print(f"  {wanted}, chosen {' '.join(one.chosen)}")
    if any(one.entry.confirmed != "opinion" for one in missed):
        raise typer.Exit(1)


def _confirm(path: str, seed: int, *, json: bool) -> None:
    """Confirm what stands in a file without numbers; a new file begins with our positions and no numbers."""
    from dataclasses import asdict, replace
    from pathlib import Path

    from leftbower.bench.behaviour import read, refresh, spelled

    file, found = Path(path), []
    if not file.exists():
        bare = (replace(entry, margin=None, error=None, layouts=None) for entry in read())
        file.write_text(spelled(bare), encoding="utf-8")
    left = sum(entry.confirmed != "opinion" and entry.margin is None for entry in read(file))
    with shown_progress() as progress:
        bar = progress.add_task("positions", total=left)
        try:
            for entry, one in refresh(file, seed=seed):
                found.append((entry, one))
                progress.advance(bar)
        except KeyboardInterrupt:
            pass
    if json:
        print_json({"positions": [{"id": entry.id, "holds": one.holds, **asdict(one)} for entry, one in found]})
    else:
        for entry, one in found:
            holds = "" if one.holds else "  NOT CLEAR"
            print(f"{entry.id:<32}{one.margin:>+8.3f} ± {one.error:.3f} {one.measure}{holds}")
    if not all(one.holds for _, one in found):
        raise typer.Exit(1)
    if len(found) < left:
        raise typer.Exit(INTERRUPTED)


def ismcts(
    player: Annotated[str, typer.Argument(help="A player of ours: a name, or bid=X,play=Y.")] = "expert",
    pairs: Annotated[int, typer.Option(min=1, help="How many deals to play, with the seats exchanged.")] = 1000,
    simulations: Annotated[int, typer.Option(min=1, help="How often the search plays each decision out.")] = 1000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 1,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Let a player of ours meet OpenSpiel's tree search.

    Every deal is played again with the seats exchanged, as in the arena, the dealer stuck. The search knows the kitty
    and what the dealer buried; our player does not. Ctrl-C ends it early with what is finished and status 130. Needs
    the bench extra.
    """
    from functools import partial

    from leftbower.bench.ismcts import game
    from leftbower.cli.arena import gather
    from leftbower.players import roster
    from leftbower.players.arena import Tally
    from leftbower.players.spreading import pieces

    roster.player(player)
    game()
    tallies: list[Tally] = []
    work = partial(_met, player, seed, simulations)
    gather(work, pieces(pairs), lambda _, tally: tallies.append(tally), total=pairs, processes=processes)
    tally = sum(tallies, Tally())
    if json:
        asked = {"a": player, "simulations": simulations, "seed": seed, "asked": pairs}
        print_json({**asked, "difference": tally.difference._asdict(), "tally": tally.as_json()})
    else:
        _print_meeting(player, simulations, seed, pairs, tally)
    if tally.pairs < pairs:
        raise typer.Exit(INTERRUPTED)


def _met(player: str, seed: int, simulations: int, numbers: range) -> "Tally":
    """One piece of the pairs; a function of its own, so that it can be sent to other processes."""
    from leftbower.bench.ismcts import play_pairs

    return play_pairs(player, numbers.start, len(numbers), seed=seed, simulations=simulations)


def _print_meeting(player: str, simulations: int, seed: int, asked: int, tally: "Tally") -> None:
    of = "" if tally.pairs == asked else f" of {asked:,}"
    mean, low, high = tally.difference
    between = "no interval from so few pairs" if low is None else f"95 % from {low:+.3f} to {high:+.3f}"
    print(f"A {player}, B OpenSpiel's ISMCTS with {simulations:,} simulations; the dealer stuck, seed {seed}.")
    print(f"{tally.pairs:,}{of} pairs, {tally.hands:,} hands.\n\nA less B: {mean:+.3f} ({between}) points a hand.")
