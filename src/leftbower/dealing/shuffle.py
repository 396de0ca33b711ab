"""Expand 32 bytes of entropy into a shuffled deck, a salt for each position, and the bots' secret.

SHAKE-256 expands the entropy in three domains, so that none of the results reveals anything about another. Each domain
has a version number, which must change with the algorithm.
"""

from collections.abc import Iterator, Sequence
from hashlib import shake_256
from typing import Final

from leftbower.rules.cards import Card

ENTROPY_BYTES: Final = 32
"""Bytes per hand. One player's view leaves only 2^29 layouts, so a short secret could be found in minutes."""
SALT_BYTES: Final = 16
"""Bytes of salt for each position of the deck."""
BOT_SECRET_BYTES: Final = 32
"""Bytes of the secret that seeds the bots of one deal."""
_DECK_DOMAIN: Final = b"leftbower deck 1"
_SALT_DOMAIN: Final = b"leftbower salt 1"
_BOTS_DOMAIN: Final = b"leftbower bots 1"


def shuffled(entropy: bytes, deck: Sequence[Card]) -> tuple[Card, ...]:
    """The deck in the order given by the entropy; all orders are equally likely. Position 0 is the top."""
    stream = _bytes(_DECK_DOMAIN, _checked(entropy))
    order = list(deck)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, stream)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def salts(entropy: bytes, positions: int) -> tuple[bytes, ...]:
    drawn = shake_256(_SALT_DOMAIN + _checked(entropy)).digest(SALT_BYTES * positions)
    return tuple(drawn[start : start + SALT_BYTES] for start in range(0, len(drawn), SALT_BYTES))


def bot_secret(entropy: bytes) -> bytes:
    """The secret that seeds the random choices of bots and coach in this deal."""
    return shake_256(_BOTS_DOMAIN + _checked(entropy)).digest(BOT_SECRET_BYTES)


def _checked(entropy: bytes) -> bytes:
    if len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"a hand is dealt from {ENTROPY_BYTES} bytes of entropy, not from {len(entropy)}")
    return entropy


def _bytes(domain: bytes, entropy: bytes) -> Iterator[int]:
    """An endless stream of bytes for a domain: longer SHAKE digests start with the shorter ones."""
    drawn, length = 0, 64
    while True:
        yield from shake_256(domain + entropy).digest(length)[drawn:]
        drawn, length = length, 2 * length


def _below(bound: int, stream: Iterator[int]) -> int:
    """A uniform number below the bound, by rejection sampling."""
    fair = 256 - 256 % bound
    return next(byte for byte in stream if byte < fair) % bound
