"""The blocks of a printout, independent of the output format."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table. The heading stays with it, and its head row repeats on every page."""

    heading: str = ""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    keep_together: bool = True
    """Avoid a page break inside?"""
    number_columns: tuple[int, ...] = ()
    """Indices of the right-aligned columns."""
    widths: tuple[int, ...] = ()
    """Relative column widths; 0 fits the content. Empty means equal shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOutCard:
    """A card to cut out: heading, subtitle, grid."""

    heading: str
    subtitle: str
    grid: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class CardGrid:
    """Cards, two per row, or one per page if `long`."""

    cards: tuple[CutOutCard, ...]
    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tent:
    """A page to fold, readable from across a hall and from both sides."""

    big: str
    above: str
    below: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSheet:
    """Half a page to keep score on, signed by both sides."""

    heading: str
    sides: tuple[tuple[str, str], ...]
    """The label of each side, and its players."""
    games: tuple[str, ...]
    """The column heads of the games."""
    loners: str
    """The column head of the loners."""
    target: str
    """How far to play, and how to fill in the sheet."""
    note: str
    signatures: tuple[str, ...]
    """The text under the line where each side signs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BulletList:
    heading: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """An SVG on a page of its own, sideways."""

    svg: str


Block = Text | Grid | CardGrid | Tent | ScoreSheet | BulletList | Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Printout:
    """A titled list of blocks."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]

    @property
    def has_title(self) -> bool:
        """Print the title? Not on pages that are cut or folded."""
        return not any(isinstance(block, CardGrid | Tent | ScoreSheet) for block in self.blocks)
