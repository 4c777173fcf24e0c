#!/usr/bin/env python3
"""Imports pictures from a twin of S3 and serves them: does memory grow with their number? docs/storage.md has figures.

measure_storage.py [COUNT ...] [--folder]: one process for each count (1000 and 10000); --folder keeps them on disk.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.storage_memory import fill, make_database, measured, twin_process  # noqa: E402


def main() -> None:
    in_bucket = "--folder" not in sys.argv
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1000, 10_000]
    with tempfile.TemporaryDirectory(prefix="chainbox-") as name, twin_process(Path(name)) as url:
        make_database(Path(name))
        peaks = []
        for count in counts:
            source = fill(url, f"source{count}", count)
            figures = measured(url, Path(name), source, f"p{count}", in_bucket=in_bucket)
            peaks.append(figures["peak_mb"])
            print(f"{count}: {figures}; {peaks[-1] / peaks[0]:.3f} times the first", flush=True)


if __name__ == "__main__":
    main()
