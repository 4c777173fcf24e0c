"""Files of numbers for regions: features of networks, scores of detectors, scores of colours.

An .npz of plain arrays. For each image, `IMAGE/boxes` (n, 4) holds boxes in 0-based, half-open pixels and
`IMAGE/values` (n, d) a row each. Scores also have `classes` (d), the names of the columns.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import InputError

GRAIN = 100
"""Boxes are the same if their corners agree to a hundredth of a pixel."""


@dataclass(slots=True)
class RegionFile:
    """An open file; images are read one by one when they are asked for."""

    path: Path
    data: Any
    classes: tuple[str, ...] = ()
    size: int = 0
    """Numbers of each region; 0 before the first image was read."""
    images: frozenset[str] = field(default_factory=frozenset)

    def __enter__(self) -> "RegionFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.data.close()

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

    def values(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
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
        scores = self.values(image, boxes)[:, self.classes.index(name)].astype(np.float64)
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
