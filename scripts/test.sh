#!/bin/sh
# Runs every test on SQLite, then those that use a database again on PostgreSQL with Redis and a Celery worker process.
set -u
cd "$(dirname "$0")/.."
failed=
run() {
    echo
    echo "== $1"
    shift
    "$@" || failed=yes
}
# Each process takes a part of the tests, and helps the others when its own part is done.
many="-n auto --maxprocesses 4 --dist worksteal"
# Tests of rules run first, in one process, because their time is measured.
run "Tests of rules" .venv/bin/pytest $(find tests -type d -name rules)
run "Tests on SQLite" .venv/bin/pytest $many -m "not services and not rules"
run "Tests on PostgreSQL, Redis and a Celery worker" \
    .venv/bin/python scripts/with_services.py -- .venv/bin/pytest $many -m "(database or services) and not sqlite_only"
[ -f frontend/package.json ] && run "Tests of the TypeScript part" scripts/frontend.sh test
[ -z "$failed" ]
