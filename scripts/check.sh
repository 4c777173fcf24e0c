#!/bin/sh
# Everything that can be said about the code without running it.
set -u
cd "$(dirname "$0")/.."
failed=
step() { # step NAME COMMAND...
    name=$1
    shift
    # Quiet while all is well: the output of a step is shown when it fails.
    if output=$("$@" 2>&1); then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        echo "$output"
        failed="$failed $name"
    fi
}
bin=.venv/bin
pure=$(ls -d */rules) # the rules of every app; scenes and the data set's values are as plain
step lint $bin/ruff check .
step format $bin/ruff format --check .
step types $bin/mypy .
# shellcheck disable=SC2086  # a list of folders
step strict-types $bin/mypy --strict --cache-dir .mypy_cache/strict $pure scenes exchange/dataset.py config/environment.py
step imports $bin/lint-imports
step locks scripts/check_locks.sh
step migrations $bin/python manage.py makemigrations --check --dry-run
step frontend scripts/frontend.sh check
if [ -n "$failed" ]; then
    echo "Failed:$failed" >&2
    exit 1
fi
