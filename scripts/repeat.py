#!/usr/bin/env python3
"""Runs all tests several times and counts how often each failed: `scripts/repeat.py 5`.

Another process keeps one core busy meanwhile, so that a test that hangs on a fast machine shows itself. What each run
wrote stays in var/repeat/.
"""

import argparse
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAILED = re.compile(
    r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$|^ *FAIL +(\S.*)$|^ *[\d:]+ +[\d:]+  FAILED  (.*)$", re.MULTILINE
)
"""A failed test as pytest and vitest name it, and a failed part as scripts/test.py does."""


def failed_in(written: str) -> set[str]:
    """Return the tests and parts that a run names as failed."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", written)
    return {next(filter(None, found)).strip() for found in FAILED.findall(plain)}


def run(log: Path) -> set[str]:
    """Run all tests beside a busy process, with the output in the log. Returns what failed."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    with log.open("wb") as out:
        tests = subprocess.Popen([sys.executable, "scripts/test.py"], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        try:
            code = tests.wait()
        finally:
            tests.terminate()  # told to end, it ends what it has begun; killed, it would leave it running
            tests.wait()
            busy.kill()
            busy.wait()
    failed = failed_in(log.read_text(errors="replace"))
    return failed if code == 0 or failed else {f"ended with {code}"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run all tests several times and count which failed how often.")
    parser.add_argument("times", nargs="?", type=int, default=5, help="how often (5 if not given)")
    times = parser.parse_args().times
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    folder = ROOT / "var/repeat"
    folder.mkdir(parents=True, exist_ok=True)
    failures: Counter[str] = Counter()
    for number in range(1, times + 1):
        log = folder / f"{number}.log"
        failed = run(log)
        failures.update(failed)
        print(f"run {number} of {times}: {len(failed)} failed; all of it in {log.relative_to(ROOT)}", flush=True)
        print("".join(log.read_text(errors="replace").rpartition("\n== Minutes")[1:]))
    for name, count in failures.most_common():
        print(f"{count} of {times}  {name}")
    print(f"{times} runs, {len(failures)} tests or parts failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
