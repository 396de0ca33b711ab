"""Table fixtures: tables with four people, written to a store before a server opens it.

People are not created over HTTP, because anonymous requests are limited by address and all clients share one.
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
    DeckDue,
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

_MAX_FACTS: Final = 40
"""Random facts at a table, up to about two hands, so that tables don't deal at the same time."""
_TABLES_PER_BATCH: Final = 250
"""Tables written at the same time."""
Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and its total."""


@dataclass(frozen=True, slots=True)
class FixtureTable:
    """A table in the store, and the tokens of its people by seat."""

    name: str
    tokens: tuple[str, ...]


async def write_tables(address: str, tables: int, *, seed: int, progress: Progress) -> list[FixtureTable]:
    """Write tables of four people to the store, all seated and agreed, each at a random point of a hand."""
    fixtures: list[FixtureTable] = []
    async with await open_store(address) as store:
        for first in range(0, tables, _TABLES_PER_BATCH):
            numbers = range(first, min(first + _TABLES_PER_BATCH, tables))
            fixtures += await asyncio.gather(*(_write_table(store, number, seed) for number in numbers))
            progress("tables", len(fixtures), tables)
    return fixtures


async def _write_table(store: Store, number: int, seed: int) -> FixtureTable:
    rng = Random(f"{seed}:{number}")
    people = [f"p{number}.{seat}" for seat in range(4)]
    tokens = tuple(urlsafe_b64encode(token_bytes(24)).decode() for _ in people)
    now = time()
    for person, token in zip(people, tokens, strict=True):
        await store.add_person(person, f"Guest {person}", now=now)
        await store.add_session(hash_token(token), person, now=now)
    facts = list(_random_facts(people, rng, now))
    table: Table | None = None
    for fact in facts:
        table = apply_fact(table, fact, now)
    assert table is not None
    name = f"t{number}"
    await store.append(name, 0, map(table_fact_to_json, facts), listing=listing_of(table), people=listed_people(table))
    return FixtureTable(name, tokens)


def _random_facts(people: Sequence[str], rng: Random, now: float) -> Iterator[TableFact]:
    """The facts of a table up to a random point."""
    rules = preset("club")
    begin: list[TableFact] = [Created(person=people[0], rules=rules, bot_level="regular")]
    begin += [Sat(person=person, seat=seat) for person, seat in zip(people, rules.seats, strict=True)]
    begin += [Agreed(person=person) for person in people]
    table: Table | None = None
    for fact in begin:
        yield fact
        table = apply_fact(table, fact, now)
    assert table is not None
    for number in range(rng.randrange(_MAX_FACTS)):
        fact = next_fact(table, rng, f"s{number}")
        yield fact
        table = apply_fact(table, fact, now)


def next_fact(table: Table, rng: Random, act: str) -> TableFact:
    """The fact that is due by the server, otherwise a random action of the seat to act, also of a bot's."""
    due = next_due(table)
    if isinstance(due, LastCardDue | PartnerDue):
        return Acted(action=due.action)
    if isinstance(due, MatchOpeningDue):
        return MatchOpened(table="", name_commitments=dict.fromkeys(table.people, ""), bot_version="")
    if isinstance(due, DrawDue | DeckDue):
        kind = DrawDeckSealed if isinstance(due, DrawDue) else DeckSealed
        return kind(entropy=rng.randbytes(ENTROPY_BYTES).hex())
    if table.cutter is not None:
        return DeckCut(seat=table.cutter, lifted=rng.randrange(len(table.rules.deck)))
    if table.dealing_seat is not None:
        return CutOffered(seat=table.dealing_seat) if table.may_offer_cut else HandDealt(seat=table.dealing_seat)
    assert table.hand is not None
    return Acted(action=rng.choice(proper_actions(view(table.hand, whose_turn(table.hand)))), action_id=act)
