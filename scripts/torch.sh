#!/bin/sh
# Installs torch for processors into .venv, for the oracle of captioning. Without it that step and its tests are left out.
# It is in no lock file: the same version for graphics cards brings several gigabytes of packages along.
set -eu
cd "$(dirname "$0")/.."
wanted=${TORCH:-torch==2.13.0+cpu}
if [ ! -x .venv/bin/python ]; then
    echo "There is no .venv: run scripts/setup.sh dev first." >&2
    exit 1
fi
version=${wanted#torch==}
found=$(.venv/bin/python -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null || true)
[ "$found" = "$version" ] && exit 0
echo "Installing $wanted into .venv ..."
export PIP_CACHE_DIR="$PWD/.cache/pip" PIP_DISABLE_PIP_VERSION_CHECK=1
if ! .venv/bin/python -m pip install --quiet "$wanted"; then
    echo "pip could not install $wanted. Name a place that has it in PIP_FIND_LINKS or" >&2
    echo "PIP_EXTRA_INDEX_URL, or take another build: TORCH=torch==2.13.0 scripts/torch.sh" >&2
    exit 1
fi
