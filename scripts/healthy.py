#!/usr/bin/env python3
"""Ends with 0 if parts of the service are fine: `scripts/healthy.py http://127.0.0.1:8000/readyz database tick`.

`scripts/healthy.py processes "jobs soon"` looks for processes of this machine or container by the names in `top`: a job
runner that works answers nobody. Containers use both as health checks. Plain Python, so that it costs little.
"""

import json
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

FINE = ("ok", "not used", "none yet")
SECONDS = 8


def check_service(where: str, parts: list[str]) -> int:
    """Print the parts that are not fine. Returns 1 if there are any, otherwise 0."""
    return look_for(parts) if where == "processes" else ask(where, parts)


def look_for(names: list[str]) -> int:
    """Print the names that no process has."""
    running = set()
    for path in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):  # it has just ended
            running.add(path.read_text().strip())
    missing = [f"{name}: no such process" for name in names if name not in running]
    print("\n".join(missing), file=sys.stderr, end="")
    return 1 if missing else 0


def ask(url: str, parts: list[str]) -> int:
    """Print the parts of which the service does not say that they are fine."""
    try:
        try:
            answer = urllib.request.urlopen(url, timeout=SECONDS)
        except urllib.error.HTTPError as error:
            answer = error  # 503: the body names the part that fails
        with answer:
            states = json.load(answer)
    except (OSError, ValueError) as error:
        print(f"{url}: {error}", file=sys.stderr)
        return 1
    bad = [f"{part}: {states.get(part, 'not reported')}" for part in parts if states.get(part) not in FINE]
    print("\n".join(bad), file=sys.stderr, end="")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        print("Usage: scripts/healthy.py URL PART... | processes NAME...", file=sys.stderr)
        sys.exit(2)
    sys.exit(check_service(sys.argv[1], sys.argv[2:]))
