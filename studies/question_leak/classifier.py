"""A classifier that tries to tell verification questions from real ones, and differences planted to test it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

try:
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
except ImportError as error:  # only the development requirements hold scikit-learn
    raise RuntimeError("The classifier needs scikit-learn: run `make setup`.") from error

from studies.question_leak.browser_view import Row

FOLDS = 5
RESAMPLED = 1_000
LATER_MS = 5.0


@dataclass(frozen=True, slots=True)
class Found:
    """The area under the ROC curve (AUC) with its interval; 0.5 means that nothing tells the questions apart."""

    auc: float
    low: float
    high: float
    questions: int
    known: int

    @property
    def nothing(self) -> bool:
        """Whether the interval holds 0.5."""
        return self.low <= 0.5 <= self.high

    def __str__(self) -> str:
        verdict = "nothing tells them apart" if self.nothing else "they can be told apart"
        return f"AUC {self.auc:.3f} (interval {self.low:.3f} to {self.high:.3f}): {verdict}"


def try_to_tell(
    rows: Sequence[Row], known: Sequence[bool], workers: Sequence[int], *, sure: float = 0.95, seed: int = 0
) -> Found:
    """Train boosted trees on everything seen, cross-validated by worker, and measure how well they tell.

    A worker's questions are never in both parts. The interval covers the share `sure`; it resamples workers, so that
    what the questions of one worker have in common does not narrow it.
    """
    names = list(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    truth, groups = np.array(known), np.array(workers)
    model = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.08, max_leaf_nodes=15, random_state=seed)
    folds = GroupKFold(FOLDS, shuffle=True, random_state=seed)
    odds = cross_val_predict(model, table, truth, groups=groups, cv=folds, method="predict_proba")[:, 1]
    low, high = _interval(truth, odds, groups, sure, seed)
    return Found(float(roc_auc_score(truth, odds)), low, high, len(rows), int(truth.sum()))


def what_tells(rows: Sequence[Row], known: Sequence[bool], most: int = 5) -> list[tuple[str, float]]:
    """Return the numbers that tell most when taken alone, each with its area under the ROC curve."""
    truth = np.array(known)
    areas = {name: float(roc_auc_score(truth, np.array([row[name] for row in rows]))) for name in rows[0]}
    return sorted(areas.items(), key=lambda one: -abs(one[1] - 0.5))[:most]


def _interval(truth: Any, odds: Any, groups: Any, sure: float, seed: int) -> tuple[float, float]:
    """Return the bootstrap interval over workers, at least as wide as the interval of independent questions.

    With few workers some bootstrap draws look more alike than they are.
    """
    lot = np.random.default_rng(seed)
    everybody = np.unique(groups)
    places = {worker: np.flatnonzero(groups == worker) for worker in everybody}
    areas = []
    for _ in range(RESAMPLED):
        drawn = np.concatenate([places[worker] for worker in lot.choice(everybody, len(everybody))])
        if 0 < truth[drawn].sum() < len(drawn):
            areas.append(roc_auc_score(truth[drawn], odds[drawn]))
    low, high = np.quantile(areas, [(1 - sure) / 2, (1 + sure) / 2])
    known = int(truth.sum())
    # The standard error of a rank sum when nothing tells the two kinds apart.
    error = sqrt((1 / known + 1 / (len(truth) - known)) / 12)
    half = NormalDist().inv_cdf((1 + sure) / 2) * error
    area = roc_auc_score(truth, odds)
    return float(min(low, area - half)), float(max(high, area + half))


def later(
    rows: Sequence[Row], known: Sequence[bool], assignments: Sequence[int], milliseconds: float = LATER_MS
) -> list[Row]:
    """Plant a delay: assignments with a verification question arrive this much later."""
    slow = {assignment for assignment, is_known in zip(assignments, known, strict=True) if is_known}
    return [
        {**row, "ask seconds": row["ask seconds"] + milliseconds / 1000 * (assignment in slow)}
        for row, assignment in zip(rows, assignments, strict=True)
    ]


def even(rows: Sequence[Row], known: Sequence[bool]) -> list[Row]:
    """Plant a pattern: the number in the picture's name is even for every verification question."""
    return [
        {**row, "url number mod 2": 0.0 if is_known else row["url number mod 2"]}
        for row, is_known in zip(rows, known, strict=True)
    ]
