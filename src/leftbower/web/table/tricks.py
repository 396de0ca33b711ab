"""View models of tricks: the current one, the last one, and each trick of a disputed hand."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine.actions import CallOut
from leftbower.engine.states import Trick
from leftbower.engine.view import View, disputed_tricks, looking_back
from leftbower.i18n import gettext
from leftbower.notation import describe
from leftbower.notation.describe import SUIT_LABELS, SeatNamer
from leftbower.rules.cards import Card
from leftbower.rules.referee import Irregularity
from leftbower.rules.seats import Seat
from leftbower.web.table.text import card_name, describe_play, describe_trick_winner

SeatPositions = Mapping[Seat, str]
"""`bottom`, `left`, `top` or `right` by seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCard:
    card: Card
    name: str
    position: str
    wins: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DisputedTrick:
    """One trick of a disputed hand, with the calls, the plays and the winner."""

    number: int
    """Counted from 1."""
    total: int
    """Number of complete tricks."""
    trump: str
    calls: tuple[str, ...]
    """The reneges that were called, each as a sentence."""
    cards: tuple[TableCard, ...]
    plays: tuple[str, ...]
    """Who led what and who played what, in order."""
    winner_text: str


def cards_on_table(view: View, positions: SeatPositions, *, trick_seconds_left: float) -> tuple[TableCard, ...]:
    """The cards of the current trick, or of a complete one that stays open for `trick_seconds_left` seconds."""
    if view.trick or not view.tricks:
        return _table_cards(view, view.trick, view.seats, None, positions)
    return _trick_cards(view, view.tricks[-1], positions) if trick_seconds_left > 0 else ()


def last_trick(view: View, positions: SeatPositions) -> tuple[TableCard, ...]:
    """The last trick, if the rules let the viewer open it again now; in a dispute `disputed_trick` shows it."""
    tricks = () if disputed_tricks(view) else looking_back(view)
    return tuple(laid for trick in tricks for laid in _trick_cards(view, trick, positions))


def disputed_trick(
    view: View | None, number: int, positions: SeatPositions, seat_name: SeatNamer
) -> DisputedTrick | None:
    """A trick by its number, or the nearest one; None where the rules keep the tricks face down."""
    tricks = disputed_tricks(view) if view else ()
    if not view or not view.contract or not tricks:
        return None
    number = min(max(number, 1), len(tricks))
    trick, trump = tricks[number - 1], view.contract.trump
    calls = (
        action for action in view.actions if isinstance(action, CallOut) and action.irregularity is Irregularity.RENEGE
    )
    return DisputedTrick(
        number=number,
        total=len(tricks),
        trump=gettext(SUIT_LABELS[trump]),
        calls=tuple(describe(call, view.rules, seat_name) for call in calls),
        cards=_trick_cards(view, trick, positions),
        plays=tuple(
            describe_play(seat, card, trump, seat_name, leads=seat is trick.seats[0])
            for seat, card in zip(trick.seats, trick.cards, strict=True)
        ),
        winner_text=describe_trick_winner(trick.winner, seat_name),
    )


def _trick_cards(view: View, trick: Trick, positions: SeatPositions) -> tuple[TableCard, ...]:
    return _table_cards(view, trick.cards, trick.seats, trick.winner, positions)


def _table_cards(
    view: View, cards: tuple[Card, ...], seats: tuple[Seat, ...], winner: Seat | None, positions: SeatPositions
) -> tuple[TableCard, ...]:
    trump = view.contract.trump if view.contract else None
    return tuple(
        TableCard(card=card, name=card_name(card, trump), position=positions[seat], wins=seat is winner)
        for card, seat in zip(cards, seats, strict=True)
    )
