"""Regions of a step [paper 4.1.2]: from a file, found in the photographs, on a grid, or the gold boxes.

The gold boxes are no detector, so an easier task: with them, cues are measured on exports without pictures. Figures on
them are never comparable with those on proposals.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evaluation.errors import InputError
from evaluation.localization.picture_files import PictureFiles
from evaluation.localization.proposals.edge_boxes import edge_boxes
from evaluation.localization.proposals.proposals_file import read_proposals
from evaluation.localization.proposals.selective_search import selective_search
from evaluation.localization.queries import Query
from evaluation.reading.picture import Picture
from evaluation.scoring.recall import members, proposal_bound
from evaluation.step import Option
from evaluation.work import Work

SHARES = (0.85, 0.65, 0.45, 0.3)
"""Sides of the boxes as shares of the picture's, from large to small."""
SHAPES = (1.0, 0.5, 2.0)
"""Width by height, as shares of the picture's: square, tall, wide."""
OVERLAP = 0.55
"""Boxes of one kind follow each other at this share of their side."""
Boxes = NDArray[np.float64]
FINDERS: dict[str, Callable[[Image.Image, int], Boxes]] = {
    "edge_boxes": edge_boxes,
    "selective_search": selective_search,
}
METHODS = (*FINDERS, "grid", "gold")
OPTIONS = (
    Option("proposals", "the regions of each image, as JSON lines", is_file=True),
    Option("method", "how regions are found; without: edge_boxes with photographs, else gold", choices=METHODS),
    Option("most", "regions of an image at most", kind=int, default=200),
)


def grid(width: int, height: int, most: int = 200) -> NDArray[np.float64]:
    """Return at most `most` boxes (n, 4) in pixels, the largest first, evenly spread over the picture."""
    boxes: list[tuple[float, float, float, float]] = []
    for share in SHARES:
        for shape in SHAPES:
            across, down = min(share * shape**0.5, 1.0), min(share / shape**0.5, 1.0)
            lefts, tops = _starts(across), _starts(down)
            boxes += [(x, y, x + across, y + down) for y in tops for x in lefts]
    kept = np.array(list(dict.fromkeys(boxes))[:most])
    return kept * np.array([width, height, width, height], dtype=np.float64)


def _starts(side: float) -> list[float]:
    """Return where boxes of this side begin, between 0 and 1 - side."""
    steps = max(1, round((1 - side) / (side * OVERLAP)) + (side < 1))
    return [float(start) for start in np.linspace(0, 1 - side, steps + (steps == 1 and side < 1))]


def gold_pool(boxes: Iterable[Sequence[float]]) -> NDArray[np.float64]:
    """Return the distinct boxes (n, 4), the largest first; of equal size, by their corners."""
    distinct = {tuple(float(edge) for edge in box) for box in boxes}
    ordered = sorted(distinct, key=lambda box: (-(box[2] - box[0]) * (box[3] - box[1]), box))
    return np.array(ordered, dtype=np.float64).reshape(-1, 4)


@dataclass(frozen=True, slots=True)
class Regions:
    """The regions of each image, the best first, and where they are from."""

    boxes: dict[str, Boxes]
    method: str

    @property
    def note(self) -> str:
        """Return a sentence for the report."""
        count = float(np.mean([len(boxes) for boxes in self.boxes.values()]))
        if self.method == "gold":
            return (
                f"The regions are the images' own gold boxes, {count:.1f} an image: an easier task than on proposals. "
                "The figures cannot be compared with the paper's."
            )
        return f"Regions: {self.method}, {count:.1f} an image."


def regions_of_step(work: Work, pictures: Sequence[Picture], files: PictureFiles) -> Regions:
    """Return at most --most regions of each picture. Raises InputError for a bad file or a missing image."""
    most = int(work.options["most"])
    if most < 1:
        raise InputError("--most: at least one region an image.")
    file = work.file("proposals")
    if file is not None:
        found = read_proposals(file, {picture.name: (picture.width, picture.height) for picture in pictures})
        if missing := [picture.name for picture in pictures if picture.name not in found]:
            raise InputError(f"{file}: no proposals for image {missing[0]} ({len(missing):,} images have none).")
        return Regions({picture.name: found[picture.name][:most] for picture in pictures}, "file")
    method = work.options["method"] or ("edge_boxes" if files.has_all(pictures) else "gold")
    if method in FINDERS:
        arrays = {}
        for picture in work.progress(pictures, "finding regions"):

            def find(picture: Picture = picture) -> dict[str, Boxes]:
                return {"boxes": FINDERS[method](files.open(picture), most)}

            key = {"method": method, "most": most, "inputs": work.inputs}
            arrays[picture.name] = work.kept.arrays(f"regions-{picture.name}", key, find)["boxes"]
        return Regions(arrays, method)
    if method == "grid":
        return Regions({picture.name: grid(picture.width, picture.height, most) for picture in pictures}, method)
    return Regions({picture.name: gold_pool(picture.gold.values())[:most] for picture in pictures}, "gold")


def bounds(queries: Sequence[Query], regions: Regions) -> dict[str, float]:
    """Return the percentage of queries with any right region, overall and by type (Table 6, last row)."""
    right = np.array([proposal_bound(regions.boxes[query.image], np.array([query.gold]))[0] for query in queries])
    groups = members([query.types for query in queries])
    found = {f"bound.{kind}": float(100 * right[group].mean()) for kind, group in groups.items() if len(group)}
    return {"bound": float(100 * right.mean())} | found
