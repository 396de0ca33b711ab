"""The paper that printers have."""

from enum import Enum
from typing import Final


class Paper(Enum):
    """A size of paper, upright."""

    A4 = "a4"
    LETTER = "letter"

    @property
    def css(self) -> str:
        """What a browser calls it."""
        return {"a4": "A4", "letter": "letter"}[self.value]

    @property
    def typst(self) -> str:
        """What typst calls it."""
        return {"a4": "a4", "letter": "us-letter"}[self.value]

    @property
    def width(self) -> float:
        """In millimetres."""
        return _SIZES[self.value][0]

    @property
    def height(self) -> float:
        """In millimetres."""
        return _SIZES[self.value][1]


_SIZES: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
