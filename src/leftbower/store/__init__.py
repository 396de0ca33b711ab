"""The store: append-only logs of facts, each sealed by a hash chain, and ordinary SQL tables next to them."""

from leftbower.store.accounts import (
    BoundName as BoundName,
    Link as Link,
    Listing as Listing,
    Person as Person,
    Session as Session,
)
from leftbower.store.backup import backup as backup, restore as restore
from leftbower.store.base import (
    HINTS_LOST as HINTS_LOST,
    Guard as Guard,
    Hint as Hint,
    Store as Store,
    StoredFact as StoredFact,
)
from leftbower.store.chain import Head as Head, Row as Row
from leftbower.store.credentials import Challenge as Challenge, Login as Login, Passkey as Passkey
from leftbower.store.factory import open_store as open_store
from leftbower.store.facts import (
    Fact as Fact,
    Upcasters as Upcasters,
    canonical as canonical,
    encode_fact as encode_fact,
)
from leftbower.store.retention import DAY as DAY, Rows as Rows
from leftbower.store.rule_sets import RuleSet as RuleSet
from leftbower.store.token_hash import TokenHash as TokenHash, hash_token as hash_token
from leftbower.store.verify import Flaw as Flaw, FlawKind as FlawKind
