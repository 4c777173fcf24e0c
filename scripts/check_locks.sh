#!/bin/sh
# Checks that lock files name packages, versions and hashes, but no place to download from.
set -eu
cd "$(dirname "$0")/.."
bad=0
for file in requirements*.txt; do
    # This finds options for pip too: --index-url, --find-links and others.
    if grep -nE '://|^[[:space:]]*-(-[a-z]|[a-z])' "$file" | grep -vE '^[0-9]+:[[:space:]]+--hash='; then
        echo "$file: the lines above name a place to download from; make it again with 'make lock'" >&2
        bad=1
    fi
done
if [ -f frontend/package-lock.json ] && grep -nE '"resolved"|registry\.' frontend/package-lock.json; then
    echo "frontend/package-lock.json: the lines above name a place to download from; see .npmrc" >&2
    bad=1
fi
if [ -f uv.lock ] || [ -f pylock.toml ]; then
    echo "uv.lock and pylock.toml name the places they were made from: remove them, requirements*.txt are the lock" >&2
    bad=1
fi
exit $bad
