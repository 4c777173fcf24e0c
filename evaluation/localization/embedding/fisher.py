"""Fisher vectors [paper 4.1.1; Klein et al. 2014]: a phrase by the gradients of its words' log-likelihood.

Each dimension of each component gives two numbers. Gaussian: (x - m) / s and (((x - m) / s)^2 - 1) / sqrt(2).
Laplacian: sign(x - m) and |x - m| / s - 1. Each is weighted with the posterior, divided by the root of the component's
weight and averaged over the words; then follow the signed square root and the division by the length.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from evaluation.localization.embedding.hglmm import Hglmm, posteriors


def word_terms(mixture: Hglmm, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return each word's part of a Fisher vector, shape (words, 2 K D): all first terms, then all second terms."""
    rows = np.asarray(vectors, dtype=np.float64)
    components, size = mixture.centers.shape
    shares, _ = posteriors(mixture, rows)
    result = np.empty((len(rows), 2, components, size), dtype=np.float32)
    for k in range(components):
        deviations = (rows - mixture.centers[k]) / mixture.scales[k]
        laplacian = mixture.laplacian[k]
        weight = (shares[:, k] / np.sqrt(mixture.weights[k]))[:, None]
        result[:, 0, k] = weight * np.where(laplacian, np.sign(deviations), deviations)
        second = np.where(laplacian, np.abs(deviations) - 1, (np.square(deviations) - 1) / np.sqrt(2))
        result[:, 1, k] = weight * second
    return result.reshape(len(rows), 2 * components * size)


def raw_fisher_vectors(terms: NDArray[np.float32], phrases: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Return the mean of the words' terms of each phrase, shape (phrases, 2 K D); zeros for a phrase without words."""
    lengths = [len(phrase) for phrase in phrases]
    values = np.repeat([1 / max(length, 1) for length in lengths], lengths).astype(np.float32)
    columns = np.array([row for phrase in phrases for row in phrase], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    bags = csr_matrix((values, columns, starts), shape=(len(phrases), len(terms)))
    return np.asarray(bags @ terms, dtype=np.float32)


def normalized(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return signed square roots, divided by their length; a vector of zeros stays zero."""
    roots = np.sign(vectors) * np.sqrt(np.abs(vectors))
    lengths = np.linalg.norm(roots, axis=1, keepdims=True)
    return np.asarray(roots / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def fisher_vectors(
    mixture: Hglmm, vectors: NDArray[np.floating], phrases: Sequence[Sequence[int]]
) -> NDArray[np.float32]:
    """Return the Fisher vector of each phrase, shape (phrases, 2 K D); phrases hold rows of `vectors`.

    Only the words that occur are expanded, each once.
    """
    used = sorted({row for phrase in phrases for row in phrase})
    place = {row: number for number, row in enumerate(used)}
    terms = word_terms(mixture, np.asarray(vectors)[used])
    return normalized(raw_fisher_vectors(terms, [[place[row] for row in phrase] for phrase in phrases]))
