"""Types of the search, compiled or not; its source is annotated with C types."""

from array import array

POSITION_WORDS: int

def is_compiled() -> bool: ...
def solve(words: array[int], tricks: array[int], start: int, stop: int, exact: bool) -> None: ...
def solve_cards(
    words: array[int], cards: array[int], chair: int, tricks: array[int], start: int, stop: int, exact: bool
) -> None: ...
def sample(
    known: array[int],
    pool: array[int],
    sizes: array[int],
    allowed: array[int],
    owed: array[int],
    words: array[int],
    start: int,
    stop: int,
    seed: int,
    tries: int,
) -> int: ...
def weigh(
    words: array[int],
    place: int,
    heap: int,
    more: int,
    less: int,
    worth: array[float],
    weights: array[float],
    sign: float,
) -> None: ...
def choose(words: array[int], weights: array[float], count: int, point: float) -> int: ...
def averages(
    tricks: array[int], card_count: int, weights: array[float], worth: array[float], means: array[float]
) -> None: ...
def take(words: array[int], chair: int, heap: int, card: int) -> None: ...
def bury(words: array[int], chair: int, heap: int, cards: int) -> None: ...
def deal(deck: array[int], words: array[int], start: int, stop: int, seed: int) -> None: ...
def playouts(words: array[int], tricks: array[int], start: int, stop: int, times: int, seed: int) -> None: ...
