"""Reference solver: plain minimax with the functions of the rules, slow and simple, to test the kernel against."""

from functools import cache

from leftbower.kernel.position import HandsByChair, Position, chairs_from
from leftbower.rules import Card, Suit, playable, winning_card

CardsOnTable = tuple[tuple[int, Card], ...]
"""Cards of a trick in the order of play, each with its chair."""


def makers_tricks(position: Position) -> int:
    """The makers' tricks in the whole hand if all play perfectly."""
    search = _search(position.trump)
    return position.makers_tricks + search(_sorted(position.hands), _fallen(position), position.leader)


def card_values(position: Position) -> dict[Card, int]:
    """The makers' tricks in the whole hand after each legal card of the chair to act."""
    chair = position.to_act
    if chair is None:
        return {}
    search, table = _search(position.trump), _fallen(position)
    led = table[0][1].suit_under(position.trump) if table else None
    return {
        card: position.makers_tricks
        + search(_without(_sorted(position.hands), chair, card), (*table, (chair, card)), position.leader)
        for card in playable(position.hands[chair], led, position.trump)
    }


def _fallen(position: Position) -> CardsOnTable:
    laid = ((chair, position.table[chair]) for chair in chairs_from(position.leader))
    return tuple((chair, card) for chair, card in laid if card is not None)


def _sorted(hands: HandsByChair) -> HandsByChair:
    first, second, third, fourth = (tuple(sorted(held)) for held in hands)
    return first, second, third, fourth


def _without(hands: HandsByChair, chair: int, card: Card) -> HandsByChair:
    first, second, third, fourth = (
        tuple(other for other in held if index != chair or other is not card) for index, held in enumerate(hands)
    )
    return first, second, third, fourth


class _search:  # noqa: N801  (called like a function; its cache lives as long as one search)
    """Minimax over every card, with a cache of positions between tricks."""

    def __init__(self, trump: Suit) -> None:
        self.trump = trump
        self.to_come = cache(self._to_come)

    def __call__(self, hands: HandsByChair, table: CardsOnTable, leader: int) -> int:
        """The makers' remaining tricks, including the one on the table."""
        if not table:
            return self.to_come(hands, leader)
        laid = {chair for chair, _ in table}
        waiting = [chair for chair in chairs_from(leader) if chair not in laid and hands[chair]]
        if not waiting:
            return self._taken(hands, table)
        chair, led = waiting[0], table[0][1].suit_under(self.trump)
        best = max if chair % 2 == 0 else min
        return best(
            self(_without(hands, chair, card), (*table, (chair, card)), leader)
            for card in playable(hands[chair], led, self.trump)
        )

    def _to_come(self, hands: HandsByChair, leader: int) -> int:
        """The makers' remaining tricks if `leader` leads."""
        if not hands[leader]:
            return 0
        best = max if leader % 2 == 0 else min
        return best(self(_without(hands, leader, card), ((leader, card),), leader) for card in hands[leader])

    def _taken(self, hands: HandsByChair, table: CardsOnTable) -> int:
        highest = winning_card([card for _, card in table], self.trump)
        winner = next(chair for chair, card in table if card is highest)
        return (winner % 2 == 0) + self.to_come(hands, winner)
