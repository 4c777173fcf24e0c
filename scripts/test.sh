#!/bin/sh
# Runs every test: on SQLite, then the ones that use a database again on PostgreSQL with Redis and a Celery worker process.
set -u
cd "$(dirname "$0")/.."
failed=
run() {
    echo
    echo "== $1"
    shift
    "$@" || failed=yes
}
run "Tests on SQLite" .venv/bin/pytest -m "not services"
run "Tests on PostgreSQL, Redis and a Celery worker" \
    .venv/bin/python scripts/with_services.py -- .venv/bin/pytest -m "(database or services) and not sqlite_only"
[ -f frontend/package.json ] && run "Tests of the TypeScript part" scripts/frontend.sh test
[ -z "$failed" ]
