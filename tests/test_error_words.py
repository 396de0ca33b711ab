"""Error messages are short and plain: checked on all patterns in locale/errors.pot."""

import re
import runpy
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from leftbower.web.responses import MESSAGES
from refused_phrases import refused_phrases

ROOT = Path(__file__).parents[1]
MAX_WORDS = 25
STIFF = re.compile(r"\b(cannot|may not|as in|such a|honest|is told|are told)\b|(?<![Tt]here )\b(is|are) (no|none)\b")
"""Stilted for *can't*, *like* and *is not a*."""
VALUE = re.compile(r"%\(\w+\)s")

pytestmark = pytest.mark.unmeasured


def patterns() -> list[str]:
    """All messages of errors, and those that pages show instead."""
    with (ROOT / "src/leftbower/locale/errors.pot").open("rb") as file:
        ids = [message.id for message in read_po(file) if message.id]
    return [*(text for forms in ids for text in ([forms] if isinstance(forms, str) else forms)), *MESSAGES.values()]


def test_no_error_has_a_refused_or_stilted_phrase() -> None:
    stilted = runpy.run_path(str(ROOT / "scripts" / "plain_words.py"))["_STILTED"]
    assert len(patterns()) > 500
    found = {text: [*refused_phrases(text), *stilted.findall(text), *STIFF.findall(text)] for text in patterns()}
    assert {text: phrases for text, phrases in found.items() if phrases} == {}


def test_stilted_phrases_are_found() -> None:
    assert STIFF.findall("this is no link and cannot be read") != []
    assert STIFF.findall("there is no such seat; nobody is seated") == []


@pytest.mark.parametrize("text", patterns())
def test_an_error_is_one_or_two_short_sentences(text: str) -> None:
    assert len(VALUE.sub("value", text).split()) <= MAX_WORDS
    sentences = re.findall(r"[.?!](?= [A-Z]|$)", text)
    assert len(sentences) <= 2
