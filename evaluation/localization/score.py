"""Scores of predictions [paper 4.1.2, 4.1.3, 4.1.4, Tables 5 and 6, Fig. 10]: recall by type, errors, hard phrases."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation.bootstrap import add_differences, interval, resampled_shares
from evaluation.charts import add_bars
from evaluation.errors import InputError
from evaluation.localization.confusion import JudgedBox, add_errors, judge, surroundings
from evaluation.localization.predictions import KnownPhrases, Predictions, read_phrase_predictions
from evaluation.localization.queries import (
    COLUMNS,
    PIXELS,
    PRINTED,
    Query,
    QueryOutcome,
    add_protocols,
    as_printed,
    outcome_of,
    queries_of,
    query_counts,
)
from evaluation.reading.coco import CocoNames, names_of
from evaluation.reading.picture import TYPES, Picture
from evaluation.reading.pictures import read_pictures
from evaluation.reading.predictions.read_file import FORMAT_OF_SUFFIX
from evaluation.report import Cell, Compared, Report
from evaluation.scoring.boxes import KS, members, recall_at, recall_figures
from evaluation.work import StepWork

QUERIES = dict(zip(TYPES, (5656, 2306, 523, 518, 400, 162, 1619, 3374), strict=True))
"""Phrases by type over the 1,000 test images."""
FULL_R1 = dict(zip(TYPES, (64.73, 46.88, 17.21, 65.83, 68.75, 37.65, 51.39, 31.77), strict=True))
"""R@1 of the paper's full model by type."""
BOUND = dict(zip(TYPES, (96.52, 77.36, 50.48, 91.12, 94.50, 80.86, 83.01, 75.87), strict=True))
"""R@200 of the paper's proposals by type."""
FULL = {"R@1": 50.89, "R@5": 71.09, "R@10": 75.73}
LARGEST_R1 = 24.0
OTHER_IMAGES = "other images than the paper's test split"


def is_test_split(counts: dict[str, float]) -> bool:
    """Return whether the queries are as many, by type, as those of the paper's test split."""
    return all(counts[f"queries.{kind}"] == number for kind, number in QUERIES.items())


def compare_with_paper(report: Report, names: dict[str, float], remark: str = "") -> None:
    """Put the paper's values beside figures of these names, with the reason if the images are not the paper's."""
    own = is_test_split(report.figures)
    for figure, value in names.items():
        report.compared.append(Compared(figure, value, remark or ("" if own else OTHER_IMAGES)))


PHRASE_COLUMNS = (
    "image", "caption", "phrase", "words", "types", "class", "rank", "overlap",
    "gold x0", "gold y0", "gold x1", "gold y1", "x0", "y0", "x1", "y1",
)  # fmt: skip
COMMONEST = 25
FREQUENT_COLUMNS = ("phrase", "times", "R@1, %", "R@10, %", "mean overlap")


def add_recall(report: Report, outcome: QueryOutcome) -> None:
    """Add recall overall and by type, with intervals."""
    types = [kind for kind in TYPES if f"R@1.{kind}" in report.figures]
    rows: list[list[Cell]] = []
    for words, end, count in [("all", "", report.n), *((kind, f".{kind}", 0) for kind in types)]:
        row: list[Cell] = [words, count or report.figures[f"queries{end}"]]
        for k in KS:
            name = f"R@{k}{end}"
            row += [report.figures[name], _range(report, name)]
        rows.append(row)
    columns = ["type", "phrases", *(name for k in KS for name in (f"R@{k}", "95 %"))]
    report.table("recall", "Recall, % (form of Tables 5 and 6)", columns, rows)
    names = ["all", *types]
    ends = ["", *(f".{kind}" for kind in types)]
    values = {f"R@{k}": [report.figures[f"R@{k}{end}"] for end in ends] for k in KS}
    intervals = {
        f"R@{k}": [(report.figures[f"R@{k}{end}.low"], report.figures[f"R@{k}{end}.high"]) for end in ends] for k in KS
    }
    title, axis = "Recall by type, with 95 % intervals", "phrases found, %"
    add_bars(report, "recall_by_type", title, names, values, axis, intervals=intervals, size=(7.0, 5.4))


