"""scripts/release.py refuses a release whose version, changelog, tree, branch or tag is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "release.py"
IDENTITY = ("-c", "user.name=Test", "-c", "user.email=test@localhost")


def git(root: Path, *words: str) -> None:
    """Run git in a repository, without a person's settings."""
    subprocess.run(["git", *IDENTITY, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository from which 1.2.0 can be released."""
    git(tmp_path, "init", "--initial-branch", "main")
    git(tmp_path, "config", "user.name", "Test")
    git(tmp_path, "config", "user.email", "test@localhost")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "leftbower"\nversion = "1.2.0"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0 (2026-11-18)\n\n- All.\n", encoding="utf-8")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--message", "Release 1.2.0")
    return tmp_path


def release(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the script on a repository."""
    command = [sys.executable, str(SCRIPT), *words, "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_release_that_fits_is_ready_and_tagged_once(repository: Path) -> None:
    """The check changes nothing; the tag is annotated; a second one is refused."""
    assert release(repository, "1.2.0").stdout == "leftbower 1.2.0 is ready to tag\n"
    assert release(repository, "1.2.0", "--tag").returncode == 0
    again = release(repository, "1.2.0", "--tag")
    assert (again.returncode, again.stderr) == (1, "release: the tag v1.2.0 exists already\n")


@pytest.mark.parametrize(
    ("version", "file", "text", "problem"),
    [
        ("1.2", "", "", "1.2 is not a version like 1.2.3 or 1.2.3rc1"),
        ("1.3.0", "", "", "pyproject.toml says 1.2.0, not 1.3.0"),
        ("1.3.0", "", "", "the newest entry of CHANGELOG.md is 1.2.0, not 1.3.0"),
        ("1.2.0", "CHANGELOG.md", "# Changelog\n", "CHANGELOG.md has no entry like '## 1.2.3 (2026-01-31)'"),
        (
            "1.2.0",
            "CHANGELOG.md",
            "## 1.2.0 (unreleased)\n",
            "the entry 1.2.0 of CHANGELOG.md has no date: (unreleased)",
        ),
        ("1.2.0", "notes.txt", "draft", "1 file is not committed"),
    ],
)
def test_a_release_that_does_not_fit_is_refused(
    repository: Path, version: str, file: str, text: str, problem: str
) -> None:
    """Every problem is one sentence; status 1; no tag is created."""
    if file:
        (repository / file).write_text(text, encoding="utf-8")
    refused = release(repository, version, "--tag")
    assert refused.returncode == 1
    assert f"release: {problem}" in refused.stderr.splitlines()
    tags = subprocess.run(["git", "tag"], cwd=repository, capture_output=True, text=True, check=True)
    assert tags.stdout == ""


def test_a_release_is_made_on_main(repository: Path) -> None:
    """A branch or a detached commit is refused by name."""
    git(repository, "switch", "--create", "topic")
    assert "release: releases are made on main, not on topic" in release(repository, "1.2.0").stderr
    git(repository, "switch", "--detach")
    assert "not on a detached commit" in release(repository, "1.2.0").stderr
