"""Search for base rounds of progressive events, like those in `formats/schedules/base_rounds.txt`.

In a rotated round, two players meet whenever the difference of their numbers comes up. So a round is good if every
difference, up to its sign, occurs once between partners and twice between opponents. The search fills tables at random
and swaps two players as long as that helps, and sometimes when it hurts.
"""

import math
import random
import time
from collections import Counter
from collections.abc import Iterator


def search(players: int, seed: int, seconds: float) -> tuple[int, ...] | None:
    """A base round for `players`, clockwise at each table, then the player who sits out; None if time ran out."""
    rng, end = random.Random(seed), time.monotonic() + seconds
    while time.monotonic() < end:
        base_round = _anneal(players, rng, end)
        if base_round is not None:
            return base_round
    return None


def faults(players: int, numbers: list[int]) -> int:
    """The number of surplus occurrences of differences, over all tables."""
    partners: Counter[int] = Counter()
    opponents: Counter[int] = Counter()
    for at in range(0, len(numbers) // 4 * 4, 4):
        north, east, south, west = numbers[at : at + 4]
        partners.update(_differences(players, (north, south), (east, west)))
        opponents.update(_differences(players, (north, east), (east, south), (south, west), (west, north)))
    return _over(players, partners, 1) + _over(players, opponents, 2)


def _differences(players: int, *pairs: tuple[int, int]) -> Iterator[int]:
    """Differences up to their sign; the player who stays at the table has none."""
    size = _size(players)
    for first, second in pairs:
        if size not in (first, second):
            yield min((first - second) % size, (second - first) % size)


def _over(players: int, counted: Counter[int], allowed: int) -> int:
    """A difference of half the number of players is its own opposite, and counts twice."""
    size = _size(players)
    return sum(max(0, count - (allowed - 1 if 2 * gap == size else allowed)) for gap, count in counted.items())


def _size(players: int) -> int:
    return players - 1 if players % 4 == 0 else players


def _anneal(players: int, rng: random.Random, end: float) -> tuple[int, ...] | None:
    numbers = rng.sample(range(players), players)
    cost, heat = faults(players, numbers), 1.2
    while cost and heat > 0.12 and time.monotonic() < end:
        heat *= 0.9997
        first, second = rng.randrange(players // 4 * 4), rng.randrange(players)
        numbers[first], numbers[second] = numbers[second], numbers[first]
        now = faults(players, numbers)
        if now <= cost or rng.random() < math.exp((cost - now) / heat):
            cost = now
        else:
            numbers[first], numbers[second] = numbers[second], numbers[first]
    return None if cost else tuple(numbers)
