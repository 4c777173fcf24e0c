"""Features of regions [beyond paper 4.1.1]: from files of networks, by colours, edges and place, or by place alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evaluation.errors import InputError
from evaluation.reading.picture import Picture
from evaluation.work import PictureFiles, StepWork

GRAIN = 100
"""Boxes are the same if their corners agree to a hundredth of a pixel."""


@dataclass(slots=True)
class RegionFile:
    """An open file of features or scores; images are read one by one when they are asked for."""

    name = "file"
    path: Path
    data: Any
    classes: tuple[str, ...] = ()
    size: int = 0
    """Numbers of each region; 0 before the first image was read."""
    images: frozenset[str] = field(default_factory=frozenset)

    def of_image(self, image: str) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return the boxes (n, 4) of an image and their rows (n, d). Raises InputError."""
        if image not in self.images:
            raise InputError(f"{self.path}: no values for image {image}.")
        boxes = np.asarray(self.data[f"{image}/boxes"], dtype=np.float64)
        values = np.asarray(self.data[f"{image}/values"], dtype=np.float32)
        if boxes.ndim != 2 or boxes.shape[1] != 4 or values.ndim != 2 or len(values) != len(boxes):
            shapes = f"{boxes.shape} and {values.shape}"
            raise InputError(f"{self.path}, image {image}: boxes (n, 4) and values (n, d) expected, not {shapes}.")
        if not np.isfinite(values).all() or not np.isfinite(boxes).all():
            raise InputError(f"{self.path}, image {image}: there is a number that is not finite.")
        self.size = self.size or values.shape[1]
        expected = len(self.classes) or self.size
        if values.shape[1] != expected:
            raise InputError(f"{self.path}, image {image}: {values.shape[1]} numbers a region, not {expected}.")
        return boxes, values

    def of(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
        """Return the rows of these boxes, in their order: shape (m, d). Raises InputError for an unknown box."""
        own, rows = self.of_image(image)
        place = {key: row for row, key in reversed(list(enumerate(keys(own))))}
        try:
            return rows[[place[key] for key in keys(boxes)]]
        except KeyError as error:
            box = ", ".join(f"{number / GRAIN:g}" for number in error.args[0])
            raise InputError(f"{self.path}, image {image}: no values for box [{box}].") from None

    def has(self, image: str, boxes: NDArray[Any]) -> bool:
        """Tell whether the file has values for all of these boxes."""
        return image in self.images and set(keys(boxes)) <= set(keys(self.of_image(image)[0]))

    def column(self, name: str, image: str, boxes: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return the scores of one class for these boxes, shape (m), or None if the file has no such class.

        Raises InputError for scores outside 0 to 1.
        """
        if name not in self.classes:
            return None
        scores = self.of(image, boxes)[:, self.classes.index(name)].astype(np.float64)
        if scores.size and (scores.min() < 0 or scores.max() > 1):
            raise InputError(f"{self.path}, image {image}: scores of {name} must lie between 0 and 1.")
        return scores


def keys(boxes: NDArray[Any]) -> Iterator[tuple[int, ...]]:
    """Yield a key for each box, equal for boxes that are the same."""
    for row in np.rint(np.asarray(boxes, dtype=np.float64) * GRAIN).astype(np.int64).tolist():
        yield tuple(row)


def open_region_file(path: Path, *, scores: bool = False) -> RegionFile:
    """Open a file of features, or with `scores` one with names of classes. Raises InputError."""
    try:
        data = np.load(path, allow_pickle=False)
        names = set(data.files)
    except (BadZipFile, ValueError, AttributeError) as error:
        raise InputError(f"{path}: not a readable .npz of plain arrays.") from error
    images = frozenset(name.removesuffix("/boxes") for name in names if name.endswith("/boxes"))
    if lacking := sorted(image for image in images if f"{image}/values" not in names):
        raise InputError(f"{path}: image {lacking[0]} has boxes and no values.")
    if not images:
        raise InputError(f"{path}: no arrays IMAGE/boxes and IMAGE/values in it.")
    if scores and "classes" not in names:
        raise InputError(f"{path}: scores need an array `classes` with the names of the columns.")
    classes = tuple(str(name) for name in data["classes"]) if scores else ()
    return RegionFile(path, data, classes, images=images)


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


def histogram(bins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the share of each bin, sum 1; zeros for no pixels."""
    return np.bincount(bins.ravel(), minlength=BINS) / max(1, bins.size)


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
    lightness, a, b = np.moveaxis(lab(pixels), -1, 0)
    first = np.clip(lightness / 100 * LIGHTNESS, 0, LIGHTNESS - 1).astype(np.int64)
    second, third = (np.clip((axis + 64) / 128 * CHROMA, 0, CHROMA - 1).astype(np.int64) for axis in (a, b))
    return PictureMaps(
        colors=((first * CHROMA + second) * CHROMA + third),
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


NETWORK = "features of regions of a network (--features)"


class Features(Protocol):
    """A source of features."""

    name: str

    def of(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
        """Return the features of boxes (n, 4) of an image: shape (n, d)."""
        ...


class BuiltinFeatures:
    """Colours, edges and place, from photographs. The last photograph is kept."""

    name = "built-in"

    def __init__(self, pictures: Mapping[str, Picture], files: PictureFiles) -> None:
        self.pictures, self.files = pictures, files
        self.last: tuple[str, PictureMaps] | None = None

    def maps(self, image: str) -> PictureMaps:
        """Return the maps of a photograph."""
        if self.last is None or self.last[0] != image:
            self.last = image, picture_maps(self.files.open(self.pictures[image]))
        return self.last[1]

    def of(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
        """Return the built-in features."""
        return region_features(self.maps(image), boxes)


class GeometryFeatures:
    """Five numbers of the box, for exports without photographs."""

    name = "geometry"

    def __init__(self, pictures: Mapping[str, Picture]) -> None:
        self.pictures = pictures

    def of(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
        """Return centre, sides and area as shares of the picture's."""
        picture = self.pictures[image]
        rows = [geometry(box, picture.width, picture.height) for box in np.asarray(boxes, dtype=np.float64)]
        return np.array(rows, dtype=np.float32).reshape(len(boxes), 5)


def features_of_step(work: StepWork, pictures: Mapping[str, Picture], files: PictureFiles) -> Features:
    """Return the file's features if --features is given, else built-in ones, or without photographs geometry."""
    file = work.file("features")
    if file is not None:
        return open_region_file(file)
    return BuiltinFeatures(pictures, files) if files.has_all(pictures.values()) else GeometryFeatures(pictures)
