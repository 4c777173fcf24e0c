"""Captions are read by image from every form of file, and a bad one is named."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.reading.caption_file import read_captions, read_named_captions

COCO: dict[str, Any] = {
    "images": [{"id": 7, "file_name": "b.jpg"}, {"id": 3, "file_name": "train/a.jpg"}],
    "annotations": [
        {"id": 1, "image_id": 3, "caption": "A dog  sits.\n"},
        {"id": 2, "image_id": 7, "caption": "A cat."},
        {"id": 3, "image_id": 3, "caption": "The dog."},
    ],
}


def coco(folder: Path, **changes: Any) -> Path:
    path = folder / "captions.json"
    path.write_text(json.dumps({**COCO, **changes}))
    return path


@pytest.mark.parametrize("name", ["captions.token", "captions.token.gz"])
def test_a_token_file_is_read_plain_and_packed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = b"a.jpg#0\tA dog .\nb.jpg#0\tA cat .\na.jpg#1\tThe dog .\n"
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert read_captions(path) == {"a": ["A dog .", "The dog ."], "b": ["A cat ."]}


def test_coco_captions_are_named_by_the_files_of_their_images(tmp_path: Path) -> None:
    assert list(read_captions(coco(tmp_path)).items()) == [("b", ["A cat."]), ("a", ["A dog sits.", "The dog."])]


def test_coco_captions_without_images_are_named_by_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_text(json.dumps({"annotations": COCO["annotations"]}))
    assert read_captions(path) == {"3": ["A dog sits.", "The dog."], "7": ["A cat."]}


def test_an_export_is_read_without_its_markup(export: Path) -> None:
    assert read_captions(export) == {
        "cat": ["A cat sits ."],
        "man": ["A man in a red hat with a dog .", "There is a man on a beach ."],
    }


def test_real_coco_captions_have_the_names_of_their_pictures(data_folder: Path) -> None:
    found = read_captions(data_folder / "coco" / "captions.json")
    assert len(found) == 80
    assert {len(captions) for captions in found.values()} == {5}
    assert all((len(name), name.isdigit()) == (12, True) for name in found)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"images": [*COCO["images"], {"id": 9, "file_name": "c.jpg"}]},
            "the image 'c' has no caption (images without one: 1)",
        ),
        ({"images": [*COCO["images"], {"id": 9, "file_name": "a.png"}]}, "image 3: the image 9 (a) stands twice"),
        ({"images": [{"id": 3}]}, "captions.json, image 1: the field 'file_name' is missing"),
        ({"images": COCO["images"][:1]}, "annotation 1: the image 3 is not among the images"),
        ({"annotations": [{"image_id": 3, "caption": " "}]}, "annotation 1: the caption is not text"),
        ({"annotations": [{"image_id": 3}]}, "annotation 1: the field 'caption' is missing"),
        ({"annotations": [{"image_id": None, "caption": "A dog."}]}, "annotation 1: the id of the image is 'None'"),
        ({"annotations": {}}, "the field 'annotations' is not a list"),
        ({"images": [], "annotations": []}, "captions.json holds no captions"),
    ],
)
def test_bad_coco_captions_are_named(tmp_path: Path, changes: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_captions(coco(tmp_path, **changes))
    assert told in str(refused.value)


def test_a_bad_line_of_a_token_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "captions.token"
    path.write_text("a.jpg#0\tA dog .\nno tab\n")
    with pytest.raises(InputError, match="line 2: IMAGE#NUMBER, a tab and a caption are expected"):
        read_captions(path)


def test_captions_come_with_the_names_of_their_images_where_there_are_ids(tmp_path: Path, export: Path) -> None:
    token = tmp_path / "captions.token"
    token.write_text("a.jpg#0\tA dog .\n")
    names = {"b.jpg": "b", "train/a.jpg": "a", "7": "b", "3": "a"}
    for path, expected in ((coco(tmp_path), names), (token, {}), (export, {})):
        found = read_named_captions(path)
        assert (found.by_image, found.names) == (read_captions(path), expected)
