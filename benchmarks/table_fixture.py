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

from leftbower.dealing import ENTROPY_BYTES
from leftbower.engine import view, whose_turn
from leftbower.players.player import proper_actions
from leftbower.rules.sheets import preset
from leftbower.server.live.tables import listed_people, listing_of
from leftbower.store import Store, hash_token, open_store
from leftbower.table import (
    Acted,
    Agreed,
    Created,
    CutOffered,
    DeckCut,
    DeckSealed,
    DrawDeckSealed,
    DrawDue,
    HandDealt,
    LastCardDue,
    MatchOpened,
    MatchOpeningDue,
    PartnerDue,
    Sat,
    Table,
    TableFact,
    apply_fact,
    next_due,
    table_fact_to_json,
)

_MOST: Final = 40
"""Tables have had up to so many acts, about two hands, so that not all of them deal at the same moment."""
_TOGETHER: Final = 250
"""So many tables are written at once."""
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class FixtureTable:
    """A table in the store, and by which tokens its people act, seat by seat."""

    name: str
    tokens: tuple[str, ...]


async def write_tables(address: str, tables: int, *, seed: int, progress: Progress) -> list[FixtureTable]:
    """Write so many tables of four people into the store, everybody seated and agreed, each somewhere in a hand."""
    fixtures: list[FixtureTable] = []
    async with await open_store(address) as store:
        for first in range(0, tables, _TOGETHER):
            numbers = range(first, min(first + _TOGETHER, tables))
            fixtures += await asyncio.gather(*(_write_table(store, number, seed) for number in numbers))
            progress("tables", len(fixtures), tables)
    return fixtures


async def _write_table(store: Store, number: int, seed: int) -> FixtureTable:
    chance = Random(f"{seed}:{number}")
    people = [f"p{number}.{seat}" for seat in range(4)]
    tokens = tuple(urlsafe_b64encode(token_bytes(24)).decode() for _ in people)
    now = time()
    for person, token in zip(people, tokens, strict=True):
        await store.add_person(person, f"Guest {person}", now=now)
        await store.add_session(hash_token(token), person, now=now)
    facts = list(_random_facts(people, chance, now))
    table: Table | None = None
    for fact in facts:
        table = apply_fact(table, fact, now)
    assert table is not None
    name = f"t{number}"
    await store.append(name, 0, map(table_fact_to_json, facts), listing=listing_of(table), people=listed_people(table))
    return FixtureTable(name, tokens)


def _random_facts(people: Sequence[str], rng: Random, now: float) -> Iterator[TableFact]:
    """What has happened at a table up to now."""
    rules = preset("club")
    begin: list[TableFact] = [Created(person=people[0], rules=rules, bot_level="regular")]
    begin += [Sat(person=person, seat=seat) for person, seat in zip(people, rules.seats, strict=True)]
    begin += [Agreed(person=person) for person in people]
    table: Table | None = None
    for fact in begin:
        yield fact
        table = apply_fact(table, fact, now)
    assert table is not None
    for number in range(rng.randrange(_MOST)):
        fact = next_fact(table, rng, f"s{number}")
        yield fact
        table = apply_fact(table, fact, now)


def next_fact(table: Table, rng: Random, act: str) -> TableFact:
    """What the house owes, or else whatever somebody who is asked may do."""
    owed = next_due(table)
    if isinstance(owed, LastCardDue | PartnerDue):
        return Acted(action=owed.action)
    if isinstance(owed, MatchOpeningDue):
        return MatchOpened(table="", name_commitments=dict.fromkeys(table.people, ""), bot_version="")
    if owed is not None:
        kind = DrawDeckSealed if isinstance(owed, DrawDue) else DeckSealed
        return kind(entropy=rng.randbytes(ENTROPY_BYTES).hex())
    if table.cutter is not None:
        return DeckCut(seat=table.cutter, lifted=rng.randrange(len(table.rules.deck)))
    if table.dealing_seat is not None:
        return CutOffered(seat=table.dealing_seat) if table.may_offer_cut else HandDealt(seat=table.dealing_seat)
    assert table.hand is not None
    return Acted(action=rng.choice(proper_actions(view(table.hand, whose_turn(table.hand)))), action_id=act)
