# make sync   set everything up and bring the example project's board, database and notes in step
# make test   everything a change must pass
# make prove  the full crash matrix, the long convergence machine, every seeded fault
# make mutants  the seeded faults, and every small change a mutation tool can think of
# make bench  figures, no judgement
# make docs   write the generated pages again
# make fix    format, and mend what can be mended by machine
# make clean  remove what was built, the example's copy included

PYTHON := .venv/bin/python

.PHONY: setup sync test prove mutants bench docs fix clean
.DEFAULT_GOAL := test

setup:
	@scripts/setup

# The example is run on a copy, so that edits to it survive and the checkout stays clean.
build/quickstart:
	@mkdir -p build
	@rm -rf build/quickstart.part
	@cp -R examples/quickstart build/quickstart.part
	@mv build/quickstart.part build/quickstart

sync: setup | build/quickstart
	@echo "the example project is build/quickstart"
	@cd build/quickstart && for step in plan sync sync; do echo "\$$ tally $$step"; ../../.venv/bin/tally $$step || exit; done

test: setup
	@echo "== ruff check"
	@$(PYTHON) -m ruff check
	@echo "== ruff format"
	@$(PYTHON) -m ruff format --check
	@echo "== mypy"
	@$(PYTHON) -m mypy
	@echo "== import-linter"
	@.venv/bin/lint-imports --no-cache
	@echo "== pytest"
	@$(PYTHON) -m pytest -q -rs -n 2

prove: setup
	@$(PYTHON) -m tests.proof

mutants: setup
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -c constraints.txt --group mutation
	@echo "== seeded faults"
	@$(PYTHON) -m tests.proof.mutants; seeded=$$?; \
	echo "== every small change of merge, policy and plan"; \
	$(PYTHON) -m tests.proof.mutation && exit $$seeded

bench: setup
	@for file in benchmarks/*.py; do echo "== $$file"; $(PYTHON) "$$file" || exit 1; done

docs: setup
	@$(PYTHON) -m tests.contract.render_schemas
	@$(PYTHON) -m tests.contract.render_lifecycle
	@$(PYTHON) -m tests.architecture.render_docs
	@$(PYTHON) -m tests.cases.render_cases
	@$(PYTHON) -m tests.e2e.render_tour
	@$(PYTHON) -m tests.conformance.render_card

fix: setup
	@$(PYTHON) -m ruff check --fix
	@$(PYTHON) -m ruff format

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
