"""The cues of a query: what the embedding, the detector, the size and the colour say of each region."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.localization.cues.color_distance import with_color
from evaluation.localization.cues.detector_distance import detector_or_embedding, with_detector
from evaluation.localization.cues.fit_weights import Candidates
from evaluation.localization.cues.size_distance import with_size
from evaluation.localization.queries import Query

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class QueryCues:
    """A query and, for each of its image's regions, the embedding's distance and the scores of the cues."""

    query: Query
    embedding: Array
    sizes: Array
    right: NDArray[np.bool_]
    """Whether each region overlaps the gold box by at least 0.5."""
    detector: Array | None = None
    """Scores of the phrase's detector; None for a phrase without."""
    detector_class: str | None = None
    color: Array | None = None
    """Scores of the phrase's colour; None for a phrase without."""

    @property
    def candidates(self) -> Candidates:
        """Return the values that weights are fitted on, with the detector in the distances (equation 1)."""
        base = with_detector(self.embedding, self.detector)
        return Candidates(self.query.types, base, self.sizes, self.right, self.color)


def row_distances(cues: QueryCues, size_weight: float, color_weight: float) -> dict[str, Array]:
    """Return the distances of the regions in each row of Table 5, by the row's name."""
    base = with_detector(cues.embedding, cues.detector)
    return {
        "cca": cues.embedding,
        "cca_or_detector": detector_or_embedding(cues.embedding, cues.detector),
        "cca+detector": base,
        "size": 1 - cues.sizes,
        "cca+detector+size": with_size(base, cues.sizes, size_weight),
        "cca+detector+color": with_color(base, cues.sizes, cues.color, size_weight=0, color_weight=color_weight),
        "cca+detector+size+color": with_color(
            base, cues.sizes, cues.color, size_weight=size_weight, color_weight=color_weight
        ),
    }
