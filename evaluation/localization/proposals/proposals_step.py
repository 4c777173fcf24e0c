"""The step `proposals` [paper 4.1.2, Table 6, last row]: finds regions, writes them to a file, and scores them.

The bound R@N is the share of objects that any of the first N regions overlaps by at least 0.5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.charts import ChartLine, add_lines
from evaluation.errors import InputError
from evaluation.localization.picture_files import PictureFiles, picture_files
from evaluation.localization.proposals.regions import FINDERS, ImageRegions, bounds, proposal_lines, regions_of_step
from evaluation.localization.queries import queries_of, query_counts
from evaluation.localization.score import BOUND
from evaluation.reading.picture import TYPES, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.report import Cell, Report
from evaluation.scoring.iou import area, iou
from evaluation.scoring.recall import HIT
from evaluation.work import StepWork

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
    report.files = {"proposals.jsonl": proposal_lines(regions.boxes)}
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