def add_phrases(report: Report, outcome: QueryOutcome, judged: Sequence[JudgedBox]) -> None:
    """Add the list of all phrases with their gold box, first box, overlap and class, for overlays on the pictures."""
    rows: list[list[Cell]] = []
    for i, query in enumerate(outcome.queries):
        first: Sequence[Cell] = outcome.firsts[i] or (None,) * 4
        image, caption, phrase = query.key
        rank = int(outcome.ranks[i]) or None
        words, types = query.phrase.text, "/".join(query.types)
        told: list[Cell] = [image, caption, phrase, words, types, judged[i].kind, rank, float(outcome.overlaps[i])]
        rows.append([*told, *query.gold, *first])
    report.table("phrases", "All phrases", PHRASE_COLUMNS, rows, on_page=False)


def _range(report: Report, name: str) -> str:
    return f"{report.figures[f'{name}.low']:.1f} to {report.figures[f'{name}.high']:.1f}"


class Frequent(NamedTuple):
    """A phrase in lower case, over all its queries. Shares in percent; the overlap is that of first boxes."""

    phrase: str
    times: int
    first: float
    ten: float
    overlap: float


def by_phrase(outcome: QueryOutcome) -> list[Frequent]:
    """Return every phrase, the commonest first, ties by the alphabet."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, query in enumerate(outcome.queries):
        places[query.phrase.text.lower()].append(i)
    found = []
    for phrase, place in places.items():
        ranks = outcome.ranks[place]
        overlap = float(outcome.overlaps[place].mean())
        found.append(Frequent(phrase, len(place), recall_at(ranks, 1), recall_at(ranks, 10), overlap))
    return sorted(found, key=lambda one: (-one.times, one.phrase))


def hardest(phrases: list[Frequent], least: int) -> list[Frequent]:
    """Return the phrases that occur at least so often, the ones found least often first."""
    return sorted(
        (phrase for phrase in phrases if phrase.times >= least),
        key=lambda one: (one.first, one.overlap, -one.times, one.phrase),
    )


def add_hardest(report: Report, outcome: QueryOutcome, least: int) -> None:
    """Add the commonest phrases with their chart (Fig. 10), and the table of the hardest ones."""
    phrases = by_phrase(outcome)
    common = phrases[:COMMONEST]
    report.table("figure_10", "The commonest phrases (Fig. 10)", FREQUENT_COLUMNS, common)
    names, values = [f"{phrase.phrase} ({phrase.times})" for phrase in common], [phrase.first for phrase in common]
    title = "R@1 of the commonest phrases (Fig. 10)"
    add_bars(report, "figure_10", title, names, {"R@1": values}, "R@1, %", size=(7.0, 6.0))
    title = f"The hardest phrases that occur at least {least} times"
    report.table("hardest_phrases", title, FREQUENT_COLUMNS, hardest(phrases, least))


def add_against(report: Report, outcome: QueryOutcome, other: QueryOutcome, work: StepWork) -> None:
    """Add the other model's recall and the difference, ours less theirs, in points. Resamples are the same for both."""
    hits, sizes = outcome.per_image
    theirs, _ = other.per_image
    draws = work.options["draws"]
    ours_drawn = resampled_shares(hits, sizes, work.rng("bootstrap"), draws)
    differences = ours_drawn - resampled_shares(theirs, sizes, work.rng("bootstrap"), draws)
    totals = sizes.sum(axis=0)
    shares = np.divide(100 * theirs.sum(axis=0), totals, out=np.zeros(len(totals)), where=totals > 0)
    places = [place for place, name in enumerate(COLUMNS) if name in report.figures]
    names = [COLUMNS[place] for place in places]
    add_differences(report, names, dict(zip(COLUMNS, shares.tolist(), strict=True)), differences[:, places])
    ours_only, theirs_only = (
        int(((first.ranks == 1) & (second.ranks != 1)).sum()) for first, second in ((outcome, other), (other, outcome))
    )
    report.put({"first_only_ours": ours_only, "first_only_theirs": theirs_only})
    report.notes.append(
        f"Found by the first box of these predictions alone: {ours_only:,} phrases; of the other ones alone: "
        f"{theirs_only:,}."
    )


