"""The step `cues` [paper 4.1.3, Tables 5 and 6]: the embedding with detectors, size and colour."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.localization.cues.cue_tables import add_charts, add_tables
from evaluation.localization.cues.detector_class import read_detector_words
from evaluation.localization.cues.scorer import QueryCues, Sources, cues_of, fit_scorer, row_distances
from evaluation.localization.cues.weights import Weights, fit_weights, held_out_cues, paper_weights
from evaluation.localization.embedding.embedding_step import describe
from evaluation.localization.embedding.features_of_step import BuiltinFeatures
from evaluation.localization.embedding.region_file import RegionFile, open_region_file
from evaluation.localization.embedding.task import EmbeddingData, rank, task_of_step
from evaluation.localization.proposals.regions_of_step import bounds
from evaluation.report import Report
from evaluation.scoring.recall import members, recall_figures
from evaluation.work import Work


def cues(work: Work) -> Report:
    """Fit model and weights on the images to fit on, and score every row of Table 5 on the others."""
    task = task_of_step(work)
    sources = sources_of_step(work, task)
    learned = held_out_cues(task, sources)
    weights = paper_weights() if work.options["paper_weights"] else fit_weights(learned)
    scorer = fit_scorer(task, task.fit, sources)
    found = cues_of(task, scorer, task.test, sources)
    rows = rows_of(found)
    ranks = _ranks(work, task, found, weights, rows)
    by_type = members([each.query.types for each in found])
    report = Report("Phrase localization: size, colour and detectors", len(found), "phrases with a box")
    for name, own in ranks.items():
        report.put(recall_figures(own, by_type), f"{name}.")
    report.put(bounds(task.queries(task.test), task.regions))
    report.put({f"weight.size.{kind}": weight for kind, weight in weights.sizes.items()})
    if scorer.colors is not None:
        report.put({f"weight.color.{kind}": weight for kind, weight in weights.colors.items()})
    report.put(
        {
            "phrases.detector": 100 * sum(each.detector_class is not None for each in found) / len(found),
            "phrases.color": 100 * sum(each.color is not None for each in found) / len(found),
        }
    )
    add_tables(report, rows, networks=task.features.name == "file" and task.regions.method != "gold")
    add_charts(report, task, scorer, sources, found=found, learned=learned, weights=weights, ranks=ranks)
    describe(report, task)
    _say(report, work, task, sources, colors=scorer.colors is not None)
    return report


def sources_of_step(work: Work, task: EmbeddingData) -> Sources:
    """Open the files of scores. Photographs serve colours even if the features are from a file."""
    words = work.file("detector_words")
    return Sources(
        detectors=_scores(work.file("detectors")),
        colors=_scores(work.file("colors")),
        words=read_detector_words(words) if words else None,
        photographs=BuiltinFeatures(task.pictures, task.files) if task.files.has_all(task.pictures.values()) else None,
    )


def rows_of(found: Sequence[QueryCues]) -> list[str]:
    """Return the rows of Table 5 that can be made: without a cue, its rows would repeat others."""
    detector = any(each.detector is not None for each in found)
    color = any(each.color is not None for each in found)
    rows = ["size", "cca"] + ["cca_or_detector", "cca+detector"] * detector
    rows += ["cca+detector+size"] + ["cca+detector+color", "cca+detector+size+color"] * color
    return rows if detector else [row.replace("+detector", "") for row in rows]


def _scores(path: Path | None) -> RegionFile | None:
    return open_region_file(path, scores=True) if path else None


def _ranks(
    work: Work, task: EmbeddingData, found: Sequence[QueryCues], weights: Weights, rows: Sequence[str]
) -> dict[str, np.ndarray]:
    ranks: dict[str, list[int]] = {row: [] for row in rows}
    for each in work.progress(found, "ranking"):
        all_rows: dict[str, Any] = row_distances(each, *weights.of(each.query.types))
        for row in rows:
            # Without detectors equation 1 is the embedding's distance, and the row is named for that.
            source = row if row in all_rows else row.replace("cca", "cca+detector")
            ranks[row].append(rank(task, each.query, all_rows[source]))
    return {row: np.array(own) for row, own in ranks.items()}


def _say(report: Report, work: Work, task: EmbeddingData, sources: Sources, *, colors: bool) -> None:
    if work.options["paper_weights"]:
        report.notes.append("The weights of size are the paper's; that of colour is 0.2, as the paper prints none.")
    else:
        report.notes.append(
            f"The weights are fitted by type on the {len(task.fit):,} images of fit.txt, each scored by a model of "
            "the others, for the most first places right."
        )
    if sources.detectors is None:
        report.missing["Table 5c and Figure 7, rows with detectors"] = (
            "scores of detectors for the regions (--detectors)"
        )
    if not colors:
        report.missing["Table 5d and Figure 8, rows with colour"] = (
            "photographs, or scores of colours for the regions (--colors)"
        )
    elif sources.colors is None:
        report.notes.append("Colours are told by a logistic regression on Lab histograms; the paper trained a network.")
    report.settings["detector scores"] = "file" if sources.detectors else "none"
    report.settings["color scores"] = "file" if sources.colors else "built-in" if colors else "none"
