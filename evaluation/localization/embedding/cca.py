"""Shared space of phrases and regions [paper 4.1.1, 4.1.3; Gong et al. 2014]: canonical correlation analysis."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import need
from evaluation.language import Tagged
from evaluation.localization.embedding.phrase_vectors import PhraseEncoder

Chunk = tuple[NDArray[Any], NDArray[Any]]
FITTING = "fitting the CCA"
RIDGE = 0.1
"""Share of a view's mean variance; decided, the paper names none."""
RIDGES = (1e-4, 1e-3, 0.01, 0.1, 1.0)
POWER = 1.0
"""The paper says eigenvalues; the cited source raises them to the power of 4. Decided by measurement."""


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

    Memory is that of the three matrices and one chunk. Values are shifted by the first chunk's mean, so that single
    precision loses nothing to large means.

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
        blas = need("scipy.linalg", FITTING).blas
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
    linalg = need("scipy.linalg", FITTING)
    factor_x = linalg.cholesky(found.xx, lower=True, overwrite_a=True, check_finite=False)
    factor_y = linalg.cholesky(found.yy, lower=True, overwrite_a=True, check_finite=False)
    white = linalg.solve_triangular(factor_x, found.xy, lower=True, overwrite_b=True, check_finite=False)
    white = linalg.solve_triangular(factor_y, white.T, lower=True, check_finite=False)  # shape (q, p)
    left, correlations, right = _top_singular(white, outputs)
    map_y = linalg.solve_triangular(factor_y, left, lower=True, trans="T", overwrite_b=True, check_finite=False)
    map_x = linalg.solve_triangular(factor_x, right, lower=True, trans="T", overwrite_b=True, check_finite=False)
    return Cca(found.mean_x, found.mean_y, map_x, map_y, np.clip(correlations, 0, 1))


def _top_singular(matrix: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the `count` largest singular values with their left and right vectors in columns.

    The eigenvectors of the smaller Gram matrix are enough, and need less memory than a decomposition of the whole.
    """
    if matrix.shape[0] > matrix.shape[1]:
        right, values, left = _top_singular(matrix.T, count)
        return left, values, right
    size = len(matrix)
    squares, vectors = need("scipy.linalg", FITTING).eigh(
        matrix @ matrix.T, subset_by_index=(size - count, size - 1), overwrite_a=True, check_finite=False
    )
    left = np.asfortranarray(vectors[:, ::-1])
    values = np.sqrt(np.maximum(squares[::-1], 0))
    least = np.finfo(matrix.dtype).eps
    right = np.asfortranarray(matrix.T @ left)
    right /= np.maximum(values, least)
    return left, values, right


def choose_ridge(fit: Callable[[float], Cca], score: Callable[[Cca], float]) -> tuple[float, Cca, dict[float, float]]:
    """Return the one of RIDGES with the highest score, its maps, and the score of each; of equal ones the smallest."""
    scores: dict[float, float] = {}
    best: tuple[float, Cca] | None = None
    for ridge in RIDGES:
        fitted = fit(ridge)
        scores[ridge] = score(fitted)
        if best is None or scores[ridge] > scores[best[0]]:
            best = ridge, fitted
    assert best is not None
    return *best, scores


def project_x(cca: Cca, rows: NDArray[Any], *, power: float = POWER) -> NDArray[np.float32]:
    """Return rows (n, p) of the first view in the shared space, shape (n, k), each of length one."""
    return _scaled((rows - cca.mean_x) @ cca.map_x, cca, power)


def project_y(cca: Cca, rows: NDArray[Any], *, power: float = POWER) -> NDArray[np.float32]:
    """Return rows (n, q) of the second view in the shared space, shape (n, k), each of length one."""
    return _scaled((rows - cca.mean_y) @ cca.map_y, cca, power)


def _scaled(projected: NDArray[Any], cca: Cca, power: float) -> NDArray[np.float32]:
    """Scale the columns by correlation ** power (0 leaves plain CCA); a row of zeros stays zero."""
    scaled = projected * np.asarray(cca.correlations) ** power
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def cosine_distances(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distances of rows of length one, (n, k) and (m, k): shape (n, m), each between 0 and 1.

    The printed scores of the paper fit 1 - cos and not half of it, so angles beyond the right one count as 1.
    """
    return np.clip(1 - np.asarray(left @ right.T, dtype=np.float64), 0, 1)


CHUNK = 2_048
"""Phrases that are expanded at once: a Fisher vector of the paper has 18,000 numbers."""


@dataclass(frozen=True, slots=True)
class RegionPhraseModel:
    """An encoder of phrases and the fitted maps."""

    encoder: PhraseEncoder
    cca: Cca
    power: float = POWER

    def phrases(self, phrases: Sequence[Tagged]) -> NDArray[np.float32]:
        """Return the phrases in the shared space, rows of length one: shape (n, k)."""
        parts = [project_x(self.cca, part, power=self.power) for part in encoded(self.encoder, phrases)]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.cca.correlations)), np.float32)

    def regions(self, features: NDArray[Any]) -> NDArray[np.float32]:
        """Return regions, by their features (n, d), in the shared space: shape (n, k)."""
        return project_y(self.cca, features, power=self.power)


def encoded(encoder: PhraseEncoder, phrases: Sequence[Tagged]) -> Iterator[NDArray[np.float32]]:
    """Yield the Fisher vectors of the phrases in chunks."""
    for start in range(0, len(phrases), CHUNK):
        yield encoder.encode(phrases[start : start + CHUNK])


def fit_model(
    encoder: PhraseEncoder,
    phrases: Sequence[Tagged],
    features: NDArray[Any],
    *,
    outputs: int = 4096,
    ridge: float = RIDGE,
) -> RegionPhraseModel:
    """Fit the maps on phrases and the features (n, d) of their regions."""

    def chunks() -> Iterator[Chunk]:
        start = 0
        for part in encoded(encoder, phrases):
            yield part, features[start : start + len(part)]
            start += len(part)

    return RegionPhraseModel(encoder, fit_cca(chunks(), outputs, ridge=ridge))
