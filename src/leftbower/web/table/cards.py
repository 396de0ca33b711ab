"""The deck as one SVG sprite of paths; suits take their color from `currentColor`."""

from functools import cache
from typing import Final

from leftbower.rules.cards import DECK, Suit

_INK: Final = "#3b2a20"
_PAPER: Final = "#fffdf7"
_CREAM: Final = "#fbf1dc"
_GOLD: Final = "#e0ac3c"
_SKIN: Final = "#f8dcc0"
_STRAW: Final = "#e8c98a"

_INK_STROKE: Final = f'stroke="{_INK}" stroke-width=".7" stroke-linecap="round" stroke-linejoin="round"'
_HALF_TURN: Final = 'transform="rotate(180 50 70)"'
_SCORE_CARDS: Final = ("4h", "6h", "4s", "6s")
"""The fours and sixes that some groups keep score with."""

_ROWS: Final = {
    "4": ((35, 24), (65, 24)),
    "6": ((35, 24), (65, 24)),
    "9": ((35, 24), (65, 24), (35, 55), (65, 55)),
    "T": ((35, 24), (65, 24), (35, 55), (65, 55), (50, 39.5)),
}
"""Pip positions in the upper half of a card; the lower half is the same, rotated."""
_MIDDLE: Final = {"6": ((35, 70), (65, 70)), "9": ((50, 70),)}
"""Upright pips on the line between the halves."""

_PIPS: Final = {
    "c": "M0-46C13-46 22-37 22-25C22-18 18-12 13-8C17-11 21-12 25-12C37-12 46-3 46 9S37 30 25 30C16 30 8 25 4 17"
    "C5 31 9 40 18 46H-18C-9 40-5 31-4 17C-8 25-16 30-25 30C-37 30-46 21-46 9S-37-12-25-12C-21-12-17-11-13-8"
    "C-18-12-22-18-22-25C-22-37-13-46 0-46Z",
    "d": "M0-48C9-30 22-13 38 0C22 13 9 30 0 48C-9 30-22 13-38 0C-22-13-9-30 0-48Z",
    "h": "M0 46C-5 34-46 10-46-17C-46-33-35-43-22-43C-12-43-4-37 0-26C4-37 12-43 22-43C35-43 46-33 46-17"
    "C46 10 5 34 0 46Z",
    "s": "M0-47C6-34 45-11 45 14C45 27 35 34 25 34C16 34 9 29 4 20C5 33 9 41 18 46H-18C-9 41-5 33-4 20"
    "C-9 29-16 34-25 34C-35 34-45 27-45 14C-45-11-6-34 0-47Z",
}
"""Outline of one pip per suit, centered in a 100×100 square."""

