"""Lab histogram [beyond paper 4.1.1]: the colours of a region, without a network.

Lightness has 4 bins, a and b 8 each between -64 and 64; what lies outside counts in the last bin.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LIGHTNESS, CHROMA = 4, 8
BINS = LIGHTNESS * CHROMA * CHROMA
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
EPSILON, KAPPA = 216 / 24389, 24389 / 27


def lab(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return an sRGB picture (h, w, 3) in CIE Lab under D65: L from 0 to 100, a and b about -100 to 100."""
    levels = np.arange(256) / 255
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    ratio = linear[picture] @ (TO_XYZ / WHITE[:, None]).T
    roots = np.where(ratio > EPSILON, np.cbrt(ratio), (KAPPA * ratio + 16) / 116)
    x, y, z = np.moveaxis(roots, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def color_bins(picture: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the bin of each pixel, shape (h, w), from 0 to BINS - 1."""
    lightness, a, b = np.moveaxis(lab(picture), -1, 0)
    first = np.clip(lightness / 100 * LIGHTNESS, 0, LIGHTNESS - 1).astype(np.int64)
    second, third = (np.clip((each + 64) / 128 * CHROMA, 0, CHROMA - 1).astype(np.int64) for each in (a, b))
    return (first * CHROMA + second) * CHROMA + third


def histogram(
    bins: NDArray[np.int64], weights: NDArray[Any] | None = None, *, count: int = BINS
) -> NDArray[np.float64]:
    """Return the share of each bin, sum 1; zeros for no pixels or no weight."""
    flat = np.bincount(bins.ravel(), None if weights is None else weights.ravel(), minlength=count)
    total = flat.sum()
    return np.asarray(flat / total if total else flat, dtype=np.float64)
