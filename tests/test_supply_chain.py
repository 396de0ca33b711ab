"""The supply chain: packages pinned by version and hash, an image that installs nothing else, an SBOM, workflows."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
HASHED = ("requirements.txt", "requirements-build.txt")
EXTRAS = ("server", "postgresql")
PINNED_ACTION = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


class Pin(NamedTuple):
    """One version of a package, with the hashes of the files that may be installed."""

    version: str
    hashes: frozenset[str]
    applies: bool
    """Does its marker apply on this machine?"""


def pins(path: Path) -> dict[str, list[Pin]]:
    """The pins of a requirements file by package name; a package may have one for each Python version."""
    found: dict[str, list[Pin]] = {}
    for entry in path.read_text().replace("\\\n", " ").splitlines():
        text, *hashes = entry.split(" --hash=")
        requirement = Requirement(text.strip())
        [specifier] = requirement.specifier
        assert specifier.operator == "==", entry
        applies = requirement.marker is None or requirement.marker.evaluate()
        pin = Pin(specifier.version, frozenset(digest.strip() for digest in hashes), applies)
        found.setdefault(canonicalize_name(requirement.name), []).append(pin)
    return found


def dependencies(name: str, extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The direct dependencies of an installed package with these extras on this machine, with their extras."""
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        if not requirement.marker or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield canonicalize_name(requirement.name), tuple(sorted(requirement.extras))


def closure(name: str, extras: tuple[str, ...]) -> set[str]:
    """All packages that an installed package needs, directly or indirectly."""
    waiting, packages = [(name, extras)], set[tuple[str, tuple[str, ...]]]()
    while waiting:
        for needed in dependencies(*waiting.pop()):
            if needed not in packages:
                packages.add(needed)
                waiting.append(needed)
    return {needed for needed, _ in packages}


def test_every_package_of_a_server_is_pinned_with_a_hash() -> None:
    """Everything `leftbower[server,postgresql]` needs on this machine according to package metadata, and nothing
    else."""
    pinned = {name for name, found in pins(ROOT / "requirements.txt").items() if any(pin.applies for pin in found)}
    assert pinned == closure("leftbower", EXTRAS)
    assert {"fastapi", "uvicorn", "asyncpg", "argon2-cffi-bindings"} <= pinned


def test_every_build_package_is_pinned_with_a_hash() -> None:
    """The build requirements of pyproject.toml and their dependencies, and nothing else."""
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    names = {canonicalize_name(Requirement(text).name) for text in requires}
    needed = names.union(*(closure(name, ()) for name in names))
    assert set(pins(ROOT / "requirements-build.txt")) == needed


@pytest.mark.parametrize("name", HASHED)
def test_pins_with_hashes_have_the_versions_of_the_constraints(name: str) -> None:
    """`make requirements` was run after constraints.txt changed; each pin has hashes of SHA-256."""
    constraints = pins(ROOT / "constraints.txt")
    for package, found in pins(ROOT / name).items():
        assert {pin.version for pin in found} <= {pin.version for pin in constraints[package]}, package
        for pin in found:
            assert pin.hashes, package
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in pin.hashes), package


@pytest.mark.parametrize("name", [*HASHED, "constraints.txt", "Dockerfile", "Makefile"])
def test_no_file_that_installs_names_an_index_or_a_folder(name: str) -> None:
    """Packages come from any index; the hash decides whether they are the right ones."""
    text = (ROOT / name).read_text().replace("http://127.0.0.1:8000/healthz", "")
    assert not re.search(r"://|--(extra-)?index-url|--find-links|--trusted-host| @ ", text)


def test_no_lock_file_is_committed() -> None:
    """uv.lock names the index of the machine that made it."""
    assert "uv.lock" in (ROOT / ".gitignore").read_text().split()


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with their arguments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line.strip())]


def test_the_image_installs_only_what_a_hash_checks() -> None:
    """Each pip command reads a file of hashes and builds nothing, or has no index and installs only leftbower."""
    commands = [shlex.split(part) for word, rest in instructions() if word == "RUN" for part in rest.split("&&")]
    pip = [command for command in commands if command[0] == "pip" and command[1] != "check"]
    hashed = [command for command in pip if "--require-hashes" in command]
    assert [Path(command[command.index("-r") + 1]).name for command in hashed] == [*reversed(HASHED)]
    for command in hashed:
        assert command[-4:-2] == ["--only-binary", ":all:"]
    own = [command for command in pip if command not in hashed]
    assert [command[1] for command in own] == ["wheel", "install"]
    for command in own:
        assert {"--no-index", "--no-deps"} <= set(command)
    assert "--no-build-isolation" in own[0]


