"""Classes of hands, the table of solved calls, and how the bots' data are made."""

import json
import zlib
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

import pytest

from leftbower.engine import Bidding, Name, Order, Pass, State, apply, deal_hand, start, view
from leftbower.players import fitting
from leftbower.players.bidding import place_of, would_make
from leftbower.players.bot import Bot
from leftbower.players.classes import CLASSES, class_of, hand_of
from leftbower.players.fitting import (
    added,
    called,
    explored,
    hunches,
    solved_classes,
    table_of,
    values,
)
from leftbower.players.levels import Skill
from leftbower.players.solved import COLUMNS, PLACES, at, byte_of, mean_of, packed, solved
from leftbower.players.stakes import stakes
from leftbower.rules import DECK, Card, Suit, preset

Command = Callable[..., Any]
Refusal = Callable[..., str]
CAMPUS = preset("campus")
DATA = files("leftbower.players") / "data"

# Classes


def test_every_class_has_a_hand_and_every_hand_a_class() -> None:
    """As many classes as there are, and a hand of each is found again under its number."""
    assert CLASSES == 105_798
    for number in range(0, CLASSES, 7):
        hand, up_card = hand_of(number)
        assert len({*hand, up_card}) == 6
        assert class_of(hand, up_card).number == number
    assert hand_of(0)[1].rank is not hand_of(CLASSES - 1)[1].rank


def relabelled(card: Card, suits: dict[Suit, Suit]) -> Card:
    return Card(card.rank, suits[card.suit])


def test_hands_are_of_one_class_just_when_suits_can_be_renamed() -> None:
    """Against every renaming that keeps sisters together: eight of them."""
    renamings = [
        {one: Suit(a), one.sister: Suit(a).sister, one.cross[0]: Suit(a).cross[x], one.cross[1]: Suit(a).cross[1 - x]}
        for one in [Suit.CLUBS]
        for a in "cdhs"
        for x in (0, 1)
    ]
    chance = Random(5)
    for _ in range(300):
        *hand, up_card = chance.sample(DECK, 6)
        *other, other_up = chance.sample(DECK, 6) if chance.random() < 0.5 else (*hand[:4], up_card, hand[4])
        like = {
            (frozenset(relabelled(card, suits) for card in hand), relabelled(up_card, suits)) for suits in renamings
        }
        numbers = {class_of([*cards], up).number for cards, up in like}
        assert len(numbers) == 1
        same = class_of(other, other_up).number in numbers
        assert same is ((frozenset(other), other_up) in like)


def test_the_suits_of_a_class_are_the_hands_own() -> None:
    """First the up-card's, then its sister, then the crosses so that equal hands have them in the same order."""
    hand, up_card = [Card.parse(card) for card in ("Ah", "9h", "Kd", "9c", "Ts")], Card.parse("Jc")
    assert class_of(hand, up_card).suits == (Suit.CLUBS, Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS)
    other = [Card.parse(card) for card in ("Ad", "9d", "Kh", "9c", "Ts")]
    assert class_of(other, up_card) == (
        class_of(hand, up_card).number,
        (Suit.CLUBS, Suit.SPADES, Suit.DIAMONDS, Suit.HEARTS),
    )


# Solved calls


def test_a_byte_holds_every_mean_there_is() -> None:
    assert [byte_of(mean) for mean in (-2.0, 0.0, 4.0)] == [0, 64, 192]
    assert all(byte_of(mean_of(byte)) == byte for byte in range(193))


def test_the_table_is_small_and_has_every_class_place_and_call() -> None:
    kept = (DATA / "solved.bin").read_bytes()
    assert len(kept) <= 2_000_000
    table = zlib.decompress(kept)
    assert len(table) == PLACES * COLUMNS * CLASSES
    assert packed(table) == kept


def asked(seed: int) -> State:
    """Everybody has passed, in some hand, up to somebody."""
    chance = Random(seed)
    deck = chance.sample(CAMPUS.deck, len(CAMPUS.deck))
    state: State = start(CAMPUS, deal_hand(CAMPUS, dealer=chance.choice(CAMPUS.places), deck=deck))
    for _ in range(chance.randrange(8)):
        assert isinstance(state, Bidding)
        state = apply(state, Pass(state.to_act))
    return state


def test_the_table_says_what_the_solver_says() -> None:
    """Random decisions solved anew: the means differ by chance alone, and on the whole not at all."""
    bot = Bot(Skill(name="solver", layouts=400, hunches=True))
    away: list[float] = []
    for seed in range(60):
        state = asked(seed)
        assert isinstance(state, Bidding)
        seen = view(state, state.to_act)
        calls = [call for call in seen.legal if isinstance(call, Order | Name) and not call.alone]
        for call, mean in solved(seen, calls, place_of(seen)).items():
            contract = would_make(seen, call)
            fresh = bot.imagine(seen, contract, seed).mean(stakes(seen, in_points=True).of(contract))
            away.append(mean - fresh)
    assert max(map(abs, away)) < 0.7
    assert abs(sum(away) / len(away)) < 0.03
    assert sum(one**2 for one in away) / len(away) < 0.15**2


