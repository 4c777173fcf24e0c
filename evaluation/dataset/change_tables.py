"""Tables and charts of what changed between two versions: sizes, shares of chains, kinds by type, overlaps."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from evaluation.charts import add_bars
from evaluation.dataset.changes import WEIGHTS, DataChange, is_mention
from evaluation.reading.picture import NO_BOX, SCENE, TYPES, Box, Picture
from evaluation.report import Cell, Report

SIDES = ("before", "after")
QUANTILES = (5, 25, 50, 75, 95)
BINS = 10
COLUMNS = (
    "image", "change", "phrase", "types", "chain before", "chain after", "IOU", "before → after",
    "x0 before", "y0 before", "x1 before", "y1 before", "x0 after", "y0 after", "x1 after", "y1 after",
)  # fmt: skip


def add_sizes(report: Report, before: Sequence[Picture], after: Sequence[Picture]) -> None:
    """Add what each version has, of the images that both have."""
    counts = [_size(side) for side in (before, after)]
    for side, size in zip(SIDES, counts, strict=True):
        report.put({name.replace(" ", "_"): count for name, count in size.items()}, f"{side}.")
    rows: list[list[Cell]] = [
        [name, count, counts[1][name], counts[1][name] - count] for name, count in counts[0].items()
    ]
    report.table("sizes", "Both versions, of the images that both have", ["", *SIDES, "difference"], rows)


def _size(pictures: Iterable[Picture]) -> dict[str, int]:
    found = dict.fromkeys(("captions", "mentions", "other phrases", "chains", "boxes", "scenes", "chains of no box"), 0)
    for picture in pictures:
        phrases = [phrase for caption in picture.captions for phrase in caption.phrases]
        mentions = [phrase for phrase in phrases if is_mention(phrase)]
        chains = {phrase.chain for phrase in mentions}
        found["captions"] += len(picture.captions)
        found["mentions"] += len(mentions)
        found["other phrases"] += len(phrases) - len(mentions)
        found["chains"] += len(chains)
        found["boxes"] += sum(len(picture.boxes.get(chain, ())) for chain in chains)
        found["scenes"] += sum(SCENE in picture.flags.get(chain, ()) for chain in chains)
        found["chains of no box"] += sum(NO_BOX in picture.flags.get(chain, ()) for chain in chains)
    return found


def add_shares(
    report: Report, chains: tuple[Counter[str], Counter[str]], changed: tuple[Counter[str], Counter[str]]
) -> None:
    """Add the share of chains about which anything changed, of each version and by type."""
    rows: list[list[Cell]] = []
    for kind in ("", *TYPES):
        row: list[Cell] = [kind or "all"]
        for side, words in enumerate(SIDES):
            count, own = chains[side][kind], changed[side][kind]
            share = 100 * own / count if count else 0.0
            end = f".{kind}" if kind else ""
            report.put({f"changed.{words}{end}": share})
            row += [count, own, share if count else None]
        if not kind or chains[0][kind] or chains[1][kind]:
            rows.append(row)
    columns = ["type", *(f"{what} {side}" for side in SIDES for what in ("chains", "changed", "%"))]
    report.table("chains", "Chains of which anything changed", columns, rows)


def add_changes(report: Report, changes: Sequence[tuple[str, DataChange]]) -> None:
    """Add the counts of each kind of change by type, and the list of all changes."""
    counts: Counter[tuple[str, str]] = Counter()
    for _, change in changes:
        counts.update((change.kind, kind) for kind in ("", *change.types))
    for kind in WEIGHTS:
        name = f"changes.{kind.replace(' ', '_')}"
        report.figures[name] = counts[kind, ""]
        report.put({f"{name}.{type_}": counts[kind, type_] for type_ in TYPES if counts[kind, type_]})
    report.figures["changes"] = len(changes)
    there = [kind for kind in WEIGHTS if counts[kind, ""]]
    types = [type_ for type_ in TYPES if any(counts[kind, type_] for kind in there)]
    rows: list[list[Cell]] = [[kind, *(counts[kind, type_] for type_ in ("", *types))] for kind in there]
    if there:
        report.table("changes_by_type", "Changes by kind and type", ["change", "all", *types], rows)
        series = {"changes": [counts[kind, ""] for kind in there]}
        size = (7.0, 1.2 + 0.3 * len(there))
        add_bars(report, "changes_by_kind", "Changes by kind", there, series, "changes", size=size)
    listed = sorted(changes, key=lambda pair: (pair[0], -pair[1].size))
    report.table("changes", "Every change", COLUMNS, [_row(*change) for change in listed], on_page=False)


def _row(image: str, change: DataChange) -> list[Cell]:
    edges = [edge for box in (change.box_before, change.box_after) for edge in _edges(box)]
    types = "/".join(sorted(change.types))
    chains = change.before, change.after
    return [image, change.kind, change.words, types, *chains, change.overlap, change.detail, *edges]


def _edges(box: Box | None) -> Sequence[Cell]:
    return (None,) * 4 if box is None else box


def add_overlaps(report: Report, overlaps: Sequence[float]) -> None:
    """Add how far boxes that changed overlap themselves. `overlaps`: of all boxes in both versions."""
    every = np.array(overlaps)
    own = every[every < 1]
    report.put({"boxes.both": len(every), "boxes.changed": len(own)})
    if len(every):
        report.figures["overlap.mean"] = float(every.mean())
    if not len(own):
        return
    values = np.quantile(own, np.array(QUANTILES) / 100)
    report.put({f"overlap.changed.q{name:02}": float(value) for name, value in zip(QUANTILES, values, strict=True)})
    # An overlap of 0.6 begins a bin, also where it is a little less by rounding.
    counts = np.bincount((own * BINS + 1e-9).astype(int), minlength=BINS)[:BINS]
    report.put({f"overlap.changed.bin{place}": int(count) for place, count in enumerate(counts)})
    names = [f"{place / BINS:.1f} to {(place + 1) / BINS:.1f}" for place in range(BINS)]
    title = f"Overlap of boxes with themselves, of the {len(own):,} that changed"
    rows: list[list[Cell]] = [
        [name, int(count), 100 * float(count) / len(own)] for name, count in zip(names, counts, strict=True)
    ]
    report.table("overlaps", f"{title}, by IOU", ["IOU", "boxes", "%"], rows)
    quantiles: list[Cell] = [f"{float(value):.3f}" for value in values]
    report.table("overlap_quantiles", f"{title}: quantiles of IOU", [f"{name} %" for name in QUANTILES], [quantiles])
    add_bars(report, "overlap_of_changed", title, names, {"boxes": counts.tolist()}, "boxes", size=(7.0, 3.6))
