"""Categories of boxes are read by image, and a bad file is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.reading.instances_file import read_instances

GOOD: dict[str, Any] = {
    "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "sports ball"}],
    "images": [{"id": 5, "file_name": "a.jpg"}, {"id": 6, "file_name": "b.jpg"}],
    "annotations": [{"image_id": 5, "category_id": 2}, {"image_id": 5, "category_id": 1}],
}


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "instances.json"
    path.write_text(json.dumps({**GOOD, **changes}))
    return path


def test_every_image_has_the_categories_of_its_boxes(tmp_path: Path) -> None:
    assert read_instances(written(tmp_path)) == {"a": {"dog", "sports ball"}, "b": set()}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"annotations": [{"image_id": 7, "category_id": 1}]}, "annotations, entry 1: the image 7 is not among"),
        ({"annotations": [{"image_id": 5, "category_id": 9}]}, "entry 1: the category 9 is not among the categories"),
        ({"categories": None}, "instances.json: the field 'categories' is not a list"),
        ({"images": [{"id": 5}]}, "images, entry 1: the field 'file_name' is missing"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, changes: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_instances(written(tmp_path, **changes))
    assert told in str(refused.value)
