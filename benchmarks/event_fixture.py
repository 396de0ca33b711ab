"""An evening in a hall, written into a store before a server opens it: single players at tables, some rounds played.

Whoever organizes it opens it at the desk; nobody wants to wait for that, so its ledger is brought, each line checked.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from secrets import token_bytes
from time import time
from typing import Final

from leftbower.rules.sheets import preset
from leftbower.server.live.events import EventService
from leftbower.server.live.outage import Outage
from leftbower.store import open_store
from leftbower.tournament import (
    Event,
    EventFact,
    EventOpened,
    Format,
    HandReported,
    Hands,
    LedgerEntry,
    ListedEntrant,
    Played,
    Role,
    RoleKind,
    ScoreEntered,
    Seating,
    Stage,
    VisibilityChanged,
    add_entrants,
    default_plan,
    draw_rounds,
    is_game_over,
    record,
    score_buttons,
)
from leftbower.tournament.text import parse
from leftbower.web.event.desk_links import side_roles

ROUNDS: Final = 12
"""Drawn before the first card; nobody at the desk is needed between them."""
PLAYED: Final = 4
"""Of which so many are over, so that there are standings to be drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HallFixture:
    """An event in a store, and the codes by which its tables, its desk and its wall come in."""

    event: str
    sides: tuple[tuple[str, str], ...]
    """Table by table, of North and South, and of East and West."""
    desk: str
    wall: str


async def write_event(address: str, tables: int, *, seed: int) -> HallFixture:
    """Write an evening at so many tables of four into the store, each somewhere in the middle of a match."""
    async with await open_store(address) as store:
        events = EventService(store, outage=Outage(store), entropy=token_bytes)
        name, desk = await events.import_event(list(_ledger(tables, Random(seed))))
        roles, wall = side_roles(await events.event(name)), Role(kind=RoleKind.WALL, number=1)
        links = await events.create_links(name, [*roles, wall])
    codes = {(one.number, one.subject): links[one] for one in roles}
    sides = tuple((codes[table, "NS"], codes[table, "EW"]) for table in range(1, tables + 1))
    return HallFixture(event=name, sides=sides, desk=desk, wall=links[wall])


def _ledger(tables: int, rng: Random) -> Iterator[LedgerEntry]:
    """What has happened up to now."""
    stage = Stage(format=Format.PROGRESSIVE, rounds=ROUNDS, best_of=1)
    plan = default_plan("Euchre in the hall", preset("club"), stage)
    event: Event | None = None
    steps: list[Callable[[Event], list[EventFact]]] = [
        lambda now: list(add_entrants(now, [ListedEntrant(name=f"Player {one}") for one in range(1, 4 * tables + 1)])),
        lambda now: draw_rounds(now, "hall"),
        lambda now: [VisibilityChanged(public_page=True, show_standings=True)],
        lambda now: [_score(now, number, one, rng) for number in range(1, PLAYED + 1) for one in _tables(now)],
        lambda now: [fact for one in _tables(now) for fact in _begun(now, one, rng)],
    ]
    yield (opened := LedgerEntry(fact=EventOpened(plan=plan), by="desk", at=time()))
    event = record(None, opened)
    for step in steps:
        for fact in step(event):
            yield (entry := LedgerEntry(fact=fact, by="desk", at=time()))
            event = record(event, entry)


def _tables(event: Event) -> tuple[Seating, ...]:
    return event.rounds[0].tables


def _score(event: Event, number: int, seating: Seating, rng: Random) -> ScoreEntered:
    return ScoreEntered(round=number, table=seating.table, score=Played(games=(_game(event, seating, rng),)))


def _begun(event: Event, seating: Seating, rng: Random) -> list[HandReported]:
    """Some hands of the round that is on; tables are not all over at the same moment."""
    hands = _game(event, seating, rng).hands
    told = hands[: rng.randrange(len(hands))]
    return [HandReported(round=PLAYED + 1, table=seating.table, side="NS", hand=one) for one in told]


def _game(event: Event, seating: Seating, rng: Random) -> Hands:
    words = [one.hand for one in score_buttons(event, seating)]
    game = Hands(hands=())
    while not game.hands or not is_game_over(event.rules, 1, (game,)):
        game = Hands(hands=(*game.hands, parse.parse_hand(rng.choice(words))))
    return game
