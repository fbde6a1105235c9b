# make app, make test: both prepare what they need, and prepare it again only when a requirements file has changed.
#   PYTHON=python3.13  the Python to use: 3.11, 3.12 or 3.13
#   PORT=8501          where the app listens
#   ARGS="..."         further arguments of the command that is run

VENV ?= .venv
PYTHON ?= $(or $(wildcard $(VENV)/bin/python),python3)
PORT ?= 8501

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
RUN := $(VENV)/bin/python
DENO := $(abspath $(VENV))/bin/deno

# Their names say what is installed, and for which Python: a touched file installs nothing, a changed one does.
MADE := $(VENV)/lib/python$(VERSION)/site-packages/pip
METADATA := sed '/^\[tool/,$$d' pyproject.toml
FOR_APP := $(VENV)/app-$(VERSION)-$(firstword $(shell ($(METADATA); cat requirements.txt constraints.txt) | cksum))
FOR_TESTS := $(VENV)/tests-$(VERSION)-$(firstword $(shell ($(METADATA); cat requirements*.txt tests/requirements.txt constraints.txt) | cksum))

# Where Python may not keep what it compiles, each of the many processes of an app or a test compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: app serve test browsers lint types bench record dist demo gallery screenshots constraints format package venv clean
.DEFAULT_GOAL := app

app: $(FOR_APP)
	$(RUN) -m streamlit run app.py --server.port $(PORT) $(ARGS)

# For a class: every address of this machine, with the one to share and its QR code.
serve: $(FOR_APP)
	$(RUN) -m dml_viz serve --port $(PORT) $(ARGS)

test: lint types
	$(DENO) test --no-check --allow-read tests/js
	$(RUN) -m pytest -n auto $(ARGS)

# What the journeys of the tests open; `make test` installs nothing into the system and skips them where it is not there.
browsers: $(FOR_TESTS)
	bash .ci/browsers $(RUN)

lint: $(FOR_TESTS)
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	cd assets && $(DENO) fmt --check . ../tests/js && $(DENO) lint . ../tests/js

types: $(FOR_TESTS)
	$(RUN) -m mypy
	cd assets && $(DENO) check --quiet src

bench: $(FOR_TESTS)
	$(RUN) -m benchmarks $(ARGS)

record: $(FOR_APP)
	$(RUN) -m dml_viz.export.record $(ARGS)

dist: $(FOR_TESTS)
	$(RUN) -m dml_viz.export.contracts
	cd assets/build && $(DENO) install --quiet --frozen && $(DENO) run --allow-all --frozen build.mjs

# A folder for any static host: the first lesson, the scenes of losses and the gallery, which need no server.
demo: $(FOR_APP)
	$(RUN) -m dml_viz.export.demo $(or $(ARGS),demo)

gallery: $(FOR_APP)
	$(RUN) -m dml_viz.export.gallery $(ARGS)

screenshots: $(FOR_TESTS)
	$(RUN) -m tests.screenshots

format: $(FOR_TESTS)
	$(RUN) -m ruff check --fix
	$(RUN) -m ruff format
	cd assets && $(DENO) fmt . ../tests/js && $(DENO) lint --fix . ../tests/js

# What the requirements bring with them, at the versions of today, less what belongs to one build of torch.
constraints: $(MADE)
	sed -i '/^[^#]/d' constraints.txt
	$(RUN) -m pip install --dry-run --ignore-installed --quiet --report $(VENV)/report.json \
	  -r tests/requirements.txt -r requirements-ray.txt
	$(RUN) -c 'import json, re, sys; items = json.load(sys.stdin)["install"]; \
	  found = (item["metadata"] for item in items if not item["requested"]); \
	  names = {re.sub("[-_.]+", "-", it["name"]).lower(): it["version"] for it in found}; \
	  print(*(f"{n}=={v}" for n, v in sorted(names.items()) if not re.match("nvidia|cuda|triton", n)), sep="\n")' \
	  < $(VENV)/report.json >> constraints.txt

# The wheel and the sdist, in dist/; docs/release.md says the rest.
package: $(FOR_TESTS)
	$(RUN) -m tests.package dist

venv: $(MADE)

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(FOR_APP): | $(MADE)
	$(RUN) -m pip install -r requirements.txt -e .
	@rm -f $(VENV)/app-* && touch $@

$(FOR_TESTS): | $(MADE)
	$(RUN) -m pip install -r tests/requirements.txt -e .
	@rm -f $(VENV)/app-* $(VENV)/tests-* && touch $(FOR_APP) $@

$(MADE):
	@case "$(VERSION)" in 3.11|3.12|3.13) ;; *) \
	  echo "dml-viz needs Python 3.11, 3.12 or 3.13; $(PYTHON) is $(or $(VERSION),not there)."; \
	  echo "Name one that you have, for example: make $(firstword $(MAKECMDGOALS) app) PYTHON=python3.13"; \
	  exit 1 ;; esac
	$(PYTHON) -m venv --clear $(VENV)
