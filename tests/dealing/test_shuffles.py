"""The test of the shuffle passes ours, and catches five faulty shuffles that people really write."""

import json
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from random import Random
from statistics import mean
from typing import Any

import pytest

from leftbower.dealing import shuffled
from leftbower.rules.cards import DECK, Card
from proofs import shuffles
from proofs.shuffles import Shuffle, chi_square_tail, chunks, count, entropy, evaluate

Command = Callable[..., Any]


def with_modulo_bias(key: bytes, deck: Sequence[Card]) -> list[Card]:
    """A byte modulo the number of cards: small remainders come a tenth more often."""
    order, stream = list(deck), Random(key).randbytes(len(deck))
    for last in range(len(order) - 1, 0, -1):
        other = stream[last] % (last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def swapping_with_any(key: bytes, deck: Sequence[Card]) -> list[Card]:
    """Every card is swapped with any card: 24^24 ways don't divide evenly over 24! decks."""
    order, rng = list(deck), Random(key)
    for index in range(len(order)):
        other = rng.randrange(len(order))
        order[index], order[other] = order[other], order[index]
    return order


def from_a_short_seed(key: bytes, deck: Sequence[Card]) -> list[Card]:
    """Only sixteen bits of the key are used: 65,536 decks, however good the shuffle."""
    return list(shuffled(key[:2] + bytes(30), deck))


class ReusingKeys:
    """Every key is used for two hands."""

    def __init__(self) -> None:
        self.used_key: bytes | None = None

    def __call__(self, key: bytes, deck: Sequence[Card]) -> tuple[Card, ...]:
        used, self.used_key = (key, key) if self.used_key is None else (self.used_key, None)
        return shuffled(used, deck)


def sorting_by_coin(key: bytes, deck: Sequence[Card]) -> list[Card]:
    """Sorted with a comparison that flips a coin."""
    rng = Random(key)
    return sorted(deck, key=cmp_to_key(lambda _, __: rng.choice((-1, 1))))


PLANTED: dict[str, tuple[Shuffle, int]] = {
    "modulo bias": (with_modulo_bias, 30_000),
    "swapping with any card": (swapping_with_any, 2_000),
    "a short seed": (from_a_short_seed, 4_000),
    "a key used twice": (ReusingKeys(), 100),
    "sorting by a coin": (sorting_by_coin, 500),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_bad_shuffle_is_caught(what: str) -> None:
    shuffle, decks = PLANTED[what]
    assert not evaluate([count(1, range(decks), shuffle)]).fair


@pytest.mark.parametrize("decks", sorted({decks for _, decks in PLANTED.values()}))
def test_ours_passes_where_they_are_caught(decks: int) -> None:
    assert evaluate([count(1, range(decks))]).fair


def test_each_is_caught_for_what_is_wrong_with_it() -> None:
    """Repeats show in the decks and bias in the positions: one test alone would miss some."""
    short = evaluate([count(1, range(4_000), from_a_short_seed)])
    assert short.repeats > 0
    assert short.p > shuffles.FALSE_ALARM_RATE
    swapping = evaluate([count(1, range(2_000), swapping_with_any)])
    assert swapping.repeats == 0
    assert swapping.p < shuffles.FALSE_ALARM_RATE


def test_the_statistic_of_a_fair_shuffle_has_the_expected_mean() -> None:
    """Its mean is 529; Pearson's plain sum would have 552, which 40 runs can distinguish."""
    found = [evaluate([count(seed, range(400))]) for seed in range(40)]
    assert {fairness.freedom for fairness in found} == {529}
    assert abs(mean(fairness.chi_square for fairness in found) - 529) < 3.5 * (2 * 529 / 40) ** 0.5


@pytest.mark.parametrize(
    ("freedom", "at", "p"), [(500, 553.127, 0.05), (500, 576.493, 0.01), (100, 149.449, 0.001), (10, 18.307, 0.05)]
)
def test_the_approximation_agrees_with_the_tables(freedom: int, at: float, p: float) -> None:
    assert chi_square_tail(at, freedom) == pytest.approx(p, rel=0.05)


def test_a_shuffle_that_is_too_even_is_suspect() -> None:
    """Decks rotated by one card each time have every card at every position equally often."""
    turns = iter(range(24 * 50))

    def turned(_: bytes, deck: Sequence[Card]) -> Sequence[Card]:
        by = next(turns) % 24
        return [*deck[by:], *deck[:by]]

    found = evaluate([count(1, range(24 * 50), turned)])
    assert found.p > 1 - shuffles.FALSE_ALARM_RATE
    assert not found.fair


def test_pieces_make_the_whole() -> None:
    """Decks are counted by number, so the work can be split in any way."""
    assert [number for piece in chunks(4_500) for number in piece] == list(range(4_500))
    parts = [count(7, range(300)), count(7, range(300, 500))]
    assert evaluate(parts) == evaluate([count(7, range(500))])
    with pytest.raises(ValueError, match="no deck"):
        evaluate([])


def test_entropy_is_the_systems_or_that_of_a_seed() -> None:
    assert entropy(3, 5) == entropy(3, 5) != entropy(3, 6)
    assert entropy(None, 5) != entropy(None, 5)
    assert {len(entropy(seed, 0)) for seed in (None, 0)} == {32}


def test_the_command_reports_what_it_counted(run_proofs: Command) -> None:
    words = ("shuffles", "--decks", "500", "--processes", "1", "--seed", "7")
    text = run_proofs(*words).stdout
    report = json.loads(run_proofs(*words, "--json").stdout)
    assert text.startswith("500 decks from seed 7: none came twice.\n")
    assert f"chi-square {report['chi_square']:.1f} with 529 degrees of freedom, p = {report['p']:.3g}.\n" in text
    assert text.endswith("The shuffle is fair.\n")
    assert (report["decks"], report["requested"], report["repeats"], report["fair"], report["seed"]) == (
        500,
        500,
        0,
        True,
        7,
    )
    system = run_proofs("shuffles", "--decks", "100", "--processes", "1").stdout
    assert system.startswith("100 decks from the system's randomness: ")


def test_a_suspect_shuffle_ends_with_status_1(run_proofs: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffles, "entropy", lambda seed, number: bytes(32))
    text = run_proofs("shuffles", "--decks", "50", "--processes", "1", status=1).stdout
    assert "49 came twice." in text
    assert text.endswith("The shuffle is NOT fair.\n")


@pytest.mark.parametrize(("first", "said"), [(0, ""), (2000, "2,000 of 9,000 decks from seed 1: none came twice.")])
def test_an_interrupt_keeps_what_was_counted(
    first: int, said: str, run_proofs: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = count

    def interrupted(seed: int | None, numbers: range) -> shuffles.ShuffleTally:
        if numbers.start >= first:
            raise KeyboardInterrupt
        return whole(seed, numbers)

    monkeypatch.setattr(shuffles, "count", interrupted)
    words = ("shuffles", "--decks", "9000", "--processes", "1", "--seed", "1")
    assert run_proofs(*words, status=130).stdout.startswith(said)


def test_the_deck_is_the_whole_one() -> None:
    assert len(count(1, range(1)).counts) == len(DECK) ** 2 == 576
