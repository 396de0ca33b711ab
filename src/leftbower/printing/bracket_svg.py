"""A bracket as SVG with CSS classes and no style attributes, the same for the pages, the wall and paper."""

from collections.abc import Iterator
from html import escape
from typing import Final

from leftbower.i18n import gettext as _
from leftbower.tournament.text.bracket_picture import (
    BOX_HEIGHT,
    BOX_WIDTH,
    BracketLine,
    BracketMatch,
    BracketPicture,
    BracketSide,
)

_NAME_X: Final = 40
_SCORE_X: Final = BOX_WIDTH - 14
_NAME_WIDTH: Final = 252
_FULL_SIZE: Final = 19
_SMALLEST_SIZE: Final = 11
"""A longer name is set smaller; beyond that its letters are squeezed, so that none is cut off."""
_TWO_LINES_BELOW: Final = 13
"""A team whose name would be set smaller takes two lines of this size."""
_LETTER_WIDTH: Final = 0.66
"""Of a bold letter, as a share of its size."""
_SCREEN_SCALE: Final = 0.75
"""Smallest scale on a screen; a larger bracket scrolls sideways."""
_THUMB_WIDTH: Final = 350


def bracket_svg(picture: BracketPicture, title: str) -> str:
    """The whole bracket; each match has a title for screen readers and pointers."""
    body = "".join((*map(_line, picture.lines), *map(_head, picture.titles), *map(_match, picture.matches)))
    return (
        f'<svg class="bracket" viewBox="0 0 {picture.width} {picture.height}" '
        f'width="{int(picture.width * _SCREEN_SCALE)}" role="img" aria-label="{escape(title)}">{body}</svg>'
    )


def thumbnail_svg(picture: BracketPicture, entrant: str, title: str) -> str:
    """The shape of the bracket, with the way of one entrant marked."""
    own = {match.slot for match in picture.matches if entrant and entrant in (side.entrant for side in match.sides)}
    scale = _THUMB_WIDTH / picture.width
    height = max(60, int(picture.height * scale))
    lines = "".join(
        f'<path class="{"own" if line.slot in own and line.decided and _goes_on(picture, line, own) else "way"}" '
        f'd="{_path(line)}"/>'
        for line in picture.lines
    )
    boxes = "".join(
        f'<rect class="{"own" if match.slot in own else match.state}" x="{match.x}" y="{match.y - 16}" '
        f'width="{BOX_WIDTH}" height="32" rx="12"/>'
        for match in picture.matches
    )
    return (
        f'<svg class="bracket-thumb" viewBox="0 0 {picture.width} {picture.height}" width="{_THUMB_WIDTH}" '
        f'height="{height}" role="img" aria-label="{escape(title)}">{lines}{boxes}</svg>'
    )


def _goes_on(picture: BracketPicture, line: BracketLine, own: set[str]) -> bool:
    """Does the marked way go along this line?"""
    return any(match.slot in own and (match.x, match.y) == (line.to_x, line.to_y) for match in picture.matches)


def _path(line: BracketLine) -> str:
    middle = (line.x + line.to_x) // 2 if line.to_x > line.x else line.x + 20
    return f"M{line.x} {line.y}H{middle}V{line.to_y}H{line.to_x}"


def _line(line: BracketLine) -> str:
    return f'<path class="{"way" if line.decided else "way is-open"}" d="{_path(line)}"/>'


def _head(head: tuple[str, int, int]) -> str:
    title, x, y = head
    return f'<text class="head" x="{x}" y="{y}">{escape(title)}</text>'


def _match(match: BracketMatch) -> str:
    top = match.y - BOX_HEIGHT // 2
    names = [side.name or "–" for side in match.sides]
    title = _("%(round)s: %(first)s vs. %(second)s", round=match.title, first=names[0], second=names[1])
    kind = f"match is-{match.state}{' is-final' if match.is_final else ''}"
    parts = [
        f"<title>{escape(title)}</title>",
        f'<rect x="{match.x}" y="{top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="10"/>',
        f'<path d="M{match.x} {match.y}h{BOX_WIDTH}"/>',
        *(_side(side, match.x, match.y + (21 if index else -9)) for index, side in enumerate(match.sides)),
    ]
    if match.state == "live":
        label = _("Table %(table)d, playing now", table=match.table)
        parts.append(
            f'<text class="now" x="{match.x + BOX_WIDTH}" y="{top + BOX_HEIGHT + 17}" text-anchor="end">'
            f"{escape(label)}</text>"
        )
    return f'<g class="{kind}">{"".join(parts)}</g>'


def _side(side: BracketSide, x: int, y: int) -> str:
    return "".join(_side_texts(side, x, y))


def _side_texts(side: BracketSide, x: int, y: int) -> Iterator[str]:
    if side.seed:
        yield f'<text class="seed" x="{x + 12}" y="{y}">{side.seed}</text>'
    kind = "won" if side.won else "name" if side.entrant else "waits"
    first, ampersand, second = side.name.partition(" & ")
    if ampersand and _size(side.name) < _TWO_LINES_BELOW:
        yield _name(kind, f"{first} &", x, y - 8, _TWO_LINES_BELOW)
        yield _name(kind, second, x, y + 5, _TWO_LINES_BELOW)
    else:
        yield _name(kind, side.name, x, y, _FULL_SIZE)
    if side.score:
        yield (
            f'<text class="score{" won" if side.won else ""}" x="{x + _SCORE_X}" y="{y}" text-anchor="end">'
            f"{escape(side.score)}</text>"
        )


def _name(kind: str, name: str, x: int, y: int, full_size: int) -> str:
    size = min(full_size, max(_SMALLEST_SIZE, _size(name)))
    squeezed = len(name) * _LETTER_WIDTH * size > _NAME_WIDTH
    fit = f' textLength="{_NAME_WIDTH}" lengthAdjust="spacingAndGlyphs"' if squeezed else ""
    return f'<text class="{kind}" x="{x + _NAME_X}" y="{y}" font-size="{size}"{fit}>{escape(name)}</text>'


def _size(name: str) -> int:
    """The largest size at which the name surely fits."""
    return int(_NAME_WIDTH / max(1, len(name) * _LETTER_WIDTH))
