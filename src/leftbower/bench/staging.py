"""Tables full of people, written into a store before a server opens it, as an operator restores a backup.

Strangers are limited by address, and everybody here has the same one; so nobody signs in over HTTP.
"""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from secrets import token_bytes
from time import time
from typing import Final

from leftbower.dealing import ENTROPY
from leftbower.engine import asked, view
from leftbower.players.player import proper
from leftbower.rules.sheets import preset
from leftbower.server.house import concerned_by, listing_of
from leftbower.store import Store, hash_token, open_store
from leftbower.table import (
    Acted,
    Agreed,
    Created,
    CutMade,
    CutOffered,
    Dealt,
    DrawDue,
    Drawn,
    LastCardDue,
    MatchOpened,
    OpeningDue,
    PartnerDue,
    Sat,
    Sealed,
    Table,
    TableFact,
    after,
    due,
    to_plain,
)

_MOST: Final = 40
"""Tables have had up to so many acts, about two hands, so that not all of them deal at the same moment."""
_TOGETHER: Final = 250
"""So many tables are written at once."""
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Party:
    """A table in the store, and by which tokens its people act, seat by seat."""

    name: str
    tokens: tuple[str, ...]


async def set_the_stage(address: str, tables: int, *, seed: int, progress: Progress) -> list[Party]:
    """Write so many tables of four people into the store, everybody seated and agreed, each somewhere in a hand."""
    parties: list[Party] = []
    async with await open_store(address) as store:
        for first in range(0, tables, _TOGETHER):
            numbers = range(first, min(first + _TOGETHER, tables))
            parties += await asyncio.gather(*(_party(store, number, seed) for number in numbers))
            progress("tables", len(parties), tables)
    return parties


async def _party(store: Store, number: int, seed: int) -> Party:
    chance = Random(f"{seed}:{number}")
    people = [f"p{number}.{seat}" for seat in range(4)]
    tokens = tuple(urlsafe_b64encode(token_bytes(24)).decode() for _ in people)
    now = time()
    for person, token in zip(people, tokens, strict=True):
        await store.add_person(person, f"Guest {person}", now=now)
        await store.add_session(hash_token(token), person, now=now)
    facts = list(_story(people, chance, now))
    table: Table | None = None
    for fact in facts:
        table = after(table, fact, now)
    assert table is not None
    name = f"t{number}"
    await store.append(name, 0, map(to_plain, facts), listing=listing_of(table), people=concerned_by(table))
    return Party(name, tokens)


def _story(people: Sequence[str], chance: Random, now: float) -> Iterator[TableFact]:
    """What has happened at a table up to now."""
    rules = preset("club")
    begin: list[TableFact] = [Created(person=people[0], rules=rules, level="regular")]
    begin += [Sat(person=person, seat=seat) for person, seat in zip(people, rules.places, strict=True)]
    begin += [Agreed(person=person) for person in people]
    table: Table | None = None
    for fact in begin:
        yield fact
        table = after(table, fact, now)
    assert table is not None
    for number in range(chance.randrange(_MOST)):
        fact = next_fact(table, chance, f"s{number}")
        yield fact
        table = after(table, fact, now)


def next_fact(table: Table, chance: Random, act: str) -> TableFact:
    """What the house owes, or else whatever somebody who is asked may do."""
    owed = due(table)
    if isinstance(owed, LastCardDue | PartnerDue):
        return Acted(action=owed.action)
    if isinstance(owed, OpeningDue):
        return MatchOpened(table="", names=dict.fromkeys(table.people, ""), version="")
    if owed is not None:
        kind = Drawn if isinstance(owed, DrawDue) else Sealed
        return kind(entropy=chance.randbytes(ENTROPY).hex())
    if table.cutter is not None:
        return CutMade(seat=table.cutter, number=chance.randrange(len(table.rules.deck)))
    if table.deals is not None:
        return CutOffered(seat=table.deals) if table.may_offer_cut else Dealt(seat=table.deals)
    assert table.hand is not None
    return Acted(action=chance.choice(proper(view(table.hand, asked(table.hand)))), act=act)
