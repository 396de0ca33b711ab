"""Render printouts as PDF with typst (the `pdf` extra)."""

import json
import re
from dataclasses import asdict
from importlib.resources import files

from leftbower.errors import MissingExtra
from leftbower.printing.blocks import Printout
from leftbower.printing.paper import PaperSize


def to_pdf(printout: Printout, paper: PaperSize) -> bytes:
    """The PDF bytes. Content is passed as data, never as markup."""
    try:
        import typst  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("pdf") from None
    blocks = [{"kind": type(block).__name__.lower(), **asdict(block)} for block in printout.blocks]
    style = files(__package__).joinpath("bracket.css").read_text(encoding="utf-8")
    for block in blocks:
        if "svg" in block:
            head, body = block["svg"].split(">", 1)
            head = re.sub(r' width="\d+"', "", head)  # with a width alone, typst leaves wide margins
            block["svg"] = f'{head} xmlns="http://www.w3.org/2000/svg"><style>{style}</style>{body}'
    inputs = {
        "paper": paper.typst,
        "half": (paper.height - 24) / 2,
        "title": printout.title,
        "subtitle": printout.subtitle,
        "has_title": printout.has_title,
        "blocks": blocks,
    }
    template = files(__package__).joinpath("sheets.typ").read_bytes()
    pdf = typst.compile(template, format="pdf", sys_inputs={"printout": json.dumps(inputs)})
    assert isinstance(pdf, bytes)
    return pdf