_RANKS: Final = {
    "4": "M1.2 0H4.6V12.6H7.4V14.6H4.6V18.3H6.4V20H-1V18.3H.9V14.6H-7.4V12.4ZM.9 12.6V4.4L-4.8 12.6Z",
    "9": "M0 0C4.8 0 7.2 4 7.2 9.3C7.2 16 3.3 20-1.4 20C-4.5 20-6.5 18.5-6.5 16.4C-6.5 15-5.5 14-4.2 14S-2 14.9-2 16.1"
    "C-2 17-2.6 17.6-2.4 18C-2.2 18.4-1.8 18.5-1.2 18.5C1.4 18.5 2.9 15.6 3.1 11.2C2.2 12.6.6 13.3-1.1 13.3"
    "C-4.7 13.3-7.2 10.6-7.2 6.8C-7.2 2.8-4.2 0 0 0ZM0 1.5C-2 1.5-3.1 3.4-3.1 6.7S-2.1 11.6-.2 11.6S3 9.9 3 7.2"
    "C3 3.6 2 1.5 0 1.5Z",
    "T": "M-5.6 0H-3.9V18.3H-2.1V20H-9.2V18.3H-7.4V3.4C-8 4-8.6 4.3-9.2 4.5V2.7C-7.8 2.3-6.4 1.4-5.6 0Z"
    "M4 0C7.5 0 9.4 4 9.4 10S7.5 20 4 20S-1.4 16-1.4 10S.5 0 4 0ZM4 1.6C2.5 1.6 2 4.6 2 10S2.5 18.4 4 18.4"
    "S6 15.4 6 10S5.5 1.6 4 1.6Z",
    "J": "M-2.4 0H7V1.8H5V14C5 18 2.4 20-1.2 20C-4.8 20-7 18-7 15.4C-7 13.7-5.9 12.6-4.5 12.6S-2.1 13.6-2.1 14.9"
    "C-2.1 16.3-3.1 16.7-2.8 17.6C-2.6 18.2-2 18.5-1.3 18.5C.4 18.5 1 17 1 14V1.8H-2.4Z",
    "Q": "M0 0C4.8 0 7.8 4 7.8 9.8C7.8 14 6.3 17.2 3.7 18.6C4.6 20 6 20.6 7.8 20V21.6C4.8 23.4 1.6 22.4-.2 19.5"
    "C-4.8 19.5-7.8 15.6-7.8 9.8S-4.8 0 0 0ZM0 1.6C-2.5 1.6-3.7 4.4-3.7 9.8S-2.5 17.9 0 17.9S3.7 15.1 3.7 9.8"
    "S2.5 1.6 0 1.6Z",
    "K": "M-8.2 0H-.8V1.7H-2.6V9.2L3.4 1.7H1.8V0H8V1.7H6.2L1.4 7.7L6.8 18.3H8.6V20H.8V18.3H2.3L-1.3 11L-2.6 12.6V18.3"
    "H-.8V20H-8.2V18.3H-6.4V1.7H-8.2Z",
    "A": "M-1-.4H1.2L7 18.3H8.8V20H1V18.3H2.8L1.7 14.5H-3.5L-4.6 18.3H-2.6V20H-8.8V18.3H-6.9ZM-3 12.8H1.2L-.9 5.4Z",
}
"""Outlines of the corner ranks, centered on x = 0 and 20 high."""
_SIX: Final = '<use id="lb-r6" href="#lb-r9" transform="rotate(180 0 10)"/>'

_HAIR: Final = {"c": "#8a5a2b", "d": "#e9c46a", "h": "#b5652a", "s": "#5d4a44"}
"""Hair color of the court cards; a figure is drawn once and inherits its fill."""

