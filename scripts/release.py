"""Check that a release can be made, and tag it.

    python scripts/release.py 1.0.0          check, and print what is wrong
    python scripts/release.py 1.0.0 --tag    check, then create the annotated tag v1.0.0

The version must be the one in pyproject.toml, the changelog must begin with that version and a date, the work tree must
be clean on main, and the tag must be new. Nothing is pushed or uploaded.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
_VERSION: Final = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")
_ENTRY: Final = re.compile(r"^## (\S+) \(([^)]+)\)$", re.MULTILINE)


def problems(root: Path, version: str) -> Iterator[str]:
    """Every reason not to release this version, one sentence each."""
    if not _VERSION.fullmatch(version):
        yield f"{version} is not a version like 1.2.3 or 1.2.3rc1"
    declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if declared != version:
        yield f"pyproject.toml says {declared}, not {version}"
    yield from _changelog_problems((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    yield from _git_problems(root, version)


def _changelog_problems(changelog: str, version: str) -> Iterator[str]:
    entry = _ENTRY.search(changelog)
    if entry is None:
        yield "CHANGELOG.md has no entry like '## 1.2.3 (2026-01-31)'"
        return
    newest, released = entry.groups()
    if newest != version:
        yield f"the newest entry of CHANGELOG.md is {newest}, not {version}"
    try:
        date.fromisoformat(released)
    except ValueError:
        yield f"the entry {newest} of CHANGELOG.md has no date: ({released})"


def _git_problems(root: Path, version: str) -> Iterator[str]:
    changes = _git(root, "status", "--porcelain")
    if changes:
        number = len(changes.splitlines())
        yield f"{number} files are not committed" if number > 1 else "1 file is not committed"
    branch = _git(root, "branch", "--show-current")
    if branch != "main":
        yield f"releases are made on main, not on {branch or 'a detached commit'}"
    if _git(root, "tag", "--list", f"v{version}"):
        yield f"the tag v{version} exists already"


def _git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    """Print every problem and exit with status 1, or print that the release is ready."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("version", help="the version to release, such as 1.0.0")
    parser.add_argument("--tag", action="store_true", help="create the tag if there are no problems")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    found = list(problems(options.root, options.version))
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    if found:
        sys.exit(1)
    if options.tag:
        _git(options.root, "tag", "--annotate", f"v{options.version}", "--message", f"leftbower {options.version}")
        print(f"tagged v{options.version}; push it with: git push origin v{options.version}")
    else:
        print(f"leftbower {options.version} is ready to tag")


if __name__ == "__main__":
    main()
