"""`leftbower bench`: proofs and measurements against OpenSpiel's euchre, an engine that is not ours."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from leftbower.bench.engine import Pace, Speed
    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.kernel import KernelSpeed
    from leftbower.bench.oracle import Report
    from leftbower.players.arena import Tally

app = typer.Typer(help="Proofs and measurements, against an engine that is not ours.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Seed = Annotated[int, typer.Option(help="Where the random hands begin; the same seed plays the same hands.")]

_PIECE: Final = 200
"""Hands compared between two looks at the progress bar; an interrupt loses no more than these."""
_POSITIONS: Final = 100
"""The same for positions, of which a piece takes some seconds."""
_INTERRUPTED: Final = 130


@app.command(epilog="Example:  leftbower bench oracle --hands 2000")
def oracle(
    hands: Annotated[int, typer.Option(min=1, help="How many random hands to compare.")] = 200_000,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Compare our engine with OpenSpiel's, act by act.

    Random hands are played in both. Whose turn it is, every legal act, tricks and points must be the same. Status 1
    when the engines part. Ctrl-C ends it early with what was found so far. Needs the bench extra.
    """
    report = _compared(hands, seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": hands})
    else:
        _print_report(report, hands)
    if report.disagreements:
        raise typer.Exit(1)
    if report.hands < hands:
        raise typer.Exit(_INTERRUPTED)


@app.command(epilog="Example:  leftbower bench engine --rounds 5")
def engine(
    hands: Annotated[int, typer.Option(min=1, help="How many hands each engine plays in a round.")] = 1000,
    rounds: Annotated[int, typer.Option(min=1, help="How often the engines take turns; medians count.")] = 9,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure our engine beside OpenSpiel's.

    Both play random hands in turn, driven from Python in the same run. Needs the bench extra.
    """
    from leftbower.bench.engine import measure

    speed = measure(hands=hands, rounds=rounds, seed=seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(speed))
    else:
        _print_speed(speed)


@app.command(epilog="Example:  leftbower bench exact --positions 500")
def exact(
    positions: Annotated[int, typer.Option(min=1, help="How many random positions to compare.")] = 20_000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 2,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Compare the exact search with a plain one, card by card.

    Positions of all seat counts, loners on either side, 1 to 5 tricks left, in the middle of a trick too. Status 1 when
    they differ. Ctrl-C ends it early with what was found so far.
    """
    report = _proved(positions, processes, seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": positions})
    else:
        _print_proof(report, positions)
    if report.differences:
        raise typer.Exit(1)
    if report.positions < positions:
        raise typer.Exit(_INTERRUPTED)


@app.command(epilog="Example:  leftbower bench kernel --rounds 5")
def kernel(
    deals: Annotated[int, typer.Option(min=1, help="How many random deals are solved in a round.")] = 20_000,
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is measured; medians count.")] = 9,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Measure the exact search.

    Microseconds and instructions for a deal, one thread and two, random hands beside OpenSpiel's, and the plain
    reference, all in the same run. Instructions need valgrind. Needs the bench extra.
    """
    from leftbower.bench.kernel import measure

    speed = measure(deals=deals, rounds=rounds, seed=seed)
    if json:
        from dataclasses import asdict

        print_json(asdict(speed))
    else:
        _print_kernel(speed)


@app.command(epilog="Example:  leftbower bench ismcts expert --pairs 100 --processes 2")
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
        raise typer.Exit(_INTERRUPTED)


def _met(player: str, seed: int, simulations: int, numbers: range) -> "Tally":
    """One piece of the pairs; a function of its own, so that it can be sent to other processes."""
    from leftbower.bench.ismcts import play_pairs

    return play_pairs(player, numbers.start, len(numbers), seed=seed, simulations=simulations)


def _compared(hands: int, seed: int) -> "Report":
    """The report on all hands, or on as many as were compared before an interrupt or enough disagreements."""
    from leftbower.bench.oracle import ENOUGH, Report, compare

    report = Report(seed=seed)
    with _bar() as progress:
        bar = progress.add_task("hands", total=hands)
        try:
            while report.hands < hands and len(report.disagreements) < ENOUGH:
                report += compare(min(_PIECE, hands - report.hands), seed, first=report.hands)
                progress.update(bar, completed=report.hands)
        except KeyboardInterrupt:
            pass
    return report


def _proved(positions: int, processes: int, seed: int) -> "Proof":
    """The report on all positions, or on as many as were compared before an interrupt or enough differences."""
    from concurrent.futures import ProcessPoolExecutor
    from itertools import repeat
    from multiprocessing import get_context
    from signal import SIG_IGN, SIGINT, signal

    from leftbower.bench.exact import ENOUGH, Report, compare

    report, firsts = Report(seed=seed), range(0, positions, _POSITIONS)
    counts = [min(_POSITIONS, positions - first) for first in firsts]
    workers = ProcessPoolExecutor(processes, get_context("spawn"), initializer=signal, initargs=(SIGINT, SIG_IGN))
    with _bar() as progress, workers as pool:
        bar = progress.add_task("positions", total=positions)
        try:
            for part in pool.map(compare, firsts, counts, repeat(seed)):
                report += part
                progress.update(bar, completed=report.positions)
                if len(report.differences) >= ENOUGH:
                    break
        except KeyboardInterrupt:
            pass
        pool.shutdown(wait=False, cancel_futures=True)
    return report


def _bar() -> "Progress":
    """A progress bar where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_proof(report: "Proof", asked: int) -> None:
    number = len(report.differences)
    found = f"{number} difference{'' if number == 1 else 's'}" if number else "no difference"
    of = "" if report.positions == asked else f" of {asked:,}"
    print(f"{report.positions:,}{of} positions, {report.cards:,} cards, seed {report.seed}: {found}.")
    for what, times in sorted(report.occurred.items()):
        print(f"  {what:<22} {times:>9,}")
    for one in report.differences:
        print(f"\nposition {one.number}: {one.position}\n  {one.differs}")
        print(f"  kernel     {one.kernel}\n  reference  {one.reference}")


def _print_report(report: "Report", asked: int) -> None:
    number = len(report.disagreements)
    found = f"{number} disagreement{'' if number == 1 else 's'}" if number else "no disagreement"
    of = "" if report.hands == asked else f" of {asked:,}"
    print(f"{report.hands:,}{of} hands, {report.decisions:,} decisions, seed {report.seed}: {found}.")
    for what, times in sorted(report.occurred.items()):
        print(f"  {what:<22} {times:>9,}")
    for one in report.disagreements:
        print(f"\nhand {one.number}, {one.game}: {one.differs}\n  ours    {one.ours}\n  theirs  {one.theirs}")
        print(f"  {one.hand_line}\n  {' '.join(one.acts)}")


def _print_meeting(player: str, simulations: int, seed: int, asked: int, tally: "Tally") -> None:
    of = "" if tally.pairs == asked else f" of {asked:,}"
    mean, low, high = tally.difference
    between = "no interval from so few pairs" if low is None else f"95 % from {low:+.3f} to {high:+.3f}"
    print(f"A {player}, B OpenSpiel's ISMCTS with {simulations:,} simulations; the dealer stuck, seed {seed}.")
    print(f"{tally.pairs:,}{of} pairs, {tally.hands:,} hands.\n\nA less B: {mean:+.3f} ({between}) points a hand.")


def _print_speed(speed: "Speed") -> None:
    print(f"Random hands for four, {speed.rounds} rounds of {speed.hands:,} in turn; medians.\n")
    print(f"{'':<28}{'hands/s':>10}{'acts/hand':>11}{'µs/act':>9}{'ours is':>9}")
    _print_pace("ours", speed.ours, 1)
    _print_pace("OpenSpiel", speed.openspiel, speed.ratio)
    _print_pace("OpenSpiel, handed a deck", speed.openspiel_with_deck, speed.ratio_with_deck)
    growth = speed.growth
    print(
        f"\nAn act in hand 1 of a game takes {growth.first:.1f} µs, in hand {growth.hands} {growth.last:.1f} µs: "
        f"{growth.ratio:.2f} times as long."
    )


def _print_pace(name: str, pace: "Pace", ratio: float) -> None:
    rate = f"{pace.hands_per_second:>10,.0f}{pace.acts_per_hand:>11.1f}{pace.microseconds_per_act:>9.1f}"
    print(f"{name:<28}{rate}{ratio:>9.2f}")


def _print_kernel(speed: "KernelSpeed") -> None:
    kind = "compiled" if speed.compiled else "not compiled"
    counted = speed.instructions
    outcome, tricks = (f"{counted.outcome:,}", f"{counted.tricks:,}") if counted else ("–", "–")
    print(f"Random full deals for four, {speed.rounds} rounds of {speed.deals:,}; medians. The kernel is {kind}.\n")
    print(f"{'':<44}{'µs':>12}{'instructions':>15}")
    print(f"{'euchre, made or march of a deal':<44}{speed.outcome:>12,.2f}{outcome:>15}")
    print(f"{'exact tricks of a deal':<44}{speed.tricks:>12,.2f}{tricks:>15}")
    print(f"{'exact tricks by the plain reference':<44}{speed.reference:>12,.0f}")
    print(f"{'five cards in a hundred layouts':<44}{1000 * speed.cards:>12,.0f}")
    print(f"\nThe kernel is {speed.reference_ratio:,.0f} times as fast as the reference, and two threads are")
    print(f"{speed.two_threads:.2f} times as fast as one.")
    print(f"\nRandom hands: {speed.playouts:,.0f} a second on one thread; OpenSpiel driven from Python plays")
    print(f"{speed.openspiel:,.0f}, so the kernel is {speed.playouts_ratio:,.0f} times as fast.")
