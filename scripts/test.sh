#!/bin/sh
# Runs every test on SQLite, then those that use a database again on PostgreSQL with Redis and a Celery worker process.
set -u
cd "$(dirname "$0")/.."
# Tests start hundreds of processes. Without bytecode on disk each would compile Django and everything else again.
unset PYTHONDONTWRITEBYTECODE
failed=
times=
begun=$(date +%s)
run() { # run TITLE COMMAND...
    title=$1
    shift
    echo
    echo "== $title"
    since=$(date +%s)
    result=passed
    "$@" || result=FAILED failed=yes
    seconds=$(($(date +%s) - since))
    times="$times$(printf '%3d:%02d  %-6s  %s' $((seconds / 60)) $((seconds % 60)) $result "$title")
"
}
# One process more than there are cores, four at most: tests in a browser mostly wait.
processes=$(($(nproc) + 1))
[ "$processes" -le 4 ] || processes=4
# A file's tests share what they set up, so they stay in one process. Files with the mark `slow` begin first.
many="-n $processes --dist loadfile --no-loadscope-reorder --ignore-glob=*/rules --durations=20 --durations-min=5"
# Tests of rules run first, in one process, because their time is measured.
run "Tests of rules" .venv/bin/pytest -p no:logging $(find tests -type d -name rules)
run "Tests on SQLite" .venv/bin/pytest $many -m "not services"
run "Tests on PostgreSQL, Redis and a Celery worker" \
    .venv/bin/python scripts/with_services.py -- .venv/bin/pytest $many -m "(database or services) and not sqlite_only"
run "Tests of the TypeScript part" scripts/frontend.sh test
echo
echo "== Time of each part, minutes:seconds"
seconds=$(($(date +%s) - begun))
printf '%s%3d:%02d  %-6s  %s\n' "$times" $((seconds / 60)) $((seconds % 60)) "" "all together"
[ -z "$failed" ]
