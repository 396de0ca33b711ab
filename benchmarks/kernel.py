"""Speed of the kernel in solving and playing hands: on one and two threads, and next to the plain reference and
OpenSpiel."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from shutil import which
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

from leftbower.kernel import Batch, Position, is_compiled, search
from leftbower.rules.cards import DECK, Card, Suit
from proofs import reference
from proofs.openspiel import play_hand_from_deck, variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Instructions:
    """Instructions per random full deal, counted by valgrind, which other load on the machine doesn't change."""

    outcome: int
    tricks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSpeed:
    """The result of a benchmark; times are medians of all rounds."""

    rounds: int
    deals: int
    """Random full deals per round."""
    compiled: bool
    outcome: float
    """Microseconds to find euchre, made or march of a deal, on one thread."""
    tricks: float
    """Microseconds to find the exact tricks of a deal, on one thread."""
    cards: float
    """Milliseconds to find euchre, made or march for each of five cards in a hundred layouts, on one thread."""
    two_threads: float
    """Speedup of two threads over one."""
    playouts: float
    """Random hands per second, dealt and played on one thread."""
    openspiel: float
    """Random hands per second of OpenSpiel, driven from Python with a shuffled deck."""
    playouts_ratio: float
    reference: float
    """Microseconds to find the exact tricks of a deal with the plain reference."""
    reference_ratio: float
    instructions: Instructions | None
    """None if valgrind is missing or the kernel is not compiled."""


def measure(*, deals: int, rounds: int, seed: int) -> KernelSpeed:
    """Measure everything in turn for `rounds` rounds, each with its own deals."""
    results = [_round(deals, seed + number) for number in range(rounds)]
    columns = {name: median(result[name] for result in results) for name in results[0]}
    return KernelSpeed(
        rounds=rounds,
        deals=deals,
        compiled=is_compiled(),
        instructions=count_instructions(seed=seed) if is_compiled() and which("valgrind") else None,
        **columns,
    )


def count_instructions(*, deals: int = 1000, seed: int = 1) -> Instructions:
    """Solve the same random deals under valgrind, in a process that loads only the compiled search."""
    packed = Batch.random(deals, seed=seed).packed
    return Instructions(outcome=_counted(packed, deals, exact=False), tricks=_counted(packed, deals, exact=True))


LAYOUTS: Final = 100
REFERENCE_DEALS: Final = 2
"""The reference takes a third of a second per deal."""
OPENSPIEL_HANDS: Final = 300


def _round(deals: int, seed: int) -> dict[str, float]:
    """One round of all measurements; figures that are compared are measured together."""
    rng, batch = Random(seed), Batch.random(deals, seed=seed)
    outcome = _seconds(lambda: batch.outcomes(threads=1))
    tricks = _seconds(lambda: batch.tricks(threads=1))
    both = _seconds(lambda: batch.tricks(threads=2))
    layouts, cards = _layouts(rng)
    played = _seconds(lambda: Batch.random(deals, seed=seed, threads=1).playouts(seed=seed, threads=1)) / deals
    game = variant(stuck=True, lone_defenders=True).game
    openspiel = _seconds(lambda: [play_hand_from_deck(game, rng) for _ in range(OPENSPIEL_HANDS)]) / OPENSPIEL_HANDS
    plain = [_full_deal(rng) for _ in range(REFERENCE_DEALS)]
    referred = _seconds(lambda: [reference.makers_tricks(deal) for deal in plain]) / REFERENCE_DEALS
    return {
        "outcome": 1e6 * outcome / deals,
        "tricks": 1e6 * tricks / deals,
        "cards": 1e3 * _seconds(lambda: layouts.card_outcomes(cards, threads=1)),
        "two_threads": tricks / both,
        "playouts": 1 / played,
        "openspiel": 1 / openspiel,
        "playouts_ratio": openspiel / played,
        "reference": 1e6 * referred,
        "reference_ratio": referred * deals / tricks,
    }


def _seconds(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def _full_deal(rng: Random, mine: tuple[Card, ...] = ()) -> Position:
    """Five cards each for four players; chair 1 leads, with the cards `mine` if given."""
    deck = [card for card in DECK if card not in mine]
    rng.shuffle(deck)
    eldest = mine or tuple(deck[15:20])
    return Position(
        trump=Suit.SPADES,
        hands=(tuple(deck[:5]), eldest, tuple(deck[5:10]), tuple(deck[10:15])),
        table=(None, None, None, None),
        leader=1,
        makers_tricks=0,
    )


def _layouts(rng: Random) -> tuple[Batch, tuple[Card, ...]]:
    """A hand of five cards about to lead, and many layouts of the cards it can't see."""
    mine = tuple(rng.sample(DECK, 5))
    return Batch([_full_deal(rng, mine) for _ in range(LAYOUTS)]), mine


_SOLVE: Final = """
import sys
from array import array
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("leftbower.kernel.search", sys.argv[1])
search = module_from_spec(spec)
spec.loader.exec_module(search)
words = array("I", open(sys.argv[2], "rb").read())
deals = len(words) // search.POSITION_WORDS
search.solve(words, array("b", bytes(deals)), 0, deals, sys.argv[3] == "exact")
"""


def _counted(packed: bytes, deals: int, *, exact: bool) -> int:
    with TemporaryDirectory() as folder:
        words = Path(folder) / "words"
        words.write_bytes(packed)
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*search__value"]
        child = [sys.executable, "-S", "-E", "-c", _SOLVE, str(search.__file__), str(words), "exact" if exact else ""]
        done = subprocess.run([*valgrind, *child], capture_output=True, encoding="utf-8", check=True)
    [collected] = re.findall(r"Collected : (\d+)", done.stderr)
    return round(int(collected) / deals)
