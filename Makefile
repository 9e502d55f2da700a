# Every target does its own set-up: Python 3.11+ and make are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
SPEED ?= 1
GAME ?= liars-dice
LOCALE ?= en
TOOLS := .venv-contract
NPM := tests/contract/node_modules

.DEFAULT_GOAL := help
# the venv holds a file for each set that is installed in it
.PHONY: help run test check demo play verify bench cost atlas-report format clean openapi contract deploy destroy e2e logs

help:
	@echo "make run    the service on http://127.0.0.1:$(PORT) (PORT=, SPEED=)"
	@echo "make test   all tests"
	@echo "make demo   a whole match, told as it goes (GAME=, LOCALE=es|en, URL=)"
	@echo "make play   a seat at the table in this terminal (URL=, LOCALE=es|en, PLAY_HOME=~/.sobremesa)"
	@echo "make verify FILE=\"r1.json r2.json\": are dice and shots what was promised? (LOCALE=es|en)"
	@echo "make check  what CI runs: format, lint, types, layers, tests"
	@echo "make atlas-report  what the atlas is worth, by simulation, with a picture"
	@echo "make cost   what a match, an hour, an idle month and a flood cost (docs/cost.md)"
	@echo "make bench  how long a step and a request take"
	@echo "make deploy STAGE=prod: onto AWS, with a match to try it out (docs/aws.md; also SPEED=)"
	@echo "make destroy STAGE=: all of that stage is gone (CONFIRM=prod for prod)"
	@echo "make logs STAGE=prod: what the last minutes have told (MINUTES=)"
	@echo "make openapi  docs/openapi.json anew, after a change to a model or route"
	@echo "make contract the API's document under tools that others use (needs Node 20)"
	@echo "make e2e    the deployed artefact under test, on an emulator"

INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -r

$(VENV)/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run: $(VENV)/python requirements.txt requirements-run.txt
	$(INSTALL) requirements-run.txt
	@touch $@

$(VENV)/ready: $(VENV)/run requirements-dev.txt
	$(INSTALL) requirements-dev.txt
	@touch $@

run: $(VENV)/run
	@PORT=$(PORT) SPEED=$(SPEED) exec $(BIN)/python -m infra.local

test: $(VENV)/ready
	$(BIN)/python -m pytest -n auto --dist loadfile --ignore tests/aws

demo: $(VENV)/run
	@GAME=$(GAME) LOCALE=$(LOCALE) URL=$(URL) exec $(BIN)/python -m infra.local.demo

play: URL ?= http://127.0.0.1:8000
play: $(VENV)/run
	@URL=$(URL) LOCALE=$(LOCALE) exec $(BIN)/python -m infra.local.play

verify: $(VENV)/run
	@LOCALE=$(LOCALE) exec $(BIN)/python -m infra.local.verify $(FILE)

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) test

cost: $(VENV)/ready
	@$(BIN)/python -m infra.aws.cost

bench: $(VENV)/ready
	$(BIN)/python -m tests.bench

deploy destroy: $(VENV)/ready
	@STAGE=$(STAGE) ARCHITECTURE=$(ARCHITECTURE) SPEED=$(SPEED) PARAMETERS="$(PARAMETERS)" \
	CONFIRM=$(CONFIRM) exec $(BIN)/python -m infra.aws.deploy $@

logs: $(VENV)/ready
	@STAGE=$(STAGE) MINUTES=$(MINUTES) exec $(BIN)/python -m infra.aws.logs

e2e: $(VENV)/ready
	E2E=1 $(BIN)/python -m pytest tests/aws tests/e2e

atlas-report: $(VENV)/ready
	@$(BIN)/python -m infra.content.atlas_report --picture build/atlas-report.png

openapi: $(VENV)/ready
	$(BIN)/python -m infra.local.openapi

$(TOOLS)/ready: requirements-contract.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/pip install --quiet --disable-pip-version-check -r requirements-contract.txt
	@touch $@

$(NPM)/ready: tests/contract/package.json tests/contract/package-lock.json
	npm ci --prefix tests/contract --silent --no-audit --no-fund
	@touch $@

contract: $(VENV)/ready $(TOOLS)/ready $(NPM)/ready
	CONTRACT=1 $(BIN)/python -m pytest tests/contract

format: $(VENV)/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) $(TOOLS) $(NPM) .venv-ministack build .mypy_cache .ruff_cache .pytest_cache .hypothesis
