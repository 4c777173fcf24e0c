"""Weights have the most first places right by type, on images that the model behind them has not seen."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evaluation.localization.cues import weights
from evaluation.localization.cues.scorer import Candidates, QueryCues, Sources
from evaluation.localization.cues.weights import (
    fit_color_weights,
    fit_size_weights,
    fit_weights,
    folds,
    held_out_cues,
    paper_weights,
)
from evaluation.localization.embedding.task import halves
from evaluation.localization.queries import Query
from evaluation.reading.picture import Phrase


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


def test_every_image_is_scored_once_by_a_model_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"image{number}" for number in range(11)]
    task: Any = SimpleNamespace(fit=names, queries=lambda images: list(images))
    scored: list[str] = []

    def cues_of(task: object, learned: Sequence[str], images: Sequence[str], sources: Sources) -> list[str]:
        assert not set(learned) & set(images) and sorted([*learned, *images]) == sorted(names)
        scored.extend(images)
        return list(images)

    monkeypatch.setattr(weights, "fit_scorer", lambda task, images, sources: tuple(images))
    monkeypatch.setattr(weights, "cues_of", cues_of)
    assert sorted(map(str, held_out_cues(task, Sources()))) == sorted(scored) == sorted(names)


def test_types_that_do_not_occur_keep_the_papers_weights() -> None:
    query = Query("one", (10, 10), Phrase(0, 0, 0, ("the", "sky"), "1", ("scene",)), (0, 0, 5, 5))
    large = QueryCues(query, np.array([0.4, 0.45]), np.array([0.1, 0.9]), np.array([False, True]))
    fitted = fit_weights([large])
    assert fitted.of(("scene",)) == (0.1, 0.2)
    assert fitted.of(("vehicles", "other")) == (0.2, 0.2)
    assert fitted.of(("people",)) == paper_weights().of(("people",)) == (0.1, 0.2)
    assert fitted.of(("notvisual",)) == (0.1, 0.2)


def test_halves_and_folds_are_disjoint_whole_and_repeatable() -> None:
    names = [f"image{number}" for number in range(501)]
    first, second = halves(names, 3)
    assert (len(first), len(second)) == (250, 251)
    assert not set(first) & set(second) and sorted([*first, *second]) == sorted(names)
    assert halves(reversed(names), 3) == (first, second)
    assert halves(names, 4) != (first, second)
    parts = folds(first)
    assert len(parts) == 5 and sorted(name for part in parts for name in part) == first
