"""Honest dealing: a deck from entropy that is handed in, sealed before the hand, opened card by card, and verified."""

from leftbower.dealing.forms import (
    commitment_from_json,
    commitment_to_json,
    cut_from_json,
    cut_to_json,
    openings_from_json,
    openings_to_json,
    packets_to_json,
    published_to_json,
    seal_from_json,
    seal_to_json,
)
from leftbower.dealing.sealing import Commitment, Opening, Sealed, check, cut, opening, openings, seal
from leftbower.dealing.showing import may_be_opened
from leftbower.dealing.shuffling import BOT_SECRET_BYTES, ENTROPY, SALT, bot_secret, salts, shuffled

__all__ = [
    "BOT_SECRET_BYTES",
    "ENTROPY",
    "SALT",
    "Commitment",
    "Opening",
    "Sealed",
    "bot_secret",
    "check",
    "commitment_from_json",
    "commitment_to_json",
    "cut",
    "cut_from_json",
    "cut_to_json",
    "may_be_opened",
    "opening",
    "openings",
    "openings_from_json",
    "openings_to_json",
    "packets_to_json",
    "published_to_json",
    "salts",
    "seal",
    "seal_from_json",
    "seal_to_json",
    "shuffled",
]
