"""The features of regions of a step: from a file, those made without a network, or the place of the box alone."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.embedding.builtin_features import PictureMaps, geometry, picture_maps, region_features
from evaluation.localization.embedding.region_file import RegionFile, open_region_file
from evaluation.localization.picture_files import PictureFiles
from evaluation.reading.picture import Picture
from evaluation.step import Option
from evaluation.work import Work

FEATURES = Option("features", "features of regions of a network, as .npz", is_file=True)
NETWORK = "features of regions of a network (--features)"


class Features(Protocol):
    """A source of features."""

    name: str

    def of(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
        """Return the features of boxes (n, 4) of an image: shape (n, d)."""
        ...


class FileFeatures:
    """Features from a file."""

    name = "file"

    def __init__(self, file: RegionFile) -> None:
        self.file = file

    def of(self, image: str, boxes: NDArray[Any]) -> NDArray[np.float32]:
        """Return the rows of these boxes. Raises InputError for a box that the file lacks."""
        return self.file.values(image, boxes)


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


def features_of_step(work: Work, pictures: Mapping[str, Picture], files: PictureFiles) -> Features:
    """Return the file's features if --features is given, else built-in ones, or without photographs geometry."""
    file = work.file("features")
    if file is not None:
        return FileFeatures(open_region_file(file))
    return BuiltinFeatures(pictures, files) if files.has_all(pictures.values()) else GeometryFeatures(pictures)
