"""Event fixture: single players at tables with some rounds played, written to a store before a server opens it.

Its ledger is imported, because playing the rounds at the desk would take too long; the import validates each line.
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
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import HandReported, VisibilityChanged
from leftbower.tournament.hall.score_buttons import score_buttons
from leftbower.tournament.hall.state import is_game_over
from leftbower.tournament.model.commands import add_entrants, draw_rounds
from leftbower.tournament.model.facts import EventFact, EventOpened, LedgerEntry, ScoreEntered
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.seating import Seating
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.validate import record
from leftbower.tournament.scoring.scores import Hands, Played
from leftbower.tournament.text import parse
from leftbower.tournament.text.csv import ListedEntrant
from leftbower.web.event.desk_links import side_roles

ROUNDS: Final = 12
"""All are drawn before the first card."""
PLAYED_ROUNDS: Final = 4
"""Rounds with scores, so that there are standings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HallFixture:
    """An event in a store, and the link codes of its tables, its desk and its wall."""

    event: str
    sides: tuple[tuple[str, str], ...]
    """By table: the codes of North-South and of East-West."""
    desk: str
    wall: str


async def write_event(address: str, tables: int, *, seed: int) -> HallFixture:
    """Write an event with `tables` tables of four into the store, each in the middle of a match."""
    async with await open_store(address) as store:
        events = EventService(store, outage=Outage(store), entropy=token_bytes)
        name, desk = await events.import_event(list(_ledger(tables, Random(seed))))
        roles, wall = side_roles(await events.get(name)), Role(kind=RoleKind.WALL, number=1)
        links = await events.create_links(name, [*roles, wall])
    codes = {(role.number, role.subject): links[role] for role in roles}
    sides = tuple((codes[table, "NS"], codes[table, "EW"]) for table in range(1, tables + 1))
    return HallFixture(event=name, sides=sides, desk=desk, wall=links[wall])


def _ledger(tables: int, rng: Random) -> Iterator[LedgerEntry]:
    """The entries up to the middle of a round."""
    stage = Stage(format=Format.PROGRESSIVE, rounds=ROUNDS, best_of=1)
    plan = default_plan("Euchre in the hall", preset("club"), stage)
    event: Event | None = None
    steps: list[Callable[[Event], list[EventFact]]] = [
        lambda current: list(
            add_entrants(current, [ListedEntrant(name=f"Player {number}") for number in range(1, 4 * tables + 1)])
        ),
        lambda current: draw_rounds(current, "hall"),
        lambda current: [VisibilityChanged(public_page=True, show_standings=True)],
        lambda current: [
            _score(current, number, seating, rng)
            for number in range(1, PLAYED_ROUNDS + 1)
            for seating in _tables(current)
        ],
        lambda current: [fact for seating in _tables(current) for fact in _started_match(current, seating, rng)],
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


def _started_match(event: Event, seating: Seating, rng: Random) -> list[HandReported]:
    """Some hands of the current round, so that tables finish at different times."""
    hands = _game(event, seating, rng).hands
    reported = hands[: rng.randrange(len(hands))]
    return [HandReported(round=PLAYED_ROUNDS + 1, table=seating.table, side="NS", hand=hand) for hand in reported]


def _game(event: Event, seating: Seating, rng: Random) -> Hands:
    words = [button.hand for button in score_buttons(event, seating)]
    game = Hands(hands=())
    while not game.hands or not is_game_over(event.rules, 1, (game,)):
        game = Hands(hands=(*game.hands, parse.parse_hand(rng.choice(words))))
    return game
