"""manage.py validate: a sentence for each file that it cannot look at, and a place for each fault."""

import gzip
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from campaign.schemas import values
from tests.campaign.schemas.examples import PREDICTIONS, RESULTS, example, written

Edit = Callable[[Any], object]


def validate(path: Path, **options: Any) -> tuple[str, str]:
    """Run the command, and return what it says and what it complains of, without the path."""
    out, err = StringIO(), StringIO()
    try:
        call_command("validate", str(path), stdout=out, stderr=err, **options)
    except CommandError as error:
        err.write(str(error))
    return out.getvalue().strip(), err.getvalue().replace(str(path), "FILE")


def test_a_valid_file_is_counted_and_needs_no_database(tmp_path: Path) -> None:
    assert validate(written(tmp_path / "a.jsonl", "predictions", PREDICTIONS)) == ("valid: 3 lines of predictions", "")
    assert validate(written(tmp_path / "b.json", "coco-results", RESULTS)) == ("valid: a file of coco-results", "")
    assert validate(written(tmp_path / "c.txt", "split", example("split"))) == ("valid: a file of split", "")


def test_each_fault_is_told_with_its_line_and_place_and_what_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"image": "a.jpg", "caption": 0, "phrase": "a man", "boxes": [[12, 30, 210, 400]]}\n'
        '{"image": "a.jpg", "caption": -1, "words": [0, 3], "boxes": [[14, 31, 208]]}\n\n'
        '{"image": "a.jpg", "caption": 0, "phrase": "a man", "boxes": [[0, 1, 2, NaN]]}\n'
        '{"image": "a.jpg", "caption": 0, "repl": "a man"}\n'
        '{"image": "a.jpg", "caption": 0, "boxes": [], "boxes": []}\n'
        '{"image": "a.jpg", \n'
    )
    _, err = validate(path)
    told = [line.split(" (")[0] for line in err.splitlines()]
    assert told == [
        "FILE:2: caption is a number, -1, below 0",
        "FILE:2: boxes[0] has 3 entries, not 4",
        "FILE:4: holds NaN, which is no number in JSON: write a number or null",
        "FILE:5: the line has the unknown field 'repl'; its fields are image, caption, phrase, words, boxes, scores, "
        "chain",
        "FILE:6: has the field 'boxes' twice in one object",
        "FILE:7: is not JSON: expecting property name enclosed in double quotes",
        "6 problems in 6 lines of predictions.",
    ]
    assert "left, top, right, bottom" in err


def test_problems_beyond_the_most_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "p.jsonl", "predictions", [{**PREDICTIONS[0], "caption": "0"}] * 30)
    _, err = validate(path, most=2)
    assert err.splitlines()[2:] == ["30 problems in 30 lines of predictions, of which 2 are shown."]


def long_line(path: Path) -> None:
    path.write_text('{"image": "a.jpg", "caption": 0, "reply": ""}\n{"image": "' + "x" * 200 + '"}\n{}\n')


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda path: None, "There is no file FILE."),
        (Path.mkdir, "FILE is a folder: name one of its files."),
        (lambda path: path.write_bytes(b""), "FILE is empty."),
        (lambda path: path.write_bytes(b" \n\n"), "FILE holds nothing but white space."),
        (lambda path: path.write_bytes(gzip.compress(b"{}")), "FILE is compressed: unpack it first."),
        (lambda path: path.write_text("{}", encoding="utf-16"), "FILE is UTF-16: save it as UTF-8."),
        (lambda path: path.write_bytes(b'{"image": "\xff"}'), "FILE:1: is not UTF-8"),
        (
            lambda path: path.write_text("image,caption\na.jpg,A man\n"),
            "FILE:1: is not JSON: expecting value (column 1)",
        ),
        (lambda path: path.write_text('{\n"images": [1,]\n}'), "FILE:2: is not JSON"),
        (lambda path: path.write_text('{"colour": "blue"}'), "looks like no kind of file that is known"),
        (lambda path: path.write_text("[]"), "looks like no kind of file that is known"),
        (lambda path: path.write_text("7"), "looks like no kind of file that is known"),
        (long_line, "FILE:2: has more than 100 bytes: one object a line is expected"),
    ],
)
def test_a_file_that_cannot_be_looked_at_is_named_with_the_reason(
    make: Edit, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "LINE_BYTES", 100)
    make(path := tmp_path / "file.txt")
    out, err = validate(path)
    assert told in err and out == ""
    assert "like no kind" not in told or "coco-captions, coco-instances" in err


def coco(edit: Edit) -> Any:
    value = example("coco")
    edit(value)
    return value


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda data: data["captions"][0].update(image_id=9), "captions[0]: image_id 9 is in no list of images"),
        (lambda data: data["captions"][0]["phrases"][0].update(tokens_positive=[[0, 99]]), "captions[0].phrases"),
        (lambda data: data["annotations"][1].update(bbox=[90, 0, 60, 20]), "annotations[1].bbox"),
        (lambda data: data["annotations"][0].update(category_id=77), "annotations[0].category_id 77 is in no list"),
        (lambda data: data["annotations"][0].update(chains=["7"]), "no phrase of the image is in chain '7'"),
        (lambda data: data["captions"].extend([{"image_id": 1, "caption": "again"}] * 200), "at most 200 are allowed"),
        (lambda data: data["categories"][8].update(name="k" * 200), "a category's name is longer than 100 characters"),
    ],
)
def test_what_no_schema_can_tell_is_told_by_the_reader_of_imports(edit: Edit, told: str, tmp_path: Path) -> None:
    _, err = validate(written(tmp_path / "x.json", "coco", coco(edit)))
    assert told in err and err.startswith("FILE: ") and err.count("FILE") >= 1


def test_boxes_of_a_folder_are_read_beside_their_captions(tmp_path: Path) -> None:
    boxes, captions = tmp_path / "instances_val.json", tmp_path / "captions_val.json"
    value = example("coco-instances")
    value["annotations"][0]["chains"] = ["7"]
    assert validate(written(boxes, "coco-instances", value))[0] == "valid: a file of coco-instances"
    written(captions, "coco-captions", example("coco-captions"))
    assert "no phrase of the image is in chain '7'" in validate(boxes)[1]


def test_a_file_is_checked_as_the_kind_that_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "v.jsonl", "foil-votes", example("foil-votes"))
    assert validate(path)[0] == "valid: 2 lines of foil-votes"
    assert "FILE:1: worker is a number, 7, not a text" in validate(path, name="votes")[1]


def test_fields_that_nobody_reads_are_passed_over_in_files_from_elsewhere(tmp_path: Path) -> None:
    value = {"images": [{"id": 1, "file_name": "a.jpg", "width": 9, "height": 9, "coco_url": "", "license": 3}]}
    path = tmp_path / "captions_train2017.json"
    path.write_text(json.dumps({**value, "annotations": [{"image_id": 1, "id": 5, "caption": "A cat ."}], "info": {}}))
    assert validate(path)[0] == "valid: a file of coco-captions"
