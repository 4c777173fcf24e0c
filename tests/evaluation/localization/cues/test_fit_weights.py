"""Weights are those with the most first places right, by type."""

import numpy as np

from evaluation.localization.cues.fit_weights import Candidates, fit_color_weights, fit_size_weights


def candidate(kind: str, right: int, distances: list[float], sizes: list[float], color: list[float] | None = None):
    truth = np.zeros(len(distances), dtype=bool)
    truth[right] = True
    return Candidates((kind,), np.array(distances), np.array(sizes), truth, None if color is None else np.array(color))


def test_size_has_the_smallest_weight_that_puts_most_right_regions_first() -> None:
    # The large region is right and 0.05 farther: (1 - w) 0.05 < w 0.8 from w = 0.1 on.
    scene = [candidate("scene", 1, [0.40, 0.45], [0.1, 0.9])] * 3
    # The small region is right: every weight from 0.1 on spoils it.
    person = [candidate("people", 0, [0.40, 0.45], [0.1, 0.9])]
    assert fit_size_weights([*scene, *person]) == {"scene": 0.1, "people": 0.0}


def test_colour_is_fitted_on_coloured_phrases_alone_beside_the_weight_of_size() -> None:
    shirt = candidate("clothing", 1, [0.40, 0.45], [0.5, 0.5], [0.1, 0.9])
    plain = candidate("clothing", 0, [0.40, 0.45], [0.5, 0.5])
    assert fit_color_weights([shirt, plain, plain], {"clothing": 0.0}, 0.1) == {"clothing": 0.1}
    assert fit_color_weights([plain], {"clothing": 0.0}, 0.1) == {}


def test_images_without_regions_count_as_wrong() -> None:
    empty = Candidates(("other",), np.zeros(0), np.zeros(0), np.zeros(0, dtype=bool))
    assert fit_size_weights([empty]) == {"other": 0.0}
