"""The images are split without overlap, and every one has captions."""

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.oracle.corpus import check_captions, split_images, words_of

SIZES = {"train": 20, "validation": 5, "test": 7}


def test_no_image_is_in_two_parts() -> None:
    parts = split_images([str(i) for i in range(40)], SIZES, np.random.default_rng(0))
    assert {part: len(images) for part, images in parts.items()} == SIZES
    assert len({image for images in parts.values() for image in images}) == 32


def test_too_few_images_are_refused_with_both_numbers() -> None:
    with pytest.raises(InputError, match="31 images, 32 are asked for: 20 for train, 5 for validation, 7 for test"):
        split_images([str(i) for i in range(31)], SIZES, np.random.default_rng(0))


def test_an_image_without_captions_is_refused() -> None:
    with pytest.raises(InputError, match="image b has no captions"):
        check_captions({"a": ["A man ."], "b": []})


def test_words_are_lower_case_and_without_punctuation() -> None:
    assert words_of([("A", "DT"), ("T-shirt", "NN"), (",", ","), ("2", "CD"), ("...", ":")]) == ["a", "t-shirt", "2"]
