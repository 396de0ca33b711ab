"""Hash chain of a match: binds its decks, in order and with everything played, to table, rules and players.

Everything is a SHA-256 of plain text. JSON in it is canonical: keys sorted, no spaces, ASCII.

    leftbower name 1:<salt, 32 hex digits>:<name>
    leftbower match 1:<JSON of {"match", "players", "rules", "table"}>
    leftbower root 3:<link>:<number>:<draw or hand>:<JSON of the players that changed>:<leaves><bots' leaf>
    leftbower link 1:<root>:<bots' secret>:<JSON of [cut, packets, draw or deal, act, act, …]>
    leftbower end 1:<link>:<JSON of the end>

The match root is the link before the first deck. The root of each deck covers the previous link, so it covers
everything before it. A link becomes public when the next deck is sealed, while discarded and unseen cards are still
secret. It also hashes the bots' secret, so those cards can't be found by brute force. Names are bound by salted
commitments, so that a person can be erased.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

Plain = Mapping[str, Any]
"""A JSON object."""
DRAW: Final = "draw"
HAND: Final = "hand"
"""Purposes of a sealed deck."""
NO_LINK: Final = "0" * 64
"""The link before a deck outside any match."""
NAME_SALT_BYTES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a deck's root covers besides its cards."""

    link: str = NO_LINK
    """The previous link, 64 hex digits."""
    number: int = 1
    """Its number among the match's decks, including draws."""
    kind: str = HAND
    players: Mapping[str, Plain] = field(default_factory=dict)
    """Players that changed since the last deck, by seat, in the form of `bound_player`."""

    @property
    def text(self) -> str:
        """The binding in the text of the root."""
        return f"{self.link}:{self.number}:{self.kind}:{canonical(self.players)}"


def canonical(value: object) -> str:
    """Canonical JSON: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def name_commitment(salt: str, name: str) -> str:
    """The hash that commits to a name; without its salt, 32 random hex digits, it reveals nothing."""
    return hashed(f"leftbower name 1:{salt}:{name}")


def bound_player(player: Plain) -> dict[str, Any]:
    """A recorded player without what can be erased: a name with a commitment, and its salt."""
    erasable = {"name", "salt"} if "commitment" in player else set()
    return {key: value for key, value in player.items() if key not in erasable}


def opening_of(*, table: str, number: int, rules: Plain, players: Mapping[str, Plain]) -> dict[str, Any]:
    """The content of the match root."""
    bound = {seat: bound_player(player) for seat, player in players.items()}
    return {"table": table, "match": number, "rules": dict(rules), "players": bound}


def match_root(opening: Plain) -> str:
    """The hash of table, match number, rules and players, published before the first deck is sealed."""
    return hashed(f"leftbower match 1:{canonical(opening)}")


def link_after(root: str, bot_secret: bytes, *, cut: int | None, packets: Sequence[int], facts: Sequence[Plain]) -> str:
    """The link after a deck: covers its root and everything drawn, dealt and played from it."""
    played = [cut, list(packets) or None, *facts]
    return hashed(f"leftbower link 1:{root}:{bot_secret.hex()}:{canonical(played)}")


def final_root(link: str, end: Plain) -> str:
    """The hash over a whole match, published when it is over."""
    return hashed(f"leftbower end 1:{link}:{canonical(end)}")


def hashed(text: str) -> str:
    """The SHA-256 as 64 hex digits."""
    return sha256(text.encode()).hexdigest()
