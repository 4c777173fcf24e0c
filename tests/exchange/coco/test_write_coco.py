import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.rules.box import Box
from exchange.atomic import TargetExists
from exchange.coco.read import read_coco
from exchange.coco.write import write_coco
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.flickr30k.read import read_flickr30k
from exchange.words import joined_caption, tokenized_caption

EXAMPLE = DatasetImage(
    "a",
    60,
    40,
    (
        joined_caption(("Café", "men", "in", "the", "park", "both"), non_visual=((5, 6),)),
        tokenized_caption("Two dogs."),
    ),
    (DatasetMention(0, 0, 2, ("people", "other"), "1"), DatasetMention(0, 3, 5, ("scene",), "2")),
    (DatasetChain("1", doubted="unsure"), DatasetChain("2", scene=True)),
    (DatasetBox(Box(0, 17, 60, 40), ("1",)), DatasetBox(Box(1, 2, 3, 5), category="dog")),
)


def load(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def test_it_writes_phrases_boxes_and_chains_in_one_file(tmp_path: Path) -> None:
    assert write_coco([EXAMPLE], tmp_path / "out.json") == 1
    written = load(tmp_path / "out.json")
    assert written["images"] == [{"file_name": "a.jpg", "height": 40, "id": 1, "name": "a", "width": 60}]
    first, second = written["captions"]
    assert first["caption"] == "Café men in the park both"
    assert first["phrases"] == [
        {"chain": "1", "tokens_positive": [[0, 8]], "types": ["people", "other"]},
        {"chain": "2", "tokens_positive": [[12, 20]], "types": ["scene"]},
    ]
    assert [first["caption"][begin:end] for ((begin, end),) in first["not_visual"]] == ["both"]
    assert second == {"caption": "Two dogs.", "id": 2, "image_id": 1}
    assert written["chains"] == [
        {
            "image_id": 1,
            "name": "1",
            "no_box": False,
            "scene": False,
            "doubted": "unsure",
            "drawer_judged": False,
            "types": ["people", "other"],
        },
        {
            "image_id": 1,
            "name": "2",
            "no_box": False,
            "scene": True,
            "doubted": "",
            "drawer_judged": False,
            "types": ["scene"],
        },
    ]
    person, dog = written["annotations"]
    assert person == {
        "area": 1380,
        "bbox": [0, 17, 60, 23],
        "category_id": 1,
        "chains": ["1"],
        "id": 1,
        "image_id": 1,
        "iscrowd": 0,
        "segmentation": [[0, 17, 60, 17, 60, 40, 0, 40]],
        "types": ["people", "other"],
    }
    assert (dog["bbox"], dog["category_id"], dog["id"]) == ([1, 2, 2, 3], 9, 2)
    assert [entry["name"] for entry in written["categories"]] == [
        *("people", "clothing", "body parts", "animals", "vehicles", "instruments", "scene", "other", "dog")
    ]


def test_it_writes_a_folder_that_coco_tools_understand(tmp_path: Path) -> None:
    write_coco([EXAMPLE, replace(EXAMPLE, name="b")], tmp_path / "out")
    captions, instances = load(tmp_path / "out/captions.json"), load(tmp_path / "out/instances.json")
    assert [entry["image_id"] for entry in captions["annotations"]] == [1, 1, 2, 2]
    assert [entry["image_id"] for entry in instances["annotations"]] == [1, 1, 2, 2]
    assert captions["images"] == instances["images"]
    read = [item for item in read_coco(tmp_path / "out") if isinstance(item, DatasetImage)]
    assert [image.name for image in read] == ["a", "b"]
    assert [(box.category, box.chains) for box in read[0].boxes] == [("", ("1",)), ("dog", ())]


@pytest.mark.parametrize("name", ["out.json", "out/captions.json", "out/instances.json"])
def test_coco_tools_can_print_the_info_of_a_file_and_draw_a_mask_of_each_box(tmp_path: Path, name: str) -> None:
    write_coco([EXAMPLE], tmp_path / name.split("/")[0])
    written = load(tmp_path / name)
    assert all(isinstance(value, str) for value in written["info"].values()) and written["licenses"] == []
    assert {chain["name"] for chain in written["chains"]} == {"1", "2"}
    for entry in written["annotations"] if "captions" not in name else []:
        (polygon,) = entry["segmentation"]
        x, y, width, height = entry["bbox"]
        corners = zip(polygon[::2], polygon[1::2], strict=True)
        assert list(corners) == [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def test_it_writes_sorted_keys_an_item_a_line_and_the_same_bytes_again(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        write_coco([EXAMPLE], tmp_path / name)
    text = (tmp_path / "a.json").read_text("utf-8")
    assert text == (tmp_path / "b.json").read_text("utf-8")
    keys = ["annotations", "captions", "categories", "chains", "images", "info", "licenses"]
    assert list(json.loads(text)) == keys
    assert text.splitlines()[2].startswith('{"area": 1380, "bbox": [0, 17, 60, 23], "category_id": 1')


def test_it_writes_empty_lists(tmp_path: Path) -> None:
    assert write_coco([], tmp_path / "out.json") == 0
    assert load(tmp_path / "out.json")["images"] == []


def test_it_keeps_the_text_and_boxes_of_the_real_images(data_folder: Path, tmp_path: Path) -> None:
    images = [item for item in read_coco(data_folder / "coco") if isinstance(item, DatasetImage)]
    write_coco(images, tmp_path / "out")
    again = [item for item in read_coco(tmp_path / "out") if isinstance(item, DatasetImage)]
    assert [replace(image, picture=None, source="") for image in images] == [
        replace(image, source="") for image in again
    ]


def test_every_span_of_the_real_phrases_gives_the_words_of_the_mention(data_folder: Path, tmp_path: Path) -> None:
    images = [i for i in read_flickr30k(data_folder / "flickr30k-entities") if isinstance(i, DatasetImage)]
    write_coco(images, tmp_path / "out.json")
    spans = [
        caption["caption"][begin:end]
        for caption in load(tmp_path / "out.json")["captions"]
        for phrase in caption["phrases"]
        for begin, end in phrase["tokens_positive"]
    ]
    words = [" ".join(i.captions[m.caption].words[m.start : m.end]) for i in images for m in i.mentions]
    assert len(spans) == 7292
    assert spans == words


@pytest.mark.parametrize("name", ["out", "out.json"])
def test_it_leaves_nothing_when_it_fails_and_overwrites_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(AttributeError):
        write_coco([EXAMPLE, None], tmp_path / name)  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []
    write_coco([EXAMPLE], tmp_path / name)
    with pytest.raises(TargetExists, match="is not empty"):
        write_coco([EXAMPLE], tmp_path / name)