def score_localization(work: StepWork) -> Report:
    """Score a file of predictions, and compare it with another one if there is one."""
    path = work.required("predictions")
    suppress = work.options["nms"]
    if suppress is not None and not 0 < suppress <= 1:
        raise InputError(f"--nms is {suppress}: give an overlap above 0 and up to 1.")
    protocol = work.options["protocol"]
    as_pixels = read_pictures(work.export, work.progress)
    of_edges = {PIXELS: as_pixels, PRINTED: [as_printed(picture) for picture in as_pixels]}
    pictures = of_edges[work.options["edges"]]
    queries = queries_of(pictures)
    if not queries:
        raise InputError(f"{work.export}: no phrase has a box, so nothing can be scored.")
    names = names_of(work.file("names") or work.export)
    known = KnownPhrases(pictures, names.images)
    found = _read(work, path, known, names)
    other = work.file("against")
    compared = (
        None if other is None else outcome_of(queries, _read(work, other, known, names).boxes, suppress, protocol)
    )
    outcome = outcome_of(queries, found.boxes, suppress, protocol)
    report = Report("Phrase localization: predictions scored", len(queries), "phrases with a box")
    report.put(query_counts(queries))
    report.split["scored"] = [picture.name for picture in pictures]
    _figures(report, outcome, found)
    _intervals(report, outcome, work)
    add_recall(report, outcome)
    add_protocols(report, {edges: queries_of(edge) for edges, edge in of_edges.items()}, found.boxes, work)
    judged = _judged(pictures, outcome)
    add_errors(report, list(zip([query.types for query in queries], judged, strict=True)))
    add_hardest(report, outcome, work.options["least"])
    add_phrases(report, outcome, judged)
    if compared is not None:
        add_against(report, outcome, compared, work)
    paper = {**FULL, **{f"R@1.{kind}": value for kind, value in FULL_R1.items()}}
    compare_with_paper(report, paper)
    return report


def _read(work: StepWork, path: Path, known: KnownPhrases, names: CocoNames) -> Predictions:
    options = work.options
    form, clip = options["boxes"] or "", options["clip"]
    kind = options["form"] or ("" if path.suffix.lower() in FORMAT_OF_SUFFIX else "jsonl")
    return read_phrase_predictions(path, known, kind=kind, form=form, clip=clip, categories=names.categories)


def _figures(report: Report, outcome: QueryOutcome, found: Predictions) -> None:
    queries: list[Query] = list(outcome.queries)
    report.put(recall_figures(outcome.ranks, members([query.types for query in queries])))
    missing = sum(query.key not in found.boxes for query in queries)
    empty = sum(not boxes for boxes in found.boxes.values())
    report.put({"missing": missing, "empty": empty, "unboxed": found.unboxed})
    report.figures["overlap.mean"] = float(np.mean(outcome.overlaps))
    if missing or empty:
        report.notes.append(
            f"Phrases that count as misses: {missing:,} without a line in the file, {empty:,} with an empty list."
        )
    if found.unboxed:
        report.notes.append(f"Lines about phrases without a gold box, which are ignored: {found.unboxed:,}.")
    report.leave_out(found.unknown, "images of the file")
    if found.cut_off:
        report.notes.append(f"Replies that were cut off, of which the complete boxes are read: {found.cut_off:,}.")
    if found.unused:
        report.notes.append(f"Boxes with a category that fits no phrase of their image: {found.unused:,}.")


def _intervals(report: Report, outcome: QueryOutcome, work: StepWork) -> None:
    hits, sizes = outcome.per_image
    low, high = interval(resampled_shares(hits, sizes, work.rng("bootstrap"), work.options["draws"]))
    for place, name in enumerate(COLUMNS):
        if name in report.figures:
            report.put({f"{name}.low": float(low[place]), f"{name}.high": float(high[place])})
    report.notes.append(
        f"Intervals (low, high) hold the middle 95 % of {work.options['draws']:,} resamples of the images."
    )
    if work.options["nms"] is None:
        report.notes.append("The boxes are ranked as the file has them, without suppression (--nms 0.5 applies it).")


def _judged(pictures: list[Picture], outcome: QueryOutcome) -> list[JudgedBox]:
    """Judge each first box. The file holds no proposals, so that no error is for the lack of one."""
    around = {picture.name: surroundings(picture) for picture in pictures}
    return [
        judge(first, query.phrase.chain, around[query.image])
        for query, first in zip(outcome.queries, outcome.firsts, strict=True)
    ]
