#!/bin/sh
# Builds, tests or checks the frontend: `scripts/frontend.sh build|test|check`. Building and checking make the types of the
# API from schema.yml. Does nothing without frontend/package.json.
set -eu
cd "$(dirname "$0")/.."
[ -f frontend/package.json ] || exit 0
cd frontend
if ! command -v npm >/dev/null; then
    echo "The pages for workers are built with Node 20 or newer and npm. On Debian, as root: apt-get install nodejs npm" >&2
    exit 1
fi
export npm_config_cache="$PWD/../.cache/npm" npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
sum=$(cat package.json package-lock.json | sha256sum | cut -d ' ' -f 1)
if [ "$(cat node_modules/.installed 2>/dev/null)" != "$sum" ]; then
    npm ci --no-progress --loglevel=error
    echo "$sum" >node_modules/.installed
fi
case ${1:-} in
    build) npm run --silent build ;;
    test) npm test --silent ;;
    check) npm run --silent check ;;
    *) echo "Usage: scripts/frontend.sh build|test|check" >&2; exit 2 ;;
esac