_ROBE: Final = '<path id="lb-robe" fill="currentColor" d="M22 82V66C25 57 34 53 42 51H56C64 53 74 57 78 66V82Z"/>'
_FACE: Final = (
    f'<g id="lb-face"><path fill="{_SKIN}" d="M45 46V56H53V46Z"/>'
    f'<path fill="{_SKIN}" d="M40 32C40 44 43 51 49 51S58 44 58 32C58 27 54 25 49 25S40 27 40 32Z"/>'
    '<g fill="none"><path stroke="#efb197" stroke-width="4" d="M43.6 42h.1M54.4 42h.1"/>'
    '<path stroke-width="2.5" d="M45.1 37.4h.1M53 37.4h.1"/>'
    '<path d="M42.6 34.6Q45 33 47 34.4M51 34.4Q53 33 55.4 34.6M49.2 36.5L48 41.6H50"/>'
    '<path stroke="#b23b36" stroke-width="1.3" d="M46.2 45.2Q49 47.6 51.8 45.2"/></g></g>'
)
_HAND: Final = (
    f'<g id="lb-hand"><path fill="{_CREAM}" d="M63.5 64.5L74 63.5L75 70L63 71Z"/>'
    f'<path fill="{_SKIN}" d="M65 58.6Q69 56 72.4 58.6Q74 62 72.4 64.6H65.4Q63.6 61.4 65 58.6Z"/>'
    '<path d="M68 59.4H72.6M68 61.2H73M68 63H72.6"/></g>'
)
_FIGURES: Final = {
    "J": '<path d="M38 30V47C38 51 43 51 43 47V34H55V47C55 51 60 51 60 47V30Z"/>'
    f'<use href="#lb-robe"/><path fill="{_CREAM}" d="M49 54L42 51C34 53 25 57 22 66V82H49Z"/>'
    '<path fill="none" stroke="currentColor" stroke-width="2.4" d="M43 53V82M36.5 54V82M30 57V82"/>'
    '<use href="#lb-face"/>'
    f'<path fill="{_GOLD}" d="M40.5 50L49 57L57.5 50L62 53.5L57 59L53.5 57.5L49 62.5L44.5 57.5L41 59L36 53.5Z"/>'
    '<path d="M39.6 36C40 31 44 29 49 30C54 29 58 31 58.4 36C55 33 43 33 39.6 36Z"/>'
    '<path fill="currentColor" d="M36 30C32 21 39 15 49 16C59 15 65 21 62 30C54 26 44 26 36 30Z"/>'
    f'<path fill="{_STRAW}" d="M57 28C51 23 53 14 60 12L62 14L64.6 11.4L66.4 13.4L69.6 12L74.4 15.6'
    'C69 15 64 20 61.6 28Z"/>'
    '<path fill="none" d="M58.6 27Q58.6 18 67 14.4"/>'
    f'<path fill="{_GOLD}" d="M35.2 30.4C43 25.6 55 25.6 62.8 30.4L61.6 34C54 29.8 44 29.8 36.4 34Z"/>',
    "Q": '<path d="M49 22C38 22 36 32 36.5 40C37 48 32 51 34.5 58C39 61 43 57 43 52H55C55 57 59 61 63.5 58'
    'C66 51 61 48 61.5 40C62 32 60 22 49 22Z"/>'
    f'<use href="#lb-robe"/><path fill="{_SKIN}" d="M40 51.4Q42 62 49 63Q56 62 58 51.4Z"/>'
    f'<use href="#lb-face"/><path fill="none" stroke="{_GOLD}" stroke-width="2" stroke-dasharray=".1 2.8" '
    'd="M41.5 53.5Q49 63 56.5 53.5"/>'
    f'<path fill="{_CREAM}" d="M36.5 52.5L40 51.4Q42 62 49 63Q56 62 58 51.4L61.5 52.5Q59 66 49 67Q39 66 36.5 52.5Z"/>'
    f'<path fill="none" stroke="{_GOLD}" stroke-width="1.8" stroke-dasharray=".1 4.6" '
    'd="M28 62V82M32.5 58V82M37 64V82M61 64V82M65.5 58V82"/>'
    '<path d="M39.6 38C39 29 44 26 49 26S59 29 58.4 38C57 33 53 31 49 28.4C45 31 41 33 39.6 38Z"/>'
    f'<path fill="{_GOLD}" d="M39 27.5C36 23 35.6 19 36.6 16.5C40 17 42.6 19 44 21C45 17.6 47 15 49 13.5'
    'C51 15 53 17.6 54 21C55.4 19 58 17 61.4 16.5C62.4 19 62 23 59 27.5Q49 23.6 39 27.5Z"/>'
    f'<path stroke="{_CREAM}" stroke-width="2.2" d="M43.2 24h.1M49 22.6h.1M54.8 24h.1"/>',
    "K": '<path d="M39 28C34 36 33 46 36 51C39 53 42 51 41.5 46H56.5C56 51 59 53 62 51C65 46 64 36 59 28Z"/>'
    '<use href="#lb-robe"/>'
    f'<path fill="{_CREAM}" d="M34 53.4C42 50.6 56 50.6 64 53.4L68 59C62 67 54 70 49 71C44 70 36 67 30 59Z"/>'
    '<path stroke-width="1.3" d="M35 57.5V60M39.5 61.5V64M58.5 61.5V64M63 57.5V60"/>'
    '<use href="#lb-face"/>'
    '<path d="M39.6 38C39.6 52 44 62 49 66C54 62 58.4 52 58.4 38C57.6 42.5 55 44.6 52 43.4Q49 41.6 46 43.4'
    'C43 44.6 40.4 42.5 39.6 38Z"/><path fill="none" d="M45 52Q46 57 48.4 60M53 52Q52 57 49.6 60"/>'
    '<path fill="none" stroke="#b23b36" stroke-width="1.4" d="M46.8 47Q49 48 51.2 47"/>'
    f'<path fill="{_GOLD}" d="M37.6 29L33.6 16L42 21.5L49 13L56 21.5L64.4 16L60.4 29Z"/>'
    f'<path fill="{_GOLD}" d="M37 28.6Q49 25 61 28.6V33Q49 29.4 37 33Z"/>'
    '<path stroke="currentColor" stroke-width="2" d="M41 29.7h.1M49 28.6h.1M57 29.7h.1"/>',
}
"""Upper half of each court card; stroke and hair color are inherited."""
_ONE_EYED: Final = ("Jh", "Js", "Kd")
"""The one-eyed courts of a standard deck; ours wink."""
_EMBLEMS: Final = {
    "wheat": '<path fill="none" stroke="#9a7a2a" stroke-width="1.4" d="M69 66V36"/>'
    f'<path fill="{_GOLD}" d="M69 30Q72 33 69 36Q66 33 69 30ZM69 36Q70 32 73.6 32.6Q73.6 36 69 38.6Q64.4 36 64.4 32.6'
    "Q68 32 69 36ZM69 40.6Q70 36.6 73.6 37.2Q73.6 40.6 69 43.2Q64.4 40.6 64.4 37.2Q68 36.6 69 40.6ZM69 45.2"
    'Q70 41.2 73.6 41.8Q73.6 45.2 69 47.8Q64.4 45.2 64.4 41.8Q68 41.2 69 45.2Z"/>',
    "flower": '<path fill="none" stroke="#4f7a3a" stroke-width="1.4" d="M69 66V46"/>'
    '<path fill="#6b9a4c" d="M69 55Q70 50 74 50Q74 54 69 55ZM69 57Q68 52 64 52Q64 56 69 57Z"/>'
    '<path fill="currentColor" d="M69 41Q63 38 66 34.4Q68 33 69 36Q70 33 72 34.4Q75 38 69 41'
    'Q75 40 75 44Q74 48 69 41Q72 48 69 48.4Q66 48 69 41Q64 48 63 44Q63 40 69 41Z"/>'
    f'<circle fill="{_GOLD}" cx="69" cy="41.4" r="1.8"/>',
    "sword": '<path fill="#e6eaf0" d="M67.4 56V22L69 17L70.6 22V56Z"/><path d="M69 22V52"/>'
    f'<path fill="{_GOLD}" d="M63 53.4Q69 56 75 53.4V56.4Q69 58.4 63 56.4Z"/>',
    "sceptre": f'<path fill="{_GOLD}" d="M68 66V29H70V66ZM66 48H72V51H66ZM65 29Q69 31 73 29V27H65Z"/>'
    '<circle fill="currentColor" cx="69" cy="23.6" r="3.6"/>'
    f'<path fill="{_GOLD}" d="M68.2 20V18.4H66.4V16.8H68.2V15H69.8V16.8H71.6V18.4H69.8V20Z"/>',
}
"""What courts carry: jacks an ear of wheat, since a bower is a farmer; queens a flower; kings a sword or scepter."""
_SHARED: Final = (
    f'<rect id="lb-paper" x=".5" y=".5" width="99" height="139" rx="8" fill="{_PAPER}" stroke="#c9c0aa"/>'
    '<clipPath id="lb-upper"><path d="M25 10H75V64L25 76Z"/></clipPath>'
    f'<g id="lb-wink" fill="none" stroke="{_SKIN}" stroke-width="3.4" stroke-linecap="round"><path d="M53 37.2h.1"/>'
    f'<path stroke="{_INK}" stroke-width="1" d="M51.2 37Q53 38.6 54.9 37"/></g>'
    f'<path id="lb-frame" fill="{_CREAM}" stroke="{_GOLD}" d="M25 10H75V130H25Z"/>'
    f'<g id="lb-sash" fill="none"><path stroke="{_INK}" stroke-width="5.4" d="M25 76L75 64"/>'
    f'<path stroke="{_GOLD}" stroke-width="4.2" d="M25 76L75 64"/><path stroke="currentColor" stroke-width="2"'
    ' stroke-linecap="round" stroke-dasharray=".1 4.28" d="M26.9 75.54L74 64.24"/></g>'
)
_PATTERNS: Final = {
    "lattice": (
        8,
        8,
        f'<path stroke="{_STRAW}" stroke-width=".5" stroke-opacity=".7" d="M3-1L9 5M-1 3L5 9M5-1L-1 5M9 3L3 9"/>'
        f'<path fill="{_STRAW}" d="M4 2.9L5.1 4L4 5.1L2.9 4Z"/>',
    ),
    "waves": (
        10,
        10,
        f'<g fill="none" stroke="{_STRAW}"><path stroke-width=".8" d="M0 5Q2.5 0 5 5T10 5"/>'
        '<path stroke-width=".4" stroke-opacity=".7" d="M0 9Q2.5 4 5 9T10 9"/></g>',
    ),
    "star": (
        20,
        20,
        f'<path fill="{_STRAW}" d="M10 1L12.4 7.6L19 10L12.4 12.4L10 19L7.6 12.4L1 10L7.6 7.6Z"/>'
        f'<path fill="{_STRAW}" fill-opacity=".75" d="M0 0H2.6L0 2.6ZM20 0V2.6L17.4 0ZM0 20V17.4L2.6 20ZM20 20H17.4'
        'L20 17.4Z"/>',
    ),
    "wheat": (
        16,
        20,
        f'<path fill="{_STRAW}" d="M8 1.5Q10.4 4 8 7Q5.6 4 8 1.5ZM8 7.4Q8.6 4.4 11.6 4.6Q11.4 7.6 8 9.2Q4.6 7.6 4.4 4.6'
        'Q7.4 4.4 8 7.4ZM8 11.4Q8.6 8.4 11.6 8.6Q11.4 11.6 8 13.2Q4.6 11.6 4.4 8.6Q7.4 8.4 8 11.4Z"/>'
        f'<path stroke="{_STRAW}" stroke-width=".9" d="M8 12V20"/>',
    ),
    "gingham": (10, 10, f'<path fill="{_STRAW}" fill-opacity=".34" d="M0 0H5V10H0ZM0 0H10V5H0Z"/>'),
}
"""Width, height and drawing of one tile of each card back."""
_BACK: Final = (
    '<rect x="6" y="6" width="88" height="128" rx="4" fill="var(--back)"/>'
    f'<path fill="var(--back-pattern)" stroke="{_STRAW}" d="M10 10H90V130H10Z"/><g opacity="var(--medal)">'
    f'<circle cx="50" cy="70" r="20" fill="var(--back)" stroke="{_STRAW}" stroke-width="1.4"/>'
    f'<circle cx="50" cy="70" r="17.4" fill="none" stroke="{_STRAW}" stroke-width=".6"/>'
    f'<g color="{_STRAW}"><use id="lb-bower" href="#lb-rJ" x="43" y="60"/><use href="#lb-bower" {_HALF_TURN}/></g></g>'
)
"""A pattern, and on it a medal with two jacks, one upside down; base.css chooses color and pattern."""


