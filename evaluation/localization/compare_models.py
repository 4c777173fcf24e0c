"""Two models [beyond paper 4.1.3]: the paired difference of their recall on the same phrases, with intervals."""

import numpy as np

from evaluation.localization.outcome import COLUMNS, Outcome
from evaluation.report import Cell, Report, Table
from evaluation.scoring.bootstrap import interval, resampled_shares, two_sided
from evaluation.work import Work


def add_against(report: Report, outcome: Outcome, other: Outcome, work: Work) -> None:
    """Add the other model's recall and the difference, ours less theirs, in points. Resamples are the same for both."""
    hits, sizes = outcome.per_image
    theirs, _ = other.per_image
    draws = work.options["draws"]
    ours_drawn = resampled_shares(hits, sizes, work.rng("bootstrap"), draws)
    differences = ours_drawn - resampled_shares(theirs, sizes, work.rng("bootstrap"), draws)
    low, high = interval(differences)
    p = two_sided(differences)
    totals = sizes.sum(axis=0)
    shares = np.divide(100 * theirs.sum(axis=0), totals, out=np.zeros(len(totals)), where=totals > 0)
    rows: list[list[Cell]] = []
    for i, name in enumerate(COLUMNS):
        if name not in report.figures:
            continue
        their = float(shares[i])
        difference = report.figures[name] - their
        report.put({f"against.{name}": their})
        report.put(
            {"": difference, ".low": float(low[i]), ".high": float(high[i]), ".p": float(p[i])}, f"difference.{name}"
        )
        rows.append([name, report.figures[name], their, difference, float(low[i]), float(high[i]), float(p[i])])
    columns = ["figure", "ours", "the other's", "difference", "low", "high", "p"]
    report.tables.append(Table("against", "Beside the other model (points of %)", columns, rows))
    ours_only, theirs_only = (
        int(((first.ranks == 1) & (second.ranks != 1)).sum()) for first, second in ((outcome, other), (other, outcome))
    )
    report.put({"first_only_ours": ours_only, "first_only_theirs": theirs_only})
    report.notes.append(
        f"Found by the first box of these predictions alone: {ours_only:,} phrases; of the other ones alone: "
        f"{theirs_only:,}. The difference is ours less theirs; p is twice the smaller share of resamples beyond 0."
    )
