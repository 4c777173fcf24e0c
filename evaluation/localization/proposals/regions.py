"""Regions of a picture [paper 4.1, 4.1.2, Table 5a; Zitnick and Dollar 2014; Uijlings et al. 2013]: found or read."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import CDLL
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NotRequired

import numpy as np
from annotated_types import Len
from numpy.typing import NDArray
from PIL import Image
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.localization.picture_files import PictureFiles
from evaluation.localization.queries import Query
from evaluation.optional import need
from evaluation.reading.json_lines import json_lines
from evaluation.reading.picture import Picture
from evaluation.scoring.recall import members, proposal_bound
from evaluation.step import StepOption
from evaluation.work import StepWork

Map = NDArray[np.float32]
FAINTEST = 1.0
"""The slope in Lab that counts as a full edge where the picture has no steeper one."""
LONG_SIDE = 400


def edge_map(pixels: NDArray[np.uint8], sigma: float = 1.5) -> tuple[Map, Map]:
    """Return strength (0 to 1) and direction across the edge (0 to pi) of each pixel, (h, w), of an RGB picture.

    Raises MissingExtra without OpenCV.
    """
    cv2 = need("cv2", "finding edges")
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    smooth = cv2.GaussianBlur(lab, (0, 0), sigma)
    across = cv2.Sobel(smooth, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    strength = np.sqrt((across**2 + down**2).sum(axis=2))
    strength /= max(float(np.percentile(strength, 99.5)), FAINTEST)
    # The channel with the steepest slope tells the direction.
    steepest = (across**2 + down**2).argmax(axis=2)[..., None]
    x = np.take_along_axis(across, steepest, axis=2)[..., 0]
    y = np.take_along_axis(down, steepest, axis=2)[..., 0]
    thin = ridges(np.clip(strength, 0, 1), x, y, cv2)
    return thin, np.mod(np.arctan2(y, x), np.pi).astype(np.float32)


def ridges(strength: Map, x: Map, y: Map, cv2: Any) -> Map:
    """Return the strength where it is not below its neighbours across the edge, else 0."""
    length = np.maximum(np.hypot(x, y), 1e-6)
    rows, columns = np.mgrid[: strength.shape[0], : strength.shape[1]].astype(np.float32)
    kept = np.ones(strength.shape, dtype=bool)
    for sign in (-1, 1):
        beside = cv2.remap(
            strength,
            columns + sign * (x / length).astype(np.float32),
            rows + sign * (y / length).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        kept &= strength >= beside
    return np.where(kept, strength, 0).astype(np.float32)


def edge_boxes(picture: Image.Image, most: int = 200) -> NDArray[np.float64]:
    """Return at most `most` boxes (n, 4) in pixels, the best score first. Raises MissingExtra without OpenCV.

    A picture whose long side is above 400 pixels is made small first.
    """
    need("cv2", "edge boxes")
    ximgproc = need("cv2.ximgproc", "edge boxes")
    width, height = picture.size
    ratio = min(1.0, LONG_SIDE / max(width, height))
    small = picture.convert("RGB").resize((max(8, round(width * ratio)), max(8, round(height * ratio))))
    strength, direction = edge_map(np.asarray(small))
    # For a target overlap of 0.5 the method lets a box suppress others from a little above it.
    finder = ximgproc.createEdgeBoxes(alpha=0.65, beta=0.55, maxBoxes=most, minBoxArea=200)
    found, _ = finder.getBoundingBoxes(strength, direction)
    boxes = np.array(found, dtype=np.float64).reshape(-1, 4)
    boxes[:, 2:] += boxes[:, :2]
    return inside(boxes * np.array([width / small.width, height / small.height] * 2), width, height)[:most]


def inside(boxes: NDArray[np.float64], width: int, height: int) -> NDArray[np.float64]:
    """Return the boxes cut to the picture; those without area are left out."""
    cut = np.clip(boxes, 0, [width, height, width, height])
    return cut[(cut[:, 2] > cut[:, 0]) & (cut[:, 3] > cut[:, 1])]


def selective_search(picture: Image.Image, most: int = 200) -> NDArray[np.float64]:
    """Return at most `most` distinct boxes (n, 4) in pixels, in the method's order. Raises MissingExtra without OpenCV.

    The picture is made small first: its long side is 400 pixels at most.
    """
    need("cv2", "selective search")
    segmentation = need("cv2.ximgproc.segmentation", "selective search")
    # The order of the boxes has a random part, drawn from the numbers of the C library.
    CDLL(None).srand(0)
    width, height = picture.size
    ratio = min(1.0, LONG_SIDE / max(width, height))
    small = picture.convert("RGB").resize((max(1, round(width * ratio)), max(1, round(height * ratio))))
    search = segmentation.createSelectiveSearchSegmentation()
    search.setBaseImage(np.asarray(small)[:, :, ::-1].copy())
    search.switchToSelectiveSearchFast()
    found = np.array(search.process(), dtype=np.float64).reshape(-1, 4)
    found[:, 2:] += found[:, :2]
    scale = np.array([width / small.width, height / small.height] * 2)
    distinct = list(dict.fromkeys(map(tuple, found.tolist())))[:most]
    return inside(np.array(distinct, dtype=np.float64).reshape(-1, 4) * scale, width, height)


Boxes = NDArray[np.float64]


class ProposalLine(TypedDict):
    """The boxes of an image in which a phrase may be."""

    image: str
    """Its name in the export."""
    boxes: Sequence[Annotated[Sequence[float], Len(4, 4)]]
    """[left, top, right, bottom] in pixels, end exclusive."""
    scores: NotRequired[Sequence[float]]
    """A number for each box; without them the first box is the best."""


def read_proposals(file: Path, sizes: Mapping[str, tuple[int, int]]) -> dict[str, Boxes]:
    """Return the boxes (n, 4) of each image; with `scores`, those of the highest score first, ties in the file's order.

    A line: {"image": NAME, "boxes": [[x0, y0, x1, y1], ...], "scores": [...]}; boxes in 0-based, half-open pixels.
    Raises InputError, naming the line.
    """
    found: dict[str, Boxes] = {}
    for where, entry in json_lines(file):
        name = entry.get("image") if isinstance(entry, dict) else None
        if not isinstance(name, str) or name not in sizes:
            raise InputError(f"{where}: image {name!r} is not in the export.")
        if name in found:
            raise InputError(f"{where}: image {name} has proposals already.")
        found[name] = _boxes(entry, where, *sizes[name])
    return found


def _boxes(entry: Mapping[str, Any], where: str, width: int, height: int) -> Boxes:
    boxes, scores = entry.get("boxes"), entry.get("scores")
    if not isinstance(boxes, list) or not all(_is_numbers(box, 4) for box in boxes):
        raise InputError(f"{where}: `boxes` must be a list of [x0, y0, x1, y1] with finite numbers.")
    for number, (x0, y0, x1, y1) in enumerate(boxes, 1):
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            raise InputError(
                f"{where}: box {number}, [{x0}, {y0}, {x1}, {y1}], is not inside {width} x {height} pixels."
            )
    array = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    if scores is None:
        return array
    if not _is_numbers(scores, len(boxes)):
        raise InputError(f"{where}: `scores` must hold one finite number for each of {len(boxes)} boxes.")
    return array[np.argsort(-np.array(scores, dtype=np.float64), kind="stable")]


def _is_numbers(values: object, count: int) -> bool:
    """Tell whether the values are a list of `count` finite numbers."""
    return (
        isinstance(values, list)
        and len(values) == count
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v) for v in values)
    )


def proposal_lines(proposals: Mapping[str, Boxes]) -> str:
    """Return the text of a file of proposals; corners with two decimals."""
    lines: list[ProposalLine] = [
        {"image": name, "boxes": np.round(boxes, 2).tolist()} for name, boxes in proposals.items()
    ]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


SHARES = (0.85, 0.65, 0.45, 0.3)
"""Sides of the boxes as shares of the picture's, from large to small."""
SHAPES = (1.0, 0.5, 2.0)
"""Width by height, as shares of the picture's: square, tall, wide."""
OVERLAP = 0.55
"""Boxes of one kind follow each other at this share of their side."""
FINDERS: dict[str, Callable[[Image.Image, int], Boxes]] = {
    "edge_boxes": edge_boxes,
    "selective_search": selective_search,
}
METHODS = (*FINDERS, "grid", "gold")
OPTIONS = (
    StepOption("proposals", "the regions of each image, as JSON lines", is_file=True),
    StepOption("method", "how regions are found; without: edge_boxes with photographs, else gold", choices=METHODS),
    StepOption("most", "regions of an image at most", kind=int, default=200),
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
class ImageRegions:
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


def regions_of_step(work: StepWork, pictures: Sequence[Picture], files: PictureFiles) -> ImageRegions:
    """Return at most --most regions of each picture. Raises InputError for a bad file or a missing image."""
    most = int(work.options["most"])
    if most < 1:
        raise InputError("--most: at least one region an image.")
    file = work.file("proposals")
    if file is not None:
        found = read_proposals(file, {picture.name: (picture.width, picture.height) for picture in pictures})
        if missing := [picture.name for picture in pictures if picture.name not in found]:
            raise InputError(f"{file}: no proposals for image {missing[0]} ({len(missing):,} images have none).")
        return ImageRegions({picture.name: found[picture.name][:most] for picture in pictures}, "file")
    method = work.options["method"] or ("edge_boxes" if files.has_all(pictures) else "gold")
    if method in FINDERS:
        arrays = {}
        for picture in work.progress(pictures, "finding regions"):

            def find(picture: Picture = picture) -> dict[str, Boxes]:
                return {"boxes": FINDERS[method](files.open(picture), most)}

            key = {"method": method, "most": most, "inputs": work.inputs}
            arrays[picture.name] = work.partial_results.arrays(f"regions-{picture.name}", key, find)["boxes"]
        return ImageRegions(arrays, method)
    if method == "grid":
        return ImageRegions({picture.name: grid(picture.width, picture.height, most) for picture in pictures}, method)
    return ImageRegions({picture.name: gold_pool(picture.gold.values())[:most] for picture in pictures}, "gold")


def bounds(queries: Sequence[Query], regions: ImageRegions) -> dict[str, float]:
    """Return the percentage of queries with any right region, overall and by type (Table 6, last row)."""
    right = np.array([proposal_bound(regions.boxes[query.image], np.array([query.gold]))[0] for query in queries])
    groups = members([query.types for query in queries])
    found = {f"bound.{kind}": float(100 * right[group].mean()) for kind, group in groups.items() if len(group)}
    return {"bound": float(100 * right.mean())} | found
