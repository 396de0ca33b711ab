"""Random numbers for each decision of bots and coach: a hash of the deal's secret and the public history.

    leftbower rng 1:<bots' secret, 64 hex digits>:act:E:7:Jd:[{"act":"pass","seat":"N"}]

are purpose, seat, cards lifted by the cut, up-card and the actions so far, as a spectator sees them. The same deal with
the same history gives the same choice, at any table. The secret is opened with the deck when the game is over, so until
then a bot cannot be re-run with guessed cards.
"""

import json
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import Final

from leftbower.engine.view import View
from leftbower.notation import action_to_json
from leftbower.rules import UNKNOWN, Seat

_DOMAIN: Final = "leftbower rng 1"


class Purpose(StrEnum):
    """The purpose of random numbers; each has its own stream."""

    ACT = "act"
    """A bot acts."""
    REMARK = "remark"
    """A bot may make a remark."""
    ADVICE = "advice"
    """The coach looks at a decision."""


def decision_seed(secret: bytes, view: View, *, cut: int, purpose: Purpose) -> bytes:
    """The seed of one decision of the viewer's seat; it doesn't depend on the viewer's own hidden cards."""
    actions = [action_to_json(action) for action in view.public_actions]
    history = json.dumps(actions, separators=(",", ":"), sort_keys=True)
    return _seed(secret, purpose, view.seat, cut, view.turned or UNKNOWN, history)


def decision_rng(secret: bytes, view: View, *, cut: int, purpose: Purpose) -> Random:
    """The random numbers for one decision of the viewer's seat."""
    return Random(decision_seed(secret, view, cut=cut, purpose=purpose))


def cut_rng(secret: bytes, seat: Seat) -> Random:
    """Random numbers for a cut: the deck is sealed, and nothing else has happened."""
    return Random(_seed(secret, "cut", seat))


def _seed(secret: bytes, *parts: object) -> bytes:
    return sha256(":".join([_DOMAIN, secret.hex(), *map(str, parts)]).encode()).digest()
