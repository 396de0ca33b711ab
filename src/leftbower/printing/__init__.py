"""Printouts of an event: print pages in HTML, and PDF by the `pdf` extra."""

from leftbower.printing.blocks import Printout
from leftbower.printing.html_pages import css, to_html
from leftbower.printing.paper import PaperSize
from leftbower.printing.pdf import to_pdf
from leftbower.printing.printouts import PRINTOUTS

__all__ = ["PRINTOUTS", "PaperSize", "Printout", "css", "to_html", "to_pdf"]
