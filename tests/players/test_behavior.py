"""Common complaints of players: the positions are valid, the numbers still support them, and the expert does well."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from leftbower.engine import view
from leftbower.errors import BadRecord
from leftbower.notation.tokens import to_token
from leftbower.players.player import proper_actions
from leftbower.players.roster import player
from proofs.behavior import MIN_MARGIN, MIN_STANDARD_ERRORS, Entry, confirm, dumps, examine, read, refresh, sample_hands

ENTRIES = read()
CONFIRMED = [entry for entry in ENTRIES if entry.confirmed != "opinion"]
SOLVED = [entry for entry in CONFIRMED if entry.confirmed == "solver"]
CATEGORIES = {
    "strong hand passed",
    "bad call",
    "order partner",
    "alone",
    "alone at nine",
    "loner behind",
    "donate",
    "nine-nine",
    "stuck dealer",
    "three-handed",
    "two-handed",
    "next and cross",
    "score",
    "discard",
    "third hand",
    "partner's winner",
    "last hand",
    "lead on defense",
    "trump lead on defense",
    "lead away",
    "lead trump to partner",
    "draw trumps",
    "stuck partner",
    "guarded left",
    "guarded king",
    "loner defended",
    "three-handed defense",
    "honor table",
}


def by_id(entry: Entry) -> str:
    """The test id of a position."""
    return entry.id


def test_there_are_enough_positions_and_every_complaint_has_one() -> None:
    """At least forty, thirty of them confirmed, and no duplicates."""
    assert len(ENTRIES) >= 40
    assert len(CONFIRMED) >= 30
    assert {entry.category for entry in ENTRIES} == CATEGORIES
    assert [output for output, times in Counter(entry.id for entry in ENTRIES).items() if times > 1] == []
    assert [line for line, times in Counter(entry.line for entry in ENTRIES).items() if times > 1] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=by_id)
def test_a_position_can_be_played_from(entry: Entry) -> None:
    """Every card is known, the seat is to act, the right or wrong choices are legal, and there are others."""
    assert "?" not in entry.line
    assert entry.state.to_act is entry.seat
    legal = {to_token(action) for action in entry.view.legal}
    assert {*entry.right} <= {to_token(action) for action in proper_actions(entry.view)}
    assert {*entry.right, *entry.wrong} < legal
    assert entry.reason.endswith((".", "?", "!"))


@pytest.mark.parametrize("entry", CONFIRMED, ids=by_id)
def test_the_numbers_written_down_are_clear(entry: Entry) -> None:
    """A confirmed position has a margin that matters, and more than two standard errors."""
    assert entry.margin is not None
    assert entry.error is not None
    assert entry.margin >= MIN_MARGIN[entry.measure]
    assert entry.margin > MIN_STANDARD_ERRORS * entry.error


@pytest.mark.parametrize("entry", SOLVED, ids=by_id)
def test_the_solver_still_says_so(entry: Entry) -> None:
    """With other and fewer layouts, the margin is the recorded one within random error."""
    found = confirm(entry, layouts=1000, seed=77)
    assert found.margin == pytest.approx(entry.margin, abs=4 * found.error + 0.01)


@pytest.mark.parametrize("entry", ENTRIES, ids=by_id)
def test_the_expert_gets_it(entry: Entry) -> None:
    """Whatever the random numbers."""
    found = examine(entry, player("expert"))
    assert found.right, found.chosen


@pytest.mark.parametrize("entry", CONFIRMED[::3], ids=by_id)
def test_imagined_hands_fit_the_view(entry: Entry) -> None:
    """The viewer sees the same in every imagined hand."""
    hands = sample_hands(entry.view, Random(5))
    for _ in range(3):
        assert view(next(hands), entry.seat) == entry.view


def test_a_short_simulation_says_so_too() -> None:
    """The call with the widest margin doesn't need a long one."""
    widest = max(
        (entry for entry in CONFIRMED if entry.confirmed == "simulation"), key=lambda entry: entry.margin or 0.0
    )
    assert confirm(widest, layouts=12, seed=3).holds


def test_numbers_are_written_as_they_are_found(tmp_path: Path) -> None:
    """Only positions without numbers are confirmed, opinions never, and the file round-trips."""
    opinion = next(entry for entry in ENTRIES if entry.confirmed == "opinion")
    fresh = replace(SOLVED[0], margin=None, error=None, layouts=None)
    path = tmp_path / "behavior.toml"
    path.write_text(dumps([opinion, fresh, SOLVED[1]]), encoding="utf-8")
    [(entry, found)] = refresh(path, solved=200, seed=1)
    assert (entry.id, entry.layouts) == (fresh.id, 200)
    assert entry.margin == pytest.approx(found.margin, abs=0.0001)
    assert read(path) == (opinion, entry, SOLVED[1])
    assert list(refresh(path, solved=200, seed=1)) == []


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    """An opinion has no numbers, a call isn't solved, and a position has right or wrong choices, not both."""
    opinion = next(entry for entry in ENTRIES if entry.confirmed == "opinion")
    call = next(entry for entry in ENTRIES if "p" in {to_token(action) for action in entry.view.legal})
    with pytest.raises(BadRecord):
        confirm(opinion, layouts=1, seed=1)
    with pytest.raises(BadRecord):
        confirm(replace(call, confirmed="solver"), layouts=1, seed=1)
    path = tmp_path / "behavior.toml"
    path.write_text(dumps([replace(SOLVED[0], wrong=("p",), right=("o",))]), encoding="utf-8")
    with pytest.raises(BadRecord):
        read(path)