@cache
def sprite() -> str:
    """Every card, the back and the four pips as symbols for `<use href="#Jd"/>`."""
    symbols = (_shared(), *map(_pip, Suit), _symbol("back", _BACK), *map(_card, (*map(str, DECK), *_SCORE_CARDS)))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="sprite" width="0" height="0" aria-hidden="true">'
        f"{''.join(symbols)}</svg>"
    )


def _shared() -> str:
    """Shared definitions: paper, frame, ranks and figures."""
    patterns = "".join(_pattern(name, *tile) for name, tile in _PATTERNS.items())
    parts = (_SHARED, _ROBE, _FACE, _HAND, *map(_rank, _RANKS), _SIX, *map(_figure, _FIGURES), *map(_emblem, _EMBLEMS))
    return f"<defs>{''.join(parts)}{patterns}</defs>"


def _pattern(name: str, width: int, height: int, tile: str) -> str:
    size = f'x="10" y="10" width="{width}" height="{height}"'
    return f'<pattern id="lb-back-{name}" {size} patternUnits="userSpaceOnUse">{tile}</pattern>'


def _rank(rank: str) -> str:
    return f'<path id="lb-r{rank}" fill="currentColor" fill-rule="evenodd" d="{_RANKS[rank]}"/>'


def _figure(rank: str) -> str:
    """A court figure down to the waist; the suit colors its hair."""
    return f'<g id="lb-f{rank}" clip-path="url(#lb-upper)" {_INK_STROKE}>{_FIGURES[rank]}</g>'


