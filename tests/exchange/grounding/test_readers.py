"""Data sets of grounding are read back as they were written, and broken ones are named by file, line and key."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Box, Image, Project
from exchange.dataset import DatasetImage, Problem
from exchange.detect import detect_format, reader_for
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from pipeline.record.replay import replay
from scenes.write import write_source

FORMATS = {"mdetr": "set.json", "odvg": "set.jsonl", "hub": "metadata.jsonl"}
Edit = Callable[[Any], object]


@pytest.mark.django_db
@pytest.mark.parametrize(("export_format", "file"), FORMATS.items())
def test_an_export_that_is_imported_and_exported_again_has_the_same_bytes(
    tmp_path: Path, export_format: str, file: str
) -> None:
    write_source(tmp_path / "source", 5, 4, pictures=export_format == "hub")
    import_dataset(project_name="first", path=tmp_path / "source")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        target = tmp_path / name if export_format == "hub" else tmp_path / name / file
        report = export_dataset(project=Project.objects.get(name=name), target=target, export_format=export_format)
        assert report.images == 4
        if name == "first":
            assert detect_format(tmp_path / name) == export_format
            imported = import_dataset(project_name="second", path=tmp_path / name)
            assert (imported.images, imported.problems) == (4, [])

    assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    assert list(replay(Project.objects.get(name="second"))) == []


ROW = {
    "id": 1, "file_name": "a/one.jpg", "width": 100, "height": 80, "caption": "A man and his dog .",
    "original_img_id": 7, "tokens_positive_eval": [[[0, 5]], [[10, 17]]],
}  # fmt: skip
MDETR = {
    "images": [ROW, ROW | {"id": 2, "caption": "Two friends ."}],
    "annotations": [
        {"id": 1, "image_id": 1, "bbox": [0.5, 0, 20, 60], "tokens_positive": [[0, 6]]},
        {"id": 2, "image_id": 1, "bbox": [30, 20, 20, 20], "tokens_positive": [[10, 17]]},
        {"id": 3, "image_id": 2, "bbox": [0.5, 0, 20, 60], "tokens_positive": [[0, 11]]},
        {"id": 4, "image_id": 2, "bbox": [30, 20, 20, 20], "tokens_positive": [[0, 11]]},
    ],
}
ODVG = [
    {
        "filename": "a/one.jpg", "width": 100, "height": 80,
        "grounding": {
            "caption": "A man and his dog .",
            "regions": [
                {"bbox": [0.5, 0, 20.5, 60], "phrase": "A man", "tokens_positive": [[0, 5]]},
                {"bbox": [30, 20, 50, 40], "phrase": "his dog"},
            ],
        },
    },
    {
        "filename": "a/one.jpg", "width": 100, "height": 80,
        "grounding": {
            "caption": "Two friends .",
            "regions": [{"bbox": [[0.5, 0, 20.5, 60], [30, 20, 50, 40]], "phrase": "Two friends"}],
        },
    },
]  # fmt: skip


HUB = [
    {
        "file_name": "a/one.jpg", "width": 100, "height": 80, "captions": ["A man and his dog .", "Two friends ."],
        "objects": {
            "bbox": [[0.5, 0, 20, 60], [30, 20, 20, 20], [0.5, 0, 20, 60], [30, 20, 20, 20]],
            "caption": [0, 0, 1, 1],
            "start": [0, 10, 0, 0],
            "end": [5, 17, 11, 11],
            "phrase": ["A man", "his dog", "Two friends", "Two friends"],
            "categories": ["people", "animals", "people", "people"],
        },
    },
    {"file_name": "two.jpg", "width": 9, "height": 9, "text": "A cat .", "objects": {"bbox": [], "categories": []}},
]  # fmt: skip


def written(folder: Path, export_format: str, edit: Edit = lambda data: None) -> Path:
    data: Any = deepcopy({"mdetr": MDETR, "odvg": ODVG, "hub": HUB}[export_format])
    edit(data)
    text = json.dumps(data) if export_format == "mdetr" else "".join(f"{json.dumps(line)}\n" for line in data)
    (folder / FORMATS[export_format]).write_text(text)
    return folder


def read(folder: Path, export_format: str) -> list[DatasetImage | Problem]:
    return list(reader_for(export_format)(folder, None))  # type: ignore[arg-type]


@pytest.mark.parametrize("export_format", FORMATS)
def test_captions_of_one_picture_are_one_image_and_phrases_with_the_same_boxes_one_chain(
    tmp_path: Path, export_format: str
) -> None:
    assert detect_format(written(tmp_path, export_format)) == export_format
    image = read(tmp_path, export_format)[0]

    assert isinstance(image, DatasetImage)
    assert (image.path, image.width, image.height) == ("a/one.jpg", 100, 80)
    assert [caption.text for caption in image.captions] == ["A man and his dog .", "Two friends ."]
    chains = [one.chain for one in image.mentions]
    assert len({*chains}) == 3
    assert [(tuple(one.box), one.chains) for one in image.boxes] == [
        ((0, 0, 21, 60), (chains[0], chains[2])),
        ((30, 20, 50, 40), (chains[1], chains[2])),
    ]
    assert image.coco_id == (7 if export_format == "mdetr" else None)


def set_of(*path: Any, to: Any) -> Edit:
    """Return an edit that sets the value at this path."""

    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = to

    return edit


def without(*path: Any) -> Edit:
    """Return an edit that deletes what is at this path."""

    def edit(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        del data[path[-1]]

    return edit


BROKEN_MDETR = {
    "no path": (without("images", 0, "file_name"), "images[0] has no 'file_name'"),
    "a path that leads out": (set_of("images", 0, "file_name", to="../x.jpg"), "write it relative to the folder"),
    "a path that is no text": (set_of("images", 0, "file_name", to=3), "images[0].file_name is a number, not a text"),
    "no width": (without("images", 0, "width"), "images[0] has no 'width'"),
    "half a pixel": (set_of("images", 0, "height", to=0.5), "images[0].height is 0.5, not a whole number"),
    "another size": (set_of("images", 1, "width", to=90), "has 90 x 80 pixels here and 100 x 80 in images[0]"),
    "no id": (without("images", 1, "id"), "images[1] has no 'id'"),
    "an id twice": (set_of("images", 1, "id", to=1), "images[1]: the id 1 occurs twice"),
    "no caption": (without("images", 1, "caption"), "images[1] has no 'caption'"),
    "an empty caption": (set_of("images", 1, "caption", to=" "), "images[1].caption is empty"),
    "a control character": (set_of("images", 1, "caption", to="a\x07b"), "has the control character U+0007"),
    "a row that is no object": (set_of("images", 1, to=[]), "images[1] is a list, not an object"),
    "a box of no image": (set_of("annotations", 0, "image_id", to=9), "image_id 9 is in no list of images"),
    "no spans": (without("annotations", 0, "tokens_positive"), "annotations[0] has no 'tokens_positive'"),
    "an empty list of spans": (set_of("annotations", 0, "tokens_positive", to=[]), "names no phrase"),
    "a span beyond the caption": (
        set_of("annotations", 0, "tokens_positive", to=[[0, 99]]), "[0, 99) is no part of a caption of 19 characters",
    ),
    "half a word": (set_of("annotations", 0, "tokens_positive", to=[[0, 4]]), "are not at the edges of words"),
    "a shared word": (set_of("annotations", 0, "tokens_positive", to=[[0, 17]]), "two phrases share a word"),
    "three edges": (set_of("annotations", 0, "bbox", to=[1, 2, 3]), "annotations[0].bbox has 3 numbers, not 4"),
    "a box outside": (set_of("annotations", 0, "bbox", to=[0, 0, 300, 9]), "is not inside the image of 100 x 80"),
    "a box without area": (set_of("annotations", 0, "bbox", to=[0, 0, 0, 9]), "has no area"),
    "no number": (set_of("annotations", 0, "bbox", to=[0, 0, None, 9]), "annotations[0].bbox is null, not a number"),
}  # fmt: skip
IN_ODVG = (0, "grounding", "regions", 0)
BROKEN_ODVG = {
    "no path": (without(0, "filename"), "line 1 has no 'filename'"),
    "a path that leads out": (set_of(0, "filename", to="../x.jpg"), "write it relative to the folder"),
    "no width": (without(0, "width"), "line 1 has no 'width'"),
    "a side of text": (set_of(1, "height", to="80"), "line 2: height is a text, not a number"),
    "another size": (set_of(1, "width", to=90), "line 2: a/one.jpg has 90 x 80 pixels here and 100 x 80 in line 1"),
    "no grounding": (without(1, "grounding"), "line 2 has no 'grounding'"),
    "no caption": (without(1, "grounding", "caption"), "line 2 has no 'caption'"),
    "an empty caption": (set_of(1, "grounding", "caption", to=""), "line 2: caption is empty"),
    "no regions": (without(1, "grounding", "regions"), "line 2 has no 'regions'"),
    "regions that are no list": (set_of(1, "grounding", "regions", to={}), "line 2: regions is an object, not a list"),
    "no box": (without(*IN_ODVG, "bbox"), "line 1: regions[0] has no 'bbox'"),
    "no boxes": (set_of(*IN_ODVG, "bbox", to=[]), "line 1: regions[0].bbox is empty"),
    "three edges": (set_of(*IN_ODVG, "bbox", to=[1, 2, 3]), "line 1: regions[0].bbox has 3 numbers, not 4"),
    "edges the wrong way round": (set_of(*IN_ODVG, "bbox", to=[9, 0, 3, 9]), "has no area"),
    "a box outside": (set_of(*IN_ODVG, "bbox", to=[0, 0, 300, 9]), "is not inside the image of 100 x 80"),
    "a phrase that is not there": (
        set_of(0, "grounding", "regions", 1, "phrase", to="cat"), "the caption does not have 'cat' once",
    ),
    "a phrase that is there twice": (
        set_of(0, "grounding", "regions", 1, "phrase", to="a"), "the caption does not have 'a' once",
    ),
    "half a word": (set_of(*IN_ODVG, "tokens_positive", to=[[0, 4]]), "are not at the edges of words"),
    "a span that is no pair": (set_of(*IN_ODVG, "tokens_positive", to=[[0]]), "is not a list of pairs [from, to)"),
    "a shared word": (set_of(*IN_ODVG, "tokens_positive", to=[[0, 17]]), "two phrases share a word"),
    "a chain that is no text": (set_of(*IN_ODVG, "chain", to=3), "line 1: regions[0].chain is a number, not a text"),
}  # fmt: skip
IN_HUB = (0, "objects")
BROKEN_HUB = {
    "no path": (without(0, "file_name"), "line 1 has no 'file_name'"),
    "a path that leads out": (set_of(0, "file_name", to="../x.jpg"), "write it relative to the folder"),
    "a path twice": (set_of(1, "file_name", to="a/one.jpg"), "line 2: a/one.jpg is also in line 1"),
    "one side": (without(0, "width"), "line 1 has no 'width'"),
    "no picture to measure": (
        lambda data: [without(0, side)(data) for side in ("width", "height")], "the picture a/one.jpg is missing",
    ),
    "half a pixel": (set_of(0, "width", to=0.5), "line 1: width is 0.5, not a whole number of pixels"),
    "no captions": (without(0, "captions"), "line 1 has none of the columns captions, caption, text"),
    "an empty list of captions": (set_of(0, "captions", to=[]), "line 1: captions is empty"),
    "an empty caption": (set_of(0, "captions", 1, to=" "), "line 1: captions[1] is empty"),
    "a caption of numbers": (set_of(0, "captions", 1, to=3), "line 1: captions[1] is a number, not a text"),
    "objects that are a list": (set_of(*IN_HUB, to=[]), "line 1: objects is a list, not an object of lists"),
    "no boxes": (without(*IN_HUB, "bbox"), "line 1: objects has no 'bbox'"),
    "lists of other lengths": (set_of(*IN_HUB, "start", to=[0]), "the lists differ in length: bbox 4, categories 4"),
    "a list that is none": (set_of(*IN_HUB, "end", to=3), "line 1: objects.end is a number, not a list"),
    "three edges": (set_of(*IN_HUB, "bbox", 0, to=[1, 2, 3]), "line 1: objects[0].bbox has 3 numbers, not 4"),
    "a box outside": (set_of(*IN_HUB, "bbox", 0, to=[0, 0, 300, 9]), "is not inside the image of 100 x 80"),
    "a caption that is not there": (set_of(*IN_HUB, "caption", 0, to=2), "the image has 2 captions, counted from 0"),
    "a span beyond the caption": (set_of(*IN_HUB, "end", 0, to=99), "[0, 99) is no part of a caption of 19"),
    "another phrase": (set_of(*IN_HUB, "phrase", 0, to="cat"), "but the caption has 'A man' there"),
    "half a word": (lambda data: [set_of(*IN_HUB, "end", 0, to=4)(data), without(*IN_HUB, "phrase")(data)],
                    "are not at the edges of words"),
    "neither phrase nor category": (
        lambda data: [without(*IN_HUB, name)(data) for name in ("caption", "categories")],
        "has neither a phrase (caption, start, end) nor a category",
    ),
}  # fmt: skip
BROKEN = [("hub", name, *one) for name, one in BROKEN_HUB.items()]
BROKEN += [("mdetr", name, *one) for name, one in BROKEN_MDETR.items()]
BROKEN += [("odvg", name, *one) for name, one in BROKEN_ODVG.items()]


@pytest.mark.parametrize(
    ("export_format", "edit", "told"),
    [(one, edit, told) for one, _, edit, told in BROKEN],
    ids=[f"{one}: {name}" for one, name, *_ in BROKEN],
)
def test_a_broken_file_is_named_with_the_place(tmp_path: Path, export_format: str, edit: Edit, told: str) -> None:
    found = read(written(tmp_path, export_format, edit), export_format)

    problems = [one for one in found if isinstance(one, Problem)]
    assert any(told in str(one) for one in problems), [str(one) for one in problems]
    assert all(str(one).startswith(FORMATS[export_format]) for one in problems)


@pytest.mark.django_db
@pytest.mark.parametrize("export_format", FORMATS)
def test_an_image_with_one_broken_caption_is_not_imported_by_half(tmp_path: Path, export_format: str) -> None:
    broken = {"mdetr": BROKEN_MDETR, "odvg": BROKEN_ODVG, "hub": BROKEN_HUB}[export_format]
    source = written(tmp_path, export_format, broken["half a word"][0])

    report = import_dataset(project_name="parks", path=source)

    assert report.left_out == 1
    assert not Image.objects.filter(path="a/one.jpg").exists()
    assert not Box.objects.exists()


@pytest.mark.parametrize(
    ("export_format", "text", "told"),
    [
        ("mdetr", '{"tokens_positive": ', "set.json:1: is not JSON"),
        ("mdetr", '{"tokens_positive": 1}', "the file has no 'images'"),
        ("mdetr", '{"tokens_positive": 1, "images": 3}', "images is a number, not a list"),
        ("mdetr", "{}", "has 0 .json files with tokens_positive: it needs one"),
        ("odvg", "{}", "has 0 .jsonl files with grounding: it needs one"),
    ],
)
def test_a_file_that_is_none_of_the_format_is_refused(tmp_path: Path, export_format: str, text: str, told: str) -> None:
    (tmp_path / FORMATS[export_format]).write_text(text)
    with pytest.raises(SourceError) as refused:
        read(tmp_path, export_format)
    assert told in str(refused.value)


def test_a_line_that_is_no_json_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "odvg") / "set.jsonl"
    path.write_text(f"{path.read_text()}{{\n[]\n")

    found = read(tmp_path, "odvg")

    assert [str(one) for one in found if isinstance(one, Problem)] == [
        "set.jsonl:3: is not JSON: Expecting property name enclosed in double quotes (column 1)",
        "set.jsonl:4: line 4 is a list, not an object",
    ]
    assert sum(isinstance(one, DatasetImage) for one in found) == 1


def test_boxes_of_a_hub_folder_without_phrases_have_their_categories(tmp_path: Path) -> None:
    boxes = {"bbox": [[1, 1, 3, 3], [2, 2, 4, 4]], "categories": ["cat", 3]}
    row = {"file_name": "two.jpg", "width": 9, "height": 9, "text": "A cat .", "objects": boxes}
    (tmp_path / "metadata.jsonl").write_text(f"{json.dumps(row)}\n")

    (image,) = read(tmp_path, "hub")

    assert isinstance(image, DatasetImage)
    assert [(tuple(one.box), one.chains, one.category) for one in image.boxes] == [
        ((1, 1, 4, 4), (), "cat"),
        ((2, 2, 6, 6), (), "3"),
    ]
    assert not image.captions[0].chunked, "its phrases are still to be found"
