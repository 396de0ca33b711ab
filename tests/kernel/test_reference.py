"""The kernel against its reference, a plain search with the functions of the rules: same value for every card."""

from collections import Counter
from itertools import product

import pytest

from leftbower.kernel import Batch
from leftbower.rules import Card, Rank
from proofs import reference
from proofs.exact import KINDS, MAX_DIFFERENCES, SIZES, compare, draw, kind, lay, legal, read, size, spelled

EVERY = {f"{kind} {size}" for kind, size in product(KINDS, (1, 2, 3, 4, 5))}


def test_kernel_and_reference_give_every_card_the_same_value() -> None:
    """500 random positions of one to five tricks, of every kind of table, from the lead to the last card."""
    report = compare(0, 500, seed=2024)
    assert report.differences == ()
    assert (report.positions, report.cards > 1000) == (500, True)
    assert report.occurred.keys() == {"mid-trick", *EVERY}
    assert min(report.occurred[name] for name in EVERY) >= 3
    assert report.occurred["mid-trick"] > 250


def test_a_wrong_reference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: if the first card takes every trick, it stops at ten differences."""
    monkeypatch.setattr(reference, "winning_card", lambda trick, trump: trick[0])
    report = compare(0, 200, seed=1)
    assert len(report.differences) == MAX_DIFFERENCES
    assert report.positions < 200
    for difference in report.differences:
        assert read(difference.position) == draw(difference.number, seed=1)
        assert difference.kernel != difference.reference


@pytest.mark.parametrize(
    ("method", "differs"),
    [
        ("tricks", "tricks"),
        ("outcomes", "outcome"),
        ("card_tricks", "tricks of each card"),
        ("card_outcomes", "outcome of each card"),
    ],
)
def test_a_wrong_answer_of_the_kernel_is_found(method: str, differs: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through every method: one trick too many in any position or card is a difference."""
    right = getattr(Batch, method)
    monkeypatch.setattr(Batch, method, lambda *words: [value + 1 for value in right(*words)])
    report = compare(0, 12, seed=1)
    assert {difference.differs for difference in report.differences} == {differs}
    assert len(report.differences) == report.positions == MAX_DIFFERENCES


def test_pieces_of_a_comparison_add_up() -> None:
    """Positions depend only on the seed and their number."""
    assert compare(0, 18, seed=5) == compare(0, 10, seed=5) + compare(10, 8, seed=5)
    assert compare(0, 18, seed=5) != compare(0, 18, seed=6)


def test_every_kind_of_table_and_every_size_comes_in_its_turn() -> None:
    """Equal shares for the kinds, with the same sizes in each."""
    whole_turn = Counter((kind(number), size(number)) for number in range(len(KINDS) * len(SIZES)))
    assert whole_turn == {(name, left): SIZES.count(left) for name in KINDS for left in (1, 2, 3, 4, 5)}


def test_a_drawn_position_is_one_that_can_arise() -> None:
    """The right number of tricks left, one card per hand for each of them, and no card in two locations."""
    drawn = [(number, draw(number, seed=9)) for number in range(600)]
    for number, position in drawn:
        present = [chair for chair in range(4) if position.hands[chair] or position.table[chair]]
        assert tuple(present) in KINDS[kind(number)]
        assert position.leader in present
        assert {len(position.hands[chair]) + (position.table[chair] is not None) for chair in present} == {size(number)}
        cards = [*sum(position.hands, ()), *filter(None, position.table)]
        assert len(set(cards)) == len(cards)
        assert kind(number) != "two" or all(card.rank is not Rank.NINE for card in cards)
        assert 0 <= position.makers_tricks <= 5 - size(number)
        assert (position.leader % 2 == 0) <= (position.makers_tricks > 0 or size(number) == 5)
        assert position.to_act is not None
    assert len({position for _, position in drawn}) == 600


def test_a_position_can_be_written_and_read_again() -> None:
    """A reported difference can be reproduced from its line."""
    for number in range(150):
        assert read(spelled(draw(number, seed=3))) == draw(number, seed=3)
    assert spelled(read("s 1 2 | JsAd 9cTd - KcAs | - Ac - -")) == "s 1 2 | JsAd 9cTd - KcAs | - Ac - -"


def test_laying_the_last_card_of_a_trick_takes_it() -> None:
    """Spades are trump: the jack of clubs takes the ace of spades, and the makers have one more trick."""
    position = read("s 1 2 | JcAd - - KcQs | - As - -")
    assert legal(position) == (Card.parse("Qs"),)
    position = lay(position, Card.parse("Qs"))
    assert spelled(position) == "s 1 2 | JcAd - - Kc | - As - Qs"
    assert legal(position) == (Card.parse("Jc"),)
    position = lay(position, Card.parse("Jc"))
    assert spelled(position) == "s 0 3 | Ad - - Kc | - - - -"
    over = lay(lay(position, Card.parse("Ad")), Card.parse("Kc"))
    assert (over.makers_tricks, over.to_act, legal(over)) == (4, None, ())


@pytest.mark.parametrize("card", ["Qd", "Ah"])
def test_a_card_that_is_not_in_the_hand_to_act_cannot_be_laid(card: str) -> None:
    """Neither a card of another player nor one out of play."""
    position = read("s 0 0 | As Ah - Kd | - - - -")
    with pytest.raises(ValueError, match=f"{card} cannot be laid in s 0 0"):
        lay(position, Card.parse(card))
