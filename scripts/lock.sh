#!/bin/sh
# Writes the requirements files from pyproject.toml: the newest allowed versions, with hashes, the same in each file.
set -eu
cd "$(dirname "$0")/.."
export UV_CACHE_DIR="$PWD/.cache/uv" UV_CUSTOM_COMPILE_COMMAND="make lock"
compile() {
    .cache/tools/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links \
        --upgrade pyproject.toml "$@"
}
compile --extra nlp --extra vectors --extra evaluation -o requirements.txt
compile --extra nlp --extra vectors --extra evaluation --extra evaluation-vision --extra evaluation-words --extra annotator-detector --extra hub --extra sentry --group dev -c requirements.txt -o requirements-dev.txt
compile --group test -c requirements-dev.txt -o requirements-test.txt
scripts/check_locks.sh
