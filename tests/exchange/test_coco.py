import json
from collections.abc import Iterable
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest

from annotation.rules.box import Box
from exchange.checks import Defect, SourceError
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention, Detail, Problem
from exchange.details import passes_edge, whole_box
from exchange.formats.coco import COCO
from exchange.formats.coco.read import read_coco
from exchange.formats.format import write_files
from exchange.split_captions import joined_caption, tokenized_caption
from tests.support.pictures import plain_jpeg
from tests.support.table import row


def images_of(found: Iterable[DatasetImage | Problem]) -> list[DatasetImage]:
    return [one for one in found if isinstance(one, DatasetImage)]


class Source:
    """COCO's files with one good image (id 1) and one to be spoiled (id 2)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.images: list[Any] = [self.image(1, "good.jpg"), self.image(2, "bad.jpg")]
        self.captions: list[Any] = [self.caption(11, 1), self.caption(12, 2)]
        self.boxes: list[Any] = [self.box(21, 1), self.box(22, 2)]
        self.categories: list[Any] = [{"id": 3, "name": "dog"}]

    @staticmethod
    def image(number: Any, file_name: Any) -> dict[str, Any]:
        return {"id": number, "file_name": file_name, "width": 40, "height": 30}

    @staticmethod
    def caption(number: Any, image: Any, text: Any = "A man's dog.") -> dict[str, Any]:
        return {"id": number, "image_id": image, "caption": text}

    @staticmethod
    def box(number: Any, image: Any, bbox: Any = (1.5, 2, 3, 4)) -> dict[str, Any]:
        return {"id": number, "image_id": image, "category_id": 3, "bbox": bbox, "iscrowd": 0}

    def read(self) -> tuple[list[str], list[str]]:
        """Names of the images, and the problems as they are printed."""
        self.write("captions.json", {"images": self.images, "annotations": self.captions})
        instances = {"images": self.images, "annotations": self.boxes, "categories": self.categories}
        self.write("instances.json", instances)
        found = list(read_coco(self.path))
        return [one.name for one in images_of(found)], [str(one) for one in found if isinstance(one, Problem)]

    def spoiled(self) -> str:
        """The only problem, by which the image to be spoiled is left out."""
        images, (problem,) = self.read()
        assert images == ["good"]
        return problem

    def write(self, name: str, content: object) -> None:
        (self.path / name).write_text(json.dumps(content))


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Source(tmp_path)


def test_it_reads_captions_as_they_are_and_boxes_with_their_category(source: Source) -> None:
    source.captions[0]["caption"] = "A man's  dog. "
    assert source.read() == (["bad", "good"], [])
    _, image = images_of(read_coco(source.path))
    (caption,) = image.captions
    assert caption.text == "A man's  dog. "
    assert caption.words == ("A", "man", "'s", "dog", ".")
    assert caption.offsets == (0, 2, 5, 9, 12)
    assert not caption.chunked
    assert image.boxes == (DatasetBox(Box(1, 2, 5, 6), category="dog"),)
    assert (image.mentions, image.chains, image.picture, image.source) == ((), (), None, "captions.json:images[0]")


@row({"boxes": {"category_id": 4}}, "annotations[1].category_id 4 is in no list of categories")
@row({"boxes": {"bbox": [1, 2, 3, 99]}}, "annotations[1].bbox [1.0, 2.0, 3.0, 99.0] is not inside the image")
def test_a_bad_box_is_cut_or_left_out_and_its_image_stays(change: dict[str, Any], message: str, source: Source) -> None:
    source.boxes[1].update(change["boxes"])
    source.read()
    images = {one.name: one for one in images_of(read_coco(source.path))}
    (detail,) = (one for one in read_coco(source.path) if isinstance(one, Detail))
    assert (message in detail.message, detail.image) == (True, "")
    assert len(images["bad"].captions) == 1
    assert [one.box.y1 for one in images["bad"].boxes] == [30] * detail.cut


def test_it_reports_ids_and_names_that_are_there_twice(source: Source) -> None:
    names = {2: "again.jpg", 4: "x.jpg", 5: "x.png", 6: "y.jpg", 7: "Y.jpg", 8: "z.jpg", 9: "w.jpg"}
    source.images += [source.image(number, name) for number, name in names.items()]
    source.captions += [source.caption(40 + number, number) for number in (4, 5, 6, 7, 8, 9)]
    source.captions += [source.caption(50, 8), source.caption(50, 9, "another")]
    images, problems = source.read()
    whole = ["good", "w", "x.jpg", "x.png", "Y.jpg", "y~2.jpg", "z"]
    assert images == whole, "only endings and case tell some apart"
    assert problems == [
        "captions.json: annotations[9]: the annotation id 50 occurs twice, in annotations[8], too: both are read",
        "captions.json: images[1]: the image id 2 occurs twice (image bad.jpg left out)",
        "captions.json: images[2]: the image id 2 occurs twice (image again.jpg left out)",
    ]


def test_it_reports_entries_that_belong_to_no_image(source: Source) -> None:
    source.images.append("nonsense")
    source.captions += [7, source.caption(13, 99), source.caption(14, None)]
    source.boxes.append(source.box(23, 98))
    images, problems = source.read()
    assert images == ["bad", "good"]
    assert problems[0] == "captions.json: images[2] is a text, not an object (image images[2] left out)"
    left_out = "it is left out"
    assert f"captions.json: annotations[2] is a number, not an object: {left_out}" in problems
    assert f"captions.json: annotations[4].image_id is null, not a whole number or a text: {left_out}" in problems
    assert "captions.json: annotations[3]: image_id 99 is in no list of images; its captions are left out" in problems
    assert "instances.json: annotations[2]: image_id 98 is in no list of images; its boxes are left out" in problems


def test_it_reports_an_image_without_captions(source: Source) -> None:
    del source.captions[1]
    alone = "captions.json: images[1]: boxes found, captions missing: add captions to captions*.json"
    assert source.spoiled() == f"{alone} (image bad.jpg left out)"
    del source.boxes[1]
    assert source.spoiled() == "captions.json: images[1] has no captions (image bad.jpg left out)"


def test_it_takes_only_the_boxes_of_images_with_captions(source: Source) -> None:
    source.read()
    source.write("captions.json", {"images": source.images[:1], "annotations": source.captions[:1]})
    assert [len(image.boxes) for image in images_of(read_coco(source.path))] == [1]


@row(b'{"images": [,', "captions.json:1: is not JSON")
@row(b'{\n"images": \xe9', "captions.json:2: is not UTF-8")
@row(b"[" * 100_000, "captions.json: is not JSON that can be read")
@row(b'{"a": ' + b"9" * 5000 + b"}", "captions.json: is not JSON that can be read")
@row(b"[]", "captions.json: the file is a list, not an object")
@row(b'{"images": []}', "captions.json: the file has no 'annotations'")
@row(b'{"images": {}, "annotations": []}', "captions.json: images is an object, not a list")
def test_it_refuses_a_file_that_is_not_cocos_and_a_folder_without_any(content: bytes, message: str, tmp_path: Path):
    with pytest.raises(SourceError, match=r"has no captions\*\.json"):
        list(read_coco(tmp_path))
    (tmp_path / "captions.json").write_bytes(content)
    with pytest.raises(SourceError) as raised:
        list(read_coco(tmp_path))
    assert str(raised.value).startswith(message)


def test_it_reads_the_official_layout_with_several_files(source: Source) -> None:
    folder = source.path / "annotations"
    folder.mkdir()
    for number, part in enumerate(("train", "val")):
        content = {"images": [source.images[number]], "annotations": [source.captions[number]]}
        (folder / f"captions_{part}.json").write_text(json.dumps(content))
    places = [f"annotations/captions_{part}.json:images[0]" for part in ("val", "train")]
    assert [image.source for image in images_of(read_coco(source.path))] == places


def test_where_there_are_pictures_a_missing_one_is_reported(source: Source) -> None:
    (source.path / "images").mkdir()
    (source.path / "images/good.jpg").write_bytes(plain_jpeg(40, 30))
    assert source.spoiled() == "captions.json: the picture bad.jpg is missing (image bad.jpg left out)"


@row([0, 0, 40, 30], Box(0, 0, 40, 30))
@row([1.2, 2.7, 3.1, 4.1], Box(1, 2, 5, 7))
@row([0.1, 0.2, 0.9, 0.8], Box(0, 0, 1, 1))
@row([-0.7, -1, 10, 10], Box(0, 0, 10, 9))
@row([30, 20, 10.9, 11], Box(30, 20, 40, 30))
@row([4.9999999996, 5, 3.0000000008, 2.0000000004], Box(5, 5, 8, 7))  # noise of floats
@row([39.999, 29.999, 0.001, 0.001], Box(39, 29, 40, 30))
def test_a_box_becomes_the_smallest_one_of_whole_pixels_around_it(numbers: list[float], box: Box) -> None:
    assert whole_box(numbers, 40, 30, "bbox") == box


@pytest.mark.parametrize("numbers", [[-1.01, 0, 9, 9], [0, 0, 41.01, 9], [0, 0, 9, 31.5], [40, 0, 1, 1], [-1, 0, 1, 1]])
def test_a_box_that_leaves_the_image_is_cut_and_one_outside_is_none(numbers: list[float]) -> None:
    assert passes_edge(numbers, 40, 30) or numbers[0] in (40, -1)
    x, y, width, height = numbers
    if x >= 40 or x + width <= 0:
        with pytest.raises(Defect, match="is outside the image of 40 x 30 pixels"):
            whole_box(numbers, 40, 30, "bbox")
    else:
        right, lower = min(40, ceil(x + width)), min(30, ceil(y + height))
        assert whole_box(numbers, 40, 30, "bbox") == Box(max(0, floor(x)), max(0, floor(y)), right, lower)


def test_it_reads_the_real_images(data_folder: Path, tmp_path: Path) -> None:
    found = list(read_coco(data_folder / "coco"))
    images = images_of(found)
    assert len(images) == 26
    assert all(image.picture and (data_folder / "coco" / image.picture).is_file() for image in images)
    assert sum("is missing" in str(item) for item in found) == 54
    for name in ("captions.json", "instances.json"):
        (tmp_path / name).symlink_to(data_folder / "coco" / name)
    without = images_of(read_coco(tmp_path))
    assert len(without) == 80
    assert sum(len(image.captions) for image in without) == 400
    assert sum(len(image.boxes) for image in without) == 739


MEN = joined_caption(("Café", "men", "in", "the", "park", "both"), non_visual=((5, 6),))
EXAMPLE = DatasetImage(
    "a", 60, 40,
    (MEN, tokenized_caption("Two dogs.")),
    (DatasetMention(0, 0, 2, ("people", "other"), "1"), DatasetMention(0, 3, 5, ("scene",), "2")),
    (DatasetChain("1", doubted="unsure"), DatasetChain("2", scene=True)),
    (DatasetBox(Box(0, 17, 60, 40), ("1",)), DatasetBox(Box(1, 2, 3, 5), category="dog")),
)  # fmt: skip


def load(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def test_it_writes_phrases_boxes_and_chains_in_one_file(tmp_path: Path) -> None:
    assert write_files(COCO, [EXAMPLE], tmp_path / "out.json") == 1
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
    every = {"image_id": 1, "no_box": False, "drawer_judged": False}
    assert written["chains"] == [
        every | {"name": "1", "scene": False, "doubted": "unsure", "types": ["people", "other"]},
        every | {"name": "2", "scene": True, "doubted": "", "types": ["scene"]},
    ]
    person, dog = written["annotations"]
    place = {"area": 1380, "bbox": [0, 17, 60, 23], "segmentation": [[0, 17, 60, 17, 60, 40, 0, 40]]}
    own = {"category_id": 1, "chains": ["1"], "id": 1, "image_id": 1, "iscrowd": 0, "types": ["people", "other"]}
    assert person == place | own
    assert (dog["bbox"], dog["category_id"], dog["id"]) == ([1, 2, 2, 3], 9, 2)
    assert [entry["name"] for entry in written["categories"]] == [
        *("people", "clothing", "body parts", "animals", "vehicles", "instruments", "scene", "other", "dog")
    ]


@pytest.mark.parametrize("name", ["out.json", "out/captions.json", "out/instances.json"])
def test_coco_tools_can_print_the_info_of_a_file_and_draw_a_mask_of_each_box(tmp_path: Path, name: str) -> None:
    write_files(COCO, [EXAMPLE], tmp_path / name.split("/")[0])
    written = load(tmp_path / name)
    assert all(isinstance(value, str) for value in written["info"].values()) and written["licenses"] == []
    assert {chain["name"] for chain in written["chains"]} == {"1", "2"}
    for entry in written["annotations"] if "captions" not in name else []:
        (polygon,) = entry["segmentation"]
        x, y, width, height = entry["bbox"]
        corners = zip(polygon[::2], polygon[1::2], strict=True)
        assert list(corners) == [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def test_pictures_of_one_name_and_id_in_two_splits_are_told_apart(source: Source) -> None:
    (source.path / "annotations").mkdir()
    for split, colour in (("train", 0), ("val", 200)):
        (source.path / "images" / split).mkdir(parents=True)
        (source.path / "images" / split / "0.jpg").write_bytes(plain_jpeg(40, 30, (colour,) * 3))
        for kind, rows in (("captions", [source.caption(1, 7, split)]), ("instances", [source.box(1, 7)])):
            content = {"images": [source.image(7, "0.jpg")], "annotations": rows, "categories": source.categories}
            source.write(f"annotations/{kind}_{split}.json", content)
    found = list(read_coco(source.path))
    assert [str(one) for one in found if isinstance(one, Problem)] == []
    assert [(one.path, one.picture, one.captions[0].text, len(one.boxes)) for one in images_of(found)] == [
        ("train/0.jpg", "images/train/0.jpg", "train", 1),
        ("val/0.jpg", "images/val/0.jpg", "val", 1),
    ]


def test_ids_are_compared_by_value_and_stay_as_they_are_written(source: Source) -> None:
    source.boxes = [source.box("21", "1"), source.box(22, 2.0)]
    source.images[1]["id"] = "2"
    source.categories[0]["id"] = "3"
    images, problems = source.read()
    assert (images, problems) == (["bad", "good"], [])
    read = {one.name: one for one in images_of(read_coco(source.path))}
    assert {name: (one.coco_id, len(one.boxes)) for name, one in read.items()} == {"good": (1, 1), "bad": ("2", 1)}


def test_a_size_is_that_of_the_picture_where_the_file_has_none_or_another_one_and_no_boxes(source: Source) -> None:
    for name in ("good.jpg", "bad.jpg"):
        (source.path / name).write_bytes(plain_jpeg(20, 10))
    source.boxes = []
    for side in ("width", "height"):
        del source.images[1][side]
    images, problems = source.read()
    told = (
        "images[0]: the picture good.jpg is 20 x 10 pixels upright, not 40 x 30: the picture's size counts (good.jpg)"
    )
    assert (images, problems) == (["bad", "good"], [f"captions.json: {told}"] * 1)
    assert {(one.width, one.height) for one in images_of(read_coco(source.path))} == {(20, 10)}
    source.boxes = [source.box(21, 1)]
    assert source.read()[0] == ["bad"], "boxes in the pixels of another size are nowhere"
