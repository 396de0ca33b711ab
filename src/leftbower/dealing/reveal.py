"""Which cards can be opened now without revealing anything that isn't public."""

from collections.abc import Iterator

from leftbower.engine import LayAway, Phase, Play, ShowFarmersHand, View
from leftbower.rules import UNKNOWN, Card, Seat


def may_be_opened(view: View) -> tuple[Card, ...]:
    """Cards whose envelopes can be opened now, from a spectator's view.

    A card is opened when it becomes public. But if a seat exchanged cards with dummy or kitty, a card's position would
    reveal whether it was dealt to that seat, and so would an envelope that stays closed. So nothing that seat plays is
    opened until the hand is over. Cards that never become public, such as discards, are opened at the end of the game.
    """
    if view.seat is not None:
        raise ValueError("what may be opened is what a spectator may see")
    over = view.ending is not None
    waiting = set() if over else _exchanged(view)
    public = {view.turned, *[card for seat, card in _public(view) if seat not in waiting], *_farmers(view)}
    return tuple([card for card in view.rules.deck if card in public])


def _exchanged(view: View) -> set[Seat]:
    """Seats that have, or may have, cards that weren't dealt to them, apart from the up-card."""
    seats = {action.seat for action in view.actions if isinstance(action, LayAway | ShowFarmersHand)}
    if view.phase is Phase.EXCHANGING_DUMMY and view.contract:
        seats.add(view.contract.maker)
    return seats


def _public(view: View) -> list[tuple[Seat, Card]]:
    """Every card that is or was face up, with its owner; cards of gathered tricks stay public."""
    laid = [(action.seat, action.card) for action in view.actions if isinstance(action, Play)]
    return laid + [(seat, card) for seat, held in view.exposed.items() for card in held if card is not UNKNOWN]


def _farmers(view: View) -> Iterator[Card]:
    """The nines and tens of a farmer's hand: the player who shows them was dealt them."""
    for action in view.actions:
        if isinstance(action, ShowFarmersHand):
            yield from action.cards
