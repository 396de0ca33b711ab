"""Static files and their fingerprint, which is part of their URLs so that browsers can cache them for a year."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from leftbower.printing import PaperSize, css

_FINGERPRINT_DIGITS: Final = 12
_TABLE_STYLES: Final = (
    *("table.css", "cards.css", "panels.css", "lobby.css", "dialogs.css", "result.css", "motion.css", "short.css"),
)
BUNDLES: Final = {
    "table.css": _TABLE_STYLES,
    "at-table.css": ("base.css", *_TABLE_STYLES),
    "home.css": ("cards.css", "home.css"),
}
"""Stylesheets that are sent as one, to save requests."""


@cache
def static_files() -> dict[str, bytes]:
    """All static files by name, with the generated print stylesheet of each paper size."""
    contents = {path.name: path.read_bytes() for path in (files("leftbower.web") / "static").iterdir()}
    bundles = {name: b"".join(contents[part] for part in parts) for name, parts in BUNDLES.items()}
    return contents | bundles | {f"print-{size.value}.css": css(size).encode() for size in PaperSize}


@cache
def fingerprint() -> str:
    """A hash of all static files: one for all, because scripts import each other by relative paths."""
    digest = sha256(repr(sorted(static_files().items())).encode())
    return digest.hexdigest()[:_FINGERPRINT_DIGITS]


def static_url(name: str) -> str:
    """The fingerprinted URL of a static file."""
    return f"/static/{fingerprint()}/{name}"
