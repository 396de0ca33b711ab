"""Format the web package's templates (djhtml), styles (cssbeautifier) and scripts (jsbeautifier).

`python scripts/format_web.py` rewrites files; `--check` lists unformatted ones and exits with status 1.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

import cssbeautifier
import jsbeautifier
from djhtml.modes import DjHTML

WEB = Path(__file__).resolve().parents[1] / "src" / "leftbower" / "web"
INDENT = 2
MAX_LINE_LENGTH = 120


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is not formatted")
    check = parser.parse_args().check
    problems = [problem for path in web_files() for problem in format_file(path, check=check)]
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


def web_files() -> list[Path]:
    return sorted([*WEB.glob("templates/**/*.html"), *WEB.glob("static/*.css"), *WEB.glob("static/*.mjs")])


def format_file(path: Path, *, check: bool) -> list[str]:
    """Write the formatted file, or only compare; returns the problems."""
    source = path.read_text(encoding="utf-8")
    formatted = FORMATTERS[path.suffix](source)
    name = path.relative_to(WEB.parents[2])
    if source != formatted and not check:
        path.write_text(formatted, encoding="utf-8")
    problems = [f"{name}: not formatted; run make format"] if check and source != formatted else []
    for number, line in enumerate(formatted.splitlines(), 1):
        if len(line) > MAX_LINE_LENGTH:
            problems.append(f"{name}:{number}: longer than {MAX_LINE_LENGTH} characters")
    return problems


def format_template(source: str) -> str:
    return DjHTML(source).indent(INDENT).rstrip("\n") + "\n"


def format_style(source: str) -> str:
    options = cssbeautifier.default_options()
    options.indent_size = INDENT
    options.end_with_newline = True
    return cssbeautifier.beautify(source, options)


def format_script(source: str) -> str:
    options = jsbeautifier.default_options()
    options.indent_size = INDENT
    options.brace_style = "collapse,preserve-inline"
    options.max_preserve_newlines = 2
    options.end_with_newline = True
    return jsbeautifier.beautify(source, options)


FORMATTERS = {".html": format_template, ".css": format_style, ".mjs": format_script}

if __name__ == "__main__":
    sys.exit(main())
