"""Calibration [beyond paper 3.1.1]: whether things that are said to be right with some chance are right as often."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

BINS = 10
RESAMPLES = 1000
LARGEST_GAP = 3.0
"""A larger gap, in points, is marked if its interval excludes 0, in bins that hold a twentieth of the cases or more."""
LEAST_SHARE = 0.05


class Said(NamedTuple):
    """One thing that was said to be right with this chance, 0 to 1."""

    image: str
    chance: float
    right: bool


class Bin(NamedTuple):
    """The cases of one tenth of the chances; the other figures in percent."""

    first: float
    cases: int
    share: float
    """Of all cases."""
    said: float
    right: float
    low: float
    high: float
    """The 95 % interval of the gap, with images resampled."""

    @property
    def gap(self) -> float:
        return self.right - self.said

    @property
    def is_off(self) -> bool:
        large = abs(self.gap) > LARGEST_GAP and self.share >= 100 * LEAST_SHARE
        return large and not self.low <= 0 <= self.high


def calibration(cases: Iterable[Said]) -> list[Bin]:
    """Return the tenths that hold a case, from low chances to high ones. The same cases give the same bins."""
    binned: dict[int, list[Said]] = {}
    for case in cases:
        binned.setdefault(min(int(case.chance * BINS), BINS - 1), []).append(case)
    total = sum(map(len, binned.values()))
    return [_bin(number, binned[number], total) for number in sorted(binned)]


def _bin(number: int, cases: Sequence[Said], total: int) -> Bin:
    said, right = (100 * fmean(values) for values in zip(*((case.chance, case.right) for case in cases), strict=True))
    return Bin(number / BINS, len(cases), 100 * len(cases) / total, said, right, *gap_interval(cases))


def gap_interval(cases: Iterable[Said]) -> tuple[float, float]:
    """Return the 95 % interval of the share that is right less the mean chance, in points, with images resampled."""
    by_image: dict[str, list[float]] = {}
    for case in cases:
        own = by_image.setdefault(case.image, [0.0, 0.0])
        own[0] += 1
        own[1] += case.right - case.chance
    sums = np.array(list(by_image.values()))
    drawn = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    counts, gaps = sums[drawn].sum(axis=1).T
    low, high = np.percentile(100 * gaps / counts, [2.5, 97.5])
    return float(low), float(high)


def calibration_table(cases: Sequence[Said]) -> str:
    """Format the bins and the mean of all cases; a bin that is off is marked."""
    lines = [f"{'confidence':<12}{'chains':>8}{'said %':>9}{'right %':>9}{'gap':>7}{'95 % interval':>18}"]
    for one in calibration(cases):
        interval = f"{one.low:+.1f} to {one.high:+.1f}"
        lines.append(
            f"{one.first:.1f} to {one.first + 1 / BINS:.1f}{one.cases:>10}{one.said:>9.1f}{one.right:>9.1f}"
            f"{one.gap:>+7.1f}{interval:>18}{'  off' if one.is_off else ''}"
        )
    said = 100 * sum(case.chance for case in cases) / max(1, len(cases))
    right = 100 * sum(case.right for case in cases) / max(1, len(cases))
    lines.append(f"{'all':<10}{len(cases):>10}{said:>9.1f}{right:>9.1f}{right - said:>+7.1f}")
    return "\n".join(lines)
