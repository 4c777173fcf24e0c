#!/usr/bin/env python3
"""Ends with 0 if parts of the service are fine: `scripts/healthy.py http://127.0.0.1:8000/readyz database tick`.

Containers use it as their health check. Plain Python, so that it costs little.
"""

import json
import sys
import urllib.error
import urllib.request

FINE = ("ok", "not used", "none yet")
SECONDS = 8


def main(url: str, parts: list[str]) -> int:
    """Print and count the parts that are not fine."""
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
        print("Usage: scripts/healthy.py URL PART...", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
