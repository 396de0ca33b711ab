# Two commands to begin with: `make play` and `make test`. `make help` lists the others.
# Each works alone on a fresh clone with Python 3.11+ and make.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt

# a server without compiled bytecode takes twice as long to start
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test quick help ready check lint chromium docs format messages words constraints requirements sbom audit clean

play: .venv/play.ready  ## set up, start a server, and open a browser at a table with bots
	@$(BIN)/leftbower serve --open

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-14s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test:  ## set up, check style and types, and run every test (three workers: many tests wait for others)
	@$(MAKE) --no-print-directory -j 3 ready
	@$(BIN)/python -m pytest -n 3 --dist loadgroup -m unmeasured
	@COVERAGE_FILE=.venv/.coverage $(BIN)/python -m pytest -n 2 --dist loadgroup -m 'not unmeasured' --cov --cov-report= $(MEASURED)
	@COVERAGE_FILE=.venv/.coverage $(BIN)/python -m coverage report --fail-under=100

quick: lint  ## style, types and the tests of the pure packages, in under a minute
	@$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m 'not unmeasured' $(MEASURED)
	@$(BIN)/python -m pytest -q -n 2 --dist loadgroup tests/test_architecture.py $(PURE)

ready: check chromium .venv/compiled  ## everything tests need, prepared in parallel

# only these folders measure coverage (see tests/conftest.py); collecting the others takes time
MEASURED := tests/rules tests/engine tests/notation
PURE := tests/dealing tests/table tests/tournament

check: lint docs  ## style, types and documentation

lint: .venv/test.ready  ## style and types
	@$(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . \
		&& $(BIN)/python scripts/format_web.py --check && $(BIN)/python scripts/messages.py --check && $(BIN)/mypy

docs: .venv/test.ready  ## build the documentation site in build/docs; a dead link fails
	@mkdir -p build && NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }

chromium:  ## install a browser for the tests that need one (Debian, as root)
	@command -v chromium >/dev/null || { test -f /etc/debian_version && test "$$(id -u)" = 0 && export DEBIAN_FRONTEND=noninteractive \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
		|| echo "Chromium is missing and could not be installed (needs Debian and root): browser tests are skipped."

format: .venv/test.ready  ## format code, templates, styles and scripts
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .
	@$(BIN)/python scripts/format_web.py

messages: .venv/test.ready  ## gather the translatable texts of each area in src/leftbower/locale
	@$(BIN)/python scripts/messages.py

words: .venv/test.ready  ## measure how plainly the code speaks
	@$(BIN)/python scripts/plain_words.py

constraints: .venv/test.ready  ## pin the newest versions of every dependency
	@$(BIN)/uv export --quiet --all-extras --no-emit-project --no-hashes --no-emit-index-url --no-header \
		--no-annotate --format requirements-txt --upgrade > constraints.txt.new && mv constraints.txt.new constraints.txt
	@rm -f uv.lock
	@$(MAKE) --no-print-directory requirements

# a hash per file of a release, so that a container on any platform can verify its downloads
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url -c constraints.txt
BUILD_REQUIRES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

requirements: .venv/bin/uv  ## pin a server's packages and the build's by version and hash
	@$(COMPILE) --extra server --extra postgresql pyproject.toml > requirements.txt.new && mv requirements.txt.new requirements.txt
	@$(BIN)/python -c '$(BUILD_REQUIRES)' | $(COMPILE) - > requirements-build.txt.new && mv requirements-build.txt.new requirements-build.txt

SBOM := dist/leftbower.cdx.json

sbom: .venv/release.ready  ## write a CycloneDX list of a server's packages to dist/
	@rm -rf build/sbom && mkdir -p dist && $(BIN)/uv venv --quiet --python $(BIN)/python build/sbom
	@$(BIN)/uv pip install --quiet --python build/sbom --require-hashes --only-binary :all: -r requirements.txt
	@$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o $(SBOM) build/sbom && echo $(SBOM)

audit: .venv/release.ready  ## look up known vulnerabilities of the pinned packages (needs the network)
	@$(BIN)/pip-audit --strict --require-hashes --disable-pip -r requirements.txt -r requirements-build.txt

clean:  ## remove everything that was built
	rm -rf .venv build dist src/*.egg-info src/leftbower/kernel/*.so

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "leftbower needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv

# an editable install keeps running the old compiled kernel unless it is rebuilt when its source changes
KERNEL := setup.py src/leftbower/kernel/search.py

.venv/play.ready: .venv/bin/uv pyproject.toml constraints.txt $(KERNEL)
	@$(UV) --reinstall-package leftbower -e '.[server]' && touch $@

.venv/test.ready: .venv/bin/uv pyproject.toml constraints.txt $(KERNEL)
	@$(UV) --reinstall-package leftbower -e '.[test]' && touch $@ .venv/play.ready

.venv/release.ready: .venv/bin/uv pyproject.toml constraints.txt
	@$(UV) -e '.[release]' && touch $@

# compile everything tests import once, while mypy runs; otherwise every worker does it at its start
.venv/compiled: .venv/test.ready
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null; touch $@
