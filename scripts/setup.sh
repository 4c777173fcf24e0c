#!/bin/sh
# Makes .venv: `scripts/setup.sh base` to run Chainbox, `scripts/setup.sh test` for `make test`, `scripts/setup.sh dev` to
# develop it, which holds everything, and `scripts/setup.sh nlp` or another extra of pyproject.toml beside base. Does
# nothing if .venv matches the requirements files already. Writes only inside the checkout.
set -eu
cd "$(dirname "$0")/.."
kind=${1:-base}
case $kind in
    base) requirements=requirements.txt ;;
    test | dev) requirements=requirements-$kind.txt ;;
    nlp | vectors | models | hub | evaluation | sentry) requirements="requirements.txt requirements-$kind.txt" ;;
    evaluation-oracle) exec scripts/torch.sh ;;
    *) echo "Usage: scripts/setup.sh base|test|dev|nlp|vectors|models|hub|evaluation|evaluation-oracle|sentry" >&2; exit 2 ;;
esac

# A stamp for each kind names the files that were installed. Kinds share .venv: their files agree in every version.
# The folder is part of the stamp, because a virtual environment that was moved does not work.
sum() { echo "$(cat "$@" | sha256sum | cut -d ' ' -f 1) $PWD"; }
# shellcheck disable=SC2086  # a list of files
has() { [ -x .venv/bin/python ] && [ "$(cat ".venv/installed-$1" 2>/dev/null)" = "$(sum $2)" ]; }
if has dev requirements-dev.txt || has "$kind" "$requirements"; then exit 0; fi

# Debian's own Python comes first: it is built with profiles, and the tests take a tenth less time than with one that
# was built without. One that cannot make virtual environments is passed over. PYTHON names another one.
python=${PYTHON:-}
for name in /usr/bin/python3.11 python3.11 python3 python3.12 python3.13; do
    [ -n "$python" ] && break
    fits='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'
    if command -v "$name" >/dev/null && "$name" -c "$fits" 2>/dev/null; then python=$name; fi
done
if [ -n "${PYTHON:-}" ] && ! command -v "$PYTHON" >/dev/null; then
    echo "PYTHON names $PYTHON, which is not a program: name a Python 3.11 or newer, or leave PYTHON out." >&2
    exit 1
fi
if [ -z "$python" ]; then
    echo "Chainbox needs Python 3.11 or newer, with venv. On Debian 12, as root: apt-get install python3 python3-venv" >&2
    exit 1
fi

export UV_CACHE_DIR="$PWD/.cache/uv" PIP_CACHE_DIR="$PWD/.cache/pip" PIP_DISABLE_PIP_VERSION_CHECK=1
if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    echo "Making .venv with $($python --version) ..."
    if ! "$python" -m venv --clear .venv; then
        echo "$python cannot make a virtual environment. On Debian 12, as root: apt-get install python3-venv" >&2
        exit 1
    fi
fi

echo "Installing $requirements into .venv ..."
# uv installs the same files many times faster than pip. Without uv, pip installs them.
uv=.cache/tools/bin/uv
set --
for file in $requirements; do set -- "$@" -r "$file"; done
if $uv --version >/dev/null 2>&1 || .venv/bin/python -m pip install --quiet --target .cache/tools uv; then
    $uv pip install --quiet --python .venv/bin/python --require-hashes "$@" && installed=yes
fi
[ "${installed:-}" = yes ] || .venv/bin/python -m pip install --quiet --require-hashes "$@"
# shellcheck disable=SC2086  # a list of files
sum $requirements >".venv/installed-$kind"
