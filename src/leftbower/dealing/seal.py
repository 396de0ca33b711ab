"""Sealed decks: the commitment published before a hand, the proof of an opened card, and the check of both.

Each card has an envelope: a leaf, the SHA-256 of position, card and salt. All leaves are published before the hand, and
the root, a SHA-256 over them, is short enough to write down. A Merkle tree would not need the leaves, but each opened
card would need five hashes to prove its branch. That is more bytes per hand than 24 leaves, and harder to explain. An
opening is a position, a card and a salt; it reveals nothing about other envelopes.

Another leaf commits to the secret that seeds the bots of this deal. The server chooses it before anyone sees a card,
and opens it with all cards when the game is over. It is 32 random bytes, so it needs no salt.

The root also binds the deck to its match: see `chain.py`.

Leaves and root are hashes of plain text, so `sha256sum` can check them:

    leftbower leaf 1:7:Jd:<salt, 32 hex digits>
    leftbower bot leaf 1:<the bots' secret, 64 hex digits>
    leftbower root 3:<link>:<number>:<draw or hand>:<players>:<all leaves from position 0 on><the bots' leaf>
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from leftbower.dealing.chain import Binding, hashed
from leftbower.dealing.shuffle import BOT_SECRET_BYTES, SALT_BYTES, bot_secret, salts, shuffled
from leftbower.errors import BadCut
from leftbower.rules.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """Published before a hand: commits to the deck without showing a card."""

    root: str
    """SHA-256 over the leaves, as 64 hex digits."""
    leaves: tuple[str, ...] = field(repr=False)
    """The envelopes from the top of the deck down, 64 hex digits each."""
    bot_leaf: str = field(repr=False)
    """The hash that commits to the bots' secret, 64 hex digits."""
    binding: Binding = field(repr=False)
    """The deck's position in its match."""

    @classmethod
    def over(cls, leaves: Iterable[str], bot_leaf: str, binding: Binding) -> Self:
        sealed = tuple(leaves)
        root = hashed(f"leftbower root 3:{binding.text}:{''.join(sealed)}{bot_leaf}")
        return cls(root=root, leaves=sealed, bot_leaf=bot_leaf, binding=binding)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A deck in its envelopes, secret until the game is over. Its repr never shows a card or a secret."""

    deck: tuple[Card, ...] = field(repr=False)
    """The sealed order, top card first, before any cut."""
    salts: tuple[bytes, ...] = field(repr=False)
    bot_secret: bytes = field(repr=False)
    """Seeds the random choices of bots and coach while this deck is in play."""
    binding: Binding = field(default_factory=Binding, repr=False)
    """The deck's position in its match; in no match by default."""
    commitment: Commitment = field(init=False)

    def __post_init__(self) -> None:
        if len(set(self.deck)) != len(self.deck) or len(self.salts) != len(self.deck):
            raise ValueError("a sealed deck has every card once, and a salt for each")
        if any(len(salt) != SALT_BYTES for salt in self.salts):
            raise ValueError(f"a salt has {SALT_BYTES} bytes")
        if len(self.bot_secret) != BOT_SECRET_BYTES:
            raise ValueError(f"the bots' secret has {BOT_SECRET_BYTES} bytes")
        leaves = (
            _leaf(position, card, salt) for position, (card, salt) in enumerate(zip(self.deck, self.salts, strict=True))
        )
        object.__setattr__(self, "commitment", Commitment.over(leaves, _bot_leaf(self.bot_secret), self.binding))

    @property
    def root(self) -> str:
        return self.commitment.root


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """One card from its envelope."""

    position: int
    """Number of cards above it in the sealed deck."""
    card: Card
    salt: bytes


def seal(entropy: bytes, deck: Sequence[Card], binding: Binding | None = None) -> Sealed:
    """Shuffle a deck (`HouseRules.deck`) with 32 bytes of entropy and put each card in an envelope."""
    order, secret = shuffled(entropy, deck), bot_secret(entropy)
    return Sealed(deck=order, salts=salts(entropy, len(deck)), bot_secret=secret, binding=binding or Binding())


def cut(deck: Sequence[Card], number: int | None) -> tuple[Card, ...]:
    """The deck after a player lifts `number` cards off the top and puts them below; None means no cut."""
    lifted = number or 0
    if not 0 <= lifted < len(deck):
        raise BadCut("lift 1 to %(most)s cards, or none", most=len(deck) - 1)
    return (*deck[lifted:], *deck[:lifted])


def opening(sealed: Sealed, position: int) -> Opening:
    """The card at a position of the sealed deck, with its proof."""
    if not 0 <= position < len(sealed.deck):
        raise ValueError(f"the deck has positions 0 to {len(sealed.deck) - 1}")
    return Opening(position=position, card=sealed.deck[position], salt=sealed.salts[position])


def openings(sealed: Sealed, cards: Iterable[Card]) -> tuple[Opening, ...]:
    """These cards with their proofs, from the top of the deck down."""
    return tuple(opening(sealed, position) for position in sorted(map(sealed.deck.index, cards)))


def check(opened: Opening, commitment: Commitment) -> bool:
    """Was this card at this position when the deck was sealed?"""
    leaves = commitment.leaves
    if Commitment.over(leaves, commitment.bot_leaf, commitment.binding) != commitment or not 0 <= opened.position < len(
        leaves
    ):
        return False
    return _leaf(opened.position, opened.card, opened.salt) == leaves[opened.position]


def _leaf(position: int, card: Card, salt: bytes) -> str:
    return hashed(f"leftbower leaf 1:{position}:{card}:{salt.hex()}")


def _bot_leaf(secret: bytes) -> str:
    return hashed(f"leftbower bot leaf 1:{secret.hex()}")
