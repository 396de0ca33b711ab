"""MkDocs hooks: add the Markdown files of the repository's root to the site, and rewrite links between them.

A link that GitHub can follow, such as `../../ARCHITECTURE.md` in a page or `docs/program/errors.md` in
ARCHITECTURE.md, becomes the link of the site. A link to a file that is not on the site, such as the Dockerfile,
becomes its text; a link to a file that does not exist is an error.
"""

import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).parents[1]
ROOT_PAGES: Final = {
    "ARCHITECTURE.md": "how-it-works/architecture.md",
    "CONTRIBUTING.md": "how-it-works/contributing.md",
    "SECURITY.md": "how-it-works/security-policy.md",
    "CHANGELOG.md": "how-it-works/changelog.md",
}
"""Files of the root and their pages."""

_FENCE: Final = re.compile(r"^( *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
_LIST_INDENT: Final = re.compile(r"^ {3}(?=\S| )", re.MULTILINE)


def on_files(files: Files, *, config: Any) -> Files:
    """Add the files of the root as pages."""
    for name, page in ROOT_PAGES.items():
        text = _LIST_INDENT.sub("    ", (ROOT / name).read_text(encoding="utf-8"))  # Python-Markdown needs four spaces
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Rewrite the links of a page, except in code blocks."""
    source = _repository_path(page.file.src_uri)
    parts = _FENCE.split(markdown)
    parts[::2] = [_LINK.sub(lambda link: _site_link(link, source, page.file.src_uri), part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, *, page: Any, config: Any, files: Files) -> str:
    """Mark columns with names of tests, which would otherwise squeeze the others."""
    return html.replace("<th>test</th>", '<th class="tests">test</th>')


def _repository_path(page: str) -> str:
    for name, target in ROOT_PAGES.items():
        if target == page:
            return name
    return f"docs/{page}"


def _site_link(link: re.Match[str], source: str, page: str) -> str:
    text, target, anchor = link.groups(default="")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    if not (ROOT / path).exists():
        raise PluginError(f"{source}: no file {path}")
    on_site = ROOT_PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
    if on_site is None:
        return text
    return f"[{text}]({posixpath.relpath(on_site, posixpath.dirname(page) or '.')}{anchor})"
