"""Hashes of secrets: tokens of sessions and codes of links are stored only in this form."""

import re
from hashlib import sha256
from typing import Final, NewType

TokenHash = NewType("TokenHash", str)
"""The hash of a session's token or a link's code: enough to recognize it, not enough to use it."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def hash_token(token: str) -> TokenHash:
    """SHA-256 of a token; a token has 128 random bits or more, so it needs neither salt nor stretching."""
    return TokenHash(sha256(b"leftbower session 1\0" + token.encode()).hexdigest())


def is_hash(text: object) -> bool:
    """Has it the format of what `hash_token` returns?"""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None
