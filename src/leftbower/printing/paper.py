"""Paper sizes."""

from enum import Enum


class PaperSize(Enum):
    A4 = "a4"
    LETTER = "letter"

    css: str
    typst: str
    width: float
    """In millimeters."""
    height: float


for _size, _css, _typst, _width, _height in (
    (PaperSize.A4, "A4", "a4", 210.0, 297.0),
    (PaperSize.LETTER, "letter", "us-letter", 215.9, 279.4),
):
    _size.css, _size.typst, _size.width, _size.height = _css, _typst, _width, _height
