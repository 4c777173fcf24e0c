#!/bin/sh
# Checks the code without running it: lint, types, imports, names, lock files, migrations, the frontend.
set -u
cd "$(dirname "$0")/.."
failed=
step() { # step NAME COMMAND...
    name=$1
    shift
    # A step's output is shown only if it fails.
    if output=$("$@" 2>&1); then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        echo "$output"
        failed="$failed $name"
    fi
}
bin=.venv/bin
# Plain Python, so that strict types cost nothing: the rules of every app, belief, rooms of the pipeline, scenes, the
# clients, the values of a data set.
pure="$(dirname -- */rules/__init__.py) belief pipeline/protocol pipeline/policies pipeline/settings pipeline/checking pipeline/known"
step lint $bin/ruff check .
step format $bin/ruff format --check .
step types $bin/mypy .
# shellcheck disable=SC2086  # a list of folders
step strict-types $bin/mypy --strict --cache-dir .mypy_cache/strict $pure simulation/scenes clients/annotator exchange/dataset.py config/environment.py
step imports $bin/lint-imports
step closure $bin/python scripts/engine_closure.py
step names $bin/python scripts/names.py
step locks scripts/check_locks.sh
step migrations $bin/python manage.py makemigrations --check --dry-run
step secrets scripts/check_secrets.sh
step frontend scripts/frontend.sh check
if [ -n "$failed" ]; then
    echo "Failed:$failed" >&2
    exit 1
fi
