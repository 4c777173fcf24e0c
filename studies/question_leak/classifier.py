"""Boosted trees that try to tell verification questions from real ones, and differences planted to test them."""

from collections.abc import Sequence

try:
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import GroupKFold, cross_val_predict
except ImportError as error:  # only the development requirements hold scikit-learn
    raise RuntimeError("The classifier needs scikit-learn: run `make setup`.") from error

from studies.question_leak.browser_view import Row
from studies.question_leak.evidence import Evidence, strongest

FOLDS = 5
LATER_MS = 5.0
TREES = "boosted trees"


def try_to_tell(rows: Sequence[Row], known: Sequence[bool], workers: Sequence[int]) -> Evidence:
    """Compare all that was seen, and what boosted trees make of all of it together, with which questions were known.

    The trees are cross-validated by worker: a worker's questions are judged by trees that have not seen any of them.
    """
    names = list(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    truth, groups = np.array(known), np.array(workers)
    model = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.08, max_leaf_nodes=15, random_state=0)
    folds = GroupKFold(FOLDS, shuffle=True, random_state=0)
    odds = cross_val_predict(model, table, truth, groups=groups, cv=folds, method="predict_proba")[:, 1]
    judged = [{**row, TREES: float(chance)} for row, chance in zip(rows, odds, strict=True)]
    return strongest(judged, [float(one) for one in known], workers)


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
