"""Docs, pages and errors are in plain words: refused phrases, a rate of stilted words, and the grade of pages."""

import json
import runpy
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from refused_phrases import refused_phrases

ROOT = Path(__file__).parents[1]
EASE = ROOT / "scripts" / "reading_ease.py"
PLAIN = ROOT / "scripts" / "plain_words.py"
LOCALE = ROOT / "src" / "leftbower" / "locale"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("[A-Za-z]*/README.md"), *(ROOT / "docs").rglob("*.md")])
MAX_STILTED_PER_1000 = 0.3
pytestmark = pytest.mark.unmeasured


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_has_no_refused_phrase(page: Path) -> None:
    """This includes the help and output of commands, which pages quote."""
    assert refused_phrases(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("catalog", sorted(LOCALE.glob("*.pot")), ids=lambda path: path.stem)
def test_texts_of_pages_and_errors_have_no_refused_phrase(catalog: Path) -> None:
    """The catalog templates hold every text that people read on pages and in errors."""
    texts = [
        text
        for message in read_po(BytesIO(catalog.read_bytes()))
        for text in ([message.id] if isinstance(message.id, str) else message.id)
        if text
    ]
    assert len(texts) > 10
    assert {text: phrases for text in texts if (phrases := refused_phrases(text))} == {}


def test_a_refused_phrase_is_found_across_a_line_break() -> None:
    assert refused_phrases("Port 80 is not\nto be had. Whoever asks waits.") == ["is not to be had", "whoever"]
    assert refused_phrases("The owner chose so manyfold ways.") == []


def test_stilted_words_are_rare() -> None:
    """Measured over all pages, with those of the root and of the folders beside the code."""
    finished = subprocess.run([sys.executable, PLAIN, "docs", "--json"], capture_output=True, text=True, check=True)
    rate = json.loads(finished.stdout)["docs"]
    assert rate["words"] > 40_000
    assert rate["per_1000"] <= MAX_STILTED_PER_1000


def test_page_texts_are_at_most_grade_6_and_docs_for_players_and_organizers_grade_8() -> None:
    finished = subprocess.run([sys.executable, EASE, "--json"], capture_output=True, text=True, check=False)
    grades = json.loads(finished.stdout)
    limited = {name: page for name, page in grades.items() if page["limit"] is not None}
    assert {name.rpartition("/")[0]: page["limit"] for name, page in limited.items()} == {
        "docs/play": 8,
        "docs/tournament": 8,
        "src/leftbower/locale": 6,
    }
    assert len(limited) >= 10
    assert {name: page["grade"] for name, page in limited.items() if page["grade"] > page["limit"]} == {}
    assert finished.returncode == 0


def test_every_page_is_at_most_grade_8() -> None:
    """Pages for operators and programmers have harder words, so only their sentences keep them this low."""
    finished = subprocess.run([sys.executable, EASE, "--json"], capture_output=True, text=True, check=False)
    grades = json.loads(finished.stdout)
    assert {"README.md", "ARCHITECTURE.md", "docs/server/security.md", "proofs/README.md"} <= grades.keys()
    assert {name: page["grade"] for name, page in grades.items() if page["grade"] > 8} == {}


def test_the_grade_follows_the_formula() -> None:
    """Counted by hand: 24 syllables in 13 words are grade 11.3; short words in short sentences are grade 0."""
    script = runpy.run_path(str(EASE))
    hard = "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature."
    counted = script["ease"]([hard])
    assert (counted.words, counted.sentences) == (13, 1)
    assert abs(counted.grade - 11.3) < 1
    assert script["ease"](["The cat sat on the mat."]).grade == 0
    assert script["ease"]([]).grade == 0


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("the score scores trumped files play dealt", 1),
        ("table euchre pages wanted dealer's watches browser players playing", 2),
        ("tournament discarded", 3),
        ("organizer", 4),
    ],
)
def test_syllables_of_common_words(words: str, count: int) -> None:
    syllables = runpy.run_path(str(EASE))["syllables"]
    assert {word: syllables(word) for word in words.split()} == dict.fromkeys(words.split(), count)


def test_only_prose_is_measured() -> None:
    """No code, tables, headings, pictures or addresses; a list item and a button are sentences."""
    script = runpy.run_path(str(EASE))
    page = (
        "# Heading\n\n![Picture](a.jpg)\n\n- One [link](b.md).\n- Two `code words`\n\n```text\nx y\n```\n\n| a | b |\n"
    )
    assert script["markdown_sentences"](page) == ["One link.", "Two it"]
    html = "<h1>Play now</h1><script>var a</script><p>Go. Stop.</p><button>Pass</button>"
    assert [text for text in script["html_sentences"](html) if text] == ["Play now", "Go.", "Stop.", "Pass"]


def test_a_page_above_its_limit_fails_the_script(tmp_path: Path) -> None:
    copy = tmp_path / "docs" / "play" / "hard.md"
    copy.parent.mkdir(parents=True)
    copy.write_text("Incomprehensible terminological sophistication obfuscates elementary considerations.\n")
    script = tmp_path / "scripts" / EASE.name
    script.parent.mkdir()
    script.write_bytes(EASE.read_bytes())
    finished = subprocess.run([sys.executable, script, copy], capture_output=True, text=True, check=False)
    assert finished.returncode == 1
    assert "docs/play/hard.md" in finished.stdout
    missing = subprocess.run([sys.executable, script, "no.md"], capture_output=True, text=True, check=False)
    assert missing.returncode == 2
    assert "no such file: no.md" in missing.stderr
