# Every target sets itself up: the first one to run creates .venv.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.complete
# Tests start many processes. Where Python is told to keep no bytecode, each compiles all it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup lint test computing-tests waiting-tests check bench study docs release-check clean clean-kernels

help:
	@echo "make setup   create .venv and install standfast with its development tools"
	@echo "make lint    format and lint (ruff), import rooms (import-linter), types (mypy --strict)"
	@echo "make test    every test"
	@echo "make check   lint and test: what CI runs"
	@echo "make bench   time the kernels and searches; writes benchmarks/results.json"
	@echo "make study   the main job: the paper's study on embedded data, as study/report.html"
	@echo "make docs    the documentation site, as docs/_build/html/index.html"
	@echo "make release-check   wheel and sdist, tried in empty environments"

setup: $(STAMP)

# uv installs in a third of pip's time; where it is not to be had or finds no index, pip does it.
# A module is compiled when it is first imported; most of what is installed never is.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	{ $(PIP) uv && $(UV) --editable '.[dev]'; } || $(PIP) --editable '.[dev]'
	touch $(STAMP)

# Spark's package is built when it is installed, which takes longer than all the others together; half
# of that was compressing what is then unpacked.
SPARK := .venv/.spark
$(SPARK): $(STAMP)
	$(UV) --config-settings-package pyspark:--build-option=--compression=stored --editable '.[spark]' || $(PIP) --editable '.[spark]'
	touch $(SPARK)

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy $(if $(CI),--cache-dir=/dev/null)

# These start browsers, clusters, databases and commands, and mostly wait for them.
WAITING := tests/browser/test_notebook.py tests/browser/test_workbench.py tests/examples \
	tests/unit/portfolio tests/unit/promises/ledger \
	tests/unit/readers/test_read_optbinning.py tests/cli/test_interruption.py \
	tests/cli/test_gate_registry.py tests/cli/test_portfolio.py tests/cli/test_workbench.py

test: $(STAMP)
	$(MAKE) --jobs=2 --output-sync=target computing-tests waiting-tests

# the tests of a file share what is expensive, so they go to one worker; tests/conftest.py orders them
computing-tests: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder $(WAITING:%=--ignore=%)

waiting-tests: $(SPARK)
	$(BIN)/python -m pytest $(WAITING)

check: lint test

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python -m benchmarks

study: $(STAMP)
	$(BIN)/standfast study --out study

docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html

release-check: $(STAMP)
	scripts/test_release.sh

clean-kernels:
	find . -path ./.venv -prune -o \( -name '*.nbi' -o -name '*.nbc' \) -exec rm -f {} +

clean:
	rm -rf .venv build dist study docs/_build docs/api/generated *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
