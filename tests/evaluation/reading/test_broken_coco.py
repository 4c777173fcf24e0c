"""Broken files of COCO are refused in a sentence that names the file and the place, whichever reader meets them."""

import json
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.reading.coco import read_coco, read_instances
from evaluation.reading.coco_names import names_of

IMAGES = [{"id": n, "file_name": f"{name}.jpg", "width": 40, "height": 30} for n, name in ((5, "a"), (6, "b"))]
PHRASE = {"chain": "1", "types": ["animals"], "tokens_positive": [[0, 5]]}
CAPTION = {"image_id": 5, "caption": "A dog runs there .", "phrases": [PHRASE], "not_visual": [[[11, 16]]]}
BOX = {"image_id": 5, "category_id": 0, "bbox": [1, 2, 10, 20], "chains": ["1"]}
GOOD: dict[str, Any] = {
    "captions": {"images": IMAGES, "annotations": [CAPTION]},
    "instances": {"images": IMAGES, "categories": [{"id": 0, "name": "dog"}], "annotations": [BOX]},
}
CAPTIONS_AT, BOX_AT = ("captions", "annotations", 0), ("instances", "annotations", 0)
PHRASE_AT, HIDDEN_AT = (*CAPTIONS_AT, "phrases", 0), (*CAPTIONS_AT, "not_visual")
PHRASE_IS, HIDDEN_IS = "captions.json, caption 1, phrase 1: ", "captions.json, caption 1, not_visual 1"
PAIR = "not one pair [[from, to]] of characters"
Place = Sequence[str | int]
BROKEN_LISTS: list[tuple[Place, Any, str]] = [
    (("instances", "images"), None, "instances.json: the field 'images' is not a list"),
    (("instances", "images", 1, "id"), [6], "instances.json, image 2: the id is '[6]', not a whole number or a text"),
    (("instances", "images", 1, "id"), 5, "instances.json, image 2: the image 5 (b) stands twice"),
    (("instances", "images", 1), {"id": 6}, "instances.json, image 2: the field 'file_name' is missing"),
    (("instances", "categories"), None, "instances.json: the field 'categories' is not a list"),
    (("instances", "categories"), [7], "instances.json, category 1 is not an object with fields"),
    (("instances", "categories", 0, "id"), [0], "instances.json, category 1: the id is '[0]', not a whole number or"),
    (("instances", "categories"), [{"id": 0, "name": n} for n in "ab"], "instances.json, category 2: the id 0 stands"),
]  # fmt: skip
BROKEN: list[tuple[Place, Any, str]] = [
    *BROKEN_LISTS,
    ((*CAPTIONS_AT, "caption"), None, "captions.json, caption 1: the caption is not text"),
    ((*CAPTIONS_AT, "image_id"), [5], "captions.json, caption 1: the field 'image_id' is '[5]', not a whole number or"),
    ((*CAPTIONS_AT, "phrases"), None, "captions.json, caption 1: the field 'phrases' is not a list"),
    ((*CAPTIONS_AT, "phrases"), ["A dog"], "captions.json, caption 1, phrase 1 is not an object with fields"),
    ((*PHRASE_AT, "types"), None, f"{PHRASE_IS}the field 'types' is not a list"),
    ((*PHRASE_AT, "types"), "people", f"{PHRASE_IS}the field 'types' is not a list"),
    ((*PHRASE_AT, "types"), [None], f"{PHRASE_IS}a type is 'None', not a whole number or a text"),
    ((*PHRASE_AT, "chain"), None, f"{PHRASE_IS}the field 'chain' is 'None', not a whole number or a text"),
    ((*PHRASE_AT, "tokens_positive"), [], f"{PHRASE_IS}the field 'tokens_positive' is '[]', {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), 3, f"{PHRASE_IS}the field 'tokens_positive' is '3', {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), ["0", "5"], f"{PHRASE_IS}the field 'tokens_positive' is \"['0', '5']\", {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), [[0]], f"{PHRASE_IS}the field 'tokens_positive' is '[[0]]', {PAIR}"),
    ((*PHRASE_AT, "tokens_positive"), [["0", "5"]], f"{PHRASE_IS}the field 'tokens_positive': an edge is '0', not a"),
    ((*PHRASE_AT, "tokens_positive"), [[0, 5.5]], f"{PHRASE_IS}the field 'tokens_positive': an edge is '5.5', not a"),
    ((*PHRASE_AT, "tokens_positive"), [[5, 6]], f"{PHRASE_IS}the field 'tokens_positive': no word of the caption is"),
    ((*PHRASE_AT, "tokens_positive"), [[90, 95]], f"{PHRASE_IS}the field 'tokens_positive': no word of the caption is"),
    (HIDDEN_AT, None, "captions.json, caption 1: the field 'not_visual' is not a list"),
    (HIDDEN_AT, [[]], f"{HIDDEN_IS} is '[]', {PAIR}"),
    (HIDDEN_AT, [[[]]], f"{HIDDEN_IS} is '[[]]', {PAIR}"),
    (HIDDEN_AT, [[["there", 16]]], f"{HIDDEN_IS}: an edge is 'there', not a whole number from 0"),
    ((*BOX_AT, "chains"), None, "instances.json, box 1: the field 'chains' is not a list"),
    ((*BOX_AT, "chains"), 1, "instances.json, box 1: the field 'chains' is not a list"),
    ((*BOX_AT, "chains"), [None], "instances.json, box 1: a chain is 'None', not a whole number or a text"),
    ((*BOX_AT, "category_id"), [0], "instances.json, box 1: the field 'category_id' is '[0]', not a whole number or"),
    ((*BOX_AT, "category_id"), None, "instances.json, box 1: the field 'category_id' is 'None', not a whole number or"),
    (("instances", "images", 0, "width"), 4.5, "instances.json, image 1: the width is '4.5', not a whole number"),
    ((*BOX_AT, "bbox"), [1, 2, 3], "instances.json, box 1: the field 'bbox' is not a list of 4 numbers"),
]  # fmt: skip


def export(folder: Path, place: Place = (), value: Any = None) -> Path:
    """Write an export that holds the value at this place."""
    files = deepcopy(GOOD)
    if place:
        inner: Any = files
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = value
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def test_the_export_is_read_before_it_is_broken(tmp_path: Path) -> None:
    first, second = read_coco(export(tmp_path))
    assert [phrase.text for phrase in first.captions[0].phrases] == ["A dog", "there"]
    assert first.gold == {"1": (1, 2, 11, 22)}
    assert (second.captions, second.gold) == ((), {})
    assert read_instances(tmp_path / "instances.json") == {"a": {"dog"}, "b": set()}


@pytest.mark.parametrize(("place", "value", "told"), BROKEN)
def test_a_broken_file_and_its_place_are_named(tmp_path: Path, place: Place, value: Any, told: str) -> None:
    folder = export(tmp_path, place, value)
    with pytest.raises(InputError) as refused:
        read_coco(folder)
    assert str(refused.value).startswith(told)


@pytest.mark.parametrize("read", [names_of, read_instances])
@pytest.mark.parametrize(("place", "value", "told"), BROKEN_LISTS)
def test_readers_of_instances_alone_refuse_broken_images_and_categories(
    tmp_path: Path, read: Callable[[Path], object], place: Place, value: Any, told: str
) -> None:
    folder = export(tmp_path, place, value)
    with pytest.raises(InputError) as refused:
        read(folder / "instances.json")
    assert str(refused.value).startswith(told)


def test_two_images_of_one_name_are_refused_where_the_name_alone_tells_them_apart(tmp_path: Path) -> None:
    folder = export(tmp_path, ("instances", "images", 1, "file_name"), "other/a.jpg")
    for read, path in ((read_coco, folder), (read_instances, folder / "instances.json")):
        with pytest.raises(InputError, match=r"instances\.json, image 2: the image 6 \(a\) stands twice"):
            read(path)
    assert names_of(folder).images == {"a.jpg": "a", "5": "a", "other/a.jpg": "a", "6": "a"}


def test_an_id_goes_before_the_name_of_a_file(tmp_path: Path) -> None:
    images = [{"id": 1, "file_name": "2"}, {"id": 2, "file_name": "1"}]
    assert names_of(export(tmp_path, ("instances", "images"), images)).images == {"1": "2", "2": "1"}


def test_an_export_without_categories_is_read(tmp_path: Path) -> None:
    files = {**GOOD["instances"]}
    del files["categories"]
    export(tmp_path, ("instances",), files)
    assert read_coco(tmp_path)[0].gold == {"1": (1, 2, 11, 22)}
    assert names_of(tmp_path).categories == {}
