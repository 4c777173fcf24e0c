#!/bin/sh
# Looks for keys, tokens and passwords in the tree. The rules are in .secrets.baseline, which lists no finding.
# A line that only looks like a secret ends with the comment `pragma: allowlist secret`.
set -eu
cd "$(dirname "$0")/.."
if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "This is not a git checkout: nothing was searched."
    exit 0
fi
# Lock files and goldens hold digests, and stored records hold vectors of phrases: they look like keys.
git ls-files --cached --others --exclude-standard |
    grep -vE '^(requirements.*\.txt|frontend/package-lock\.json|\.secrets\.baseline|tests/.*(goldens|golden_lives|stored_records)\.json)$' |
    while read -r file; do if [ -f "$file" ]; then printf '%s\0' "$file"; fi; done |
    xargs -0 -n 100 -P 2 .venv/bin/detect-secrets-hook --baseline .secrets.baseline
