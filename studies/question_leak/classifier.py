"""A classifier that tries to tell verification questions from real ones, and how far it gets."""

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
except ImportError as error:  # it is among what is installed for working on Chainbox
    raise RuntimeError("The classifier needs scikit-learn: run `make setup`.") from error

from studies.leak.seen import Row

FOLDS = 5
RESAMPLED = 1_000


@dataclass(frozen=True, slots=True)
class Found:
    """The area under the ROC curve, 0.5 where nothing tells them apart, with its interval."""

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
        says = "nothing tells them apart" if self.nothing else "they can be told apart"
        return f"AUC {self.auc:.3f} (interval {self.low:.3f} to {self.high:.3f}): {says}"


def try_to_tell(
    rows: Sequence[Row], known: Sequence[bool], workers: Sequence[int], *, sure: float = 0.95, seed: int = 0
) -> Found:
    """Boosted trees over everything seen, cross-validated by worker; the interval resamples workers, not questions.

    `sure`: the interval's coverage. A worker's questions are never in both parts, and what one worker's have in common
    does not narrow the interval.
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
    """The numbers that tell most when each is taken alone, with the area under the ROC curve of each."""
    truth = np.array(known)
    areas = {name: float(roc_auc_score(truth, np.array([row[name] for row in rows]))) for name in rows[0]}
    return sorted(areas.items(), key=lambda one: -abs(one[1] - 0.5))[:most]


def _interval(truth: Any, odds: Any, groups: Any, sure: float, seed: int) -> tuple[float, float]:
    """By the bootstrap over workers; never narrower than if every question were independent: of few workers, some
    draws look more alike than they are."""
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
    # The error of a rank sum where nothing tells the two kinds apart.
    error = sqrt((1 / known + 1 / (len(truth) - known)) / 12)
    half = NormalDist().inv_cdf((1 + sure) / 2) * error
    area = roc_auc_score(truth, odds)
    return float(min(low, area - half)), float(max(high, area + half))
