"""Colours [paper 4.1.3, footnote 4, Figure 8]: of a phrase, by its only colour word, and of a region.

The paper fine-tuned a network; the classifier here needs none: a logistic regression on Lab histograms. Scores of a
network can be read from a file instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from evaluation.localization.embedding.builtin_features import BINS, CHROMA, LIGHTNESS
from evaluation.optional import need

COLORS = ("black", "white", "red", "blue", "green", "yellow", "brown", "grey", "orange", "pink", "purple")
SPELLINGS = {"gray": "grey"}
PEOPLE = "people"


def color_of_phrase(words: Sequence[str], types: Sequence[str], colors: Sequence[str] = COLORS) -> str | None:
    """Return the colour that the phrase names, or None for none, for several, and for a phrase about people."""
    if PEOPLE in types:
        return None
    named = [SPELLINGS.get(word.lower(), word.lower()) for word in words]
    found = [word for word in named if word in colors]
    return found[0] if len(found) == 1 else None


def softened(features: NDArray[Any]) -> NDArray[np.float64]:
    """Return roots of histograms (n, BINS) whose bins share with their neighbours: near shades are near colours."""
    cubes = np.asarray(features, dtype=np.float64).reshape(-1, LIGHTNESS, CHROMA, CHROMA)
    soft = gaussian_filter(cubes, (0, 0.7, 0.7, 0.7), mode="constant")
    return np.asarray(np.sqrt(np.maximum(soft, 0)).reshape(len(cubes), BINS), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ColorClassifier:
    """A multinomial logistic regression."""

    colors: tuple[str, ...]
    slopes: NDArray[np.float64]
    """Shape (colours, features)."""
    constants: NDArray[np.float64]

    def scores(self, features: NDArray[Any]) -> NDArray[np.float64]:
        """Return the softmax of each colour for each row: shape (n, colours)."""
        raw = softened(features) @ self.slopes.T + self.constants
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), dtype=np.float64)

    def column(self, color: str, features: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return the score of one colour, shape (n), or None for a colour never seen in training."""
        return self.scores(features)[:, self.colors.index(color)] if color in self.colors else None


def fit_color_classifier(features: NDArray[Any], colors: Sequence[str]) -> ColorClassifier | None:
    """Fit on Lab histograms (n, bins) of regions and the colours of their phrases; None for fewer than two colours."""
    linear = need("sklearn.linear_model", "fitting the colour classifier")
    names = sorted(set(colors))
    if len(names) < 2:
        return None
    model = linear.LogisticRegression(C=10, max_iter=1000).fit(
        softened(features), [names.index(color) for color in colors]
    )
    slopes, constants = model.coef_, model.intercept_
    if len(names) == 2:
        # Two classes have one row of slopes, for the second against the first.
        slopes, constants = np.vstack([np.zeros_like(slopes), slopes]), np.concatenate([[0.0], constants])
    return ColorClassifier(tuple(names), slopes, constants)
