"""Exports in the format of COCO: those of the service with chains, and plain ones whose boxes are loose."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.errors import InputError
from evaluation.oracle.hypotheses import read_hypotheses
from evaluation.reading.coco import read_coco
from evaluation.reading.entities import read_entities
from evaluation.reading.pictures import read_pictures
from exchange.coco.write import write_coco
from exchange.flickr30k.write import write_flickr30k
from tests.support.small_data_set import beach, dog


def test_both_formats_of_an_export_give_the_same_phrases_and_boxes(tmp_path: Path) -> None:
    write_coco([beach(), dog()], tmp_path / "coco")
    write_flickr30k([beach(), dog()], tmp_path / "entities")
    for one, other in zip(read_coco(tmp_path / "coco"), read_entities(tmp_path / "entities"), strict=True):
        assert one.captions == other.captions
        assert one.gold == other.gold
        assert (one.name, one.width, one.height) == (other.name, other.width, other.height)


def test_captions_of_a_system_tell_images_by_the_ids_of_an_export(tmp_path: Path) -> None:
    write_coco([replace(beach(), path="cam/1.jpg", coco_id=397133), dog()], tmp_path / "coco")
    names = {one.name for one in read_coco(tmp_path / "coco")}
    assert names == {beach().name, dog().name}, "names as the service has them, not the users' paths"
    results = tmp_path / "results.json"
    results.write_text(json.dumps([{"image_id": 397133.0, "caption": "A beach"}]))
    assert read_hypotheses(results, tmp_path / "coco", names) == {beach().name: "A beach"}


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
