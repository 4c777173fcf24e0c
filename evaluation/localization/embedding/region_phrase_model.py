"""The region-phrase model: phrases and regions projected into one space, where near means fitting."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.language import Tagged
from evaluation.localization.embedding.cca import POWER, RIDGE, Cca, Chunk, fit_cca, project_x, project_y
from evaluation.localization.embedding.phrase_encoder import PhraseEncoder

CHUNK = 2_048
"""Phrases that are expanded at once: a Fisher vector of the paper has 18,000 numbers."""


@dataclass(frozen=True, slots=True)
class RegionPhraseModel:
    """An encoder of phrases and the fitted maps."""

    encoder: PhraseEncoder
    cca: Cca
    power: float = POWER

    def phrases(self, phrases: Sequence[Tagged]) -> NDArray[np.float32]:
        """Return the phrases in the shared space, rows of length one: shape (n, k)."""
        parts = [project_x(self.cca, part, power=self.power) for part in encoded(self.encoder, phrases)]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.cca.correlations)), np.float32)

    def regions(self, features: NDArray[Any]) -> NDArray[np.float32]:
        """Return regions, by their features (n, d), in the shared space: shape (n, k)."""
        return project_y(self.cca, features, power=self.power)


def encoded(encoder: PhraseEncoder, phrases: Sequence[Tagged]) -> Iterator[NDArray[np.float32]]:
    """Yield the Fisher vectors of the phrases in chunks."""
    for start in range(0, len(phrases), CHUNK):
        yield encoder.encode(phrases[start : start + CHUNK])


def fit_model(
    encoder: PhraseEncoder,
    phrases: Sequence[Tagged],
    features: NDArray[Any],
    *,
    outputs: int = 4096,
    ridge: float = RIDGE,
    power: float = POWER,
) -> RegionPhraseModel:
    """Fit the maps on phrases and the features (n, d) of their regions."""

    def chunks() -> Iterator[Chunk]:
        start = 0
        for part in encoded(encoder, phrases):
            yield part, features[start : start + len(part)]
            start += len(part)

    return RegionPhraseModel(encoder, fit_cca(chunks(), outputs, ridge=ridge), power)
