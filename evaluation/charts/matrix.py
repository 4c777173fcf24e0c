"""Matrices: counts by row and column, shaded by the share of their row."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def draw_matrix(figure: Any, counts: np.ndarray, names: Sequence[str], rows: str, columns: str) -> None:
    """Draw a square matrix of counts. A row's shades add up to 100 %; the number in a cell is that percentage."""
    sums = counts.sum(axis=1, keepdims=True)
    shares = np.divide(100 * counts, sums, out=np.zeros(counts.shape), where=sums > 0)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=100)
    for i, row in enumerate(shares):
        for j, share in enumerate(row):
            if counts[i, j]:
                axes.text(j, i, f"{share:.0f}", ha="center", va="center", color="white" if share > 55 else "#222222")
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.grid(False)
    axes.set_xlabel(columns)
    axes.set_ylabel(rows)
