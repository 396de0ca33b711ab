"""Counts of legal sequences from another engine: every count in `shared/perft.tsv` matches."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from leftbower.engine import State, acts, apply
from leftbower.engine.perft import perft
from leftbower.notation import parse_hand_line
from leftbower.testing import states

ROWS = 18
MAX_UNCACHED_COUNT = 20_000
"""Counts up to here are also made without a cache."""


def read_rows(shared: Path) -> list[tuple[str, list[int]]]:
    """Each position with its counts for depths 1, 2, …"""
    lines = (shared / "perft.tsv").read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines:
        if line and not line.startswith("#"):
            position, counts = line.split("\t")
            pairs = [pair.split(":") for pair in counts.split()]
            assert [int(depth) for depth, _ in pairs] == list(range(1, len(pairs) + 1))
            rows.append((position, [int(count) for _, count in pairs]))
    return rows


def counted_plainly(state: State, depth: int) -> int:
    """Count every sequence of `depth` acts one by one."""
    actions = acts(state)
    return len(actions) if depth == 1 else sum(counted_plainly(apply(state, action), depth - 1) for action in actions)


def test_positions_that_go_on_alike_are_counted_once() -> None:
    """Two ways to the same remaining cards: the counts of a whole ending, with and without the cache."""
    state = parse_hand_line("{campus} E Jc N:9cAdKhQsTd E:AcJdJhKsTh S:9sAhKcKdQd W:9dAsQcTcTs | p p p p p p d!")
    assert perft(state, 8) == [counted_plainly(state, depth) for depth in range(1, 9)]


def test_the_file_has_the_rows_we_count(shared: Path) -> None:
    """The tests below cover every row, and the rows cover every sheet and number of players."""
    rows = read_rows(shared)
    assert len(rows) == ROWS
    sheets = {position.split("}")[0].strip("{") for position, _ in rows}
    assert sheets == {"round-robin", "campus", "school-cup", "prize-night", "club", "club3", "club2"}


@pytest.mark.unmeasured
@pytest.mark.parametrize("row", range(ROWS))
def test_every_count_matches(row: int, shared: Path) -> None:
    """All depths of one position, counted with the cache."""
    position, counts = read_rows(shared)[row]
    assert perft(parse_hand_line(position), len(counts)) == counts


@pytest.mark.unmeasured
@pytest.mark.parametrize("row", range(ROWS))
def test_small_counts_match_without_any_memory(row: int, shared: Path) -> None:
    """The deepest count that is feasible without the cache, so that the cache can't hide an error."""
    position, counts = read_rows(shared)[row]
    deepest = max(depth for depth, count in enumerate(counts, 1) if count <= MAX_UNCACHED_COUNT)
    state = parse_hand_line(position)
    assert counted_plainly(state, deepest) == counts[deepest - 1]


@settings(max_examples=30)
@given(states())
def test_remembered_counts_are_the_plain_ones(state: State) -> None:
    """From any state, under any rules."""
    assert perft(state, 3) == [counted_plainly(state, depth) for depth in (1, 2, 3)]


@settings(max_examples=30)
@given(states(unknown=True))
def test_remembered_counts_are_the_plain_ones_where_cards_are_unknown(state: State) -> None:
    """An unknown card can be many cards, and earlier plays decide which."""
    assert perft(state, 2) == [counted_plainly(state, depth) for depth in (1, 2)]


def test_the_memory_does_not_mix_up_what_unknown_cards_may_be() -> None:
    """Whether North threw off a heart or a club decides what West's unknown cards can be when hearts are led."""
    state = parse_hand_line("S Qd N:?????????? E:AcAdAhAs9c S:9d9h9sTcTd W:Kh???????? | p p p p p p s | Kd")
    assert perft(state, 6) == [counted_plainly(state, depth) for depth in range(1, 7)]


def test_nothing_follows_a_hand_that_is_over() -> None:
    """A count of zero means that every hand is over before that depth."""
    passed_out = "{round-robin} E Kh N:9hJcJdKdTc E:AcJhJsKsQd S:9c9dAdQsTs W:9sAsKcTdTh | p p p p p p p p"
    assert perft(parse_hand_line(passed_out), 2) == [0, 0]
