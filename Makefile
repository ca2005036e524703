# Two commands: `make demo` and `make test`. Each makes its own environment in .venv first; only Python 3.11+ is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# One process has all tests of a file, so that what they share is made once; those with Spark come first (tests/conftest.py).
PARALLEL ?= -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-fast test-all test-pythons lint docs fuzz test-matrix schema clean
.DEFAULT_GOAL := help

help:
	@echo "make demo         one catalog on Spark and PostgreSQL, on real data"
	@echo "make test         all tests, but for a few that are slow"
	@echo "make test-fast    the tests that need no engine (Spark, PostgreSQL, DuckDB, a browser), in about a minute on two cores"
	@echo "make test-all     all tests, the slow ones too, and those without an engine on other Pythons and the lowest versions"
	@echo "make lint         ruff (format and rules), mypy, basedpyright, import-linter, lines of each room"
	@echo "make docs         the documentation as a site, in target/docs"
	@echo "make fuzz         10,000 generated predicates on all engines, and every language on hostile bodies (hours)"
	@echo "make test-matrix  the Spark extension on the newest Spark 4.0, 4.1, 4.2 and 4.3"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "predicat needs Python 3.11 or newer")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (about two minutes the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/python -W ignore -m examples.demo

test: $(STAMP)
	@$(BIN)/python -m pytest -q $(PARALLEL)

test-fast: $(STAMP)
	@PREDICAT_FAST=1 $(BIN)/python -m pytest -q $(PARALLEL)

test-all: test
	@PREDICAT_SLOW=1 $(BIN)/python -m pytest -q $(PARALLEL) -m slow
	@$(BIN)/python tests/pythons.py

test-pythons: $(STAMP)
	@$(BIN)/python tests/pythons.py

lint: $(STAMP)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/basedpyright --level error
	@$(BIN)/lint-imports
	@$(BIN)/python tools/budget.py

docs: $(STAMP)
	@$(BIN)/python -m tools.docs_pages
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

fuzz: $(STAMP)
	@PREDICAT_FUZZ_EXAMPLES=334 $(BIN)/python -m pytest -q tests/engines/test_generated.py tests/engines/test_rewritings.py
	@PREDICAT_FUZZ_EXAMPLES=10000 $(BIN)/python -m pytest -q tests/review/test_compare.py
	@PREDICAT_FUZZ_EXAMPLES=5000 $(BIN)/python -m pytest -q tests/review/test_review_kinds.py -k silent
	@PREDICAT_FUZZ_EXAMPLES=2500 $(BIN)/python -m pytest -q tests/catalog/test_live.py
	@PREDICAT_FUZZ_EXAMPLES=40000 $(BIN)/python -m pytest -q tests/review/test_soundness.py
	@PREDICAT_FUZZ_EXAMPLES=100000 $(BIN)/python -m pytest -q tests/review/test_independent.py
	@PREDICAT_FUZZ_EXAMPLES=20000 $(BIN)/python -m pytest -q tests/review/test_every_operator.py -k two_operators
	@PREDICAT_FUZZ_EXAMPLES=20 $(BIN)/python -m pytest -q tests/language/test_translations.py tests/language/test_cel_oracle.py tests/language/test_sql_oracle.py tests/language/test_jms.py tests/language/test_sns.py
	@PREDICAT_FUZZ_EXAMPLES=100 $(BIN)/python -m pytest -q tests/engines/test_sql_languages.py
	@PREDICAT_FUZZ_EXAMPLES=50000 $(BIN)/python -m pytest -q tests/language/test_reader_fuzz.py
	@PREDICAT_FUZZ_EXAMPLES=100000 $(BIN)/python -m pytest -q tests/importing/test_import.py -k any_shape
	@PREDICAT_FUZZ_EXAMPLES=100000 $(BIN)/python -m pytest -q tests/catalog/test_catalog_fuzz.py
	@PREDICAT_FUZZ_EXAMPLES=250 $(BIN)/python -m pytest -q tests/catalog/test_sandbox.py
	@PREDICAT_SLOW=1 PREDICAT_FUZZ_EXAMPLES=50 $(BIN)/python -m pytest -q tests/pipeline -k "kills or killed"

schema: $(STAMP)
	@$(BIN)/predicat schema > docs/catalog.schema.json
	@$(BIN)/predicat schema --project > docs/project.schema.json
	@$(BIN)/python -m tests.support
	@$(BIN)/python -m tests.column_types

test-matrix: $(STAMP)
	@$(BIN)/python tests/matrix.py

clean:
	rm -rf target dist build spark-warehouse metastore_db derby.log
