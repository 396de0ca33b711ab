"""Hashes of secrets: session tokens and link codes are stored only in this form."""

import re
from hashlib import sha256
from typing import Final, NewType

TokenHash = NewType("TokenHash", str)
"""The hash of a session token or a link code: enough to recognize it, not enough to use it."""
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def hash_token(token: str) -> TokenHash:
    """SHA-256 of a token. Tokens have at least 128 random bits, so they need neither salt nor stretching."""
    return TokenHash(sha256(b"leftbower session 1\0" + token.encode()).hexdigest())


def is_hash(text: object) -> bool:
    """Does it have the format of `hash_token`?"""
    return isinstance(text, str) and _HASH.fullmatch(text) is not None
