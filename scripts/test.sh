#!/bin/sh
# Runs every test on SQLite and, beside them, those that use a database again: on PostgreSQL, Redis and a Celery worker process.
set -u
cd "$(dirname "$0")/.."
# Tests start hundreds of processes. Without bytecode on disk each would compile Django and everything else again.
unset PYTHONDONTWRITEBYTECODE
failed=
times=
second=
folder=$(mktemp -d)
trap '[ -z "$second" ] || { kill "$second" && wait "$second"; } 2>/dev/null; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
begun=$(date +%s)
took() { # took TITLE RESULT SECONDS
    times="$times$(printf '%3d:%02d  %-6s  %s' $(($3 / 60)) $(($3 % 60)) "$2" "$1")
"
}
run() { # run TITLE COMMAND...
    title=$1
    shift
    echo
    echo "== $title"
    since=$(date +%s)
    result=passed
    "$@" || result=FAILED failed=yes
    took "$title" $result $(($(date +%s) - since))
}
beside() { # beside TITLE COMMAND...: begins a part beside the next ones; `join` waits for it and shows what it wrote
    second_title=$1
    shift
    second_since=$(date +%s)
    "$@" >"$folder/written" 2>&1 &
    second=$!
}
join() {
    result=passed
    wait "$second" || result=FAILED failed=yes
    second=
    echo
    echo "== $second_title"
    cat "$folder/written"
    took "$second_title" $result $(($(date -r "$folder/written" +%s) - second_since))
}
# Each of the two runs has a process for each core, four at most: one process often waits for a browser or a server.
processes=$(nproc)
[ "$processes" -le 4 ] || processes=4
# A file's tests share what they set up, so they stay in one process. The order is set in tests/conftest.py.
many="-n $processes --dist loadfile --no-loadscope-reorder --ignore-glob=*/rules --durations=20 --durations-min=5"
beside "Tests of the TypeScript part" scripts/frontend.sh test
# Tests of rules run first, in one process, because their time is measured. It reads all other tests, too: what it
# compiles, the processes of the other parts find on disk.
run "Tests of rules" .venv/bin/pytest -p no:logging -m rules
join
beside "Tests on PostgreSQL, Redis and a Celery worker" \
    .venv/bin/python scripts/with_services.py -- .venv/bin/pytest $many -m "(database or services) and not sqlite_only"
run "Tests on SQLite" .venv/bin/pytest $many -m "not services"
join
echo
echo "== Time of each part, minutes:seconds"
seconds=$(($(date +%s) - begun))
printf '%s%3d:%02d  %-6s  %s\n' "$times" $((seconds / 60)) $((seconds % 60)) "" "all together"
[ -z "$failed" ]
