"""The chain of a match: hashes that bind its decks in order, with all that was played, to table, rules and players.

Everything is a SHA-256 of plain text. JSON in it is canonical: keys sorted, no spaces, ASCII.

    leftbower name 1:<salt, 32 hex digits>:<name>
    leftbower match 1:<JSON of {"match", "players", "rules", "table"}>
    leftbower root 3:<link>:<number>:<draw or hand>:<JSON of the players that changed>:<leaves><bots' leaf>
    leftbower link 1:<root>:<bots' secret>:<JSON of [cut, packets, draw or deal, act, act, …]>
    leftbower end 1:<link>:<JSON of the end>

The match root is the link before the first deck. The root of each deck binds the link before it, so it binds all that
came earlier. A link is public as soon as the next deck is sealed, while cards that were buried or never seen still are
secret: the bots' secret is hashed with them, so they cannot be found by trying. Names are bound by salted commitments,
so that a person can be erased.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

Plain = Mapping[str, Any]
"""An object as JSON has it."""
DRAW: Final = "draw"
HAND: Final = "hand"
"""What a deck is sealed for."""
NO_LINK: Final = "0" * 64
"""The link before a deck that belongs to no match."""
NAME_SALT_BYTES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What the root of a deck binds beside its cards."""

    link: str = NO_LINK
    """The link before it: 64 hex digits."""
    number: int = 1
    """Its number among the decks of the match, draws included."""
    kind: str = HAND
    players: Mapping[str, Plain] = field(default_factory=dict)
    """The players that changed since the deck before, by seat, as `bound_player` has them."""

    @property
    def text(self) -> str:
        """As it stands in the text of the root."""
        return f"{self.link}:{self.number}:{self.kind}:{canonical(self.players)}"


def canonical(value: object) -> str:
    """The one JSON text of a value: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def name_commitment(salt: str, name: str) -> str:
    """The hash that binds a name; without its salt, 32 random hex digits, it reveals nothing."""
    return hashed(f"leftbower name 1:{salt}:{name}")


def bound_player(player: Plain) -> dict[str, Any]:
    """A player of a record without what can be erased: a name that has a commitment, and its salt."""
    erasable = {"name", "salt"} if "commitment" in player else set()
    return {key: value for key, value in player.items() if key not in erasable}


def opening_of(*, table: str, number: int, rules: Plain, players: Mapping[str, Plain]) -> dict[str, Any]:
    """What the match root binds."""
    bound = {seat: bound_player(player) for seat, player in players.items()}
    return {"table": table, "match": number, "rules": dict(rules), "players": bound}


def match_root(opening: Plain) -> str:
    """The hash over table, match number, rules and players: published before the first deck is sealed."""
    return hashed(f"leftbower match 1:{canonical(opening)}")


def link_after(root: str, bot_secret: bytes, *, cut: int | None, packets: Sequence[int], facts: Sequence[Plain]) -> str:
    """The link after a deck: its root, and what was drawn or dealt from it and played."""
    played = [cut, list(packets) or None, *facts]
    return hashed(f"leftbower link 1:{root}:{bot_secret.hex()}:{canonical(played)}")


def final_root(link: str, end: Plain) -> str:
    """The hash over a whole match: published when it is over."""
    return hashed(f"leftbower end 1:{link}:{canonical(end)}")


def hashed(text: str) -> str:
    """SHA-256 as 64 hex digits."""
    return sha256(text.encode()).hexdigest()