def _emblem(name: str) -> str:
    """An emblem with the hand that holds it."""
    return f'<g id="lb-{name}" transform="translate(-1.4 -3)" {_INK_STROKE}>{_EMBLEMS[name]}<use href="#lb-hand"/></g>'


def _pip(suit: Suit) -> str:
    """A pip as a symbol, and scaled for cards."""
    path = f'<path id="lb-p{suit}" fill="currentColor" d="{_PIPS[suit.letter]}"/>'
    small = f'<defs><use id="lb-{suit}" href="#lb-p{suit}" transform="scale(.18)"/></defs>'
    return f'<symbol id="p{suit}" viewBox="-50 -50 100 100">{path}</symbol>{small}'


def _card(name: str) -> str:
    """A card face: the upper half, the same half rotated, and the middle line."""
    rank, suit = name[0], name[1]
    half = f'<g id="lb-{name}">{_index(rank, suit)}{_half(rank, suit)}</g>'
    turned = f'<use href="#lb-{name}" {_HALF_TURN}/>'
    ground = '<use href="#lb-frame"/>' if rank in _FIGURES else ""
    return _symbol(name, f"{ground}{half}{turned}{_middle(rank, suit)}")


def _index(rank: str, suit: str) -> str:
    return f'<use href="#lb-r{rank}" x="12.5" y="6"/>{_pips(suit, (12.5, 38))}'


