"""The step `embedding` [paper 4.1.3, Table 5b]: phrases found by the distance in the shared space alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.charts import Line, add_lines
from evaluation.localization.embedding.features_of_step import NETWORK
from evaluation.localization.embedding.region_phrase_model import RegionPhraseModel
from evaluation.localization.embedding.task import EmbeddingData, distances, rank, task_of_step
from evaluation.localization.proposals.regions_of_step import bounds
from evaluation.reading.picture import TYPES
from evaluation.report import Report
from evaluation.scoring.recall import KS, first_hit, members, recall_figures
from evaluation.work import Work

POWERS = {"plain": 0.0, "cca": 1.0, "power_4": 4.0}
"""The eigenvalues' power of each row. The paper's is `cca`."""


def embedding(work: Work) -> Report:
    """Fit the model on the images to fit on and score it on the others."""
    task = task_of_step(work)
    queries = task.queries(task.test)
    by_type = members([query.types for query in queries])
    report = Report("Phrase localization: the embedding", len(queries), "phrases with a box")
    model = task.model(task.fit)
    for name, power in POWERS.items():
        scored = RegionPhraseModel(model.encoder, model.cca, power)
        ranks = [rank(task, *each) for each in work.progress(distances(task, scored, task.test), name, len(queries))]
        report.put(recall_figures(np.array(ranks), by_type), f"{name}.")
    first = np.array([first_hit(task.regions.boxes[query.image][:1], query.gold) for query in queries])
    report.put({"first_region.R@1": float(100 * np.mean(first > 0))})
    report.put(bounds(queries, task.regions))
    _tables(report)
    values = [float(value) for value in model.cca.correlations]
    line = Line("correlation", range(1, len(values) + 1), values, 0)
    add_lines(report, "correlations", "Canonical correlations", [line], "dimension", "correlation", 1)
    describe(report, task)
    return report


def describe(report: Report, task: EmbeddingData) -> None:
    """Add notes, lists of images, and the rows that need networks."""
    report.files = {"fit.txt": _lines(task.fit), "test.txt": _lines(task.test)}
    report.split = {"fitted on": task.fit, "scored": task.test}
    report.settings |= {
        "regions": task.regions.method,
        "region features": task.features.name,
        "images fitted on": len(task.fit),
        "images scored": len(task.test),
    }
    report.notes += [
        f"Fitted on {len(task.fit):,} images (fit.txt), scored on {len(task.test):,} others (test.txt).",
        task.regions.note,
    ]
    if task.features.name != "file":
        words = {"built-in": "colours, edges and place", "geometry": "the place and size of a box, no pixels"}
        report.notes.append(f"Regions are described by {words[task.features.name]}, without a network.")
        report.missing |= {f"Table 5b, CCA – {name}": NETWORK for name in ("VGG19", "Fast RCNN")}


def _tables(report: Report) -> None:
    figures = report.figures
    rows: list[list[Any]] = [[name, *(figures[f"{name}.R@{k}"] for k in KS)] for name in POWERS]
    report.table("table_5b", "Phrases found by the embedding", ["projection", *(f"R@{k}" for k in KS)], rows)
    kinds = [kind for kind in TYPES if f"cca.R@1.{kind}" in figures]
    by_type: list[list[Any]] = [[kind, figures[f"cca.R@1.{kind}"], figures[f"bound.{kind}"]] for kind in kinds]
    columns = ["type", "R@1", "any region right"]
    report.table("by_type", "By type", columns, by_type)


def _lines(names: Sequence[str]) -> str:
    return "".join(f"{name}\n" for name in names)
