# Two commands for everybody:   make play   and   make test.
# Each works alone on a fresh clone with Python 3.11+ and make.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt

# whatever the machine is used to: a server of which nothing is compiled yet takes twice as long to start
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test ready check chromium format constraints requirements sbom audit clean

play: .venv/play.ready  ## set up, and open a browser at a table with bots
	@$(BIN)/leftbower serve --open

test:  ## set up, check, and run every test: three at a time, as many of them wait for others
	@$(MAKE) --no-print-directory -j 3 ready
	@$(BIN)/python -m pytest -n 3 --dist loadgroup -m unmeasured
	@COVERAGE_FILE=.venv/.coverage $(BIN)/python -m pytest -n 2 --dist loadgroup -m 'not unmeasured' --cov --cov-report= $(MEASURED)
	@COVERAGE_FILE=.venv/.coverage $(BIN)/python -m coverage report --fail-under=100

ready: check chromium .venv/compiled  ## all that tests need, at once: each waits for something else

# other folders have no tests of this kind, and take their time to be read (see tests/conftest.py)
MEASURED := tests/rules tests/engine tests/notation

check: .venv/test.ready  ## style and types
	@$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . && $(BIN)/mypy

chromium:  ## a browser for the tests that need one, where it may be installed
	@command -v chromium >/dev/null || { test -f /etc/debian_version && test "$$(id -u)" = 0 && export DEBIAN_FRONTEND=noninteractive \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
		|| echo "Chromium is not here and could not be installed (that takes Debian, and root): tests in a browser are skipped."

format: .venv/test.ready  ## let ruff put the code in order
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

constraints: .venv/test.ready  ## pin today's versions of everything we depend on
	@$(BIN)/uv export --quiet --all-extras --no-emit-project --no-hashes --no-emit-index-url --no-header \
		--no-annotate --format requirements-txt --upgrade > constraints.txt.new && mv constraints.txt.new constraints.txt
	@rm -f uv.lock
	@$(MAKE) --no-print-directory requirements

# one hash for each file of a release, so a container of any kind of machine can check what it downloads
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url -c constraints.txt
BUILD_REQUIRES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

requirements: .venv/bin/uv  ## pin by version and hash what a server installs and what builds leftbower
	@$(COMPILE) --extra server --extra postgresql pyproject.toml > requirements.txt.new && mv requirements.txt.new requirements.txt
	@$(BIN)/python -c '$(BUILD_REQUIRES)' | $(COMPILE) - > requirements-build.txt.new && mv requirements-build.txt.new requirements-build.txt

SBOM := dist/leftbower.cdx.json

sbom: .venv/release.ready  ## list what a server installs, as CycloneDX JSON in dist/
	@rm -rf build/sbom && mkdir -p dist && $(BIN)/uv venv --quiet --python $(BIN)/python build/sbom
	@$(BIN)/uv pip install --quiet --python build/sbom --require-hashes --only-binary :all: -r requirements.txt
	@$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o $(SBOM) build/sbom && echo $(SBOM)

audit: .venv/release.ready  ## look up known vulnerabilities of everything pinned with a hash; needs the network
	@$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements.txt -r requirements-build.txt

clean:
	rm -rf .venv build dist src/*.egg-info src/leftbower/kernel/*.so

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "leftbower needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv

# an editable install goes on running the old compiled kernel unless it is built again when its source changes
KERNEL := setup.py src/leftbower/kernel/search.py

.venv/play.ready: .venv/bin/uv pyproject.toml constraints.txt $(KERNEL)
	@$(UV) --reinstall-package leftbower -e '.[server]' && touch $@

.venv/test.ready: .venv/bin/uv pyproject.toml constraints.txt $(KERNEL)
	@$(UV) --reinstall-package leftbower -e '.[test]' && touch $@ .venv/play.ready

.venv/release.ready: .venv/bin/uv pyproject.toml constraints.txt
	@$(UV) -e '.[release]' && touch $@

# all that tests import, compiled once, while one core looks at types; else every process of theirs does it at its start
.venv/compiled: .venv/test.ready
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null; touch $@