def _half(rank: str, suit: str) -> str:
    return _court(rank, suit) if rank in _FIGURES else _pips(suit, *_ROWS.get(rank, ()))


def _court(rank: str, suit: str) -> str:
    """A court figure with its hair color, emblem and perhaps a wink."""
    emblem = {"J": "wheat", "Q": "flower", "K": "sword" if suit in "cs" else "sceptre"}[rank]
    wink = '<use href="#lb-wink"/>' if rank + suit in _ONE_EYED else ""
    return f'<use href="#lb-f{rank}" fill="{_HAIR[suit]}"/><use href="#lb-{emblem}"/>{wink}'


def _middle(rank: str, suit: str) -> str:
    if rank in _FIGURES:
        return '<use href="#lb-sash"/>'
    return _ace(suit) if rank == "A" else _pips(suit, *_MIDDLE.get(rank, ()))


def _ace(suit: str) -> str:
    """A large pip inside a wider outline of the same shape."""
    outline, line = (
        f'<use href="#lb-p{suit}" stroke="{color}" stroke-width="{width}"/>'
        for color, width in (("currentColor", 20), (_PAPER, 11))
    )
    return f'<g transform="translate(50 70) scale(.47)">{outline}{line}<use href="#lb-p{suit}"/></g>'


def _pips(suit: str, *positions: tuple[float, float]) -> str:
    return "".join(f'<use href="#lb-{suit}" x="{x}" y="{y}"/>' for x, y in positions)


def _symbol(name: str, body: str) -> str:
    return f'<symbol id="{name}" viewBox="0 0 100 140"><use href="#lb-paper"/>{body}</symbol>'
