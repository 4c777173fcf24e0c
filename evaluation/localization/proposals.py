"""Proposals [paper 4.1, 4.1.2, Tables 5a and 6; Zitnick and Dollar 2014; Uijlings et al. 2013]: regions of a picture.

They are found, or read from a file, and scored. The bound R@N is the share of objects that any of the first N regions
overlaps by at least 0.5.
"""

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

from evaluation.errors import InputError, need
from evaluation.localization.queries import Query, queries_of, query_counts
from evaluation.localization.score import BOUND
from evaluation.reading.picture import TYPES, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.reading.source import json_lines
from evaluation.report import Cell, ChartLine, Report, add_lines
from evaluation.scoring import HIT, area, iou, members, proposal_bound
from evaluation.work import PictureFiles, StepWork, picture_files

Map = NDArray[np.float32]
SIGMA = 1.5
"""Of the blur, in pixels."""
FAINTEST = 1.0
"""The slope in Lab that counts as a full edge where the picture has no steeper one."""
LONG_SIDE = 400


def edge_map(pixels: NDArray[np.uint8]) -> tuple[Map, Map]:
    """Return strength (0 to 1) and direction across the edge (0 to pi) of each pixel, (h, w), of an RGB picture.

    Raises MissingExtra without OpenCV.
    """
    cv2 = need("cv2", "finding edges")
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2Lab)
    smooth = cv2.GaussianBlur(lab, (0, 0), SIGMA)
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


COUNTS = (10, 20, 50, 100, 200, 500, 1000)
LARGE = 5
"""Percent of the picture above which an object counts as large."""


@dataclass(frozen=True, slots=True)
class Objects:
    """Gold boxes of the pictures: for each the place of the first region that hits it, and its share of the picture."""

    first: NDArray[np.int64]
    """From 1; 0 if no region hits it."""
    shares: NDArray[np.float64]
    best: NDArray[np.float64]
    """The highest overlap of any region."""

    def bound(self, count: int, *, large: bool = False) -> float | None:
        """Return the percentage that the first `count` regions hit, of all objects or of large ones; None for none."""
        of = self.shares > LARGE / 100 if large else np.ones(len(self.first), dtype=bool)
        hit = (self.first > 0) & (self.first <= count)
        return float(100 * hit[of].mean()) if of.any() else None


def proposals(work: StepWork) -> Report:
    """Find the regions of every picture that has what the method needs, and score them on its gold boxes."""
    every = read_pictures(work.export, work.progress)
    files = picture_files(work, work.export)
    pictures = usable(work, every, files)
    regions = regions_of_step(work, pictures, files)
    objects = score_regions(pictures, regions.boxes)
    if not len(objects.first):
        raise InputError(f"{work.export}: the pictures have no gold boxes to score regions on.")
    report = Report("Phrase localization: proposals", len(objects.first), "gold boxes")
    most = int(work.options["most"])
    counts = [count for count in COUNTS if count < most] + [most]
    for count in counts:
        for name, large in ((f"R@{count}", False), (f"R@{count}.large", True)):
            if (value := objects.bound(count, large=large)) is not None:
                report.figures[name] = value
    report.put(
        {
            "objects": len(objects.first),
            "objects.large": int((objects.shares > LARGE / 100).sum()),
            "images": len(pictures),
            "regions": float(np.mean([len(boxes) for boxes in regions.boxes.values()])),
            "best_overlap": float(100 * objects.best.mean()),
        }
    )
    _by_type(report, pictures, regions, most)
    _tables(report, objects, counts)
    report.settings["regions"] = regions.method
    lines: list[ProposalLine] = [
        {"image": name, "boxes": np.round(boxes, 2).tolist()} for name, boxes in regions.boxes.items()
    ]
    report.files = {"proposals.jsonl": "".join(f"{json.dumps(line)}\n" for line in lines)}
    report.notes = [
        f"{regions.note} They are in proposals.jsonl, for --proposals of other steps.",
        f"Large objects cover more than {LARGE} % of their picture. R@N: any of the first N regions is right.",
    ]
    if len(pictures) < len(every):
        report.notes.append(f"Images without a photograph, left out: {len(every) - len(pictures):,}.")
    return report


def usable(work: StepWork, every: Sequence[Picture], files: PictureFiles) -> list[Picture]:
    """Return the pictures with photographs if the method looks at them, else all. Raises InputError for none."""
    method = work.options["method"]
    if work.options["proposals"] or method in ("grid", "gold"):
        return list(every)
    kept = [picture for picture in every if picture.name in files.files]
    if not kept:
        if method in FINDERS:
            raise InputError(f"{method} needs photographs: name their folder with --pictures, or choose --method grid.")
        return list(every)
    return kept


def score_regions(pictures: Sequence[Picture], regions: Mapping[str, NDArray[np.float64]]) -> Objects:
    """Score the regions on the gold boxes of chains and on boxes without a chain."""
    first: list[int] = []
    shares: list[float] = []
    best: list[float] = []
    for picture in pictures:
        gold = np.array([*picture.gold.values(), *(box for _, box in picture.loose)], dtype=float).reshape(-1, 4)
        boxes = regions[picture.name]
        overlaps = iou(gold, boxes) if len(boxes) else np.zeros((len(gold), 1))
        hits = overlaps >= HIT
        first += [int(line.argmax()) + 1 if line.any() else 0 for line in hits]
        best += overlaps.max(axis=1).tolist() if len(gold) else []
        shares += (area(gold) / (picture.width * picture.height)).tolist()
    return Objects(np.array(first, dtype=np.int64), np.array(shares), np.array(best))


def _by_type(report: Report, pictures: Sequence[Picture], regions: ImageRegions, most: int) -> None:
    """Add the bound of phrases, by type, where the export has phrases with boxes."""
    queries = queries_of(pictures)
    if not queries:
        return
    found, counts = bounds(queries, regions), query_counts(queries)
    report.put(found)
    types = [kind for kind in TYPES if f"bound.{kind}" in found]
    rows: list[list[Cell]] = [[kind, counts[f"queries.{kind}"], found[f"bound.{kind}"], BOUND[kind]] for kind in types]
    columns = ["type", "phrases", f"R@{most}", "paper, 200 edge boxes"]
    report.table("by_type", "Phrases with any region right", columns, rows)


def _tables(report: Report, objects: Objects, counts: Sequence[int]) -> None:
    rows: list[list[Cell]] = [[count, objects.bound(count), objects.bound(count, large=True)] for count in counts]
    names = ("all objects", f"objects above {LARGE} % of the picture")
    title = "Objects hit by the first N regions"
    report.table("by_count", title, ["regions", *names], rows)
    lines = []
    for place, name in enumerate(names):
        found = [objects.bound(count, large=bool(place)) for count in counts]
        lines.append(ChartLine(name, list(counts), [value or 0 for value in found], place))
    add_lines(report, "by_count", title, lines, "regions of an image", "objects hit, %", 100)
