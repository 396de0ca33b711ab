"""Printouts of an event: print pages in HTML, and PDF by the `pdf` extra."""

from leftbower.printing.html_pages import css, to_html
from leftbower.printing.paper import Paper
from leftbower.printing.pdf import to_pdf
from leftbower.printing.printouts import PRINTOUTS
from leftbower.printing.sheets import Printout

__all__ = ["PRINTOUTS", "Paper", "Printout", "css", "to_html", "to_pdf"]
