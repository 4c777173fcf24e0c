"""Counts inputs and travelled pixels per question in Chromium, for each task: scripts/count_inputs.py [BATCHES]."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
TEST = "tests/labelling/test_drawing_in_chromium.py"


def count_inputs(batches: str) -> int:
    with TemporaryDirectory() as folder:
        figures = Path(folder) / "figures"
        own = {"CHAINBOX_COUNT_BATCHES": batches, "CHAINBOX_COUNT_TO": str(figures)}
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", TEST, "-q"], cwd=ROOT, env=os.environ | own, check=False
        )
        print(f"| task | by | by itself | {batches} batches |\n|---|---|---|---|")
        print(figures.read_text(encoding="utf-8") if figures.exists() else "", end="")
    return ended.returncode


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "3"
    if not asked.isdecimal() or int(asked) < 1:
        sys.exit(f"Give a number of batches, at least 1, instead of {asked!r}: scripts/count_inputs.py 3")
    sys.exit(count_inputs(asked))
