"""Words and numbers of the coach: phrases for actions, `61%` and `−0.50`, and who plays with whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from leftbower.engine import Contract, View, actions, active_seats
from leftbower.i18n import gettext as _, gettext_noop, read_texts
from leftbower.kernel import chair_seats
from leftbower.notation.describe import action_values, phrase_key
from leftbower.rules import Seat, Suit


@dataclass(frozen=True, slots=True)
class AdvisedSeat:
    """The player who gets the advice: the sides and the phrases from this player's point of view."""

    view: View
    seat: Seat

    def friends(self, contract: Contract) -> tuple[Seat, ...]:
        """Who plays on the viewer's side, the viewer included: among three the two defenders are one side."""
        chairs = chair_seats(self.view.rules, contract)
        side = chairs[chairs.index(self.seat) % 2 :: 2]
        active = active_seats(self.view.rules, contract)
        return tuple(seat for seat in side if seat in active)

    def friend(self, contract: Contract) -> Seat | None:
        """The partner in this hand, if one plays."""
        return next((seat for seat in self.friends(contract) if seat is not self.seat), None)

    def waiting(self, contract: Contract) -> tuple[Seat, ...]:
        """Who plays to the trick after the viewer."""
        return tuple(
            seat
            for seat in active_seats(self.view.rules, contract)
            if seat is not self.seat and seat not in self.view.seats
        )

    def phrase(self, action: actions.Action) -> str:
        """An action inside a sentence: a card by its name, anything else as `going alone`."""
        return action.card.pretty if isinstance(action, actions.Play) else self.say(action, "inside")

    def say(self, action: actions.Action, form: str, **values: object) -> str:
        """The phrase of this form in `phrases.toml`."""
        phrases = _PHRASES[phrase_key(action, self.view.rules, self.view.dealer)]
        return _(phrases[form], **action_values(action) | values)


_PHRASES: Final = read_texts("leftbower.players.coach", "phrases.toml")
_SUITS: Final = {
    Suit.CLUBS: (gettext_noop("club"), gettext_noop("clubs")),
    Suit.DIAMONDS: (gettext_noop("diamond"), gettext_noop("diamonds")),
    Suit.HEARTS: (gettext_noop("heart"), gettext_noop("hearts")),
    Suit.SPADES: (gettext_noop("spade"), gettext_noop("spades")),
}
"""One card of a suit, and the suit."""


def suit_name(suit: Suit) -> str:
    return _(_SUITS[suit][1])


def one_of_suit(suit: Suit) -> str:
    """`club`: one card of the suit."""
    return _(_SUITS[suit][0])


def join(parts: Sequence[str]) -> str:
    """`the right, three trump and an ace`."""
    head, *rest = parts
    for part in rest[:-1]:
        head = _("%(first)s, %(second)s", first=head, second=part)
    return _("%(first)s and %(second)s", first=head, second=rest[-1]) if rest else head


def percent(share: float, digits: int = 0) -> str:
    """`61%`; a share above 0 is never printed as 0%, and one below 1 never as 100%."""
    share, least = min(max(share, 0.0), 1.0), 0.5 / 10**digits / 100
    if 0 < share <= least:
        return _("less than %(percent)s", percent=f"{1 / 10**digits:g}%")
    if 1 - least <= share < 1:
        return _("over %(percent)s", percent=f"{100 - 1 / 10**digits:g}%")
    return f"{100 * share:.{digits}f}%"
