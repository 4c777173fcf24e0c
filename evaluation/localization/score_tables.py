"""Tables and charts of scored predictions [paper 4.1.3, 4.1.4, Tables 5 and 6, Fig. 10], and of two models compared."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.charts import add_bars
from evaluation.localization.confusion import Judged
from evaluation.localization.outcome import COLUMNS, Outcome
from evaluation.paired import add_differences
from evaluation.reading.picture import TYPES
from evaluation.report import Cell, Report
from evaluation.scoring.bootstrap import resampled_shares
from evaluation.scoring.recall import KS, recall_at
from evaluation.work import Work

PHRASE_COLUMNS = (
    "image", "caption", "phrase", "words", "types", "class", "rank", "overlap",
    "gold x0", "gold y0", "gold x1", "gold y1", "x0", "y0", "x1", "y1",
)  # fmt: skip
COMMONEST = 25
FREQUENT_COLUMNS = ("phrase", "times", "R@1, %", "R@10, %", "mean overlap")


def add_recall(report: Report, outcome: Outcome) -> None:
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


def add_phrases(report: Report, outcome: Outcome, judged: Sequence[Judged]) -> None:
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


def by_phrase(outcome: Outcome) -> list[Frequent]:
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
        (one for one in phrases if one.times >= least), key=lambda one: (one.first, one.overlap, -one.times, one.phrase)
    )


def add_hardest(report: Report, outcome: Outcome, least: int) -> None:
    """Add the commonest phrases with their chart (Fig. 10), and the table of the hardest ones."""
    phrases = by_phrase(outcome)
    common = phrases[:COMMONEST]
    report.table("figure_10", "The commonest phrases (Fig. 10)", FREQUENT_COLUMNS, common)
    names, values = [f"{one.phrase} ({one.times})" for one in common], [one.first for one in common]
    title = "R@1 of the commonest phrases (Fig. 10)"
    add_bars(report, "figure_10", title, names, {"R@1": values}, "R@1, %", size=(7.0, 6.0))
    title = f"The hardest phrases that occur at least {least} times"
    report.table("hardest_phrases", title, FREQUENT_COLUMNS, hardest(phrases, least))


def add_against(report: Report, outcome: Outcome, other: Outcome, work: Work) -> None:
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
