"""Printouts are complete, fit their paper and escape names."""

import asyncio
import html
import re
from functools import cache

import pytest

from browser import launch_browser
from event_ledger import EventLedger, new_ledger
from leftbower.errors import NothingToPair
from leftbower.printing import PRINTOUTS, PaperSize, to_html, to_pdf
from leftbower.printing.blocks import CardGrid
from leftbower.printing.printouts import player_cards, score_sheets, table_tents
from leftbower.rules import preset
from leftbower.tournament.formats.registry import Format
from leftbower.tournament.model.plan import Prizes, default_plan
from leftbower.tournament.model.state import Event

FIRST = ["Bartholomew", "Christopher", "Anne-Marie", "Wilhelmina", "Maximilian", "Montgomery", "Alexandrina", "Jo"]
LAST = ["Featherstonehaugh-Cholmondeley", "O'Shaughnessy", "Wolfeschlegelsteinhausen", "van-der-Westhuizen", "Li"]
LAST += ["Papadimitropoulos", "Smith", "Jones"]
ODD = ['<script>alert("&")</script>', "#panic()", '= "x" [*a*] $b$ \\ @c', "Zoë 张伟 & co"]


@cache
def long_names_event() -> Event:
    """Sixty-four players with long names, ten rounds."""
    names = [f"{first} {last}" for first in FIRST for last in LAST]
    ledger = new_ledger(Format.PROGRESSIVE, names, rounds=10, prizes=Prizes(cash=(10000, 5000)))
    ledger.pair()
    return ledger.event


def odd_names() -> Event:
    ledger = new_ledger(Format.SWISS, ODD, preset("prize-night"))
    ledger.pair()
    ledger.score(1, 1, (10, 3))
    ledger.score(1, 2, (4, 10))
    return ledger.event


@pytest.mark.parametrize("printout", PRINTOUTS)
def test_every_printout_names_all_its_people_and_has_no_script(printout: str) -> None:
    """Names are always rendered as text."""
    event = odd_names()
    page = to_html(PRINTOUTS[printout](event), PaperSize.A4)
    assert "<script" not in page
    assert page.startswith("<!doctype html>")
    if printout in ("cards", "chart", "standings", "audit"):
        assert all(html.escape(name) in page for name in ODD)
    assert " style=" not in page


@pytest.mark.parametrize("paper", PaperSize)
@pytest.mark.parametrize("printout", PRINTOUTS)
def test_every_printout_is_a_pdf_too(printout: str, paper: PaperSize) -> None:
    """With typst, on both paper sizes, with names that would be markup if they were not data."""
    pdf = to_pdf(PRINTOUTS[printout](odd_names()), paper)
    assert pdf.startswith(b"%PDF-")
    assert b"%%EOF" in pdf[-1024:]


def test_a_players_card_lists_every_round() -> None:
    """Round, table, seat, partner and opponents, as drawn."""
    event = long_names_event()
    [block] = player_cards(event).blocks
    assert isinstance(block, CardGrid)
    assert len(block.cards) == 64
    names = {entrant.id: entrant.name for entrant in event.entrants.values()}
    card = next(card for card in block.cards if card.heading == names["e7"])
    for row, round_ in zip(card.grid.rows, event.rounds, strict=True):
        seating = round_.seating_of("e7")
        assert seating is not None
        seat = next(seat for seat, entrant in seating.seats.items() if entrant == "e7")
        assert row[:4] == (str(round_.number), str(seating.table), str(seat), names[seating.seats[seat.partner]])
        assert set(row[4].split(" & ")) == {names[seating.seats[seat.left]], names[seating.seats[seat.right]]}


def test_sheets_are_for_open_matches_and_tents_for_every_table() -> None:
    event = odd_names()
    assert score_sheets(event).blocks == ()
    assert len(table_tents(event).blocks) == 2
    assert len(score_sheets(long_names_event()).blocks) == 160


def test_columns_of_a_page_share_its_width_as_planned() -> None:
    """By their shares, not by the longest name in them."""
    page = to_html(PRINTOUTS["chart"](long_names_event()), PaperSize.LETTER)
    assert "<th class=number>Table</th><th class=share-4>North &amp; South</th><th class=share-4>" in page


def test_nothing_is_printed_before_anything_is_drawn() -> None:
    with pytest.raises(NothingToPair):
        table_tents(EventLedger(default_plan("Early", preset("club"))).event)


FITS = """(height) => {
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  const cut = [...document.querySelectorAll('.card, .score, .tent, section.together, tr')]
    .filter(element => element.getBoundingClientRect().height > height + 1
      || element.scrollHeight > element.clientHeight + 2 && element.classList.contains('score'));
  const out = [...document.querySelectorAll('td, th, h2, p, strong')]
    .filter(element => element.getBoundingClientRect().right > window.innerWidth + 1
      || element.scrollWidth > element.clientWidth + 2);
  return [wide, cut.length, out.length];
}"""


@pytest.mark.parametrize("paper", PaperSize)
def test_nothing_is_wider_or_higher_than_the_paper_in_a_browser(paper: PaperSize) -> None:
    """Sixty-four players with long names, in Chromium, at the width of the page."""
    across, down = (paper.width - 24) / 25.4 * 96, (paper.height - 22) / 25.4 * 96

    async def measure() -> dict[str, list[int]]:
        overflows = {}
        async with launch_browser() as browser:
            page = await browser.new_page(viewport={"width": int(across), "height": 1000})
            await page.emulate_media(media="print")
            for printout in PRINTOUTS:
                await page.set_content(to_html(PRINTOUTS[printout](long_names_event()), paper))
                overflows[printout] = await page.evaluate(FITS, down)
        return overflows

    assert asyncio.run(measure()) == {printout: [0, 0, 0] for printout in PRINTOUTS}


@pytest.mark.parametrize("paper", PaperSize)
def test_a_browser_prints_as_many_pages_as_there_are_things_to_cut(paper: PaperSize) -> None:
    """Sixteen tents on sixteen pages, two score sheets on each of eighty."""

    async def pages(printout: str) -> int:
        async with launch_browser() as browser:
            page = await browser.new_page()
            await page.set_content(to_html(PRINTOUTS[printout](long_names_event()), paper))
            pdf = await page.pdf(prefer_css_page_size=True)
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    assert asyncio.run(pages("tents")) == 16
    assert asyncio.run(pages("sheets")) == 80
