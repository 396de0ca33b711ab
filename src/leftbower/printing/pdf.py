"""Printouts as PDF by typst, which comes with the `pdf` extra."""

import json
from dataclasses import asdict
from importlib.resources import files

from leftbower.errors import MissingExtra
from leftbower.printing.paper import Paper
from leftbower.printing.sheets import Printout


def to_pdf(printout: Printout, paper: Paper) -> bytes:
    """The bytes of a PDF. What is printed goes in as data, never as markup."""
    try:
        import typst  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("pdf") from None
    blocks = [{"kind": type(block).__name__.lower(), **asdict(block)} for block in printout.blocks]
    told = {
        "paper": paper.typst,
        "half": (paper.height - 24) / 2,
        "title": printout.title,
        "below": printout.below,
        "headed": printout.headed,
        "blocks": blocks,
    }
    template = files(__package__).joinpath("sheets.typ").read_bytes()
    made = typst.compile(template, format="pdf", sys_inputs={"printout": json.dumps(told)})
    assert isinstance(made, bytes)
    return made