def test_the_table_is_of_the_pieces_the_command_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes, as the command makes them, lie where a decision looks for them."""
    numbers = range(3)
    pieces = [solved_classes(range(number, number + 1), layouts=20) for number in numbers]
    assert b"".join(pieces) == solved_classes(numbers, layouts=20)
    monkeypatch.setattr("leftbower.players.solved.CLASSES", len(numbers))
    table = table_of(pieces)
    for number in numbers:
        for place in range(PLACES):
            for column in range(COLUMNS):
                assert table[at(number, place, column)] == pieces[number][place * COLUMNS + column]


# Hunches and values


def test_the_curve_is_found_that_made_the_rows() -> None:
    """Rows drawn from known weights give the weights back, as far as chance allows."""
    weights, chance = [1.5, -2.0, 0.5], Random(3)
    rows = []
    for _ in range(4000):
        numbers = [number for number in range(2) if chance.random() < 0.5] + [2]
        likely = 1 / (1 + exp(-sum(weights[number] for number in numbers)))
        rows.append([int(chance.random() < likely), *numbers])
    assert fitting._logistic(rows, 3) == pytest.approx(weights, abs=0.25)


def test_the_line_is_found_that_made_the_sums() -> None:
    rows = [((1.0, x, y), 0.5 + 2 * x - y) for x in (-1.0, 0.0, 2.0) for y in (0.0, 1.0, 3.0)]
    sums = [0.0] * 12
    for numbers, net in rows:
        more = [*(one * other for one in numbers for other in numbers), *(one * net for one in numbers)]
        sums = [one + other for one, other in zip(sums, more, strict=True)]
    assert fitting._line(sums, (9.0, 9.0, 9.0), 1e-9) == pytest.approx([0.5, 2.0, -1.0])
    assert fitting._line(None, (0.1, 0.2, 0.3), 5.0) == pytest.approx([0.1, 0.2, 0.3])


def test_hunches_are_fitted_to_calls_and_have_the_shape_of_the_file() -> None:
    """Even from few hands: a right bower makes a call likelier than a nine does."""
    found = json.loads(hunches(called(range(120))))
    kept = json.loads((DATA / "hunches.json").read_text(encoding="utf-8"))
    assert {f"1-{place}" for place in range(4)} < found.keys() <= kept.keys()
    for key, row in found.items():
        assert {kind: len(numbers) for kind, numbers in row.items()} == {k: len(n) for k, n in kept[key].items()}
    assert found["1-3"]["trump"][-1] > found["1-3"]["trump"][0]


def test_values_are_fitted_to_hands_played_out_however_they_are_cut() -> None:
    whole = explored(range(24))
    pieces = added([explored(range(10)), explored(range(10, 24))])
    assert {key: pytest.approx(numbers) for key, numbers in whole.items()} == pieces
    found = json.loads(values(whole))
    kept = json.loads((DATA / "values.json").read_text(encoding="utf-8"))
    assert found.keys() == kept.keys()
    assert all(row.keys() == kept[key].keys() for key, row in found.items())
    assert all(sum(row["passed"]) == pytest.approx(1, abs=0.001) for row in found.values())


def test_the_shipped_hunches_say_what_baseline_does() -> None:
    """The chance that the curves give the calls of other hands is much better than not looking at the cards."""
    kept = json.loads((DATA / "hunches.json").read_text(encoding="utf-8"))
    kinds = fitting._KINDS
    told = guessed = 0.0
    for key, rows in called(range(1_000_000, 1_000_060)).items():
        weights = [number for kind, size in kinds.items() for number in kept[key].get(kind, [0.0] * size)]
        share = (sum(row[0] for row in rows) + 1) / (len(rows) + 2)
        for answer, *numbers in rows:
            likely = 1 / (1 + exp(-sum(weights[number] for number in numbers)))
            told += log(likely if answer else 1 - likely)
            guessed += log(share if answer else 1 - share)
    assert told > 0.6 * guessed


# The command


def test_what_was_broken_off_is_gone_on_with(
    leftbower: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt keeps the pieces that are finished; the end is the same as without one."""
    file, other = tmp_path / "values.json", tmp_path / "other.json"
    leftbower("fit", "values", str(other), "--hands", "4")
    asked_for: list[int] = []

    def tiring(hands: range, *, until: int) -> fitting.Sums:
        if len(asked_for) == until:
            raise KeyboardInterrupt
        asked_for.extend(hands)
        return explored(hands)

    monkeypatch.setattr(fitting, "explored", partial(tiring, until=2))
    answer = leftbower("fit", "values", str(file), "--hands", "4", status=130)
    assert answer.stdout == f"2 of 4 are done and kept in {file}.part.\n"
    assert not file.exists()
    monkeypatch.setattr(fitting, "explored", partial(tiring, until=-1))
    answer = leftbower("fit", "values", str(file), "--hands", "4")
    assert asked_for == [0, 1, 2, 3]
    assert answer.stdout == f"{file}: {file.stat().st_size:,} bytes.\n"
    assert file.read_bytes() == other.read_bytes()
    assert not (tmp_path / "values.json.part").exists()


def test_unfinished_work_of_another_kind_is_refused(leftbower: Command, refused: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "hunches.json"
    leftbower("fit", "hunches", str(file), "--hands", "3")
    assert json.loads(file.read_text(encoding="utf-8"))
    (tmp_path / "hunches.json.part").write_text('{"fit": {"leftbower": "0"}}\n', encoding="utf-8")
    assert "this file holds other work" in refused("fit", "hunches", str(file), "--hands", "3", code="other-work")


def test_solved_calls_are_made_for_every_class(
    leftbower: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here only for a few, because all of them take a while."""
    monkeypatch.setattr("leftbower.players.spreading.pieces", lambda many: (range(2), range(many - 2, many)))
    file = tmp_path / "solved.bin"
    leftbower("fit", "solved", str(file), "--layouts", "5")
    assert len(zlib.decompress(file.read_bytes())) == 4 * PLACES * COLUMNS
