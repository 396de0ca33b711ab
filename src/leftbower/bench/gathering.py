"""An evening in a hall, written into a store before a server opens it: single players at tables, some rounds played.

Whoever organises it opens it at the desk; nobody wants to wait for that, so its ledger is brought, each line checked.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from secrets import token_bytes
from time import time
from typing import Final

from leftbower.rules.sheets import preset
from leftbower.server.events import Events
from leftbower.server.outages import Outage
from leftbower.store import open_store
from leftbower.tournament import (
    Entry,
    Event,
    EventFact,
    Format,
    Hands,
    HandTold,
    Kind,
    Listed,
    Opened,
    Played,
    Published,
    Role,
    ScoreEntered,
    Seating,
    Stage,
    drawing,
    entering,
    game_over,
    planned,
    record,
    spelling,
    taps,
)
from leftbower.web.desk_links import side_roles

ROUNDS: Final = 12
"""Drawn before the first card; nobody at the desk is needed between them."""
PLAYED: Final = 4
"""Of which so many are over, so that there are standings to be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hall:
    """An event in a store, and the codes by which its tables, its desk and its wall come in."""

    event: str
    sides: tuple[tuple[str, str], ...]
    """Table by table, of North and South, and of East and West."""
    desk: str
    wall: str


async def gather(address: str, tables: int, *, seed: int) -> Hall:
    """Write an evening at so many tables of four into the store, each somewhere in the middle of a match."""
    async with await open_store(address) as store:
        events = Events(store, outage=Outage(store), entropy=token_bytes)
        name, desk = await events.bring(list(_ledger(tables, Random(seed))))
        roles, wall = side_roles(await events.event(name)), Role(kind=Kind.WALL, number=1)
        links = await events.linked(name, [*roles, wall])
    codes = {(one.number, one.whose): links[one] for one in roles}
    sides = tuple((codes[table, "NS"], codes[table, "EW"]) for table in range(1, tables + 1))
    return Hall(event=name, sides=sides, desk=desk, wall=links[wall])


def _ledger(tables: int, chance: Random) -> Iterator[Entry]:
    """What has happened up to now."""
    stage = Stage(format=Format.PROGRESSIVE, rounds=ROUNDS, best_of=1)
    plan = planned("Euchre in the hall", preset("club"), stage)
    event: Event | None = None
    steps: list[Callable[[Event], list[EventFact]]] = [
        lambda now: list(entering(now, [Listed(name=f"Player {one}") for one in range(1, 4 * tables + 1)])),
        lambda now: drawing(now, "hall"),
        lambda now: [Published(page=True, standings=True)],
        lambda now: [_score(now, number, one, chance) for number in range(1, PLAYED + 1) for one in _tables(now)],
        lambda now: [fact for one in _tables(now) for fact in _begun(now, one, chance)],
    ]
    yield (opened := Entry(fact=Opened(plan=plan), by="desk", at=time()))
    event = record(None, opened)
    for step in steps:
        for fact in step(event):
            yield (entry := Entry(fact=fact, by="desk", at=time()))
            event = record(event, entry)


def _tables(event: Event) -> tuple[Seating, ...]:
    return event.rounds[0].tables


def _score(event: Event, number: int, seating: Seating, chance: Random) -> ScoreEntered:
    return ScoreEntered(round=number, table=seating.table, score=Played(games=(_game(event, seating, chance),)))


def _begun(event: Event, seating: Seating, chance: Random) -> list[HandTold]:
    """Some hands of the round that is on; tables are not all over at the same moment."""
    hands = _game(event, seating, chance).hands
    told = hands[: chance.randrange(len(hands))]
    return [HandTold(round=PLAYED + 1, table=seating.table, side="NS", hand=one) for one in told]


def _game(event: Event, seating: Seating, chance: Random) -> Hands:
    words = [one.word for one in taps(event, seating)]
    game = Hands(hands=())
    while not game.hands or not game_over(event.rules, 1, (game,)):
        game = Hands(hands=(*game.hands, spelling.hand(chance.choice(words))))
    return game
