"""Figures of the earlier version against the later one: coreference of chains, and localization of phrases."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evaluation.coreference.chains import Marked, Place
from evaluation.coreference.metrics import COLUMNS, METRICS
from evaluation.coreference.score import ALL, GROUPS, NAMED_FIRST, scored
from evaluation.dataset.changes import ImageChanges
from evaluation.dataset.phrases import is_mention
from evaluation.localization.outcome import outcome_of
from evaluation.localization.queries import Query
from evaluation.reading.picture import TYPES, Box
from evaluation.report import Cell, Report
from evaluation.scoring.recall import members
from evaluation.work import Work

HITS = (0.5, 0.7, 0.9)
"""The overlaps of the table of recall."""


def add_coreference(report: Report, images: Mapping[str, tuple[Marked, Marked]], work: Work) -> None:
    """Add the figures of coreference of the earlier version, the later one being right. `images`: both, by name."""
    names = list(images)
    ours = scored(
        work,
        {name: after for name, (_, after) in images.items()},
        {name: before for name, (before, _) in images.items()},
        names,
    )
    figures = dict(zip(GROUPS, ours.figures, strict=True))
    for group in (ALL, *NAMED_FIRST):
        own = {name: float(value) for name, value in zip(COLUMNS, figures[group], strict=True) if not np.isnan(value)}
        report.put(own, f"coreference.{group}." if group else "coreference.")
    rows: list[list[Cell]] = [
        [metric, *(report.figures.get(f"coreference.{metric}.{part}") for part in "PRF")] for metric in METRICS
    ]
    rows.append(["CoNLL", None, None, report.figures.get("coreference.CoNLL")])
    title = "Coreference: chains before against those after, all mentions of each, %"
    report.table("coreference", title, ["metric", "P", "R", "F"], rows)


def marked(image: ImageChanges) -> tuple[Marked, Marked]:
    """Return the mentions of both versions, each phrase at one place in both."""
    found = []
    for side in (0, 1):
        own = {
            Place(0, place, place + 1): one
            for place, pair in enumerate(image.pairs.phrases)
            if (one := pair[side]) is not None and is_mention(one)
        }
        chains = {place: one.chain for place, one in own.items()}
        found.append(Marked(chains, {place: one.types for place, one in own.items()}))
    return found[0], found[1]


def queries_beside(image: ImageChanges) -> list[tuple[Query, Box | None]]:
    """Return the mentions of both versions that have a box after, each with its box before."""
    before, after = image.before, image.after
    found = []
    for one, other in image.pairs.phrases:
        if one is not None and other is not None and is_mention(one) and (gold := after.gold.get(other.chain)):
            query = Query(after.name, (after.width, after.height), other, gold)
            found.append((query, before.gold.get(one.chain) if is_mention(one) else None))
    return found


def add_localization(report: Report, found: Sequence[tuple[Query, Box | None]]) -> None:
    """Add the recall of the boxes before, those after being right."""
    queries = [query for query, _ in found]
    if not queries:
        report.missing["localization"] = "a phrase of both versions with a box in the later one"
        return
    outcome = outcome_of(queries, {query.key: [box] for query, box in found if box is not None})
    groups: dict[str, Iterable[int]] = {"": range(len(queries)), **members([query.types for query in queries])}
    rows: list[list[Cell]] = []
    for kind in ("", *TYPES):
        own = outcome.overlaps[np.array(list(groups[kind]), dtype=int)]
        if not len(own):
            continue
        end = f".{kind}" if kind else ""
        recall = {f"{hit}": float(100 * np.mean(own >= hit)) for hit in HITS}
        report.put({f"recall@{hit}{end}": value for hit, value in recall.items()}, "localization.")
        report.figures[f"localization.overlap{end}"] = float(np.mean(own))
        rows.append([kind or "all", len(own), *recall.values(), float(np.mean(own))])
    columns = ["type", "phrases", *(f"IOU ≥ {hit}" for hit in HITS), "mean IOU"]
    report.table("localization", "Localization: boxes before found by those after, %", columns, rows)
