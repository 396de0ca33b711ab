"""Render printouts as one HTML file with inline CSS and no script."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files

from leftbower.i18n import gettext as _
from leftbower.printing.blocks import (
    Block,
    BulletList,
    CardGrid,
    CutOutCard,
    Grid,
    Picture,
    Printout,
    ScoreSheet,
    Tent,
    Text,
)
from leftbower.printing.paper import PaperSize

Codes = Mapping[str, Sequence[tuple[str, str]]]
"""QR codes, as SVG with a label: on tents by table number, on player cards by name."""


def to_html(printout: Printout, paper: PaperSize, *, style: str = "", codes: Codes | None = None) -> str:
    """The whole page. With `style` it links that stylesheet instead of inlining the CSS."""
    title = escape(f"{printout.title}: {printout.subtitle}")
    linked = f'<link rel="stylesheet" href="{escape(style)}"><link rel="icon" href="/static/icon.svg">'
    styles = linked if style else f"<style>\n{css(paper)}</style>"
    head = f'<meta charset="utf-8"><title>{title}</title>\n{styles}'
    body = "\n".join([*_head(printout), *(_block(block, codes or {}) for block in printout.blocks)])
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def css(paper: PaperSize) -> str:
    """The stylesheet for this paper size."""
    size = f"@page {{ size: {paper.css}; }}\n@page wide {{ size: {paper.css} landscape; }}\n"
    size += f":root {{ --height: {paper.height}mm; --width: {paper.width}mm; }}\n"
    return size + "".join(
        files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("print.css", "bracket.css")
    )


def _head(printout: Printout) -> list[str]:
    if not printout.has_title:
        return []
    return [f"<header><h1>{escape(printout.title)}</h1><p>{escape(printout.subtitle)}</p></header>"]


def _block(block: Block, codes: Codes) -> str:
    match block:
        case Text():
            return f"<p>{escape(block.text)}</p>"
        case Grid():
            return _grid(block)
        case CardGrid():
            cards = "\n".join(_card(card, codes.get(card.heading, ())) for card in block.cards)
            return f'<div class="{"long" if block.long else "cards"}">\n{cards}\n</div>'
        case Tent():
            return _tent(block, codes.get(block.big, ()))
        case ScoreSheet():
            return _score_sheet(block)
        case Picture():
            return f'<figure class="picture">{block.svg}</figure>'
        case BulletList():
            items = "".join(f"<li>{escape(item)}</li>" for item in block.items)
            return f'<section class="listing"><h2>{escape(block.heading)}</h2><ul>{items}</ul></section>'


def _grid(grid: Grid) -> str:
    heading = f"<h2>{escape(grid.heading)}</h2>" if grid.heading else ""
    head = f"<thead>{_row(grid, grid.head, 'th')}</thead>"
    rows = "\n".join(_row(grid, row, "td") for row in grid.rows)
    css_class = ' class="together"' if grid.keep_together else ""
    return f"<section{css_class}>{heading}<table>{head}<tbody>\n{rows}\n</tbody></table></section>"


def _row(grid: Grid, cells: tuple[str, ...], tag: str) -> str:
    tags = (f"<{tag}{_class(grid, column)}>{escape(cell)}</{tag}>" for column, cell in enumerate(cells))
    return f"<tr>{''.join(tags)}</tr>"


def _class(grid: Grid, column: int) -> str:
    if column in grid.number_columns:
        return " class=number"
    if not grid.widths:
        return ""
    return f" class=share-{grid.widths[column]}" if grid.widths[column] else " class=narrow"


def _card(card: CutOutCard, codes: Sequence[tuple[str, str]]) -> str:
    head = f"<h2>{escape(card.heading)}</h2><p>{escape(card.subtitle)}</p>"
    figures = _figures((svg, _("%(name)s: scan for your page", name=label)) for label, svg in codes)
    return f'<article class="card">{head}{figures}{_grid(card.grid)}</article>'


def _figures(codes: Iterable[tuple[str, str]]) -> str:
    """QR codes side by side, each with the text below it; nothing without codes."""
    figures = "".join(f"<figure>{svg}<figcaption>{escape(text)}</figcaption></figure>" for svg, text in codes)
    return f'<div class="codes">{figures}</div>' if figures else ""


def _tent(tent: Tent, codes: Sequence[tuple[str, str]]) -> str:
    below = _figures((svg, _("%(side)s: keep score", side=label)) for label, svg in codes)
    half = f"<p>{escape(tent.above)}</p><strong>{escape(tent.big)}</strong><p>{escape(tent.below)}</p>{below}"
    kind = "tent coded" if below else "tent"
    return f'<article class="{kind}"><div class="back">{half}</div><div>{half}</div></article>'


def _score_sheet(sheet: ScoreSheet) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in (*sheet.games, sheet.loners))
    rows = "\n".join(
        f"<tr><th><small>{escape(label)}</small>{escape(names)}</th>{'<td></td>' * len(sheet.games)}<td></td></tr>"
        for label, names in sheet.sides
    )
    tallies = "".join(f"<div>{escape(label)}</div>" for label, _names in sheet.sides)
    signed = "".join(f"<p>{escape(signature)}</p>" for signature in sheet.signatures)
    return (
        f'<article class="score"><header><h2>{escape(sheet.heading)}</h2><p>{escape(sheet.note)}</p></header>'
        f"<p>{escape(sheet.target)}</p>"
        f'<div class="tally">{tallies}</div>'
        f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
        f'<div class="sign">{signed}</div></article>'
    )