def test_the_image_is_built_from_existing_files_and_not_as_root() -> None:
    """Copied files exist and are not ignored; the last user has no privileges."""
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert ignored[0] == "*"
    copied = [rest.split() for word, rest in instructions() if word == "COPY"]
    for *sources, _ in copied:
        for source in sources if not sources[0].startswith("--from=") else ():
            assert (ROOT / source).exists()
            assert {f"!{source}", f"!{source.partition('.')[0].partition('-')[0]}*.txt"} & set(ignored), source
    assert [rest for word, rest in instructions() if word == "USER"] == ["leftbower"]


def uv(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run uv; skip the test if its index can't be reached."""
    done = subprocess.run([BIN / "uv", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    if re.search(r"Failed to fetch|network was disabled|Could not connect", done.stderr):
        pytest.skip("no package index can be reached")
    return done


def install(requirements: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Install a file of hashes into a fresh environment, as `make sbom` does."""
    assert uv("venv", "--quiet", "--python", sys.executable, folder).returncode == 0
    words = ("--require-hashes", "--only-binary", ":all:", "-r", requirements)
    return uv("pip", "install", "--quiet", "--python", folder, *words)


def test_a_package_that_does_not_match_its_hash_is_not_installed(tmp_path: Path) -> None:
    """With the hashes of one package changed, nothing at all is installed."""
    changed, count = re.subn(
        r"(?m)(^click==.*\n(?:    --hash.*\n)+)",
        lambda entry: re.sub(r"sha256:.{8}", "sha256:00000000", entry[0]),
        (ROOT / "requirements.txt").read_text(),
    )
    assert count == 1
    (tmp_path / "requirements.txt").write_text(changed)
    done = install(tmp_path / "requirements.txt", tmp_path / "venv")
    assert done.returncode != 0
    assert "Hash mismatch for `click==" in done.stderr
    assert uv("pip", "list", "--quiet", "--python", tmp_path / "venv").stdout == ""


def test_the_sbom_is_valid_and_lists_what_is_installed(tmp_path: Path) -> None:
    """CycloneDX 1.6 by its schema: every pinned package with its version, and nothing about this machine."""
    done = install(ROOT / "requirements.txt", tmp_path / "venv")
    assert done.returncode == 0, done.stderr
    words = ("environment", "--pyproject", "pyproject.toml", "--output-reproducible", "-o", tmp_path / "sbom.json")
    assert f"cyclonedx-py {' '.join(words[:4])} -o $(SBOM) build/sbom" in (ROOT / "Makefile").read_text()
    subprocess.run([BIN / "cyclonedx-py", *words, tmp_path / "venv"], cwd=ROOT, check=True, capture_output=True)
    text = (tmp_path / "sbom.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    for trace in (str(tmp_path), str(ROOT), str(BIN), f"//{os.uname().nodename}", "file:", "/home/", "/root/"):
        assert trace not in text
    sbom: dict[str, Any] = json.loads(text)
    root = sbom["metadata"]["component"]
    assert (root["name"], root["version"]) == ("leftbower", version("leftbower"))
    listed = {canonicalize_name(package["name"]): package["version"] for package in sbom["components"]}
    pinned = pins(ROOT / "requirements.txt")
    assert set(listed) == closure("leftbower", EXTRAS)
    assert all(number in {pin.version for pin in pinned[name]} for name, number in listed.items())
    assert all(package["purl"].startswith("pkg:") for package in sbom["components"])


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_a_workflow_may_only_read_and_its_actions_are_pinned(path: Path) -> None:
    """YAML that parses, permissions to read, time limits, no stored credentials, actions by commit."""
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in workflow[True]  # YAML 1.1 reads the key `on` as true
    for job in workflow["jobs"].values():
        assert "permissions" not in job
        assert job["timeout-minutes"] <= 60
        checkouts = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert [step["with"]["persist-credentials"] for step in checkouts] == [False]
        assert not [step for step in job["steps"] if "${{" in step.get("run", "")]
    uses = re.findall(r"uses: (.*)", path.read_text())
    assert uses
    assert [action for action in uses if not PINNED_ACTION.fullmatch(action)] == []


def test_workflows_run_the_tests_and_the_audit() -> None:
    """`make test` on every push, `make audit` also once a week."""
    tests, security = (
        yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text()) for name in ("ci.yml", "security.yml")
    )
    assert {"run": "make test"} in tests["jobs"]["test"]["steps"]
    assert "3.11" in tests["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert {"run": "make audit"} in security["jobs"]["audit"]["steps"]
    assert "schedule" in security[True]
    recipe = (ROOT / "Makefile").read_text()
    assert "pip-audit --strict --require-hashes --disable-pip -r requirements.txt -r requirements-build.txt" in recipe
