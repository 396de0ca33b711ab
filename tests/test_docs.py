"""The documentation is true: its commands are run, and every command, option and error code is in it.

`LEFTBOWER_WRITE_DOCS=1 pytest tests/test_docs.py` writes the present output of every command into its block.
"""

import ast
import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from leftbower import errors
from leftbower.server.app import create_app
from leftbower.server.expiry import Lifetimes
from leftbower.server.quotas import Quotas
from leftbower.server.settings import Settings
from leftbower.store.memory import MemoryStore

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md"))]
ROOT_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
BLOCK = re.compile(r"```console\n\$ (?P<program>leftbower|python -m \w+) (?P<words>.*)\n(?P<output>(?:.*\n)*?)```\n")
WRITE = os.environ.get("LEFTBOWER_WRITE_DOCS") == "1"
Programs = Mapping[str, Callable[..., Any]]


@pytest.fixture
def programs(
    leftbower: Callable[..., Any],
    run_proofs: Callable[..., Any],
    run_benchmarks: Callable[..., Any],
    run_training: Callable[..., Any],
) -> Programs:
    """Every command line, as pages show it."""
    checkout = {"proofs": run_proofs, "benchmarks": run_benchmarks, "training": run_training}
    return {"leftbower": leftbower} | {f"python -m {name}": run for name, run in checkout.items()}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_on_a_page_prints_what_the_page_shows(
    page: str, programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader who types what a page shows sees what the page shows."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(ROOT)

    def with_output(block: re.Match[str]) -> str:
        program, words = block["program"], block["words"]
        return f"```console\n$ {program} {words}\n{programs[program](*shlex.split(words)).stdout}```\n"

    text = (ROOT / page).read_text()
    now = BLOCK.sub(with_output, text)
    if WRITE:
        (ROOT / page).write_text(now)
    else:
        assert now == text


def commands(words: tuple[str, ...], run: Callable[..., Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every command below `words` with its help."""
    text = run(*words, "--help").stdout
    yield words, text
    _, _, listed = text.partition("Commands:\n")
    for name in re.findall(r"^  (\S+)", listed.split("\n\n")[0], re.MULTILINE):
        yield from commands((*words, name), run)


def test_every_command_and_option_is_documented(programs: Programs, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/program/commands.md shows the help of every command, and so every option; each help has an example."""
    monkeypatch.setenv("COLUMNS", "100")
    page = (ROOT / "docs" / "program" / "commands.md").read_text()
    for program, run in programs.items():
        documented = list(commands((), run))
        assert len(documented) > 3
        for words, text in documented:
            assert f"$ {program} {' '.join((*words, '--help'))}\n{text}" in page
            assert "Example" in text or "Commands:" in text


def test_the_installed_command_has_nothing_of_the_checkout(leftbower: Callable[..., Any]) -> None:
    """Proofs, benchmarks and training are run from the repository, and are no commands of `leftbower`."""
    names = {words[0] for words, _ in commands((), leftbower) if words}
    assert not names & {"bench", "prove", "fit", "benchmarks", "proofs", "training"}


def every_error(root: type[errors.LeftbowerError]) -> Iterator[type[errors.LeftbowerError]]:
    """The errors below a class that have a code of their own."""
    for kind in root.__subclasses__():
        if "code" in vars(kind):
            yield kind
        yield from every_error(kind)


def test_every_error_is_documented_once_with_its_class() -> None:
    """docs/program/errors.md has one row for each code, and no row for a code there is not."""
    rows = re.findall(
        r"^\| `([a-z-]+)` \| `(\w+)` \|", (ROOT / "docs" / "program" / "errors.md").read_text(), re.MULTILINE
    )
    assert sorted(rows) == sorted((kind.code, kind.__name__) for kind in every_error(errors.LeftbowerError))
    codes = [code for code, _ in rows]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("way_in", ["play", "tournament", "server", "program"])
def test_every_way_in_is_one_click_from_the_readme(way_in: str) -> None:
    """Players, organizers, operators and programmers each have a landing page."""
    page = f"docs/{way_in}/index.md"
    assert page in links("README.md")
    assert len(links(page)) >= 4


def test_every_page_is_reached_from_the_readme_in_two_clicks() -> None:
    """The README links to the pages that link to all others; nothing under docs/ is an orphan."""
    near = {page for page in links("README.md") if page in PAGES}
    reached = near.union(*(links(page) for page in near))
    assert [page for page in PAGES[1:] if page not in reached and "/reference/" not in page] == []
    assert {page for page in PAGES if "/reference/" in page} <= {
        "docs/program/reference/index.md",
        *links("docs/program/reference/index.md"),
    }


def test_the_readme_fits_on_a_screen() -> None:
    """Pictures, the two commands and a table of what is inside, in few words."""
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= 400
    assert len(re.findall(r"^!\[", text, re.MULTILINE)) >= 2
    assert re.findall(r"^    (make \w+)", text, re.MULTILINE) == ["make play", "make test"]
    assert len(re.findall(r"^\| .* \| .* \| `leftbower .*` \|$", text, re.MULTILINE)) >= 8


def test_the_changelog_has_every_version_with_its_date_newest_first() -> None:
    """Only the newest may be unreleased; its themes are the ways in and what they share."""
    text = (ROOT / "CHANGELOG.md").read_text()
    entries = re.findall(r"^## (\d+)\.(\d+)\.(\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$", text, re.MULTILINE)
    assert len(entries) == len(re.findall(r"^## ", text, re.MULTILINE)) >= 1
    versions = [tuple(map(int, version)) for *version, _ in entries]
    assert versions == sorted(versions, reverse=True)
    dates = [day for *_, day in entries]
    assert "unreleased" not in dates[1:]
    themes = re.findall(r"^### (.+)$", text.split("\n## ")[1], re.MULTILINE)
    assert {"Play", "Tournaments", "Run a server", "Program with it"} <= set(themes)


def links(page: str) -> set[str]:
    """Where the relative links of a page lead, as paths in the repository."""
    folder = (ROOT / page).parent
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text())
    return {os.path.relpath(folder / target, ROOT) for target in targets}


def test_every_link_between_pages_leads_somewhere() -> None:
    """A relative link names a file that is there; `make docs` checks the headings behind `#` too."""
    for page in [
        *PAGES,
        *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("[A-Za-z]*/README.md")),
        *ROOT_PAGES,
    ]:
        assert {target for target in links(page) if not (ROOT / target).exists()} == set(), page


def test_every_button_that_a_page_names_is_on_the_web_pages() -> None:
    """Labels stand in italics in the pages for players and organizers; `…` is a name that the page fills in."""
    web = ROOT / "src" / "leftbower" / "web"
    texts = " ".join(path.read_text() for path in [*web.rglob("*.html"), *web.rglob("*.mjs"), *web.rglob("*.py")])
    texts = " ".join(texts.split())
    pages = [*(ROOT / "docs" / "play").glob("*.md"), *(ROOT / "docs" / "tournament").glob("*.md")]
    labels = {
        " ".join(label.split())
        for page in pages
        for label in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", page.read_text())
    }
    assert len(labels) > 15
    assert [label for label in labels if not all(part.strip() in texts for part in label.split("…"))] == []


def rows_of(kind: type) -> Iterator[str]:
    """A row for each field of a dataclass: its name, its default and its docstring."""
    [defined] = ast.parse(inspect.getsource(kind)).body
    assert isinstance(defined, ast.ClassDef)
    for field, said in pairwise(defined.body):
        match field, said:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield f"| `{name}` | {getattr(kind(), name):,} | {text} |\n"


@pytest.mark.parametrize(
    ("kind", "header"),
    [(Quotas, "| quota | default | what it limits |\n"), (Lifetimes, "| lifetime | days | what expires |\n")],
)
def test_every_quota_and_lifetime_is_documented(kind: type, header: str) -> None:
    """The tables of docs/server/operate.md are those of the dataclasses."""
    page = ROOT / "docs" / "server" / "operate.md"
    text = page.read_text()
    rows = list(rows_of(kind))
    assert len(rows) == len(fields(kind()))
    before, _, rest = text.partition(f"{header}|---|---|---|\n")
    current = re.match(r"(\|.*\n)*", rest)
    assert current is not None
    if WRITE:
        page.write_text(f"{before}{header}|---|---|---|\n{''.join(rows)}{rest[current.end() :]}")
    else:
        assert current[0] == "".join(rows)


def test_every_setting_is_documented() -> None:
    """docs/server/settings.md has the key, the variable and the option of each setting."""
    page = (ROOT / "docs" / "server" / "settings.md").read_text()
    for name in Settings.model_fields:
        assert f"`{name}`" in page
        assert f"`LEFTBOWER_{name.upper()}`" in page
        assert f"`--{name.replace('_', '-')}`" in page or name in {"quotas", "lifetimes"}


def test_every_route_of_the_api_is_documented() -> None:
    """docs/program/api.md has each path with short parameters; `…/hands` is a sibling of the path before it."""
    page = (ROOT / "docs" / "program" / "api.md").read_text()
    paths = [path for path in create_app(MemoryStore()).openapi()["paths"] if path.startswith("/api/")]
    assert len(paths) > 25
    short = [re.sub(r"\{(\w)\w*\}", lambda name: name[1].upper(), path) for path in paths]
    documented = set(re.findall(r"(/api/[\w/-]+)", page))
    missing = [path for path in short if path not in documented and f"`…/{path.rpartition('/')[2]}`" not in page]
    assert missing == []
