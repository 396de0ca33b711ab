"""Cards, turns and offenses of a hand for three or two players with all cards face up, in plain words.

Written from the club's sheet and our readings of it alone; nothing of the program is imported. Seats are `N`, `E` and
`S`, cards are words such as `Jd`. Kinds of offenses are `renege`, `out-of-turn` and `failure-to-discard`, in a trick
counted from 1, or 0 for the discard.
"""

from dataclasses import dataclass, field

Offense = tuple[str, str, int]
"""Who, what, in which trick."""
Trick = list[tuple[str, str]]
"""Seats and their cards, as they fell."""

SAME_COLOR = {"c": "s", "s": "c", "d": "h", "h": "d"}
RANKS = "9TJQKA"


def suit_of(card: str, trump: str) -> str:
    """The suit a card belongs to: the left bower is a trump."""
    return trump if card == "J" + SAME_COLOR[trump] else card[1]


def strength(card: str, led: str, trump: str) -> int:
    """A card's height in a trick: the bowers, the other trumps, the suit led; no other card can win."""
    if card == "J" + trump:
        return 102
    if card == "J" + SAME_COLOR[trump]:
        return 101
    base = 50 if card[1] == trump else 1 if card[1] == led else -50
    return base + RANKS.index(card[0])


@dataclass
class FaceUp:
    """A hand as it lies when every card is face up."""

    players: tuple[str, ...]
    """Clockwise."""
    dealer: str
    hands: dict[str, list[str]]
    dummy: tuple[str, ...]
    up_card: str

    maker: str = ""
    trump: str = ""
    ordered: bool = False
    """Did the dealer take the up-card?"""
    buried: str = ""
    laid: Trick = field(default_factory=list)
    """All cards that lie face up, from the first lead on; a trick is as long as there are players."""
    turns: list[str] = field(default_factory=list)
    """Whose turn it was when each of them fell."""

    # Sides, turns and tricks

    def clockwise_from_left_of(self, seat: str) -> tuple[str, ...]:
        """All players, from a seat's left round to the seat."""
        first = self.players.index(seat) + 1
        return self.players[first:] + self.players[:first]

    def side(self, seat: str) -> str:
        """In a hand the defenders are one side."""
        return "maker" if seat == self.maker else "defenders"

    def opponents(self, seat: str) -> list[str]:
        """The players of the other side."""
        return [other for other in self.players if self.side(other) != self.side(seat)]

    def tricks(self) -> list[Trick]:
        """All tricks, the unfinished one last."""
        size = len(self.players)
        return [self.laid[start : start + size] for start in range(0, len(self.laid), size)]

    def complete(self) -> list[Trick]:
        """The tricks to which every player has laid a card."""
        return [trick for trick in self.tricks() if len(trick) == len(self.players)]

    def number(self) -> int:
        """The trick that is played now, counted from 1."""
        return len(self.complete()) + 1

    def on_table(self) -> Trick:
        """The unfinished trick."""
        return self.laid[len(self.players) * len(self.complete()) :]

    def taker(self, trick: Trick) -> str:
        """The player of the highest trump, else of the highest card of the suit led."""
        led = suit_of(trick[0][1], self.trump)
        return max(trick, key=lambda play: strength(play[1], led, self.trump))[0]

    def due(self) -> str:
        """Whose turn it is: the leader's, then clockwise from the card that was led, in turn or not.

        The dealer's left leads first, then the taker of each trick.
        """
        trick = self.on_table()
        if trick:
            laid = [seat for seat, _ in trick]
            return next(seat for seat in self.clockwise_from_left_of(trick[0][0]) if seat not in laid)
        return self.taker(self.complete()[-1]) if self.laid else self.clockwise_from_left_of(self.dealer)[0]

    def makers_tricks(self) -> int:
        """The number of tricks the maker has taken."""
        return sum(self.taker(trick) == self.maker for trick in self.complete())

    # Offenses, from all cards face up

    def legal_cards(self, seat: str) -> list[str]:
        """The cards that follow suit, or all of them if none does."""
        trick = self.on_table()
        led = suit_of(trick[0][1], self.trump) if trick else ""
        return [card for card in self.hands[seat] if suit_of(card, self.trump) == led] or self.hands[seat]

    def strays(self) -> list[Offense]:
        """Cards of another suit than the one led: a renege or a void."""
        return [
            (seat, "renege", number)
            for number, trick in enumerate(self.tricks(), 1)
            for seat, card in trick
            if suit_of(card, self.trump) != suit_of(trick[0][1], self.trump)
        ]

    def withheld(self, seat: str, number: int) -> list[str]:
        """The cards of the suit led that a player still held after playing to a trick."""
        tricks = self.tricks()
        led = suit_of(tricks[number - 1][0][1], self.trump)
        later = [card for trick in tricks[number:] for player, card in trick if player == seat]
        return [card for card in later + self.hands[seat] if suit_of(card, self.trump) == led]

    def out_of_turn(self) -> list[Offense]:
        """Cards that were laid when another player was due."""
        plays = enumerate(zip(self.laid, self.turns, strict=True))
        size = len(self.players)
        return [(seat, "out-of-turn", index // size + 1) for index, ((seat, _), due) in plays if seat != due]

    def failure_to_discard(self) -> list[Offense]:
        """A dealer who took the up-card and played the first card from six."""
        has_played = self.dealer in [seat for seat, _ in self.laid]
        return [(self.dealer, "failure-to-discard", 0)] if self.ordered and not self.buried and has_played else []

    def callable_offenses(self) -> list[Offense]:
        """All that can be called: each trick in which a player did not follow, guilty or not, and what all can see."""
        return self.strays() + self.out_of_turn() + self.failure_to_discard()

    def guilty(self, offense: Offense) -> bool:
        """Did it happen? A renege is a card of another suit from a hand that could follow."""
        seat, kind, number = offense
        if kind == "renege":
            return offense in self.strays() and bool(self.withheld(seat, number))
        return offense in self.out_of_turn() + self.failure_to_discard()
