"""Orders use counts of concepts from other images: images are never scored with counts from themselves."""

import numpy as np
import pytest

from evaluation.content_selection.orders import crosswise, fitted_on
from evaluation.errors import InputError
from tests.evaluation.content_selection.scenes import scene

SCENES = [scene({"1": f"thing{i}"}, "1", image=str(i)) for i in range(5)]


def test_each_half_is_scored_with_the_counts_of_the_other() -> None:
    folds = crosswise(SCENES, np.random.default_rng(0))
    assert sorted(scene.image for fold in folds for scene in fold.scored) == list("01234")
    for fold in folds:
        scored = {scene.image for scene in fold.scored}
        assert scored.isdisjoint(fold.fitted)
        assert scored | set(fold.fitted) == set("01234")
        assert set(fold.unigrams) == {f"thing{image}" for image in fold.fitted}


def test_images_that_are_scored_are_left_out_of_the_fit() -> None:
    fold, left_out = fitted_on(SCENES[:2], SCENES)
    assert (fold.fitted, left_out) == (("2", "3", "4"), 2)


def test_a_fit_on_the_scored_images_alone_is_refused() -> None:
    with pytest.raises(InputError, match="must be counted on other images"):
        fitted_on(SCENES, SCENES[:3])
