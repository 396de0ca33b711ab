"""A point of the play with every card known, mapped to four chairs.

The maker has chair 0, and the others follow clockwise, so makers have even chairs and defenders odd ones. The chair of
a player who sits out is empty, and so are the partners' chairs with two and three players:

    four players   maker, defender, partner, defender
    three          maker, defender, –, defender
    two            maker, defender, –, –
"""

from dataclasses import dataclass
from typing import Final

from leftbower.engine.states import Contract, Playing
from leftbower.errors import NothingToSolve
from leftbower.rules import UNKNOWN, Card, Face, HouseRules, Seat, Suit
from leftbower.rules.scoring import TRICKS_PER_HAND

HandsByChair = tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Everything that decides how the play can go on, and the makers' tricks so far."""

    trump: Suit
    hands: HandsByChair
    """The cards in each chair's hand, without its card on the table."""
    table: tuple[Card | None, Card | None, Card | None, Card | None]
    """Each chair's card in the current trick."""
    leader: int
    """The chair that leads, or led, to this trick."""
    makers_tricks: int

    @property
    def to_act(self) -> int | None:
        """The chair whose turn it is; None after the last card."""
        for chair in chairs_from(self.leader):
            if self.table[chair] is None and self.hands[chair]:
                return chair
        return None


def chairs_from(chair: int) -> tuple[int, int, int, int]:
    """The four chairs clockwise, starting with this one."""
    return chair, (chair + 1) % 4, (chair + 2) % 4, (chair + 3) % 4


def position(playing: Playing) -> Position:
    """The position of a hand in play; raises NothingToSolve if a card is unknown or out of order."""
    chairs = chair_seats(playing.hand.rules, playing.contract)
    held = {seat: _known_cards(playing, seat) for seat in playing.active}
    laid = dict(zip(playing.seats, playing.trick, strict=True))
    _check_order(playing, held, laid)
    hands = tuple(held.get(seat, ()) if seat else () for seat in chairs)
    table = tuple(laid.get(seat) if seat else None for seat in chairs)
    leader = playing.seats[0] if playing.seats else playing.to_act
    makers = chairs[0::2]
    return Position(
        trump=playing.contract.trump,
        hands=(hands[0], hands[1], hands[2], hands[3]),
        table=(table[0], table[1], table[2], table[3]),
        leader=chairs.index(leader),
        makers_tricks=sum(trick.winner in makers for trick in playing.tricks),
    )


def chair_seats(rules: HouseRules, contract: Contract) -> tuple[Seat | None, Seat | None, Seat | None, Seat | None]:
    """The seat of each chair, active or not."""
    maker = contract.maker
    seats = [maker]
    while len(seats) < rules.players:
        seats.append(rules.left_of(seats[-1]))
    first, second, third, fourth = (seats[offset] if offset < len(seats) else None for offset in _CHAIRS[rules.players])
    return first, second, third, fourth


_CHAIRS: Final = {4: (0, 1, 2, 3), 3: (0, 1, 9, 2), 2: (0, 1, 9, 9)}
"""For each number of players: the distance of each chair from the maker, in seats to the left; 9 for an empty chair."""


def _known_cards(state: Playing, seat: Seat) -> tuple[Card, ...]:
    held: tuple[Face, ...] = state.cards[seat.index]
    known = tuple(card for card in held if card is not UNKNOWN)
    if len(known) < len(held):
        raise NothingToSolve("%(seat)s has unknown cards; a hand can be solved only with all cards known", seat=seat)
    return known


def _check_order(state: Playing, held: dict[Seat, tuple[Card, ...]], laid: dict[Seat, Card]) -> None:
    """Refuse hands of an honor table in which a dealer holds an extra card or a trick is out of order."""
    left = TRICKS_PER_HAND - len(state.tricks)
    for seat, cards in held.items():
        if len(cards) + (seat in laid) != left:
            raise NothingToSolve(
                "%(seat)s holds %(held)s cards instead of %(due)s",
                seat=seat,
                held=len(cards),
                due=left - (seat in laid),
            )
    if state.seats:
        first = state.active.index(state.seats[0])
        due = (state.active[first:] + state.active[:first])[: len(state.seats)]
        if due != state.seats:
            raise NothingToSolve("this trick was played out of turn, so the hand can't be solved")
