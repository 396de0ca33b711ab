"""Catalog templates: complete, current, and whole sentences."""

import ast
import re
import runpy
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from leftbower.i18n import gettext, ngettext, pgettext, signed
from leftbower.rules import clause_text, find_preset, preset
from leftbower.web.learn.lessons import lessons
from pseudo_language import pseudo_language

ROOT = Path(__file__).parents[1]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "messages.py"))
ERRORS = {name for name in SCRIPT["error_keywords"]() if name[0].isupper()}
TEMPLATES: dict[Path, bytes] = SCRIPT["templates"]()

pytestmark = pytest.mark.unmeasured


def test_templates_are_current() -> None:
    assert {path.name: path.read_bytes() for path in TEMPLATES} == {
        path.name: text for path, text in TEMPLATES.items()
    }, "run make messages"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_can_be_read_by_babel(path: Path) -> None:
    catalog = read_po(BytesIO(TEMPLATES[path]))
    assert [error for message in catalog for error in message.check(catalog)] == []


def raised_patterns() -> Iterator[tuple[str, set[str], set[str]]]:
    """Each message of an error in the source, with the values that it names and those that it gets."""
    own = {"path", "state", "current", "wait"}
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
                passed = {keyword.arg or "**" for keyword in node.keywords} - own
                if node.args and isinstance(node.args[0], ast.Constant) and "**" not in passed:
                    message = str(node.args[0].value)
                    yield f"{path.name}:{node.lineno} {message}", {*re.findall(r"%\((\w+)\)", message)}, passed


def test_an_underscore_translates_and_never_only_marks() -> None:
    modules = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    assert [name for name, text in modules.items() if "gettext_noop as" in text or "gettext as N_" in text] == []


def test_every_error_gets_the_values_of_its_message() -> None:
    raised = list(raised_patterns())
    assert len(raised) > 400
    assert [where for where, named, passed in raised if named != passed] == []


def test_values_fill_in_a_text() -> None:
    assert gettext("%(name)s passes", name="50%") == "50% passes"
    assert gettext("100% sure") == "100% sure"
    assert [ngettext("%(num)d trick", "%(num)d tricks", number) for number in (1, 2)] == ["1 trick", "2 tricks"]
    assert pgettext("card", "Spade") == "Spade"


def test_a_minus_is_no_hyphen_and_zero_has_one_sign() -> None:
    assert [signed(number) for number in (0.5, -0.5, 0.0, -0.001)] == ["+0.50", "−0.50", "+0.00", "+0.00"]
    assert signed(-0.1149, 3) == "−0.115"


def test_a_new_language_clears_the_caches_of_texts() -> None:
    """Rule cards, presets and lessons are cached; all of them follow the language."""
    rules = preset("club")
    english = (clause_text(rules, "players"), find_preset("club").title, lessons()[0].title)
    with pseudo_language():
        assert (clause_text(rules, "players"), find_preset("club").title, lessons()[0].title) == tuple(
            f"⟦{text}⟧" for text in english
        )
    assert (clause_text(rules, "players"), find_preset("club").title, lessons()[0].title) == english
