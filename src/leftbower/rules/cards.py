"""Cards: suits with their sister suits, bowers, and the suit and rank of a card once trump is made."""

from enum import Enum, unique
from typing import Final, NoReturn, Self, final

from leftbower.errors import BadCard, BadSuit


@unique
class Suit(Enum):
    """One of the four suits, in sorting order."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"

    letter: str
    symbol: str
    sister: "Suit"
    cross: tuple["Suit", "Suit"]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a letter in either case."""
        try:
            return cls(text.lower())
        except ValueError:
            raise BadSuit("'%(text)s' is not a suit; write c, d, h or s", text=text[:12]) from None

    @property
    def is_red(self) -> bool:
        return self in (Suit.DIAMONDS, Suit.HEARTS)

    def __str__(self) -> str:
        return self.letter

    def __repr__(self) -> str:
        return f"Suit.{self.name}"

    __hash__ = object.__hash__  # members are singletons, and Enum's hash is a slow Python function


for _suit, _symbol, _sister in zip(Suit, "♣♦♥♠", (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS), strict=True):
    _suit.letter = _suit.value
    _suit.symbol = _symbol
    _suit.sister = _sister  # the other suit of its color, called "next"
for _suit in Suit:
    _first, _second = (suit for suit in Suit if suit.is_red != _suit.is_red)
    _suit.cross = (_first, _second)  # the two suits of the other color


@unique
class Rank(Enum):
    """A card's rank, from the nine up to the ace."""

    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"
    ACE = "A"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return f"Rank.{self.name}"

    __hash__ = object.__hash__  # members are singletons, and Enum's hash is a slow Python function


@final
class Card:
    """One of the 24 cards. Each exists only once, so cards compare by identity."""

    __slots__ = ("_index", "_name", "rank", "suit")

    rank: Rank
    suit: Suit
    _index: int
    _name: str

    def __new__(cls, rank: Rank, suit: Suit) -> "Card":
        return _CARDS[rank, suit]

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Parse `Jd` or `J♦`."""
        try:
            return _BY_NAME[text]
        except KeyError:
            raise BadCard("'%(text)s' is not a card; write rank and suit, like Jd or 9s", text=text[:12]) from None

    @property
    def pretty(self) -> str:
        """The card for people to read: `J♦`, `10♠`."""
        return f"{'10' if self.rank is Rank.TEN else self.rank}{self.suit.symbol}"

    def is_right_bower(self, trump: Suit) -> bool:
        """Is it the jack of trump, the highest card?"""
        return self.rank is Rank.JACK and self.suit is trump

    def is_left_bower(self, trump: Suit) -> bool:
        """Is it the jack of trump's sister suit, which counts as trump?"""
        return self.rank is Rank.JACK and self.suit is trump.sister

    def suit_under(self, trump: Suit) -> Suit:
        """Its suit once trump is made: the printed one, except that the left bower is trump."""
        return trump if self.is_left_bower(trump) else self.suit

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a card never changes")

    def __lt__(self, other: "Card") -> bool:
        """Sorting order: clubs, diamonds, hearts, spades, from nine to ace. It has nothing to do with strength."""
        return self._index < other._index

    def __reduce__(self) -> tuple[type["Card"], tuple[Rank, Suit]]:
        return Card, (self.rank, self.suit)

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"Card({self})"


@unique
class Unknown(Enum):
    """A card we can't see: missing in a recorded game, or held by another player."""

    CARD = "??"

    def __str__(self) -> str:
        return "??"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown.CARD
Face = Card | Unknown
"""A card as a player sees it: face up, or unknown."""


def _print_card(rank: Rank, suit: Suit, index: int) -> Card:
    card = object.__new__(Card)
    for name, value in (("rank", rank), ("suit", suit), ("_index", index), ("_name", f"{rank}{suit}")):
        object.__setattr__(card, name, value)
    return card


_CARDS: Final = {
    (rank, suit): _print_card(rank, suit, len(Rank) * s + r)
    for s, suit in enumerate(Suit)
    for r, rank in enumerate(Rank)
}
DECK: Final = tuple(_CARDS.values())
"""The 24 cards in sorting order."""
_BY_NAME: Final = {name: card for card in DECK for name in (str(card), card.pretty, f"{card.rank}{card.suit.symbol}")}


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse cards written without spaces: `JdAd9s`."""
    return tuple(Card.parse(text[start : start + 2]) for start in range(0, len(text), 2))


def parse_faces(text: str) -> tuple[Face, ...]:
    """Parse cards written without spaces, some of which may be unknown: `JdAd??`."""
    pairs = (text[start : start + 2] for start in range(0, len(text), 2))
    return tuple(UNKNOWN if pair == "??" else Card.parse(pair) for pair in pairs)
