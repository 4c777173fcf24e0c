#!/bin/sh
# Writes the requirements files from pyproject.toml: the newest allowed versions, with hashes, the same in each file.
set -eu
cd "$(dirname "$0")/.."
export UV_CACHE_DIR="$PWD/.cache/uv" UV_CUSTOM_COMPILE_COMMAND="make lock"
compile() {
    .cache/tools/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
        --no-emit-find-links --upgrade "$@"
}
# Every file has the versions of requirements-dev.txt, which holds all extras but evaluation-oracle. Images are built
# with requirements-build.txt.
compile pyproject.toml --extra nlp --extra vectors --extra models --extra hub --extra evaluation --extra sentry --group dev \
    -o requirements-dev.txt
compile pyproject.toml -c requirements-dev.txt -o requirements.txt
echo hatchling | compile - -c requirements-dev.txt -o requirements-build.txt
compile pyproject.toml --group test -c requirements-dev.txt -o requirements-test.txt
# Beside requirements.txt, what an extra brings: its packages and theirs.
for extra in nlp vectors models hub evaluation sentry; do
    .venv/bin/python -c 'import sys, tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], sep="\n")' $extra |
        compile - -c requirements-dev.txt -o requirements-$extra.txt
done
scripts/check_locks.sh
