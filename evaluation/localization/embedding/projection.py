"""Normalised projections [paper 4.1.1; Gong et al. 2014]: columns scaled by the eigenvalues, rows of length one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.embedding.cca import Cca

POWER = 1.0
"""The paper says eigenvalues; the cited source raises them to the power of 4. Decided by measurement."""


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
