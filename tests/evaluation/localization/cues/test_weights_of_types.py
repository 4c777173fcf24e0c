"""Weights are fitted on images that the model behind them has not seen, and default to the paper's."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evaluation.localization.cues import weights_of_types
from evaluation.localization.cues.query_cues import QueryCues
from evaluation.localization.cues.scorer import Sources
from evaluation.localization.cues.weights_of_types import fit_weights, held_out_cues, paper_weights
from evaluation.localization.queries import Query
from evaluation.reading.picture import Phrase


def test_every_image_is_scored_once_by_a_model_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"image{number}" for number in range(11)]
    task: Any = SimpleNamespace(fit=names, queries=lambda images: list(images))
    scored: list[str] = []

    def cues_of(task: object, learned: Sequence[str], images: Sequence[str], sources: Sources) -> list[str]:
        assert not set(learned) & set(images) and sorted([*learned, *images]) == sorted(names)
        scored.extend(images)
        return list(images)

    monkeypatch.setattr(weights_of_types, "fit_scorer", lambda task, images, sources: tuple(images))
    monkeypatch.setattr(weights_of_types, "cues_of", cues_of)
    assert sorted(map(str, held_out_cues(task, Sources()))) == sorted(scored) == sorted(names)


def test_types_that_do_not_occur_keep_the_papers_weights() -> None:
    query = Query("one", (10, 10), Phrase(0, 0, 0, ("the", "sky"), "1", ("scene",)), (0, 0, 5, 5))
    large = QueryCues(query, np.array([0.4, 0.45]), np.array([0.1, 0.9]), np.array([False, True]))
    fitted = fit_weights([large])
    assert fitted.of(("scene",)) == (0.1, 0.2)
    assert fitted.of(("vehicles", "other")) == (0.2, 0.2)
    assert fitted.of(("people",)) == paper_weights().of(("people",)) == (0.1, 0.2)
    assert fitted.of(("notvisual",)) == (0.1, 0.2)
