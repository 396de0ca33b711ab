"""`leftbower bench`: proofs and measurements against OpenSpiel's euchre, an engine that is not ours."""

from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from leftbower.cli import bench_desk, bench_pages, bench_pictures, bench_server
from leftbower.cli.output import print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress

    from leftbower.bench.engine import Pace, Speed
    from leftbower.bench.exact import Report as Proof
    from leftbower.bench.kernel import KernelSpeed
    from leftbower.bench.oracle import Report
    from leftbower.bench.peeking import Report as Peeking
    from leftbower.bench.shuffles import Fairness
    from leftbower.players.arena import Tally

    R = TypeVar("R", Proof, Peeking)

app = typer.Typer(help="Proofs and measurements, against an engine that is not ours.", no_args_is_help=True)
app.command(epilog=bench_server.EXAMPLES)(bench_server.server)
app.command(epilog=bench_pages.EXAMPLES)(bench_pages.pages)
app.command(epilog=bench_desk.EXAMPLES)(bench_desk.desk)
app.command(epilog=bench_pictures.EXAMPLES)(bench_pictures.pictures)

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


@app.command(epilog="Example:  leftbower bench schedule 13")
def schedule(
    players: Annotated[int, typer.Argument(min=4, max=64, help="How many single players.")],
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to look.")] = 60.0,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Look for a base round of a progressive evening.

    Partner once, oppose twice, for 4n or 4n+1 players; nearly so for others. Up to 17 players take seconds. Status 1
    when time ran out; for 9 players there is none of this kind.
    """
    from leftbower.bench.schedules import search

    found = search(players, seed, seconds)
    if json:
        print_json({"players": players, "round": found})
    else:
        print(" ".join(map(str, found)) if found else f"nothing was found in {seconds:g} seconds")
    if found is None:
        raise typer.Exit(1)


@app.command(epilog="Example:  leftbower bench pairing --teams 200 --rounds 9")
def pairing(
    teams: Annotated[int, typer.Option(min=2, max=1000, help="How many teams play.")] = 200,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="How many rounds are drawn.")] = 9,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Draw a Swiss event, and time every round."""
    from dataclasses import asdict

    from leftbower.bench.pairing import draw_swiss

    drawn = draw_swiss(teams, rounds, seed)
    if json:
        print_json(asdict(drawn))
        return
    for number, seconds in enumerate(drawn.seconds, 1):
        print(f"round {number:>2}  {seconds:6.2f} s")
    print(f"{teams} teams, {drawn.repeats} pairs met again, at most {drawn.byes} byes for one team.")


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
    from leftbower.bench.exact import ENOUGH, Report, compare

    report = _proved(compare, Report(seed=seed), positions, processes, ENOUGH)
    _print_proved(report, positions, _print_proof, json=json)


@app.command(epilog="Example:  leftbower bench peeking --positions 400 --processes 2")
def peeking(
    positions: Annotated[int, typer.Option(min=1, help="How many random positions to compare.")] = 10_000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 2,
    seed: Seed = 1,
    json: Json = False,
) -> None:
    """Prove that no bot sees more than it may.

    Every level decides in random positions of random rule sets, and again where the cards it may not know lie
    elsewhere. Status 1 when a decision differs. Ctrl-C ends it early with what was found so far.
    """
    from leftbower.bench.peeking import ENOUGH, Report, compare

    report = _proved(compare, Report(seed=seed), positions, processes, ENOUGH)
    _print_proved(report, positions, _print_peeking, json=json)


@app.command(epilog="Example:  leftbower bench behaviour regular;  leftbower bench behaviour --confirm again.toml")
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
    with _bar() as progress:
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


@app.command(epilog="Example:  leftbower bench shuffles --decks 100000 --seed 7")
def shuffles(
    decks: Annotated[int, typer.Option(min=1, help="How many decks to shuffle.")] = 1_000_000,
    processes: Annotated[int, typer.Option(min=1, help="How many processes share the work.")] = 2,
    seed: Annotated[
        int | None, typer.Option(help="The same decks each time, not the system's randomness.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """Prove that the shuffle is fair.

    Every card must come to every place of the deck as often as chance allows, and no deck twice. Status 1 when the
    shuffle is suspect. Ctrl-C ends it early with what was counted so far.
    """
    from dataclasses import asdict
    from functools import partial

    from leftbower.bench.shuffles import Tally, count, judge, pieces
    from leftbower.cli.arena import gather

    tallies: list[Tally] = []
    work = partial(count, seed)
    gather(work, pieces(decks), lambda _, tally: tallies.append(tally), total=decks, processes=processes)
    if not tallies:
        raise typer.Exit(_INTERRUPTED)
    fairness = judge(tallies)
    if json:
        print_json(asdict(fairness) | {"fair": fairness.fair, "seed": seed, "asked": decks})
    else:
        _print_fairness(fairness, seed, decks)
    if not fairness.fair:
        raise typer.Exit(1)
    if fairness.decks < decks:
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


def _proved(compare: "Callable[[int, int, int], R]", report: "R", positions: int, processes: int, enough: int) -> "R":
    """The report on all positions, or on as many as were compared before an interrupt or enough differences."""
    from concurrent.futures import ProcessPoolExecutor
    from itertools import repeat
    from multiprocessing import get_context
    from signal import SIG_IGN, SIGINT, signal

    firsts = range(0, positions, _POSITIONS)
    counts = [min(_POSITIONS, positions - first) for first in firsts]
    workers = ProcessPoolExecutor(processes, get_context("spawn"), initializer=signal, initargs=(SIGINT, SIG_IGN))
    with _bar() as progress, workers as pool:
        bar = progress.add_task("positions", total=positions)
        try:
            for part in pool.map(compare, firsts, counts, repeat(report.seed)):
                report += part
                progress.update(bar, completed=report.positions)
                if len(report.differences) >= enough:
                    break
        except KeyboardInterrupt:
            pass
        pool.shutdown(wait=False, cancel_futures=True)
    return report


def _print_proved(report: "R", asked: int, print_text: "Callable[[R, int], None]", *, json: bool) -> None:
    if json:
        from dataclasses import asdict

        print_json(asdict(report) | {"asked": asked})
    else:
        print_text(report, asked)
    if report.differences:
        raise typer.Exit(1)
    if report.positions < asked:
        raise typer.Exit(_INTERRUPTED)


def _bar() -> "Progress":
    """A progress bar where somebody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _print_peeking(report: "Peeking", asked: int) -> None:
    _print_compared(report, asked, "")
    for one in report.differences:
        print(f"\nposition {one.number}, {one.bot} at {one.seat}")
        print(f"  {one.decided:<10}{one.position}\n  {one.decided_in_the_twin:<10}{one.twin}")


def _print_compared(report: "Proof | Peeking", asked: int, also: str) -> None:
    number = len(report.differences)
    found = f"{number} difference{'' if number == 1 else 's'}" if number else "no difference"
    of = "" if report.positions == asked else f" of {asked:,}"
    print(f"{report.positions:,}{of} positions{also}, seed {report.seed}: {found}.")
    for what, times in sorted(report.occurred.items()):
        print(f"  {what:<22} {times:>9,}")


def _print_proof(report: "Proof", asked: int) -> None:
    _print_compared(report, asked, f", {report.cards:,} cards")
    for one in report.differences:
        print(f"\nposition {one.number}: {one.position}\n  {one.differs}")
        print(f"  kernel     {one.kernel}\n  reference  {one.reference}")


def _print_fairness(fairness: "Fairness", seed: int | None, asked: int) -> None:
    of = "" if fairness.decks == asked else f" of {asked:,}"
    source = "the system's randomness" if seed is None else f"seed {seed}"
    repeats = f"{fairness.repeats:,} came twice" if fairness.repeats else "none came twice"
    chi_square = (
        f"chi-square {fairness.chi_square:.1f} with {fairness.freedom} degrees of freedom, p = {fairness.p:.3g}"
    )
    print(f"{fairness.decks:,}{of} decks from {source}: {repeats}.\nCards by places: {chi_square}.")
    print("The shuffle is fair." if fairness.fair else "The shuffle is NOT fair.")


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
