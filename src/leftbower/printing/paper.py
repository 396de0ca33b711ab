"""Paper sizes."""

from enum import Enum
from typing import Final


class PaperSize(Enum):
    """A paper size in portrait."""

    A4 = "a4"
    LETTER = "letter"

    @property
    def css(self) -> str:
        """The CSS name."""
        return {"a4": "A4", "letter": "letter"}[self.value]

    @property
    def typst(self) -> str:
        """The typst name."""
        return {"a4": "a4", "letter": "us-letter"}[self.value]

    @property
    def width(self) -> float:
        """In millimeters."""
        return _SIZES[self.value][0]

    @property
    def height(self) -> float:
        """In millimeters."""
        return _SIZES[self.value][1]


_SIZES: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
