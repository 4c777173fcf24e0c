"""Baselines of localization [paper 4.1.3, Tables 5 and 6]: boxes by size alone, the phrase unread."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.charts import ChartLine, add_bars, add_lines
from evaluation.errors import InputError
from evaluation.localization.confusion import JudgedBox, add_errors, judge_overlaps, overlaps_of, surroundings
from evaluation.localization.queries import Query, as_printed, queries_of, query_counts
from evaluation.localization.score import LARGEST_R1, QUERIES, compare_with_paper
from evaluation.reading.picture import TYPES, Box, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.report import Cell, Report
from evaluation.scoring.boxes import KS, area, first_hits, members, recall_at, recall_figures
from evaluation.work import StepWork

ROWS = {"extent": "one box around all", "largest": "the largest box", "by_size": "all boxes by size"}
CURVE = tuple(range(1, 16))
PIXELS = "pixels."
"""The prefix of figures with every pixel of a box counted."""


def add_recall_tables(report: Report, by_type: dict[str, np.ndarray]) -> None:
    rows: list[list[Cell]] = [[words, *(report.figures[f"{kind}.R@{k}"] for k in KS)] for kind, words in ROWS.items()]
    columns = ["boxes", *(f"R@{k}" for k in KS)]
    report.table("table_5", "Recall of all phrases, % (form of Table 5)", columns, rows)
    types = [kind for kind in TYPES if len(by_type[kind])]
    counts: list[Cell] = [len(by_type[kind]) for kind in types]
    per_type: list[list[Cell]] = [["phrases", *counts]]
    per_type += [
        [f"R@1, {words}", *(report.figures[f"{kind}.R@1.{type_}"] for type_ in types)] for kind, words in ROWS.items()
    ]
    report.table("table_6", "R@1 by type, % (form of Table 6)", ["row", *types], per_type)


def add_recall_charts(report: Report, by_size: np.ndarray, by_type: dict[str, np.ndarray]) -> None:
    """Add R@1 by type, and recall by the number of boxes looked at. `by_size`: ranks among all boxes by size."""
    types = [kind for kind in TYPES if len(by_type[kind])]
    series = {ROWS[kind]: [report.figures[f"{kind}.R@1.{type_}"] for type_ in types] for kind in ("extent", "largest")}
    add_bars(report, "recall_by_type", "R@1 by type", types, series, "R@1, %")
    curve = [recall_at(by_size, k) for k in CURVE]
    line = ChartLine(ROWS["by_size"], CURVE, curve, 0)
    title, axis = "Recall of all gold boxes by size", "share of phrases found, %"
    add_lines(report, "recall_by_k", title, [line], "boxes looked at", axis, 100)
    points = list(zip(CURVE, curve, strict=True))
    report.table("recall_by_k", "Recall by number of boxes", ["k", "R@k"], points, on_page=False)


@dataclass(frozen=True, slots=True)
class BaselineRanks:
    """The ranks of first hits, by baseline, and the judged first boxes of two of them; one entry a query."""

    ranks: dict[str, np.ndarray]
    extent: list[JudgedBox]
    largest: list[JudgedBox]

    def extent_figures(self) -> dict[str, float]:
        """Return the percentage of phrases for which the one box hits another chain instead, of all and of errors."""
        wrong = [phrase for phrase in self.extent if phrase.kind != "correct"]
        confused = 100 * sum(bool(phrase.hit_types) for phrase in wrong)
        return {
            "extent.confused": confused / len(self.extent),
            "extent.confused_of_errors": confused / max(1, len(wrong)),
        }


def baselines(work: StepWork) -> Report:
    """Score one box around all gold boxes, the largest gold box, and all gold boxes by size."""
    pictures = read_pictures(work.export, work.progress)
    queries = queries_of(pictures)
    if not queries:
        raise InputError(f"{work.export}: no phrase has a box, so nothing can be scored.")
    by_type = members([query.types for query in queries])
    report = Report("Phrase localization: baselines", len(queries), "phrases with a box")
    report.put(query_counts(queries))
    report.split["scored"] = [picture.name for picture in pictures]
    printed = _score([as_printed(picture) for picture in pictures], work)
    for prefix, scored in {"": printed, PIXELS: _score(pictures, work)}.items():
        for kind, ranks in scored.ranks.items():
            report.put(recall_figures(ranks, by_type), f"{prefix}{kind}.")
        report.put(scored.extent_figures(), prefix)
    add_recall_tables(report, by_type)
    add_recall_charts(report, printed.ranks["by_size"], by_type)
    add_errors(
        report, [(query.types, judged) for query, judged in zip(queries, printed.largest, strict=True)], "largest."
    )
    compare_with_paper(report, {f"queries.{kind}": number for kind, number in QUERIES.items()})
    compare_with_paper(
        report, {"extent.R@1": LARGEST_R1}, "the paper's is its largest proposal; ours is one box around all gold"
    )
    report.notes += [
        "The boxes are gold boxes: these rows show how far size alone leads, and are not proposals of a detector. No "
        "suppression is applied. A phrase of two types counts in each of them, and once in all.",
        "Overlaps are of the edges as the annotation files print them (xmax - xmin wide), as the figures were measured "
        f"that others hold theirs against. Figures that begin with “{PIXELS}” count every pixel of a box "
        "(xmax - xmin + 1), as all other steps do.",
        "The one box around all reaches from the corner of the picture to the outermost edges of its gold boxes.",
    ]
    return report


def boxes_by_size(picture: Picture) -> np.ndarray:
    """Return the distinct gold boxes, the largest first, ties in the order of the file: (n, 4)."""
    boxes = np.array(list(dict.fromkeys(picture.gold.values())), dtype=float).reshape(-1, 4)
    return boxes[np.argsort(-area(boxes), kind="stable")]


def extent(picture: Picture) -> Box:
    """Return the box from the corner of the picture to the outermost edges of its gold boxes."""
    boxes = picture.gold.values()
    return 0, 0, max(box[2] for box in boxes), max(box[3] for box in boxes)


def _score(pictures: Sequence[Picture], work: StepWork) -> BaselineRanks:
    ranks: dict[str, list[int]] = {"extent": [], "largest": [], "by_size": []}
    whole_judged: list[JudgedBox] = []
    largest_judged: list[JudgedBox] = []
    for picture in work.progress(pictures, "scoring"):
        queries: list[Query] = queries_of([picture])
        if not queries:
            continue
        others, boxes = surroundings(picture), boxes_by_size(picture)
        x0, y0, x1, y1 = boxes[0]
        whole, largest = (overlaps_of(box, others) for box in (extent(picture), (x0, y0, x1, y1)))
        # All phrases of a chain share their gold box, and so their results.
        first = dict(zip(others.chains, first_hits(boxes, others.boxes).tolist(), strict=True))
        by_whole, by_largest = (
            {chain: judge_overlaps(overlaps, chain, others) for chain in others.chains} for overlaps in (whole, largest)
        )
        for query in queries:
            chain = query.phrase.chain
            ranks["extent"].append(1 if by_whole[chain].kind == "correct" else 0)
            ranks["by_size"].append(first[chain])
            ranks["largest"].append(1 if first[chain] == 1 else 0)
            whole_judged.append(by_whole[chain])
            largest_judged.append(by_largest[chain])
    return BaselineRanks({kind: np.array(rank) for kind, rank in ranks.items()}, whole_judged, largest_judged)
