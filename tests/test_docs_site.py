"""The documentation site builds without a warning, loads nothing from another host, and has every public name."""

import ast
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGES = {
    *("rules", "engine", "notation", "dealing", "players", "table", "tournament"),
    *("printing", "store", "kernel", "testing", "errors"),
}
REFERENCE = sorted((DOCS / "program" / "reference").glob("[!i]*.md"))
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src", "object": "data"}
"""Elements whose address a browser loads without a click."""

pytestmark = [pytest.mark.unmeasured, pytest.mark.xdist_group("docs_site")]


def build(folder: Path, *, config: Path = ROOT / "mkdocs.yml") -> subprocess.CompletedProcess[str]:
    """Build the site in strict mode, as `make docs` does; with `--quiet` MkDocs would not count warnings."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "--site-dir", str(folder)]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    finished = build(folder)
    assert finished.returncode == 0, finished.stderr
    assert "WARNING" not in finished.stderr
    return folder


class Page(HTMLParser):
    """What a page loads, where its links lead, and which anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.paragraphs: list[str] = []
        self._in_paragraph = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag in LOADED and LOADED[tag] in values:
            self.loads.append(values[LOADED[tag]])
        if tag == "link" and "canonical" not in values.get("rel", ""):
            self.loads.append(values["href"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "p":
            self._in_paragraph = True
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_paragraph &= tag != "p"

    def handle_data(self, data: str) -> None:
        if self._in_paragraph:
            self.paragraphs[-1] += data


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """Every page by its path on the site."""
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_every_page_is_on_the_site(pages: dict[str, Page]) -> None:
    sources = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")}
    root = {f"how-it-works/{name}.html" for name in ("architecture", "contributing", "security-policy", "changelog")}
    assert pages.keys() == sources | root | {"404.html"}


def test_a_page_loads_nothing_from_another_host(site: Path, pages: dict[str, Page]) -> None:
    """No script, font, style or picture of a CDN, in pages or in style sheets."""
    loaded = {address for page in pages.values() for address in page.loads}
    assert any(address.endswith(".js") for address in loaded)
    assert {address for address in loaded if urlsplit(address).netloc} == set()
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        addresses = [address.strip("\"' ") for address in re.findall(r"url\(([^)]*)", text)]
        assert [address for address in addresses if "//" in address and not address.startswith("data:")] == []
        assert "@import" not in text
    assert not any("fonts.googleapis" in path.read_text(encoding="utf-8") for path in site.rglob("*.html"))


def test_every_link_of_the_built_site_leads_to_a_page_and_a_heading(site: Path, pages: dict[str, Page]) -> None:
    """Checked on the result, API reference included, so that no rewriting hides a dead link."""
    dead = []
    for name, page in pages.items():
        if name == "404.html":
            continue  # its links begin at the root of a host
        for link in page.links:
            address, anchor = urldefrag(link)
            if urlsplit(address).scheme:
                continue
            target = (site / name).parent / unquote(address) if address else site / name
            target = target / "index.html" if target.is_dir() else target
            found = pages.get(os.path.relpath(target, site))
            if not target.exists() or (anchor and found and unquote(anchor) not in found.anchors):
                dead.append((name, link))
    assert dead == []


def test_lists_and_tables_are_rendered(pages: dict[str, Page]) -> None:
    """A list without an empty line before it would be part of a paragraph, unlike on GitHub."""
    raw = re.compile(r"^(- |\d+\. |\|)", re.MULTILINE)
    found = {
        (name, text)
        for name, page in pages.items()
        for text in page.paragraphs
        if raw.search(text) and "/reference/" not in name
    }
    assert found == set()


@pytest.mark.parametrize("page", REFERENCE, ids=lambda path: path.stem)
def test_the_reference_has_every_public_name(page: Path, pages: dict[str, Page]) -> None:
    """Of each module on a page; a name that is also a module of its package stands where it is defined."""
    anchors = pages[page.relative_to(DOCS).with_suffix(".html").as_posix()].anchors
    documented = re.findall(r"^::: (leftbower[\w.]*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    modules = [name for name in documented if isinstance(_resolve(name), ModuleType)]
    assert modules
    missing = []
    for module in modules:
        for name in public_names(module):
            defined = f"{getattr(_resolve(module, name), '__module__', '')}.{name}"
            if not {f"{module}.{name}", defined} & anchors:
                missing.append(f"{module}.{name}")
    assert missing == []


def test_the_reference_has_every_package() -> None:
    assert {page.stem for page in REFERENCE} == PACKAGES


def public_names(module: str) -> list[str]:
    """What a package exports, or what a module defines."""
    tree = ast.parse(Path(str(_resolve(module).__file__)).read_text(encoding="utf-8"))
    names = [
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == alias.asname
    ]
    names += [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    exported = getattr(_resolve(module), "__all__", None) or names
    return [name for name in exported if not name.startswith("_")]


def _resolve(module: str, name: str = "") -> Any:
    """A module, or a name in it."""
    if name:
        return getattr(import_module(module), name)
    try:
        return import_module(module)
    except ModuleNotFoundError:
        parent, _, member = module.rpartition(".")
        return getattr(import_module(parent), member)


def test_search_finds_words_of_every_section(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    sections = {entry["location"].split("/")[0] for entry in entries}
    assert {"play", "tournament", "server", "program", "how-it-works"} <= sections
    assert any("renege" in entry["text"] for entry in entries)


@pytest.mark.parametrize(
    ("link", "complaint"),
    [
        ("missing.md", "docs/play/index.md: no file docs/play/missing.md"),
        ("../../MISSING.md", "docs/play/index.md: no file MISSING.md"),
        ("../server/operate.md#no-such", "'play/index.md' contains a link '../server/operate.md#no-such', but"),
    ],
    ids=["page", "root", "heading"],
)
def test_a_dead_link_fails_the_build(link: str, complaint: str, tmp_path: Path) -> None:
    """A missing page, a missing file of the root, a missing heading."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = re.sub(r"\nnav:\n.*", "\n", config, flags=re.DOTALL)
    config = re.sub(r"\n  - mkdocstrings:\n.*?\n\n", "\n\n", config, flags=re.DOTALL)
    config = config.replace("scripts/docs_hooks.py", str(ROOT / "scripts" / "docs_hooks.py"))
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    for name, text in (("play/index.md", f"# Play\n\n[gone]({link})\n"), ("server/operate.md", "# Operate\n")):
        (tmp_path / "docs" / name).parent.mkdir(parents=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    finished = build(tmp_path / "site", config=tmp_path / "mkdocs.yml")
    assert finished.returncode == 1
    assert complaint in finished.stderr


def test_make_check_builds_the_site_in_strict_mode() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^check: .*\bdocs\b", makefile, re.MULTILINE)
    [recipe] = re.findall(r"^docs:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert "mkdocs build --strict" in recipe
    assert "--quiet" not in recipe
