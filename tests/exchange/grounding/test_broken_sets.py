"""Broken data sets of grounding are named by file, line and key, and nothing of them is imported by half."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Box, Image
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from tests.exchange.grounding.sets import FORMATS, Edit, read, set_of, without, written

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


def every(column: str, value: Any) -> Edit:
    """Return an edit that sets a column of all rows: it holds one kind of value."""
    return lambda data: [row.update({column: value}) for row in data]


def every_list(column: str, *values: Any) -> Edit:
    """Return an edit that sets a list of `objects`; the second row has none."""
    return lambda data: [row["objects"].update({column: [*values] * (not place)}) for place, row in enumerate(data)]


NO_PICTURE = {"bytes": b"no picture", "path": "a/one.jpg"}
BROKEN_PARQUET = {
    "a path that leads out": (set_of(0, "file_name", to="../x.jpg"), "row 1: picture path '../x.jpg': write it"),
    "a path twice": (set_of(1, "file_name", to="a/one.jpg"), "row 2: a/one.jpg is also in row 1"),
    "no width": (lambda data: [row.pop("width") for row in data], "row 1 has no 'width'"),
    "a width of null": (set_of(0, "width", to=None), "row 1: width is null, not a number"),
    "half a pixel": (set_of(0, "width", to=0.5), "row 1: width is 0.5, not a whole number of pixels"),
    "another size": (set_of(1, "width", to=8), "the picture two.jpg is 9 x 9 pixels upright, not 8 x 9"),
    "no captions": (lambda data: [row.pop("captions") for row in data], "row 1 has none of the columns captions"),
    "an empty list of captions": (set_of(1, "captions", to=[]), "row 2: captions is empty"),
    "captions of null": (set_of(1, "captions", to=None), "row 2: captions is null, not a list"),
    "an empty caption": (set_of(1, "captions", 0, to=" "), "row 2: captions[0] is empty"),
    "captions of numbers": (every("captions", [3]), "row 2: captions[0] is a number, not a text"),
    "captions of bytes": (every("captions", [b"x"]), "row 2: captions[0] is bytes, not a text"),
    "a control character": (set_of(1, "captions", 0, to="a\x07b"), "has the control character U+0007"),
    "objects that are a list": (every("objects", [{"bbox": [1, 2, 3, 4]}]), "objects is a list, not an object of"),
    "objects that are a text": (every("objects", "x"), "row 1: objects is a text, not an object of lists"),
    "no boxes": (lambda data: [row["objects"].pop("bbox") for row in data], "row 1: objects has no 'bbox'"),
    "lists of other lengths": (set_of(*IN_HUB, "start", to=[0]), "the lists differ in length: bbox 4, categories 4"),
    "a list of null": (set_of(*IN_HUB, "end", to=None), "row 1: objects.end is null, not a list"),
    "three edges": (set_of(*IN_HUB, "bbox", 0, to=[1, 2, 3]), "row 1: objects[0].bbox has 3 numbers, not 4"),
    "an edge of null": (set_of(*IN_HUB, "bbox", 0, 2, to=None), "row 1: objects[0].bbox is null, not a number"),
    "an edge that is no number": (set_of(*IN_HUB, "bbox", 0, 0, to=float("nan")), "objects[0].bbox is nan, not a"),
    "a box outside": (set_of(*IN_HUB, "bbox", 0, to=[0, 0, 300, 9]), "is not inside the image of 100 x 80"),
    "a caption that is not there": (set_of(*IN_HUB, "caption", 0, to=2), "the image has 2 captions, counted from 0"),
    "a span beyond the caption": (set_of(*IN_HUB, "end", 0, to=99), "[0, 99) is no part of a caption of 19"),
    "a span of text": (every_list("start", *"abcd"), "['a', 5) is no part of a caption of 19 characters"),
    "another phrase": (set_of(*IN_HUB, "phrase", 0, to="cat"), "but the caption has 'A man' there"),
    "half a word": (
        lambda data: [set_of(*IN_HUB, "end", 0, to=4)(data), *(row["objects"].pop("phrase") for row in data)],
        "are not at the edges of words",
    ),
    "neither phrase nor category": (
        lambda data: [row["objects"].pop(name) for row in data for name in ("caption", "categories")],
        "has neither a phrase (caption, start, end) nor a category",
    ),
    "a box of no phrase and no category": (
        lambda data: [*map(lambda name: set_of(*IN_HUB, name, 0, to=-1)(data), ("caption", "start", "end")),
                      set_of(*IN_HUB, "categories", 0, to=None)(data)],
        "row 1: objects[0].categories is null, not a text",
    ),
    "no picture": (set_of(1, "image", "bytes", to=None), "two.jpg is neither in its row nor beside the file"),
    "a picture that is none": (set_of(0, "image", to=NO_PICTURE), "the picture a/one.jpg is not"),
}  # fmt: skip
BROKEN = [("hub", name, *one) for name, one in BROKEN_HUB.items()]
BROKEN += [("parquet", name, *one) for name, one in BROKEN_PARQUET.items()]
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


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("export_format", FORMATS)
def test_an_image_with_one_broken_caption_is_not_imported_by_half(tmp_path: Path, export_format: str) -> None:
    broken = {"mdetr": BROKEN_MDETR, "odvg": BROKEN_ODVG, "hub": BROKEN_HUB, "parquet": BROKEN_PARQUET}[export_format]
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
