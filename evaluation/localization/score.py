"""Scores of predictions [paper 4.1.2]: recall by type with intervals, errors, hard phrases, two models."""

from pathlib import Path

import numpy as np

from evaluation.errors import InputError
from evaluation.localization.confusion import Judged, add_errors, judge, surroundings
from evaluation.localization.outcome import COLUMNS, Outcome, outcome_of
from evaluation.localization.paper import FULL, FULL_R1, compare
from evaluation.localization.predictions import KnownPhrases, Predictions, read_predictions
from evaluation.localization.protocols import add_protocols
from evaluation.localization.queries import PIXELS, PRINTED, Query, as_printed, queries_of, query_counts
from evaluation.localization.score_tables import add_against, add_hardest, add_phrases, add_recall
from evaluation.reading.coco_names import Names, names_of
from evaluation.reading.picture import Picture
from evaluation.reading.pictures import read_pictures
from evaluation.reading.predictions.read_file import KINDS
from evaluation.report import Report
from evaluation.scoring.bootstrap import interval, resampled_shares
from evaluation.scoring.recall import members, recall_figures
from evaluation.work import Work


def score(work: Work) -> Report:
    """Score a file of predictions, and compare it with another one if there is one."""
    path = work.required("predictions")
    suppress = work.options["nms"]
    if suppress is not None and not 0 < suppress <= 1:
        raise InputError(f"--nms is {suppress}: give an overlap above 0 and up to 1.")
    if work.options["draws"] < 1 or work.options["least"] < 1:
        raise InputError("--draws and --least are whole numbers from 1.")
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
    compare(report, paper)
    return report


def _read(work: Work, path: Path, known: KnownPhrases, names: Names) -> Predictions:
    options = work.options
    form, clip = options["boxes"] or "", options["clip"]
    kind = options["form"] or ("" if path.suffix.lower() in KINDS else "jsonl")
    return read_predictions(path, known, kind=kind, form=form, clip=clip, categories=names.categories)


def _figures(report: Report, outcome: Outcome, found: Predictions) -> None:
    queries: list[Query] = list(outcome.queries)
    report.put(recall_figures(outcome.ranks, members([query.types for query in queries])))
    missing = sum(query.key not in found.boxes for query in queries)
    empty = sum(not boxes for boxes in found.boxes.values())
    report.put({"missing": missing, "empty": empty, "unboxed": found.unboxed})
    report.figures["overlap.mean"] = float(np.mean(outcome.overlaps))
    if missing or empty:
        report.notes.append(
            f"{missing:,} phrases have no line in the file and {empty:,} an empty list: they count as misses."
        )
    if found.unboxed:
        report.notes.append(f"{found.unboxed:,} lines are about phrases without a gold box: they are ignored.")
    report.leave_out(found.unknown, "images of the file")
    if found.cut_off:
        report.notes.append(f"Replies that were cut off, of which the complete boxes are read: {found.cut_off:,}.")
    if found.unused:
        report.notes.append(f"{found.unused:,} boxes have a category that fits no phrase of their image.")


def _intervals(report: Report, outcome: Outcome, work: Work) -> None:
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


def _judged(pictures: list[Picture], outcome: Outcome) -> list[Judged]:
    """Judge each first box. The file holds no proposals, so that no error is for the lack of one."""
    around = {picture.name: surroundings(picture) for picture in pictures}
    return [
        judge(first, query.phrase.chain, around[query.image])
        for query, first in zip(outcome.queries, outcome.firsts, strict=True)
    ]
