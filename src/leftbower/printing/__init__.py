"""Printouts of an event: HTML pages to print, and PDF with the `pdf` extra."""

from leftbower.printing.blocks import Printout as Printout
from leftbower.printing.html_pages import css as css, to_html as to_html
from leftbower.printing.paper import PaperSize as PaperSize
from leftbower.printing.pdf import to_pdf as to_pdf
from leftbower.printing.printouts import PRINTOUTS as PRINTOUTS
from leftbower.printing.season import season_printout as season_printout
