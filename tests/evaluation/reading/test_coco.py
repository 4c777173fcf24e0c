"""Exports in the format of COCO: those of the service with chains, and plain ones whose boxes are loose."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.oracle.run_score import read_hypotheses
from evaluation.reading.caption_file import read_named_captions
from evaluation.reading.coco import read_coco, read_instances
from evaluation.reading.coco_names import names_of
from evaluation.reading.entities import read_entities
from evaluation.reading.pictures import read_pictures
from exchange.coco.write import write_coco
from exchange.flickr30k.write import write_flickr30k
from tests.support.small_data_set import beach, dog

GOOD: dict[str, Any] = {
    "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "sports ball"}],
    "images": [{"id": 5, "file_name": "a.jpg"}, {"id": 6, "file_name": "b.jpg"}],
    "annotations": [{"image_id": 5, "category_id": 2}, {"image_id": 5, "category_id": 1}],
}


def test_both_formats_of_an_export_give_the_same_phrases_and_boxes(tmp_path: Path) -> None:
    write_coco([beach(), dog()], tmp_path / "coco")
    write_flickr30k([beach(), dog()], tmp_path / "entities")
    for one, other in zip(read_coco(tmp_path / "coco"), read_entities(tmp_path / "entities"), strict=True):
        assert one.captions == other.captions
        assert one.gold == other.gold
        assert (one.name, one.width, one.height) == (other.name, other.width, other.height)


def test_captions_of_a_system_tell_images_by_the_ids_of_an_export(tmp_path: Path) -> None:
    write_coco([replace(beach(), path="cam/1.jpg", coco_id=397133), dog()], tmp_path / "coco")
    known, names = read_named_captions(tmp_path / "coco")
    assert set(known) == {beach().name, dog().name}, "names as the service has them, not the users' paths"
    results = tmp_path / "results.json"
    results.write_text(json.dumps([{"image_id": 397133.0, "caption": "A beach"}]))
    assert read_hypotheses(results, names, known)[0] == {beach().name: "A beach"}


def test_boxes_without_chains_are_loose(data_folder: Path) -> None:
    pictures = read_pictures(data_folder / "coco")
    assert len(pictures) == 80
    assert sum(len(one.loose) for one in pictures) == 739
    assert not any(one.gold for one in pictures)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "instances.json").write_text("{}")
    with pytest.raises(InputError, match=r"has no captions\.json"):
        read_coco(tmp_path)


def test_an_unknown_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a readable export"):
        read_pictures(tmp_path)


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "instances.json"
    path.write_text(json.dumps({**GOOD, **changes}))
    return path


def test_every_image_has_the_categories_of_its_boxes(tmp_path: Path) -> None:
    assert read_instances(written(tmp_path)) == {"a": {"dog", "sports ball"}, "b": set()}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"annotations": [{"image_id": 7, "category_id": 1}]}, "instances.json, box 1: the image 7 is not among"),
        ({"annotations": [{"image_id": 5, "category_id": 9}]}, "box 1: the category 9 is not among the categories"),
        ({"categories": None}, "instances.json: the field 'categories' is not a list: give a file of COCO instances"),
        ({"images": [{"id": 5}]}, "instances.json, image 1: the field 'file_name' is missing"),
    ],
)
def test_a_bad_file_of_instances_is_named(tmp_path: Path, changes: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_instances(written(tmp_path, **changes))
    assert told in str(refused.value)


def test_ids_begin_at_zero(tmp_path: Path) -> None:
    kinds = [{"id": 0, "name": "person"}, {"id": 1, "name": "dog"}]
    names = names_of(written(tmp_path, categories=kinds, images=[{"id": 0, "file_name": "c/a.jpg"}]))
    assert names.categories == {0: "person", 1: "dog"}
    assert names.images == {"0": "a", "c/a.jpg": "a"}
