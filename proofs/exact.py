"""Exact search: random positions solved by the kernel and by its plain reference, which must agree on every card.

A position is written as trump, leader and makers' tricks, the hands of the four chairs, and the cards before them:

    s 1 2 | JsAd 9cTd - KcAs | - Ac - -
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from leftbower.kernel import Batch
from leftbower.kernel.position import Position, chairs_from
from leftbower.rules.cards import DECK, Card, Rank, Suit, parse_cards
from leftbower.rules.scoring import TRICKS_NEEDED, TRICKS_PER_HAND
from leftbower.rules.tricks import playable, winning_card
from proofs import reference

MAX_DIFFERENCES: Final = 10
"""A comparison ends after this many differences."""
KINDS: Final = {
    "four": ((0, 1, 2, 3),),
    "lone-maker": ((0, 1, 3),),
    "lone-defender": ((0, 1, 2), (0, 2, 3)),
    "both-alone": ((0, 1), (0, 3)),
    "three": ((0, 1, 3),),
    "two": ((0, 1),),
}
"""The kinds of tables, each with its possible sets of occupied chairs."""
SIZES: Final = (1, 3, 2, 4, 3, 2, 3, 1, 4, 2, 3, 5, 1, 2, 3, 4, 3, 1, 2, 3, 2, 4, 1, 3)
"""Tricks left, in turn; few positions are whole hands, because the reference takes a second for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactDifference:
    """A position on which kernel and reference differ."""

    number: int
    """The number of the position within the seed."""
    position: str
    """In the format that `read` parses."""
    differs: str
    """What they differ in."""
    kernel: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactReport:
    """The result of a comparison. Reports of one seed can be added."""

    seed: int
    positions: int = 0
    cards: int = 0
    """Number of cards valued in them."""
    occurred: Mapping[str, int] = field(default_factory=dict)
    """Number of positions by kind and tricks left, as in `lone-maker 3`, and of `mid-trick`."""
    differences: tuple[ExactDifference, ...] = ()

    def __add__(self, other: "ExactReport") -> "ExactReport":
        return ExactReport(
            seed=self.seed,
            positions=self.positions + other.positions,
            cards=self.cards + other.cards,
            occurred=dict(Counter(self.occurred) + Counter(other.occurred)),
            differences=self.differences + other.differences,
        )


def compare(first: int, count: int, seed: int) -> ExactReport:
    """Solve `count` positions of a seed in both ways, from number `first`.

    A position depends only on the seed and its number, so a long comparison can be split.
    """
    occurred: Counter[str] = Counter()
    differences: list[ExactDifference] = []
    done = cards = 0
    while done < count and len(differences) < MAX_DIFFERENCES:
        number = first + done
        position = draw(number, seed)
        values = reference.card_values(position)
        differences += _difference(number, position, values)
        cards += len(values)
        occurred[f"{kind(number)} {size(number)}"] += 1
        occurred["mid-trick"] += any(position.table)
        done += 1
    return ExactReport(seed=seed, positions=done, cards=cards, occurred=dict(occurred), differences=tuple(differences))


def kind(number: int) -> str:
    """The kind of table of this position; kinds take turns."""
    return tuple(KINDS)[number % len(KINDS)]


def size(number: int) -> int:
    """Tricks left in this position, including the one on the table."""
    return SIZES[number // len(KINDS) % len(SIZES)]


def draw(number: int, seed: int) -> Position:
    """A random position: deal hands, and play legal cards until `size(number)` tricks are left."""
    rng = Random(f"{seed}:{number}")
    chairs = rng.choice(KINDS[kind(number)])
    deck = [card for card in DECK if kind(number) != "two" or card.rank is not Rank.NINE]
    rng.shuffle(deck)
    first, second, third, fourth = (tuple(deck[5 * at : 5 * at + 5]) if at in chairs else () for at in range(4))
    position = Position(
        trump=rng.choice(tuple(Suit)),
        hands=(first, second, third, fourth),
        table=(None, None, None, None),
        leader=rng.choice(chairs),
        makers_tricks=0,
    )
    for _ in range(len(chairs) * (TRICKS_PER_HAND - size(number)) + rng.randrange(len(chairs))):
        position = lay(position, rng.choice(legal(position)))
    return position


def legal(position: Position) -> tuple[Card, ...]:
    """The cards that may be played next; none after the last one."""
    chair, lead = position.to_act, position.table[position.leader]
    if chair is None:
        return ()
    return playable(position.hands[chair], lead and lead.suit_under(position.trump), position.trump)


def lay(position: Position, card: Card) -> Position:
    """The position after the chair to act plays a card; the last card of a trick takes it off the table."""
    chair = position.to_act
    if chair is None or card not in position.hands[chair]:
        raise ValueError(f"{card} cannot be laid in {spelled(position)}")
    first, second, third, fourth = (tuple(other for other in hand if other is not card) for hand in position.hands)
    table = tuple(card if at == chair else laid for at, laid in enumerate(position.table))
    after = replace(position, hands=(first, second, third, fourth), table=(table[0], table[1], table[2], table[3]))
    return _taken(after) if after.to_act is None else after


def spelled(position: Position) -> str:
    """The position in one line."""
    head = f"{position.trump} {position.leader} {position.makers_tricks}"
    hands = ("".join(map(str, held)) or "-" for held in position.hands)
    table = (str(card or "-") for card in position.table)
    return f"{head} | {' '.join(hands)} | {' '.join(table)}"


def read(line: str) -> Position:
    """Parse a position."""
    head, hands, table = (part.split() for part in line.split("|"))
    first, second, third, fourth = (() if held == "-" else parse_cards(held) for held in hands)
    a, b, c, d = (None if card == "-" else Card.parse(card) for card in table)
    return Position(
        trump=Suit.parse(head[0]),
        hands=(first, second, third, fourth),
        table=(a, b, c, d),
        leader=int(head[1]),
        makers_tricks=int(head[2]),
    )


def _taken(position: Position) -> Position:
    trick = [card for chair in chairs_from(position.leader) if (card := position.table[chair])]
    winner = position.table.index(winning_card(trick, position.trump))
    return replace(
        position,
        table=(None, None, None, None),
        leader=winner,
        makers_tricks=position.makers_tricks + (winner % 2 == 0),
    )


def _difference(number: int, position: Position, values: Mapping[Card, int]) -> list[ExactDifference]:
    """The first result in which the kernel, called in every possible way, differs from the reference."""
    batch, cards, tricks = Batch([position]), tuple(values), list(values.values())
    best = max(tricks) if position.to_act in (0, 2) else min(tricks)
    answers = (
        ("tricks", batch.tricks(), [best]),
        ("outcome", batch.outcomes(), [_outcome(best)]),
        ("tricks of each card", batch.card_tricks(cards), tricks),
        ("outcome of each card", batch.card_outcomes(cards), [*map(_outcome, tricks)]),
    )
    return [
        ExactDifference(
            number=number, position=spelled(position), differs=differs, kernel=str([*ours]), reference=str(theirs)
        )
        for differs, ours, theirs in answers
        if [*ours] != theirs
    ][:1]


def _outcome(tricks: int) -> int:
    return 0 if tricks < TRICKS_NEEDED else TRICKS_NEEDED if tricks < TRICKS_PER_HAND else TRICKS_PER_HAND
