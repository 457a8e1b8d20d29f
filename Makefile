# Hot Dice: everything a developer or a player runs. `make play` and `make test` need only Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: play test coverage lowest lint bench soak load fuzz web pictures mutate goldens docs book strength \
  regret format release-check clean
.DEFAULT_GOAL := play

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Hot Dice needs Python 3.11 or newer; say make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Each stamp stands for an installed set of packages and is renewed when what it depends on changes;
# installing also builds the pages.
PAGES := hatch_build.py $(wildcard web/*.* web/public/* web/src/*.* web/src/*/*)
$(VENV)/.play: $(BIN)/python pyproject.toml constraints.txt $(PAGES)
	$(PIP) --editable .
	@touch $@
$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt $(PAGES)
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/.play
$(VENV)/.bench: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[bench]'
	@touch $@ $(VENV)/.play

$(VENV)/.soak: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[soak]'
	@touch $@ $(VENV)/.play

$(VENV)/.book: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable '.[book]'
	@touch $@ $(VENV)/.play

$(VENV)/.browser: $(VENV)/.test tools/browser.py
	$(BIN)/python -m tools.browser
	@touch $@

play: $(VENV)/.play  ## start Hot Dice and open it in the browser
	@$(BIN)/hotdice serve --open

LINT = $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports \
  && $(BIN)/python -m tools.web check
lint: $(VENV)/.test  ## style, types and layers
	$(LINT)

# Linters run and kernels are compiled, once for all workers, while the tests run; what they report
# is printed at the end. Branch coverage is measured in the processes that run tests.
test: $(VENV)/.test $(VENV)/.browser  ## everything that has to pass
	@{ $(BIN)/python -m tools.kernels; $(LINT); } > $(VENV)/lint.txt 2>&1 & lint=$$!; \
	$(BIN)/python -m pytest --numprocesses=4 --cov --cov-report=; tested=$$?; \
	wait $$lint || { cat $(VENV)/lint.txt; exit 1; }; \
	exit $$tested

coverage: $(VENV)/.test  ## the lines that no test ran in the last make test
	$(BIN)/coverage report --skip-covered --show-missing

# The package is installed as it is built, with the lowest tools for building it too.
LOWEST := .venv-lowest/bin
lowest:  ## test with the lowest version of everything that pyproject.toml allows
	$(PYTHON) -m venv --clear .venv-lowest
	$(LOWEST)/python -m tools.lowest > .venv-lowest/pins.txt
	$(LOWEST)/pip install --quiet --disable-pip-version-check --only-binary :all: --requirement .venv-lowest/pins.txt
	$(LOWEST)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	$(LOWEST)/python -m tools.browser
	$(LOWEST)/python -m pytest --numprocesses=2

bench: $(VENV)/.bench  ## figures, beside something well known run in the same minute
	$(BIN)/python -W ignore bench/rules.py
	$(BIN)/python bench/commands.py
	$(BIN)/python bench/solving.py
	$(BIN)/python bench/montecarlo.py
	$(BIN)/python bench/serving.py

# Arguments: MINUTES=5 GAMES=500 KILLS=200 SEED=1 ONLY=split,kill; see docs/testing.md.
soak: $(VENV)/.soak  ## play many tables while servers, databases and clocks fail; check all of it
	$(BIN)/python -m tools.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(GAMES),--games $(GAMES)) \
	  $(if $(KILLS),--kills $(KILLS)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

load: $(VENV)/.soak  ## 2,000 connections at 1,000 tables, beside a bare echo in the same run
	PYTHONPATH=. $(BIN)/python bench/load.py $(if $(TABLES),--tables $(TABLES))

web: $(VENV)/.test  ## build the pages anew after changing them
	$(BIN)/python -m tools.web build

pictures: $(VENV)/.browser  ## take the pictures of the pages anew
	$(BIN)/python -m tools.pictures

# The mutation tester lags behind pytest, so it has an environment of its own.
mutate:  ## change the rules in thousands of small ways and see whether a test notices
	$(PYTHON) -m venv .venv-mutate
	.venv-mutate/bin/pip install --quiet --disable-pip-version-check --editable '.[mutate]'
	.venv-mutate/bin/mutmut run --max-children 2
	.venv-mutate/bin/mutmut results

# Fuzzing brings many packages that nothing else needs, so it has an environment of its own.
MINUTES ?= 5
.venv-fuzz/.fuzz: pyproject.toml constraints.txt $(PAGES)
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[fuzz]'
	@touch $@

fuzz: .venv-fuzz/.fuzz  ## give everything that reads something nonsense to read, for MINUTES=5
	.venv-fuzz/bin/python -m tools.fuzz all --minutes $(MINUTES)

goldens: $(VENV)/.test  ## write the golden files anew; review the diff
	$(BIN)/python -m tests.regenerate

docs: $(VENV)/.test  ## write the generated pages and pictures anew
	$(BIN)/python -m tools.document

book: $(VENV)/.book  ## solve everything and write the book of results anew
	$(BIN)/python -m tools.book

strength: $(VENV)/.play  ## play the matches between bots for the book; takes most of an hour
	$(BIN)/python -m tools.strength

regret: $(VENV)/.play  ## look into many futures for what the estimate for three and more gives away
	$(BIN)/python -m tools.regret

format: $(VENV)/.test  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m tools.web format

# Say TAG=v1.2.3 to check that version, changelog and tag agree; see docs/releasing.md.
release-check: $(VENV)/.test  ## build sdist and wheel, check what is in them, install and start one
	$(BIN)/python -m tools.release $(if $(TAG),--tag '$(TAG)')

clean:
	rm -rf $(VENV) .venv-fuzz .venv-lowest .venv-mutate fuzz-findings mutants build dist .coverage \
	  web/node_modules src/hotdice/server/static
