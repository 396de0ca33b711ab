"""The store: append-only logs of facts, each sealed by a hash chain, and ordinary tables beside them."""

from leftbower.store.accounts import NO_LIMIT, BoundName, Link, Listing, Person, Session
from leftbower.store.backup import backup, restore
from leftbower.store.base import LOST, Guard, Hint, Store, Stored, spelled
from leftbower.store.chain import Head, Row
from leftbower.store.credentials import Challenge, Login, Passkey
from leftbower.store.factory import open_store
from leftbower.store.facts import Fact, Upcasters, canonical
from leftbower.store.retention import DAY, Rows
from leftbower.store.token_hash import TokenHash, hash_token
from leftbower.store.verify import Flaw, Wrong

__all__ = [
    "DAY",
    "LOST",
    "NO_LIMIT",
    "BoundName",
    "Challenge",
    "Fact",
    "Flaw",
    "Guard",
    "Head",
    "Hint",
    "Link",
    "Listing",
    "Login",
    "Passkey",
    "Person",
    "Row",
    "Rows",
    "Session",
    "Store",
    "Stored",
    "TokenHash",
    "Upcasters",
    "Wrong",
    "backup",
    "canonical",
    "hash_token",
    "open_store",
    "restore",
    "spelled",
]
