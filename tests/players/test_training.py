"""Hand classes, the table of solved calls, and the making of the bots' data."""

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
from leftbower.players.bot import Bot
from leftbower.players.judgment.bidding import bidding_position, contract_of_call
from leftbower.players.judgment.call_table import (
    CALLS_PER_POSITION,
    POSITIONS,
    compress_table,
    decode_mean,
    encode_mean,
    solved_means,
    table_index,
)
from leftbower.players.judgment.hand_classes import CLASS_COUNT, classify, example_hand
from leftbower.players.judgment.stakes import stakes
from leftbower.players.levels import Skill
from leftbower.rules import DECK, Card, Suit, preset
from training import fit
from training.fit import (
    add_sums,
    collect_calls,
    explore_calls,
    fit_call_model,
    fit_call_values,
    solve_classes,
    to_columns,
)

Command = Callable[..., Any]
Refusal = Callable[..., str]
CAMPUS = preset("campus")
DATA = files("leftbower.players") / "data"

# Classes


def test_every_class_has_a_hand_and_every_hand_a_class() -> None:
    """The right number of classes, and a hand of each is classified under its number."""
    assert CLASS_COUNT == 105_798
    for number in range(0, CLASS_COUNT, 7):
        hand, up_card = example_hand(number)
        assert len({*hand, up_card}) == 6
        assert classify(hand, up_card).number == number
    assert example_hand(0)[1].rank is not example_hand(CLASS_COUNT - 1)[1].rank


def relabeled(card: Card, suits: dict[Suit, Suit]) -> Card:
    return Card(card.rank, suits[card.suit])


def test_hands_are_of_one_class_just_when_suits_can_be_renamed() -> None:
    """Against every renaming that keeps sister suits together: eight of them."""
    renamings = [
        {
            clubs: Suit(a),
            clubs.sister: Suit(a).sister,
            clubs.cross[0]: Suit(a).cross[x],
            clubs.cross[1]: Suit(a).cross[1 - x],
        }
        for clubs in [Suit.CLUBS]
        for a in "cdhs"
        for x in (0, 1)
    ]
    rng = Random(5)
    for _ in range(300):
        *hand, up_card = rng.sample(DECK, 6)
        *other, other_up = rng.sample(DECK, 6) if rng.random() < 0.5 else (*hand[:4], up_card, hand[4])
        like = {(frozenset(relabeled(card, suits) for card in hand), relabeled(up_card, suits)) for suits in renamings}
        numbers = {classify([*cards], up).number for cards, up in like}
        assert len(numbers) == 1
        same = classify(other, other_up).number in numbers
        assert same is ((frozenset(other), other_up) in like)


def test_the_suits_of_a_class_are_the_hands_own() -> None:
    """First the up-card's, then its sister, then the cross suits, so that equal hands have them in the same order."""
    hand, up_card = [Card.parse(card) for card in ("Ah", "9h", "Kd", "9c", "Ts")], Card.parse("Jc")
    assert classify(hand, up_card).suits == (Suit.CLUBS, Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS)
    other = [Card.parse(card) for card in ("Ad", "9d", "Kh", "9c", "Ts")]
    assert classify(other, up_card) == (
        classify(hand, up_card).number,
        (Suit.CLUBS, Suit.SPADES, Suit.DIAMONDS, Suit.HEARTS),
    )


# Solved calls


def test_a_byte_holds_every_mean_there_is() -> None:
    assert [encode_mean(mean) for mean in (-2.0, 0.0, 4.0)] == [0, 64, 192]
    assert all(encode_mean(decode_mean(byte)) == byte for byte in range(193))


def test_the_table_is_small_and_has_every_class_position_and_call() -> None:
    shipped = (DATA / "call_table.bin").read_bytes()
    assert len(shipped) <= 2_000_000
    table = zlib.decompress(shipped)
    assert len(table) == POSITIONS * CALLS_PER_POSITION * CLASS_COUNT
    assert compress_table(table) == shipped


