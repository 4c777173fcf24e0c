.DEFAULT_GOAL := help
.PHONY: help demo test test-all test-rest test-long test-engines repeat tools frontend check setup run format bench bench-http leak-study lock audit

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18

demo: ## set everything up and serve the demo projects (start here; PORT=9000 for another port)
	@$(MAKE) --no-print-directory -j2 venv-base frontend
	@exec .venv/bin/python manage.py demo

test: ## install what the quick tests need and run them, in minutes (ONLY=tests/flows for all tests of a file or folder)
	@$(MAKE) --no-print-directory -j3 packages-test venv-test frontend
	@.venv/bin/python scripts/test.py $(or $(ONLY),quick)

test-all: tools ## install what all tests need and run them all
	@.venv/bin/python scripts/test.py all --costs

test-rest: tools # what test-all adds to test
	@.venv/bin/python scripts/test.py rest --costs

test-long: tools # the tests that take minutes each
	@.venv/bin/python scripts/test.py long

test-engines: tools
	@.venv/bin/python scripts/test.py all --engines

repeat: tools
	@.venv/bin/python scripts/test.py quick --times $(or $(TIMES),5) --seed $(or $(SEED),0)

tools:
	@$(MAKE) --no-print-directory -j3 packages-all venv-dev frontend

packages-%:
	@scripts/system_packages.sh $*

venv-%:
	@scripts/setup.sh $*

frontend:
	@scripts/frontend.sh build

check: setup ## check lint, types, imports, lock files, migrations, secrets
	@scripts/check.sh

setup: ## make .venv with everything for development
	@scripts/setup.sh dev

run: ## serve your own projects (PORT=9000 for another port)
	@$(MAKE) --no-print-directory -j2 venv-base frontend
	@.venv/bin/python manage.py migrate --verbosity 0
	@exec .venv/bin/python manage.py serve

format: setup ## format the code as check expects
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .

bench: setup ## measure the speed of the pipeline
	@nice .venv/bin/python -m studies benchmark

bench-http: setup
	@scripts/system_packages.sh test
	@nice .venv/bin/python scripts/with_services.py --durable -- .venv/bin/python -m studies bench_http

leak-study: setup
	@nice .venv/bin/python -m studies leak_study --plant all

lock: setup ## update the requirements files
	@scripts/lock.sh

audit: setup
	@scripts/audit.sh
