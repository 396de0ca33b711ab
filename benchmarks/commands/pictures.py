"""`python -m benchmarks pictures`: screenshots of the table page in its typical states."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import Json


class Size(StrEnum):
    """Sizes of the browser window."""

    SMALL = "small"
    PHONE = "phone"
    TABLET = "tablet"
    DESKTOP = "desktop"
    WALL = "wall"


def pictures(
    out: Annotated[Path, typer.Option(help="The folder for the pictures; created if missing.")] = Path("pictures"),
    size: Annotated[
        list[Size] | None, typer.Option(help="Only this size; can be repeated.", show_default="phone, tablet, desktop")
    ] = None,
    scene: Annotated[
        list[str] | None, typer.Option(help="Only this scene; can be repeated.", show_default="all")
    ] = None,
    light: Annotated[bool, typer.Option("--light", help="Use the light color scheme.")] = False,
    json: Json = False,
) -> None:
    """Take screenshots of the table page in its typical states.

    Plays seeded hands until each state has come up: bidding, play, a lone hand, a dispute, a claim, the end of a hand
    and of a match. A real server serves them to Chromium. Needs the test extra, and Chromium.
    """
    import asyncio

    from leftbower.errors import MissingExtra

    try:
        import playwright  # noqa: F401

        from benchmarks.pictures import take_pictures
    except ModuleNotFoundError as missing:
        raise MissingExtra("test") from missing
    sizes = [str(name) for name in size or (Size.PHONE, Size.TABLET, Size.DESKTOP)]
    progress = (lambda name: None) if json else print
    files = asyncio.run(take_pictures(out, sizes, only=scene or (), light=light, progress=progress))
    if json:
        print_json([str(file) for file in files])
