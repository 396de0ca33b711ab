"""What a printout is made of, whatever prints it: pages of sentences, grids, cards, tents and lines to sign."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A sentence or two."""

    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Rows and columns. Its heading stays with it, and its head is repeated on every page it reaches."""

    heading: str = ""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    together: bool = True
    """Is it kept on one page?"""
    numbers: tuple[int, ...] = ()
    """The columns that hold numbers, and are set to the right."""
    widths: tuple[int, ...] = ()
    """How columns share the page: 0 for no more than its words need; equal shares where nothing is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Something to cut out: a heading, a line below it, and a grid."""

    heading: str
    below: str
    grid: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """Cards, two beside each other, or one under another where they are long."""

    cards: tuple[Card, ...]
    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tent:
    """A page to fold: big enough to be read from across a hall, from both sides."""

    big: str
    above: str
    below: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSheet:
    """Half a page on which a table keeps its score, and both sides sign."""

    heading: str
    sides: tuple[tuple[str, str], ...]
    """The label of each side, and who plays on it."""
    games: int
    target: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A heading and what is said under it."""

    heading: str
    items: tuple[str, ...]


Block = Text | Grid | Cards | Tent | ScoreSheet | Listing


@dataclass(frozen=True, slots=True, kw_only=True)
class Printout:
    """A whole printout."""

    title: str
    below: str
    blocks: tuple[Block, ...]

    @property
    def headed(self) -> bool:
        """Does its title stand on top? Not on what is cut out or folded."""
        return not any(isinstance(block, Cards | Tent | ScoreSheet) for block in self.blocks)
