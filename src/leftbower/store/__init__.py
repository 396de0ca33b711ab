"""The store: append-only logs of facts, each sealed by a hash chain, and ordinary tables beside them."""

from leftbower.store.accounts import NO_LIMIT, BoundName, Link, Listing, Person, Session
from leftbower.store.backup import backup, restore
from leftbower.store.base import HINTS_LOST, Guard, Hint, Store, StoredFact, encode_fact
from leftbower.store.chain import Head, Row
from leftbower.store.credentials import Challenge, Login, Passkey
from leftbower.store.factory import open_store
from leftbower.store.facts import Fact, Upcasters, canonical
from leftbower.store.retention import DAY, Rows
from leftbower.store.token_hash import TokenHash, hash_token
from leftbower.store.verify import Flaw, FlawKind

__all__ = [
    "DAY",
    "HINTS_LOST",
    "NO_LIMIT",
    "BoundName",
    "Challenge",
    "Fact",
    "Flaw",
    "FlawKind",
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
    "StoredFact",
    "TokenHash",
    "Upcasters",
    "backup",
    "canonical",
    "encode_fact",
    "hash_token",
    "open_store",
    "restore",
]
