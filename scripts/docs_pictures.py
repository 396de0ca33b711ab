"""Take the pictures of the documentation, docs/images/*.jpg, from real pages in Chromium.

    python -m scripts.docs_pictures            all of them
    python -m scripts.docs_pictures desk …     only these: table, states, desk

Run it after a change to the texts or the look of pages. Needs the test extra and Chromium.
"""

import asyncio
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory
from time import time
from typing import Any, Final

from benchmarks.pictures import open_chromium, serve_store, take_pictures
from leftbower.rules.sheets import preset
from leftbower.server.live.events import EventService
from leftbower.server.live.outage import Outage
from leftbower.store import open_store
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.hall.facts import HandReported, RoundClockSet, VisibilityChanged
from leftbower.tournament.model.commands import add_entrants, draw_rounds
from leftbower.tournament.model.facts import (
    EventFact,
    EventOpened,
    LedgerEntry,
    ScoreDisputed,
    ScoreEntered,
    ScoreProposed,
)
from leftbower.tournament.model.plan import Stage, default_plan
from leftbower.tournament.model.roles import Role, RoleKind
from leftbower.tournament.model.state import Event
from leftbower.tournament.model.validate import record
from leftbower.tournament.scoring.scores import Played, Totals
from leftbower.tournament.text import parse
from leftbower.tournament.text.csv import ListedEntrant
from leftbower.web.event.desk_links import side_roles

IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"
TABLE_SCENE: Final = "bidding"
STATES: Final = ("dispute", "dummy", "match-over", "tally")
"""Scenes of the picture of phones."""
TEAMS: Final = (
    *("Ann & Bob", "Cid & Dot", "Eve & Fay", "Gus & Hal", "Ida & Jon", "Kim & Lee"),
    *("Max & Ned", "Ora & Pat", "Quin & Ray", "Sue & Tom", "Uma & Vic", "Wes & Xia"),
)
FIRST_ROUND: Final = ((10, 4), (10, 9), (7, 10), (10, 8), (6, 10), (10, 5))
SECOND_ROUND: Final = (("N3", "N5", "E3", "N3", "N3", "E3"), ("E5", "E3", "E3", "N2"), ("N3", "N2", "E3"), (), (), ())
"""The hands reported at each table."""
BACKGROUND: Final = "#10211c"


async def picture_of_the_table(folder: Path) -> None:
    """A hand on a laptop."""
    [picture] = await take_pictures(folder, ["desktop"], only=[TABLE_SCENE], schemes=["dark"])
    await _compose(IMAGES / "table.jpg", [(picture.file, 0, 0, 1280)], 1280, 800)


async def picture_of_states(folder: Path) -> None:
    """Four moments on a phone, side by side."""
    taken = await take_pictures(folder, ["phone"], only=STATES, schemes=["dark"])
    files = {picture.file.stem.removesuffix("-phone-dark"): picture.file for picture in taken}
    placed = [(files[scene], 12 + 297 * column, 12, 285) for column, scene in enumerate(STATES)]
    await _compose(IMAGES / "states.jpg", placed, 1200, 641)


async def picture_of_the_desk(folder: Path) -> None:
    """The desk, a phone at a table, and the wall, in the second round of an evening."""
    address = str(folder / "event.db")
    async with await open_store(address) as store:
        events = EventService(store, outage=Outage(store), entropy=token_bytes)
        name, desk = await events.import_event(list(_evening()))
        wall = Role(kind=RoleKind.WALL, number=1)
        side = next(role for role in side_roles(await events.get(name)) if (role.number, role.subject) == (1, "NS"))
        links = await events.create_links(name, [side, wall])
    files = []
    async with serve_store(address) as base, open_chromium() as browser:
        for code, width, height in ((desk, 1280, 890), (links[side], 390, 800), (links[wall], 1460, 820)):
            context = await browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark")
            page = await context.new_page()
            await page.goto(f"{base}/e/{name}/join/{code}")
            await page.wait_for_timeout(500)
            files.append(folder / f"{width}.png")
            await page.screenshot(path=files[-1])
            await context.close()
    placed = [(files[0], 20, 20, 1080), (files[1], 1120, 20, 360), (files[2], 20, 791, 1460)]
    await _compose(IMAGES / "desk.jpg", placed, 1500, 1631)


def _evening() -> Iterator[LedgerEntry]:
    """Twelve teams: a round with scores, and a second one with hands, a dispute, a report and a result."""
    plan = default_plan(
        "Prize night at the Grange", preset("prize-night"), Stage(format=Format.SWISS, rounds=5, best_of=1)
    )
    steps: tuple[Callable[[Event], list[EventFact]], ...] = (
        lambda event: list(
            add_entrants(event, [ListedEntrant(name=team, players=tuple(team.split(" & "))) for team in TEAMS])
        ),
        lambda event: draw_rounds(event, "grange"),
        lambda event: [
            ScoreEntered(round=1, table=table, score=Played(games=(Totals(points=score),)))
            for table, score in enumerate(FIRST_ROUND, start=1)
        ],
        lambda event: draw_rounds(event, "grange"),
        lambda event: [
            VisibilityChanged(public_page=True, show_standings=True),
            RoundClockSet(seconds=25 * 60),
            *(
                HandReported(round=2, table=table, side="NS", hand=parse.parse_hand(hand))
                for table, hands in enumerate(SECOND_ROUND, start=1)
                for hand in hands
            ),
            ScoreProposed(round=2, table=4, side="NS", score=Played(games=(Totals(points=(10, 8)),))),
            ScoreDisputed(round=2, table=4, side="EW", why="we had nine"),
            ScoreProposed(round=2, table=5, side="EW", score=Played(games=(Totals(points=(6, 10)),))),
            ScoreEntered(round=2, table=6, score=Played(games=(Totals(points=(10, 7)),))),
        ],
    )
    yield (opened := LedgerEntry(fact=EventOpened(plan=plan), by="desk", at=time()))
    event = record(None, opened)
    for step in steps:
        for fact in step(event):
            yield (entry := LedgerEntry(fact=fact, by="desk", at=time()))
            event = record(event, entry)


async def _compose(target: Path, placed: list[tuple[Path, int, int, int]], width: int, height: int) -> None:
    """Lay pictures out by left, top and width, and save them as one JPEG."""
    images = "".join(
        f'<img src="data:image/png;base64,{b64encode(file.read_bytes()).decode()}"'
        f' style="position:absolute;left:{left}px;top:{top}px;width:{wide}px;border-radius:14px">'
        for file, left, top, wide in placed
    )
    async with open_chromium() as browser:
        page = await browser.new_page(viewport={"width": width, "height": height})
        await page.set_content(f'<body style="margin:0;background:{BACKGROUND}">{images}</body>')
        await page.screenshot(path=target, type="jpeg", quality=85)


async def main(names: list[str]) -> None:
    """Take these pictures, or all."""
    pictures: dict[str, Callable[[Path], Any]] = {
        "table": picture_of_the_table,
        "states": picture_of_states,
        "desk": picture_of_the_desk,
    }
    for name in names or list(pictures):
        with TemporaryDirectory(prefix="leftbower-") as folder:
            await pictures[name](Path(folder))
        print(IMAGES / f"{name}.jpg")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
