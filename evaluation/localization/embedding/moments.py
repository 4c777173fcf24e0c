"""Moments of two views: means and covariances in one pass over chunks of rows, in place.

Memory is that of the three matrices and one chunk. Values are shifted by the first chunk's mean, so that single
precision loses nothing to large means.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

Chunk = tuple[NDArray[Any], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Moments:
    """Means and covariances of two views; of `xx` and `yy` only the lower triangle counts."""

    rows: int
    mean_x: NDArray[Any]
    mean_y: NDArray[Any]
    xx: NDArray[Any]
    """Shape (p, p)."""
    yy: NDArray[Any]
    """Shape (q, q)."""
    xy: NDArray[Any]
    """Shape (p, q)."""


def moments(chunks: Iterable[Chunk], dtype: type[np.floating] = np.float32) -> Moments:
    """Return the moments of chunks of paired rows, (n, p) beside (n, q), divided by the number of rows.

    Raises ValueError for no rows, or for chunks whose halves differ in their number of rows.
    """
    sums: _Sums | None = None
    for x, y in chunks:
        if len(x) != len(y):
            raise ValueError(f"A chunk has {len(x)} rows in one view and {len(y)} in the other.")
        if len(x):
            sums = sums or _Sums(x.mean(axis=0), y.mean(axis=0), dtype)
            sums.add(x, y)
    if sums is None:
        raise ValueError("No rows: two views need pairs.")
    return sums.moments()


class _Sums:
    """Sums of products and of rows, of values from which the first chunk's mean is taken."""

    def __init__(self, shift_x: NDArray[Any], shift_y: NDArray[Any], dtype: type[np.floating]) -> None:
        p, q = len(shift_x), len(shift_y)
        self.rows, self.dtype = 0, dtype
        self.shift_x, self.shift_y = shift_x.astype(dtype), shift_y.astype(dtype)
        self.sum_x, self.sum_y = np.zeros(p), np.zeros(q)
        # Columns first, as BLAS wants it: it then adds to the matrix itself, without a second one of its size.
        self.xx, self.yy = np.zeros((p, p), dtype, order="F"), np.zeros((q, q), dtype, order="F")
        self.xy = np.zeros((p, q), dtype, order="F")
        letter = blas.find_best_blas_type((self.xy,))[0]
        self.syrk, self.gemm = getattr(blas, f"{letter}syrk"), getattr(blas, f"{letter}gemm")

    def add(self, x: NDArray[Any], y: NDArray[Any]) -> None:
        """Add a chunk."""
        left = np.ascontiguousarray(x - self.shift_x, dtype=self.dtype)
        right = np.ascontiguousarray(y - self.shift_y, dtype=self.dtype)
        self.rows += len(left)
        self.sum_x += left.sum(axis=0, dtype=np.float64)
        self.sum_y += right.sum(axis=0, dtype=np.float64)
        self.xx = self.syrk(1, left.T, beta=1, c=self.xx, lower=1, overwrite_c=1)
        self.yy = self.syrk(1, right.T, beta=1, c=self.yy, lower=1, overwrite_c=1)
        self.xy = self.gemm(1, left.T, right.T, beta=1, c=self.xy, trans_b=1, overwrite_c=1)

    def moments(self) -> Moments:
        """Divide by the number of rows and take out the mean that the shift left."""
        off_x, off_y = self.sum_x / self.rows, self.sum_y / self.rows
        for matrix, left, right in ((self.xx, off_x, off_x), (self.yy, off_y, off_y), (self.xy, off_x, off_y)):
            matrix /= self.rows
            # Column by column, so that no second matrix of this size is needed.
            for column, mean in enumerate(right):
                matrix[:, column] -= (left * mean).astype(self.dtype)
        mean_x, mean_y = (self.shift_x + off_x).astype(self.dtype), (self.shift_y + off_y).astype(self.dtype)
        return Moments(self.rows, mean_x, mean_y, self.xx, self.yy, self.xy)