def state_after_passes(seed: int) -> State:
    """A hand after some passes."""
    rng = Random(seed)
    deck = rng.sample(CAMPUS.deck, len(CAMPUS.deck))
    state: State = start(CAMPUS, deal_hand(CAMPUS, dealer=rng.choice(CAMPUS.seats), deck=deck))
    for _ in range(rng.randrange(8)):
        assert isinstance(state, Bidding)
        state = apply(state, Pass(state.to_act))
    return state


def test_the_table_says_what_the_solver_says() -> None:
    """Random decisions solved again: the means differ at random, but not on average."""
    bot = Bot(Skill(name="solver", layouts=400, weighs_calls=True))
    away: list[float] = []
    for seed in range(60):
        state = state_after_passes(seed)
        assert isinstance(state, Bidding)
        seat_view = view(state, state.to_act)
        calls = [call for call in seat_view.legal if isinstance(call, Order | Name) and not call.alone]
        for call, mean in solved_means(seat_view, calls, bidding_position(seat_view)).items():
            contract = contract_of_call(seat_view, call)
            fresh = bot.imagine(seat_view, contract, seed).mean(stakes(seat_view, in_points=True).of(contract))
            away.append(mean - fresh)
    assert max(map(abs, away)) < 0.7
    assert abs(sum(away) / len(away)) < 0.03
    assert sum(error**2 for error in away) / len(away) < 0.15**2


