"""Gather the translatable texts of each area in a catalog template, src/leftbower/locale/AREA.pot.

    python scripts/messages.py            write the templates
    python scripts/messages.py --check    change nothing; fail if one is out of date

Add a language with Babel: `pybabel init -i src/leftbower/locale/table.pot -d src/leftbower/locale -D table -l de`.
"""

import ast
import sys
import tomllib
from argparse import ArgumentParser
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po

PACKAGE: Final = Path(__file__).resolve().parents[1] / "src" / "leftbower"
LOCALE: Final = PACKAGE / "locale"
AREAS: Final = {
    "table": ("web/table", "web/templates/table", "notation", "table", "engine"),
    "event": ("web/event", "web/season", "web/templates/event", "web/templates/season", "tournament", "printing"),
    "rules": ("rules", "web/rules", "web/templates/rules"),
    "learn": ("players", "web/learn", "web/templates/learn"),
    "site": ("web", "server"),
}
"""Folders of each area; a file belongs to the first that holds it."""
ERRORS: Final = "errors"
"""The messages of errors have a template of their own, wherever they are raised."""
ERROR_MAKERS: Final[dict[str, tuple[int | tuple[int, str], ...] | None]] = {"exceeded": (2,)}
"""Which argument of other functions and classes is the message of an error."""
KEYWORDS: Final[dict[str, tuple[int | tuple[int, str], ...] | None]] = {
    "_": None,
    "gettext": None,
    "gettext_noop": None,
    "N_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "option": (2,),
}
"""Functions and the places of their texts; the last declares an option of the rules, with its question."""
TOML_TEXTS: Final = frozenset(["title", "about", "says", "means", "text", "question", "refused_reply"])
"""What people read in TOML files: presets and clauses of rules, lessons. `singular` stands beside its plural."""
TOML_TABLES_OF_TEXTS: Final = frozenset(["right", "wrong", "otherwise", "start"])
"""Tables of TOML with nothing but texts, such as the replies to the answers of a lesson."""
TOML_FILES_OF_TEXTS: Final = frozenset(["labels.toml", "phrases.toml"])
"""The same for whole files, whose tables have texts only."""
HEADER: Final = rb"""msgid ""
msgstr ""
"MIME-Version: 1.0\n"
"Content-Type: text/plain; charset=utf-8\n"
"Content-Transfer-Encoding: 8bit\n"

"""
TEMPLATE_OPTIONS: Final = {
    "extensions": "leftbower.web.render.LayoutRemover",
    "trimmed": "true",
    "silent": "false",
}


def main() -> int:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a template is out of date")
    check = parser.parse_args().check
    stale = [path for path, text in templates().items() if not path.exists() or path.read_bytes() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(PACKAGE.parents[1])} is out of date; run make messages")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(templates()[path])
    return check and bool(stale)


def templates() -> dict[Path, bytes]:
    """The text of each catalog template by its path."""
    catalogs = {area: Catalog(charset="utf-8") for area in (*AREAS, ERRORS)}
    for path in sorted(path for kind in ("py", "html", "toml") for path in PACKAGE.rglob(f"*.{kind}")):
        name = path.relative_to(PACKAGE).as_posix()
        for area, keywords in ((area_of(name), KEYWORDS), (ERRORS, error_keywords())):
            for text, context, comments in texts(path, keywords):
                catalogs[area].add(text, locations=[(name, 1)], context=context, auto_comments=comments)
    return {LOCALE / f"{area}.pot": as_bytes(catalog) for area, catalog in catalogs.items()}


def texts(
    path: Path, keywords: dict[str, tuple[int | tuple[int, str], ...] | None]
) -> Iterator[tuple[str | tuple[str, ...], str | None, list[str]]]:
    """The translatable texts of a module or template, each with its context and the comments for translators."""
    if path.suffix == ".toml":
        if keywords is KEYWORDS:
            page = tomllib.loads(path.read_text(encoding="utf-8"))
            is_whole = path.name in TOML_FILES_OF_TEXTS
            found = [text for table in page.values() for text in table.values()] if is_whole else toml_texts(page)
            yield from ((text, None, []) for text in found)
        return
    method, options = ("python", {}) if path.suffix == ".py" else ("jinja2", TEMPLATE_OPTIONS)
    with path.open("rb") as file:
        for _, text, comments, context in extract(
            method, file, keywords=keywords, comment_tags=("Translators:",), options=options, strip_comment_tags=True
        ):
            yield text, context, comments


def toml_texts(page: dict[str, Any]) -> Iterator[str | tuple[str, str]]:
    for key, value in page.items():
        if key in TOML_TEXTS:
            yield (page["singular"], value) if "singular" in page else value
        elif key in TOML_TABLES_OF_TEXTS:
            yield from (
                text for part in value.values() for text in (part.values() if isinstance(part, dict) else [part])
            )
        else:
            for part in value if isinstance(value, list) else [value]:
                yield from toml_texts(part) if isinstance(part, dict) else ()


def area_of(name: str) -> str:
    """Modules outside of all areas have no texts but those of errors."""
    return next((area for area, folders in AREAS.items() if name.startswith(tuple(f"{f}/" for f in folders))), ERRORS)


def error_keywords() -> dict[str, tuple[int | tuple[int, str], ...] | None]:
    """The classes of errors whose first argument is their message, and functions that make errors."""
    tree = ast.parse((PACKAGE / "errors.py").read_text(encoding="utf-8"))
    classes = {node.name: (1,) for node in tree.body if isinstance(node, ast.ClassDef) and takes_message(node)}
    return {**classes, **ERROR_MAKERS}


def takes_message(node: ast.ClassDef) -> bool:
    inits = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"]
    return all(init.args.args[1].arg == "message" for init in inits)


def as_bytes(catalog: Catalog) -> bytes:
    """The catalog without dates and line numbers: it changes only when a text does."""
    file = BytesIO()
    write_po(file, catalog, width=100, sort_by_file=True, omit_header=True, include_lineno=False)
    return HEADER + file.getvalue()


if __name__ == "__main__":
    sys.exit(main())
