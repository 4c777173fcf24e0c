"""Ridge of the CCA [paper 4.1.1]: the value with the best result on validation pairs; the paper names none."""

from collections.abc import Callable, Sequence

from evaluation.localization.embedding.cca import Cca

RIDGES = (1e-4, 1e-3, 0.01, 0.1, 1.0)


def choose_ridge(
    fit: Callable[[float], Cca], score: Callable[[Cca], float], ridges: Sequence[float] = RIDGES
) -> tuple[float, Cca, dict[float, float]]:
    """Return the ridge with the highest score, its maps, and the score of each ridge; of equal ones the smallest."""
    scores: dict[float, float] = {}
    best: tuple[float, Cca] | None = None
    for ridge in ridges:
        fitted = fit(ridge)
        scores[ridge] = score(fitted)
        if best is None or scores[ridge] > scores[best[0]]:
            best = ridge, fitted
    if best is None:
        raise ValueError("No ridge to choose from.")
    return *best, scores
