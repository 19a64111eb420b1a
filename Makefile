# Three commands for readers: `make reproduce`, `make test` and `make lab`. Each builds .venv with
# all extras from requirements.lock first if it is missing or older than the lock file.
.DEFAULT_GOAL := help
.PHONY: help setup reproduce paper verify test check lab site lint bench lock clean

VENV := .venv
STAMP := $(VENV)/.built-from-lock
BIN := $(VENV)/bin
ARGS ?=
# As in many a container; else Jupyter refuses to start.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP)  ## build .venv from the lock file

$(STAMP): requirements.lock pyproject.toml
	@sh tools/build_venv.sh $(VENV)
	@touch $@

reproduce: $(STAMP)  ## run every notebook, quick profile, and print the verdicts
	@$(BIN)/companion reproduce --profile quick --jobs 2 $(ARGS)

paper: $(STAMP)  ## the same at the papers' own sizes
	@$(BIN)/companion reproduce --profile paper --jobs 2 $(ARGS)

verify: $(STAMP)  ## every published value against its regeneration
	@$(BIN)/companion verify $(ARGS)

test: $(STAMP)  ## all tests, and nbval over every notebook
	@$(BIN)/python -m pytest -n auto --no-loadscope-reorder $(ARGS)

check: $(STAMP)  ## the tests that do not take long, for while you work
	@$(BIN)/python -m pytest -n auto --no-loadscope-reorder -m 'not slow' tests $(ARGS)

lab: $(STAMP)  ## JupyterLab, on the tour
	@$(BIN)/jupyter-lab --ServerApp.root_dir=. notebooks/tour.ipynb $(AS_ROOT) $(ARGS)

site: $(STAMP)  ## the pages in build/site: notebooks, ledger, reasons, errata, API
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto docs build/site $(ARGS)
	@echo "The site: build/site/index.html"

lint: $(STAMP)  ## what formatter and linter would change
	@$(BIN)/ruff format --diff --quiet
	@$(BIN)/ruff check

bench: $(STAMP)  ## side-by-side speed against other solvers
	@$(BIN)/python -m benchmarks $(ARGS)

lock:  ## bring requirements.lock up to pyproject.toml (needs uv; ARGS=--upgrade for newer versions)
	uv pip compile pyproject.toml tools/build-requirements.in --all-extras --universal \
	  --python-version 3.11 --generate-hashes --no-annotate --no-header \
	  --fork-strategy fewest $(ARGS) -o requirements.lock

clean:  ## remove .venv, build products and compiled loops
	rm -rf $(VENV) build docs/generated docs/notebooks docs/errata.md docs/ledger.md docs/reasons.md
	find companion -name '*.nb[ci]' -delete
