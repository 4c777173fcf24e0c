"""Canonical correlation analysis [paper 4.1.1]: linear maps of two views into one space where they correlate most.

By covariances: Cholesky factors of both views' covariances whiten the covariance between them, whose singular values
are the canonical correlations. A ridge, a share of the mean variance, is added to both diagonals.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, eigh, solve_triangular

from evaluation.localization.embedding.moments import Chunk, moments

RIDGE = 0.1
"""Share of a view's mean variance; decided, the paper names none."""


@dataclass(frozen=True, slots=True)
class Cca:
    """Fitted maps into k dimensions, the most correlated first."""

    mean_x: NDArray[Any]
    mean_y: NDArray[Any]
    map_x: NDArray[Any]
    """Shape (p, k)."""
    map_y: NDArray[Any]
    """Shape (q, k)."""
    correlations: NDArray[Any]
    """Shape (k), from large to small, between 0 and 1."""


def fit_cca(
    chunks: Iterable[Chunk], outputs: int = 4096, *, ridge: float = RIDGE, dtype: type[np.floating] = np.float32
) -> Cca:
    """Fit the maps on chunks of paired rows, (n, p) beside (n, q).

    At most min(p, q) outputs are returned; correlations are those of the ridged covariances. Raises ValueError for no
    rows, LinAlgError for a singular covariance without ridge.
    """
    found = moments(chunks, dtype)
    outputs = min(outputs, *found.xy.shape)
    for matrix in (found.xx, found.yy):
        # A constant view has no variance at all: a tiny ridge keeps its factor defined.
        matrix[np.diag_indices_from(matrix)] += max(ridge * float(np.trace(matrix)) / len(matrix), np.finfo(dtype).tiny)
    factor_x = cholesky(found.xx, lower=True, overwrite_a=True, check_finite=False)
    factor_y = cholesky(found.yy, lower=True, overwrite_a=True, check_finite=False)
    white = solve_triangular(factor_x, found.xy, lower=True, overwrite_b=True, check_finite=False)
    white = solve_triangular(factor_y, white.T, lower=True, check_finite=False)  # shape (q, p)
    left, correlations, right = _top_singular(white, outputs)
    map_y = solve_triangular(factor_y, left, lower=True, trans="T", overwrite_b=True, check_finite=False)
    map_x = solve_triangular(factor_x, right, lower=True, trans="T", overwrite_b=True, check_finite=False)
    return Cca(found.mean_x, found.mean_y, map_x, map_y, np.clip(correlations, 0, 1))


def _top_singular(matrix: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the `count` largest singular values with their left and right vectors in columns.

    The eigenvectors of the smaller Gram matrix are enough, and need less memory than a decomposition of the whole.
    """
    if matrix.shape[0] > matrix.shape[1]:
        right, values, left = _top_singular(matrix.T, count)
        return left, values, right
    size = len(matrix)
    squares, vectors = eigh(
        matrix @ matrix.T, subset_by_index=(size - count, size - 1), overwrite_a=True, check_finite=False
    )
    left = np.asfortranarray(vectors[:, ::-1])
    values = np.sqrt(np.maximum(squares[::-1], 0))
    least = np.finfo(matrix.dtype).eps
    right = np.asfortranarray(matrix.T @ left)
    right /= np.maximum(values, least)
    return left, values, right