def test_the_table_is_of_the_pieces_the_command_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes from the command are where a decision looks for them."""
    numbers = range(3)
    pieces = [solve_classes(range(number, number + 1), layouts=20) for number in numbers]
    assert b"".join(pieces) == solve_classes(numbers, layouts=20)
    monkeypatch.setattr("leftbower.players.judgment.call_table.CLASS_COUNT", len(numbers))
    table = to_columns(pieces)
    for number in numbers:
        for position in range(POSITIONS):
            for column in range(CALLS_PER_POSITION):
                assert (
                    table[table_index(number, position, column)]
                    == pieces[number][position * CALLS_PER_POSITION + column]
                )


# Call model and call values


def test_the_curve_is_found_that_made_the_rows() -> None:
    """Rows drawn from known weights give the weights back, within random error."""
    weights, rng = [1.5, -2.0, 0.5], Random(3)
    rows = []
    for _ in range(4000):
        numbers = [number for number in range(2) if rng.random() < 0.5] + [2]
        likely = 1 / (1 + exp(-sum(weights[number] for number in numbers)))
        rows.append([int(rng.random() < likely), *numbers])
    assert fit._logistic(rows, 3) == pytest.approx(weights, abs=0.25)


def test_the_line_is_found_that_made_the_sums() -> None:
    rows = [((1.0, x, y), 0.5 + 2 * x - y) for x in (-1.0, 0.0, 2.0) for y in (0.0, 1.0, 3.0)]
    sums = [0.0] * 12
    for numbers, net in rows:
        more = [*(number * other for number in numbers for other in numbers), *(number * net for number in numbers)]
        sums = [total + addend for total, addend in zip(sums, more, strict=True)]
    assert fit._line(sums, (9.0, 9.0, 9.0), 1e-9) == pytest.approx([0.5, 2.0, -1.0])
    assert fit._line(None, (0.1, 0.2, 0.3), 5.0) == pytest.approx([0.1, 0.2, 0.3])


def test_the_call_model_is_fitted_and_shaped_like_the_file() -> None:
    """Even from few hands: a right bower makes a call more likely than a nine does."""
    found = json.loads(fit_call_model(collect_calls(range(120))))
    shipped = json.loads((DATA / "call_model.json").read_text(encoding="utf-8"))
    assert {f"1-{position}" for position in range(4)} < found.keys() <= shipped.keys()
    for key, row in found.items():
        assert {kind: len(numbers) for kind, numbers in row.items()} == {k: len(n) for k, n in shipped[key].items()}
    assert found["1-3"]["trump"][-1] > found["1-3"]["trump"][0]


def test_call_values_do_not_depend_on_the_pieces() -> None:
    whole = explore_calls(range(24))
    pieces = add_sums([explore_calls(range(10)), explore_calls(range(10, 24))])
    assert {key: pytest.approx(numbers) for key, numbers in whole.items()} == pieces
    found = json.loads(fit_call_values(whole))
    shipped = json.loads((DATA / "call_values.json").read_text(encoding="utf-8"))
    assert found.keys() == shipped.keys()
    assert all(row.keys() == shipped[key].keys() for key, row in found.items())
    assert all(sum(row["passed"]) == pytest.approx(1, abs=0.001) for row in found.values())


def test_the_shipped_call_model_predicts_the_baseline() -> None:
    """It predicts the calls of other hands much better than ignoring the cards does."""
    shipped = json.loads((DATA / "call_model.json").read_text(encoding="utf-8"))
    kinds = fit._GROUP_SIZES
    modeled = guessed = 0.0
    for key, rows in collect_calls(range(1_000_000, 1_000_060)).items():
        weights = [number for kind, size in kinds.items() for number in shipped[key].get(kind, [0.0] * size)]
        share = (sum(row[0] for row in rows) + 1) / (len(rows) + 2)
        for answer, *numbers in rows:
            likely = 1 / (1 + exp(-sum(weights[number] for number in numbers)))
            modeled += log(likely if answer else 1 - likely)
            guessed += log(share if answer else 1 - share)
    assert modeled > 0.6 * guessed


# The command


def test_what_was_broken_off_is_gone_on_with(
    run_training: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt keeps the finished pieces; the result is the same as without one."""
    file, other = tmp_path / "call_values.json", tmp_path / "other.json"
    run_training("call-values", str(other), "--hands", "4")
    played_hands: list[int] = []

    def tiring(hands: range, *, until: int) -> fit.Sums:
        if len(played_hands) == until:
            raise KeyboardInterrupt
        played_hands.extend(hands)
        return explore_calls(hands)

    monkeypatch.setattr(fit, "explore_calls", partial(tiring, until=2))
    answer = run_training("call-values", str(file), "--hands", "4", status=130)
    assert answer.stdout == f"2 of 4 done and saved in {file}.part.\n"
    assert not file.exists()
    monkeypatch.setattr(fit, "explore_calls", partial(tiring, until=-1))
    answer = run_training("call-values", str(file), "--hands", "4")
    assert played_hands == [0, 1, 2, 3]
    assert answer.stdout == f"{file}: {file.stat().st_size:,} bytes.\n"
    assert file.read_bytes() == other.read_bytes()
    assert not (tmp_path / "call_values.json.part").exists()


def test_unfinished_work_of_another_kind_is_refused(
    run_training: Command, training_refused: Refusal, tmp_path: Path
) -> None:
    file = tmp_path / "call_model.json"
    run_training("call-model", str(file), "--hands", "3")
    assert json.loads(file.read_text(encoding="utf-8"))
    (tmp_path / "call_model.json.part").write_text('{"training": {"leftbower": "0"}}\n', encoding="utf-8")
    assert "this file is from other work" in training_refused(
        "call-model", str(file), "--hands", "3", code="other-work"
    )


def test_solved_calls_are_made_for_every_class(
    run_training: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here only for a few, because all of them take a while."""
    monkeypatch.setattr("leftbower.players.arena.parallel.chunks", lambda count: (range(2), range(count - 2, count)))
    file = tmp_path / "call_table.bin"
    run_training("call-table", str(file), "--layouts", "5")
    assert len(zlib.decompress(file.read_bytes())) == 4 * POSITIONS * CALLS_PER_POSITION
