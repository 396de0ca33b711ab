# Two commands for everybody:   make play   and   make test.
# Each works alone on a fresh clone with Python 3.11+ and make.

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt

# whatever the machine is used to: a server of which nothing is compiled yet takes twice as long to start
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play test ready check chromium format constraints clean

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

# all that tests import, compiled once, while one core looks at types; else every process of theirs does it at its start
.venv/compiled: .venv/test.ready
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null; touch $@
