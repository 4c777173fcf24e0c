"""Features of regions without networks [beyond paper 4.1.1]: colours, edges and place.

Lab histograms of 2 x 2 cells, oriented gradients of 4 x 4 cells, and five numbers of the box: centre, sides, share of
the picture. In a histogram lightness has 4 bins, a and b 8 each between -64 and 64; what lies outside counts in the
last bin. With them the whole chain runs on photographs; the figures are not comparable with those of networks.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

LIGHTNESS, CHROMA = 4, 8
BINS = LIGHTNESS * CHROMA * CHROMA
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
EPSILON, KAPPA = 216 / 24389, 24389 / 27
LONG_SIDE = 256
COLOR_CELLS, EDGE_CELLS, ORIENTATIONS, GEOMETRY = 2, 4, 9, 5
SIZE = COLOR_CELLS**2 * BINS + EDGE_CELLS**2 * ORIENTATIONS + GEOMETRY


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


@dataclass(frozen=True, slots=True)
class PictureMaps:
    """A picture made small: the colour bin, orientation bin and edge strength of each pixel."""

    colors: NDArray[np.int64]
    orientations: NDArray[np.int64]
    strengths: NDArray[np.float64]
    scale_x: float
    """Pixels of the small picture for one of the picture."""
    scale_y: float
    width: float
    height: float


def picture_maps(picture: Image.Image) -> PictureMaps:
    """Return the maps of a picture whose long side is made at most 256 pixels."""
    width, height = picture.size
    ratio = min(1.0, LONG_SIDE / max(width, height))
    small = picture.convert("RGB").resize(
        (max(2, round(width * ratio)), max(2, round(height * ratio))), Image.Resampling.BOX
    )
    pixels = np.asarray(small)
    down, across = np.gradient(pixels.astype(np.float64).mean(axis=2))
    turn = np.arctan2(down, across) % np.pi / np.pi * ORIENTATIONS
    return PictureMaps(
        colors=color_bins(pixels),
        orientations=np.minimum(turn.astype(np.int64), ORIENTATIONS - 1),
        strengths=np.hypot(down, across),
        scale_x=small.width / width,
        scale_y=small.height / height,
        width=width,
        height=height,
    )


def region_features(maps: PictureMaps, boxes: NDArray[Any]) -> NDArray[np.float32]:
    """Return the features of boxes (n, 4), in pixels of the picture: shape (n, SIZE)."""
    result = np.zeros((len(boxes), SIZE), dtype=np.float32)
    for row, box in enumerate(np.asarray(boxes, dtype=np.float64)):
        cells = [histogram(maps.colors[cell]) for cell in grid_cells(maps, box, COLOR_CELLS)]
        edges = np.concatenate(
            [
                np.bincount(maps.orientations[cell].ravel(), maps.strengths[cell].ravel(), minlength=ORIENTATIONS)
                for cell in grid_cells(maps, box, EDGE_CELLS)
            ]
        )
        length = np.linalg.norm(edges)
        result[row] = np.concatenate(
            [
                np.sqrt(np.concatenate(cells)),
                edges / length if length else edges,
                geometry(box, maps.width, maps.height),
            ]
        )
    return result


def geometry(box: NDArray[Any], width: float, height: float) -> NDArray[np.float64]:
    """Return centre, width, height and area of a box as shares of the picture's: five numbers."""
    x0, y0, x1, y1 = box
    across, down = (x1 - x0) / width, (y1 - y0) / height
    return np.array([(x0 + x1) / 2 / width, (y0 + y1) / 2 / height, across, down, across * down])


def region_colors(maps: PictureMaps, boxes: NDArray[Any]) -> NDArray[np.float32]:
    """Return one Lab histogram of each whole box: shape (n, BINS)."""
    rows = [histogram(maps.colors[next(iter(grid_cells(maps, box, 1)))]) for box in np.asarray(boxes, np.float64)]
    return np.array(rows, dtype=np.float32).reshape(len(boxes), BINS)


def grid_cells(maps: PictureMaps, box: NDArray[Any], count: int) -> list[tuple[slice, slice]]:
    """Return count x count cells of a box in the small picture, row by row; each has at least one pixel."""
    height, width = maps.colors.shape
    across = np.clip(np.linspace(box[0], box[2], count + 1) * maps.scale_x, 0, width)
    down = np.clip(np.linspace(box[1], box[3], count + 1) * maps.scale_y, 0, height)
    return [
        (_pixels(down[row], down[row + 1], height), _pixels(across[column], across[column + 1], width))
        for row in range(count)
        for column in range(count)
    ]


def _pixels(start: float, end: float, size: int) -> slice:
    first = min(int(np.floor(start)), size - 1)
    return slice(first, max(first + 1, int(np.ceil(end))))
