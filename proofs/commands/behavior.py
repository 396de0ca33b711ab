"""`python -m proofs behavior`: bots in positions in which players complain about bots."""

from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import INTERRUPTED_STATUS, HandSeed, Json, progress_bar


def behavior(
    player: Annotated[str, typer.Argument(help="The player: a name, or bid=X,play=Y.")] = "expert",
    times: Annotated[int, typer.Option(min=1, help="Number of decisions per position.")] = 3,
    confirm: Annotated[
        str | None,
        typer.Option(help="Recompute the evidence for the positions, and write them to this file.", show_default=False),
    ] = None,
    seed: HandSeed = 1,
    json: Json = False,
) -> None:
    """Test a bot in positions in which players complain about bots.

    Prints the positions that the bot gets wrong, with the reasons. Exits with status 1 if one of them is confirmed by
    the solver or by simulation. --confirm confirms them again, which takes half an hour and can be resumed.
    """
    if confirm is not None:
        _confirm(confirm, seed, json=json)
        return
    from leftbower.players import roster
    from proofs.behavior import examine, read

    bot = roster.player(player)
    answers = [examine(entry, bot, times=times) for entry in read()]
    missed = [answer for answer in answers if not answer.right]
    if json:
        rows = [
            {
                "id": answer.entry.id,
                "confirmed": answer.entry.confirmed,
                "chosen": answer.chosen,
                "right": answer.right,
            }
            for answer in answers
        ]
        print_json({"player": player, "times": times, "positions": rows})
    else:
        sure = sum(answer.entry.confirmed != "opinion" for answer in answers)
        right = len(answers) - len(missed)
        print(f"{player}: {right} of {len(answers)} positions right; {sure} positions are confirmed.")
        for answer in missed:
            entry = answer.entry
            print(f"\n{entry.id} ({entry.confirmed}): {entry.reason}\n  {entry.line}  seat {entry.seat}")
            wanted = f"right {' '.join(entry.right)}" if entry.right else f"wrong {' '.join(entry.wrong)}"
            print(f"  {wanted}, chosen {' '.join(answer.chosen)}")
    if any(answer.entry.confirmed != "opinion" for answer in missed):
        raise typer.Exit(1)


def _confirm(path: str, seed: int, *, json: bool) -> None:
    """Confirm the entries of a file that have no numbers yet; a new file starts with all positions, without numbers."""
    from dataclasses import asdict, replace
    from pathlib import Path

    from proofs.behavior import dumps, read, refresh

    file, confirmations = Path(path), []
    if not file.exists():
        bare = (replace(entry, margin=None, error=None, layouts=None) for entry in read())
        file.write_text(dumps(bare), encoding="utf-8")
    left = sum(entry.confirmed != "opinion" and entry.margin is None for entry in read(file))
    with progress_bar() as progress:
        bar = progress.add_task("positions", total=left)
        try:
            for entry, confirmation in refresh(file, seed=seed):
                confirmations.append((entry, confirmation))
                progress.advance(bar)
        except KeyboardInterrupt:
            pass
    if json:
        rows = [{"id": entry.id, "holds": result.holds, **asdict(result)} for entry, result in confirmations]
        print_json({"positions": rows})
    else:
        for entry, result in confirmations:
            holds = "" if result.holds else "  NOT CLEAR"
            print(f"{entry.id:<32}{result.margin:>+8.3f} ± {result.error:.3f} {result.measure}{holds}")
    if not all(result.holds for _, result in confirmations):
        raise typer.Exit(1)
    if len(confirmations) < left:
        raise typer.Exit(INTERRUPTED_STATUS)
