# Everything starts here; `make` alone shows the goals. Only Python 3.11, perl, g++ and make
# must be there: the first goal sets up the rest in .venv.

PYTHON     ?= python3
ROUNDSMITH := .venv/bin/roundsmith
BIN        := .venv/bin
JOBS       ?= 2

.PHONY: help setup demo test test-long mutants sweep lint format docs clean

help:
	@echo 'make demo       build, run, verify and measure a core (sets everything up first)'
	@echo 'make test       run the tests (sets everything up first)'
	@echo 'make test-long  run the tests that take longer'
	@echo 'make mutants    mutation testing of the RTL: 1,000 mutants (hours)'
	@echo 'make sweep      verify cores all over the plane of loop and pipe'
	@echo 'make lint       check style and types of Python and SystemVerilog'
	@echo 'make docs       make the generated tables and files again'
	@echo 'make clean      remove everything that was made'

setup: .venv/.ready

.venv/.ready: pyproject.toml uv.lock scripts/bootstrap.py
	@$(PYTHON) scripts/bootstrap.py

demo: setup
	@$(BIN)/python scripts/demo.py

test: setup
	$(BIN)/pytest -n $(JOBS) -m 'not long'

test-long: setup
	$(BIN)/pytest -n $(JOBS) -m long

mutants: setup
	$(BIN)/python -m tests.mutants --count 1000 --seed 1 --jobs $(JOBS)

sweep: setup
	$(BIN)/pytest -n $(JOBS) tests/rtl/aes/test_sweep.py

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/lint_rooms.py
	$(BIN)/python scripts/lint_rtl.py

format: setup
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: setup
	$(BIN)/python scripts/generate.py

clean:
	@if [ -x $(ROUNDSMITH) ]; then $(ROUNDSMITH) clean; fi
	rm -rf .venv .uv build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
