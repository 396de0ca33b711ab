"""`python -m benchmarks pictures`: screenshots of the table page in its typical states."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from leftbower.cli.common.output import print_json
from proofs.commands.options import Json


class Scheme(StrEnum):
    """Color schemes."""

    DARK = "dark"
    LIGHT = "light"


class Size(StrEnum):
    """Sizes of the browser window."""

    SMALL = "small"
    PHONE = "phone"
    TABLET = "tablet"
    DESKTOP = "desktop"
    LARGE = "large"
    WALL = "wall"


def pictures(
    out: Annotated[Path, typer.Option(help="The folder for the pictures; created if missing.")] = Path("pictures"),
    size: Annotated[
        list[Size] | None, typer.Option(help="Only this size; can be repeated.", show_default="all but wall")
    ] = None,
    scene: Annotated[
        list[str] | None, typer.Option(help="Only this scene; can be repeated.", show_default="all")
    ] = None,
    scheme: Annotated[
        list[Scheme] | None, typer.Option(help="Only this color scheme; can be repeated.", show_default="both")
    ] = None,
    json: Json = False,
) -> None:
    """Take screenshots of the table page in its typical states.

    Plays seeded hands until each state has come up: bidding, play, a lone hand, a dispute, a claim, the end of a hand
    and of a match. A real server serves them to Chromium. Measures each page too, and exits with status 1 if a control
    or a badge is covered, a text is cut or trick cards hide each other. Needs the test extra, and Chromium.
    """
    import asyncio

    from leftbower.errors import MissingExtra

    try:
        import playwright  # noqa: F401

        from benchmarks.pictures import take_pictures
    except ModuleNotFoundError as missing:
        raise MissingExtra("test") from missing
    sizes = [str(name) for name in size or [name for name in Size if name is not Size.WALL]]
    schemes = [str(name) for name in scheme or Scheme]
    progress = (
        (lambda picture: None) if json else (lambda picture: print(picture.file.name, *picture.problems, sep="\n  "))
    )
    taken = asyncio.run(take_pictures(out, sizes, only=scene or (), schemes=schemes, progress=progress))
    if json:
        print_json([{"file": str(picture.file), "problems": picture.problems} for picture in taken])
    raise typer.Exit(any(picture.problems for picture in taken))
