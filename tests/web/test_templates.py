"""Templates and static files: their layout costs nothing, and every file that a page names exists."""

import json
import re
from pathlib import Path
from typing import Final

import pytest
from jinja2 import Environment

from leftbower.web.render import LayoutRemover
from leftbower.web.static_files import BUNDLES

WEB: Final = Path(__file__).parents[2] / "src" / "leftbower" / "web"
TEMPLATES: Final = sorted(WEB.glob("templates/**/*.html"))
STATIC: Final = WEB / "static"
_BLOCK_TAG: Final = re.compile(
    r"<(?:article|details|div|fieldset|footer|form|header|li|main|nav|ol|p|section|table|tr|ul)\b"
)


def rendered(source: str, **context: object) -> str:
    return Environment(extensions=[LayoutRemover], autoescape=True).from_string(source).render(**context)


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("<ul>\n  <li>\n    a\n  </li>\n</ul>\n", "<ul><li>a</li></ul>"),
        ("<p>\n  one\n  two {{ n }}\n  {{ n }}\n</p>", "<p>one two 3 3</p>"),
        ("<b>a</b> <i>b</i>", "<b>a</b> <i>b</i>"),
        ('<b>a</b>{{ " " }}\n<i>b</i>', "<b>a</b> <i>b</i>"),
        ("{% if n > 2 %}\n  <p>x</p>\n{% endif %}\n{# why\n   so #}\ny", "<p>x</p>y"),
        (
            '<a\n  class="{{ "b" if n > 2 }}"\n  {% if n %} hidden{% endif %}\n  href="c"\n>\n  x\n</a>',
            '<a class="b" hidden href="c">x</a>',
        ),
        ("{{ [n,\n  n]|join('\n') }}", "3\n3"),
    ],
)
def test_layout_is_removed_and_written_spaces_stay(source: str, html: str) -> None:
    assert rendered(source, n=3) == html


def test_errors_keep_their_line_numbers() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        rendered("<p>\n\n  a\n</p>\n{{ n // 0 }}", n=1)
    assert caught.traceback[-1].lineno == 4  # counted from 0


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_says_what_it_shows_and_needs_one_tag_a_line(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    header = source[: source.index("#}")]
    assert header.startswith("{# ")
    assert "Needs:" in header or path.name in ("macros.html", "parts.html")
    assert [line for line in source.splitlines() if len(_BLOCK_TAG.findall(line)) > 1] == []


def test_every_static_file_exists_that_a_page_names() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    scripts = "".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.mjs"))
    manifest = json.loads((STATIC / "app.webmanifest").read_text(encoding="utf-8"))
    named = {
        *re.findall(r'static_url\("([^"]+)"\)', pages),
        *re.findall(r"'\./([a-z_]+\.mjs)'", scripts),
        *(icon["src"] for icon in manifest["icons"]),
        *(part for parts in BUNDLES.values() for part in parts),
        *("robots.txt", "service_worker.mjs"),
        *(
            f"{kind}.{suffix}" for kind in ("phone", "wall") for suffix in ("css", "mjs")
        ),  # by `kind` of an event's page
    }
    assert named == {*(path.name for path in STATIC.iterdir()), *BUNDLES}
