"""`leftbower bench pictures`: the table in every state worth looking at, as pictures."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from leftbower.cli.output import print_json

EXAMPLES: Final = "Example:  leftbower bench pictures --out pictures --size phone --size desktop"


class Size(StrEnum):
    """How large a window is."""

    SMALL = "small"
    PHONE = "phone"
    TABLET = "tablet"
    DESKTOP = "desktop"
    WALL = "wall"


def pictures(
    out: Annotated[Path, typer.Option(help="The folder for the pictures; it is made.")] = Path("pictures"),
    size: Annotated[
        list[Size] | None, typer.Option(help="Only this size; can be repeated.", show_default="phone, tablet, desktop")
    ] = None,
    scene: Annotated[
        list[str] | None, typer.Option(help="Only this scene; can be repeated.", show_default="every one")
    ] = None,
    light: Annotated[bool, typer.Option("--light", help="As on a device that likes light pages.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Take pictures of the table in the browser, in every state worth looking at.

    Seeded hands are played until bidding, play, a lone hand, a dispute, a claim, the end of a hand and of a match come
    about; a real server shows them to a real Chromium. Needs the pictures extra, and Chromium.
    """
    import asyncio

    from leftbower.errors import MissingExtra

    try:
        import playwright  # noqa: F401

        from leftbower.bench.pictures import take_pictures
    except ModuleNotFoundError as missing:
        raise MissingExtra("pictures") from missing
    sizes = [str(one) for one in size or (Size.PHONE, Size.TABLET, Size.DESKTOP)]
    shown = None if json else print
    taken = asyncio.run(take_pictures(out, sizes, only=scene or (), light=light, progress=shown or (lambda name: None)))
    if json:
        print_json([str(one) for one in taken])
