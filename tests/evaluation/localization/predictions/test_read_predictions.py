"""Bad lines of prediction files: each is named with its number, and no report is written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.command_line import main

MAN = [10, 10, 50, 100]
GOOD = {"image": "man", "caption": 0, "phrase": 0, "boxes": [MAN]}
Lines = Callable[..., Path]
BAD = {
    "another data set": ({**GOOD, "image": "1000092795"}, "line 2: the data has no image '1000092795'"),
    "an ending": ({**GOOD, "image": "man.jpg"}, "line 2: name the image without its ending: 'man'"),
    "a number as image": ({**GOOD, "image": 5}, "line 2: the field 'image' is '5', not the name"),
    "a caption too many": ({**GOOD, "caption": 2}, "line 2: image man has 2 captions, from 0, so no number 2"),
    "a phrase too many": ({**GOOD, "phrase": 3}, "of image man has 3 phrases, from 0, so no number 3"),
    "a negative phrase": ({**GOOD, "phrase": -1}, "line 2: the field 'phrase' is '-1', not a whole number"),
    "no boxes": ({"image": "man", "caption": 0, "phrase": 1}, "line 2: the field 'boxes' is missing"),
    "boxes that are no list": ({**GOOD, "phrase": 1, "boxes": 3}, "line 2: the field 'boxes' is no list"),
    "NaN": ('{"image": "man", "caption": 0, "phrase": 1, "boxes": [[NaN, 0, 1, 1]]}', "line 2: NaN is no number"),
    "outside": ({**GOOD, "phrase": 1, "boxes": [MAN, [0, 0, 121, 5]]}, "line 2: box 2 [0, 0, 121, 5] reaches outside"),
    "corners exchanged": ({**GOOD, "phrase": 1, "boxes": [[5, 5, 0, 0]]}, "line 2: box 1 [5, 5, 0, 0] has no area"),
    "three numbers": ({**GOOD, "phrase": 1, "boxes": [[5, 5, 10]]}, "line 2: box 1 is no list of 4 numbers"),
    "twice": (GOOD, "line 2 names the same phrase as line 1"),
    "no object": ("[]", "line 2 is no object"),
    "no JSON": ("image: man", "line 2 is no JSON"),
}  # fmt: skip


def refused(export: Path, predictions: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    out = export.parent / "report"
    arguments = ["--data", str(export), "--predictions", str(predictions), "--out", str(out), *options]
    assert main(["localization", "score", *arguments]) == 1
    assert not out.exists()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    return told


@pytest.mark.parametrize(("line", "told"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named(
    export: Path, lines: Lines, capsys: pytest.CaptureFixture[str], line: Any, told: str
) -> None:
    assert told in refused(export, lines(GOOD, line), capsys)


def test_a_file_without_lines_is_refused(export: Path, lines: Lines, capsys: pytest.CaptureFixture[str]) -> None:
    assert "predictions.jsonl holds no predictions" in refused(export, lines(), capsys)


def test_a_bad_line_of_the_other_model_is_named_too(
    export: Path, lines: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    other = lines({**GOOD, "image": "x"}, name="other.jsonl")
    assert "other.jsonl, line 1" in refused(export, lines(GOOD), capsys, "--against", str(other))


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (
            {"image_id": "x", "caption": 0, "phrase": 0, "bbox": [0, 0, 1, 1], "score": 1},
            "entry 1: the data has no image",
        ),
        ({"image_id": "man", "caption": 0, "phrase": 0, "bbox": [0, 0, 1, 1]}, "entry 1: the field 'score' is missing"),
        ({"image_id": "man", "caption": 0, "phrase": 0, "bbox": [0, 0, 121, 1], "score": 1}, "entry 1: the box"),
    ],
)
def test_a_bad_entry_of_coco_results_is_named(
    export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], entry: Any, told: str
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([entry]))
    assert told in refused(export, path, capsys, "--form", "coco")
