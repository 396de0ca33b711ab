"""Salted commitments to names: made when people sit down to a match, looked up for its record, erased with the person.

A log has the commitment only. Salt and name are stored as words of the person under the commitment as their id, so
erasing the person erases both, and nobody can tell any more whose commitment it was.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from leftbower.dealing import NAME_SALT_BYTES, name_commitment
from leftbower.errors import NotThere
from leftbower.server.outages import Outage
from leftbower.store import Store

_SALT_DIGITS: Final = 2 * NAME_SALT_BYTES


@dataclass(frozen=True, slots=True)
class SaltedName:
    """What a commitment was made to."""

    salt: str
    name: str


NO_NAME: Final = SaltedName("", "")
"""Of a person who was erased."""


async def commit_names(store: Store, people: Iterable[str], entropy: Callable[[int], bytes]) -> dict[str, str]:
    """A new commitment to the present name of each of these people, durable when this returns."""
    commitments = {}
    for person in sorted(people):
        entry, salt = await store.person(person), entropy(NAME_SALT_BYTES).hex()
        name = entry.name if entry else ""
        commitments[person] = name_commitment(salt, name)
        with suppress(NotThere):  # erased, maybe this moment: the commitment stays one to nothing
            await store.add_words(commitments[person], person, salt + name)
    return commitments


async def committed_names(store: Store, commitments: Iterable[str], outage: Outage) -> Mapping[str, SaltedName]:
    """The salts and names of these commitments, but those of erased people; none while the store is gone."""
    if outage.gone:
        return {}
    found = {commitment: await store.words(commitment) for commitment in sorted(commitments)}
    return {
        commitment: SaltedName(text[:_SALT_DIGITS], text[_SALT_DIGITS:])
        for commitment, text in found.items()
        if text is not None
    }
