"""The pages of an event in all their states: every text goes through gettext, and is easy to read."""

import runpy
from pathlib import Path

from event_client import event_site
from event_tour import hall_pages
from pseudo_language import pseudo_language, untranslated
from web.test_translated_pages import NAMES

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "reading_ease.py"))
MAX_GRADE = 6.0
NAMES_OF_TOUR = NAMES | {"Ida", "Jon", "Kim", "Lee", "Prize", "night"}


async def test_no_page_of_an_event_has_untranslated_text() -> None:
    found: dict[str, str] = {}
    with pseudo_language():
        async with event_site() as site:
            async for name, page in hall_pages(site):
                found |= dict.fromkeys(untranslated(page, NAMES_OF_TOUR), name)
    assert found == {}


async def test_every_page_of_an_event_is_easy_to_read() -> None:
    """The Flesch-Kincaid grade of the text of each page."""
    async with event_site() as site:
        grades = {name: SCRIPT["ease"](SCRIPT["html_sentences"](page)).grade async for name, page in hall_pages(site)}
    assert {name: grade for name, grade in grades.items() if grade > MAX_GRADE} == {}
