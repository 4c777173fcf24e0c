"""Detections are read by image, and a bad line is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.foil.models.detections_file import read_detections


def test_every_image_has_its_categories(lines: Callable[..., Path]) -> None:
    path = lines({"image": "a", "categories": ["dog", "dog", "cat"]}, {"image": "b", "categories": []})
    assert read_detections(path) == {"a": {"dog", "cat"}, "b": set()}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"image": "a", "categories": []}, "line 2: the image 'a' stands twice"),
        ({"image": "b", "categories": "dog"}, "line 2: the field 'categories' is not a list of names"),
        ({"image": "b"}, "line 2: the field 'categories' is missing"),
    ],
)
def test_a_bad_line_is_named(lines: Callable[..., Path], row: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_detections(lines({"image": "a", "categories": ["dog"]}, row))
    assert told in str(refused.value)
