"""Endings small enough to solve by hand; each explains its value.

Spades are trump, Jc is the left bower, and chairs 0 and 2 are the makers. A line reads: trump, who leads or has led,
the makers' tricks so far; the hands of the chairs; their cards on the table. The values are the makers' tricks after
each card.
"""

import pytest

from leftbower.kernel import Batch
from proofs import reference
from proofs.exact import read

ENDINGS = {
    "a guarded left bower: under the right bower the nine falls, and the ace goes to the left bower": (
        "s 0 0 | JsAs Jc9s 9hTh 9dTd | - - - -",
        {"Js": 1, "As": 1},
    ),
    "a finesse: partner leads trump through the left bower, and whatever it does ace and right bower take both": (
        "s 2 0 | JsAs Ah9h KsTs JcQs | - - - -",
        {"Ks": 2, "Ts": 2},
    ),
    "the same finesse into the left bower: it plays last, waits for the ace, and takes one": (
        "s 2 0 | JsAs JcQs KsTs Ah9h | - - - -",
        {"Ks": 1, "Ts": 1},
    ),
    "a ruff: the losing heart goes to partner's nine of trump, now or after the ace": (
        "s 0 0 | 9hAd AhKd 9sTc QhTd | - - - -",
        {"9h": 2, "Ad": 2},
    ),
    "partner's ace holds: who ruffs it spends the trump that takes the last trick": (
        "s 2 0 | 9sKh TdAh Tc Kc | - - Ad 9d",
        {"9s": 1, "Kh": 2},
    ),
    "a forced overtrump: the only trump must follow over partner's king, and the ten of hearts is a bad lead": (
        "s 1 0 | AsTh Ah Ad Qc | - 9s Ks Td",
        {"As": 1},
    ),
    "an overtrump: the queen sits behind the ten and beats it on either heart": (
        "s 3 0 | Ts9d QsAd - AhKh | - - - -",
        {"Ah": 0, "Kh": 0},
    ),
    "a throw-in: the ace of hearts must take the nine and then lead up to right bower and ace": (
        "s 0 0 | JsAs9h JcKsAh - - | - - - -",
        {"Js": 1, "As": 1, "9h": 2},
    ),
    "the left bower is a trump: clubs do not call for it, the ten of trump does, and then the queen runs": (
        "s 0 0 | KcTs JcQh - - | - - - -",
        {"Kc": 1, "Ts": 0},
    ),
    "a lone maker has no partner to cover a heart: the right bower is the third trick and there is no fourth": (
        "s 3 2 | Js9h AhAs - AdTd | - - - -",
        {"Ad": 3, "Td": 3},
    ),
    "three players, and the defenders help each other: a heart to ruff, a diamond back to ruff; not the trump first": (
        "s 3 0 | AhAd 9sTd - ThTs | - - - -",
        {"Th": 0, "Ts": 1},
    ),
    "a lone defender stops the march: partner's ace of hearts does not follow the club": (
        "s 2 4 | Ah - 9c Qc | - - - -",
        {"9c": 4},
    ),
    "both alone, the last card: a trump takes whatever is led": (
        "s 3 4 | 9s - - Ah | - - - -",
        {"Ah": 5},
    ),
}


@pytest.mark.parametrize("why", ENDINGS)
def test_an_ending_has_the_value_that_thought_gives_it(why: str) -> None:
    """The kernel and its reference agree on each card's value and the position's."""
    line, values = ENDINGS[why]
    position = read(line)
    batch = Batch([position])
    best = (max if position.to_act in (0, 2) else min)(values.values())
    card_values = reference.card_values(position)
    assert {str(card): value for card, value in card_values.items()} == values
    assert list(batch.card_tricks(tuple(card_values))) == list(values.values())
    assert batch.tricks()[0] == reference.makers_tricks(position) == best
