"""View models of tricks: on the table, gathered, opened again, and re-enacted one by one in a dispute."""

from collections.abc import Mapping
from dataclasses import dataclass

from leftbower.engine import CallOut, Trick, View, disputed_tricks, looking_back
from leftbower.notation.telling import Naming
from leftbower.rules.cards import Card
from leftbower.rules.referee import Irregularity
from leftbower.rules.seats import Seat
from leftbower.web.words import card_name, happened_call, plays_card, suit_name, takes_the_trick

Places = Mapping[Seat, str]
"""Where each seat is on the page: `bottom`, `left`, `top` or `right`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """A card on the table."""

    card: Card
    name: str
    where: str
    wins: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reenactment:
    """One trick of a hand in dispute, with what the players need to judge it."""

    number: int
    """Which trick it is, counted from 1."""
    total: int
    """How many tricks are complete."""
    trump: str
    calls: tuple[str, ...]
    """The reneges that were called, each as a sentence."""
    cards: tuple[Laid, ...]
    plays: tuple[str, ...]
    """Who led what and who played what, in order."""
    taken: str
    """Who took the trick."""


def cards_on_table(seen: View, places: Places, *, trick_left: float) -> tuple[Laid, ...]:
    """The cards of the trick that is played, or of a complete one that still lies open for `trick_left` seconds."""
    if seen.trick or not seen.tricks:
        return _laid(seen, seen.trick, seen.seats, None, places)
    return _laid_trick(seen, seen.tricks[-1], places) if trick_left > 0 else ()


def last_trick(seen: View, places: Places) -> tuple[Laid, ...]:
    """The last trick, if the rules let the viewer open it again now; in a dispute `reenactment` shows it."""
    tricks = () if disputed_tricks(seen) else looking_back(seen)
    return tuple(laid for trick in tricks for laid in _laid_trick(seen, trick, places))


def reenactment(seen: View | None, number: int, places: Places, name: Naming) -> Reenactment | None:
    """A trick by its number, or the nearest one; None where the rules keep the tricks face down."""
    tricks = disputed_tricks(seen) if seen else ()
    if not seen or not seen.made or not tricks:
        return None
    number = min(max(number, 1), len(tricks))
    trick, trump = tricks[number - 1], seen.made.trump
    calls = (one for one in seen.said if isinstance(one, CallOut) and one.irregularity is Irregularity.RENEGE)
    return Reenactment(
        number=number,
        total=len(tricks),
        trump=suit_name(trump).capitalize(),
        calls=tuple(f"{happened_call(call, name)}." for call in calls),
        cards=_laid_trick(seen, trick, places),
        plays=tuple(
            plays_card(seat, card, trump, name, leads=seat is trick.seats[0])
            for seat, card in zip(trick.seats, trick.cards, strict=True)
        ),
        taken=takes_the_trick(trick.winner, name),
    )


def _laid_trick(seen: View, trick: Trick, places: Places) -> tuple[Laid, ...]:
    return _laid(seen, trick.cards, trick.seats, trick.winner, places)


def _laid(
    seen: View, cards: tuple[Card, ...], seats: tuple[Seat, ...], winner: Seat | None, places: Places
) -> tuple[Laid, ...]:
    trump = seen.made.trump if seen.made else None
    return tuple(
        Laid(card=card, name=card_name(card, trump), where=places[seat], wins=seat is winner)
        for card, seat in zip(cards, seats, strict=True)
    )
