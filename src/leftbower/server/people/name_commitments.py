"""Salted commitments to names: created when a match starts, looked up for its record, erased with the person.

A log has only the commitment. Salt and name are stored with the person; after they are erased, the commitment can't be
linked to a name.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from leftbower.dealing import NAME_SALT_BYTES, name_commitment
from leftbower.errors import NotThere
from leftbower.server.live.outage import Outage
from leftbower.store import BoundName, Store


async def commit_names(store: Store, people: Iterable[str], entropy: Callable[[int], bytes]) -> dict[str, str]:
    """Create a commitment to the current name of each person, durable when this returns."""
    commitments = {}
    for person in sorted(people):
        entry, salt = await store.person(person), entropy(NAME_SALT_BYTES).hex()
        name = entry.name if entry else ""
        commitments[person] = name_commitment(salt, name)
        with suppress(NotThere):  # erased, perhaps just now: the commitment binds nothing then
            await store.add_bound_name(commitments[person], person, salt=salt, name=name)
    return commitments


async def committed_names(store: Store, commitments: Iterable[str], outage: Outage) -> Mapping[str, BoundName]:
    """The names behind these commitments, without those of erased people; none while the store is unreachable."""
    if outage.is_unreachable:
        return {}
    return {bound.commitment: bound for bound in await store.bound_names(sorted(commitments))}
