#!/bin/sh
# Asks public indexes whether a locked package has a known weakness. Needs a network; says so if no index answers.
# Ends with 0: nothing known; 1: something is known; 3: not everything could be asked.
set -u
cd "$(dirname "$0")/.."
export UV_CACHE_DIR="$PWD/.cache/uv" npm_config_cache="$PWD/.cache/npm"
known= unasked=
result=$(mktemp)
trap 'rm -f "$result"' EXIT
# pip-audit brings many packages of its own, so it is no part of .venv.
audit_python() {
    .cache/tools/bin/uv tool run --quiet "pip-audit==2.10.1" --require-hashes --disable-pip --progress-spinner off \
        --requirement "$1" --timeout 15 >"$result" 2>&1
}
# Offline, npm would report that it knows of nothing.
audit_pages() { (cd frontend && npm audit --json --offline=false --fetch-retries=1 --fetch-timeout=15000) >"$result" 2>&1; }
for file in requirements.txt requirements-dev.txt; do
    if audit_python "$file"; then
        echo "ok       $file"
    elif grep -q 'known vulnerabilit' "$result"; then
        echo "KNOWN    $file"
        cat "$result"
        known=yes
    else
        echo "UNASKED  $file: no index of weaknesses answers ($(tail -n 1 "$result"))"
        unasked=yes
    fi
done
if ! command -v npm >/dev/null; then
    echo "UNASKED  frontend/package-lock.json: npm is not installed"
    unasked=yes
elif audit_pages; then
    echo "ok       frontend/package-lock.json"
elif grep -q '"auditReportVersion"' "$result"; then
    echo "KNOWN    frontend/package-lock.json"
    cat "$result"
    known=yes
else
    echo "UNASKED  frontend/package-lock.json: no index of weaknesses answers"
    unasked=yes
fi
[ -z "$known" ] || exit 1
[ -z "$unasked" ] || exit 3
