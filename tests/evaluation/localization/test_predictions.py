"""Bad lines of prediction files: each is named with its number, and no report is written."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MAN = [10, 10, 50, 100]
GOOD = {"image": "man", "caption": 0, "phrase": 0, "boxes": [MAN]}
Lines = Callable[..., Path]
BAD = {
    "a number as image": ({**GOOD, "image": 5}, "line 2: field 'image' is '5', not the name"),
    "a caption too many": ({**GOOD, "caption": 2}, "line 2: field 'phrase': caption 2 of image 'man' has no phrase"),
    "a phrase too many": ({**GOOD, "phrase": 3}, "caption 0 of image 'man' has no phrase number 3, counted from 0; it"),
    "a negative phrase": ({**GOOD, "phrase": -1}, "line 2: field 'phrase' is '-1', not a whole number"),
    "unknown words": ({**GOOD, "phrase": "a cow"}, "has no phrase 'a cow'; it has 'A man' [0, 2), 'a red hat' [3, 6)"),
    "no boxes": ({"image": "man", "caption": 0, "phrase": 1}, "line 2 needs the field 'boxes' or the field 'chain'"),
    "boxes that are not a list": ({**GOOD, "phrase": 1, "boxes": 3}, "line 2: field 'boxes' is not a list"),
    "NaN": ('{"image": "man", "caption": 0, "phrase": 1, "boxes": [[NaN, 0, 1, 1]]}', "line 2: NaN is not a number"),
    "outside": ({**GOOD, "phrase": 1, "boxes": [MAN, [0, 0, 122, 5]]}, "field 'boxes'[1] [0, 0, 122, 5] reaches outs"),
    "corners exchanged": ({**GOOD, "phrase": 1, "boxes": [[5, 5, 0, 0]]}, "'boxes'[0] [5, 5, 0, 0] has no area: write"),
    "three numbers": ({**GOOD, "phrase": 1, "boxes": [[5, 5, 10]]}, "line 2: field 'boxes'[0] has 3 numbers: write 4"),
    "twice": (GOOD, "line 2 names the same phrase as line 1"),
    "no object": ("[]", "line 2 is not an object"),
    "no JSON": ("image: man", "line 2 is no JSON"),
}  # fmt: skip
ENTRY = {"image_id": "man", "caption": 0, "phrase": "a red hat", "bbox": [0, 0, 1, 1], "score": 1}


@pytest.fixture
def scored(export: Path, refused: Callable[..., str]) -> Callable[..., str]:
    """Return a function that returns what a file of predictions is refused with."""
    return lambda path, *more: refused("localization", "score", "--data", export, "--predictions", path, *more)


@pytest.mark.parametrize(("line", "told"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named(scored: Callable[..., str], lines: Lines, line: Any, told: str) -> None:
    assert told in scored(lines(GOOD, line))


def test_a_file_without_lines_is_refused(scored: Callable[..., str], lines: Lines) -> None:
    assert "predictions.jsonl holds no predictions" in scored(lines())


def test_a_bad_line_of_the_other_model_is_named_too(scored: Callable[..., str], lines: Lines) -> None:
    other = lines({**GOOD, "image": 5}, name="other.jsonl")
    assert "other.jsonl, line 1" in scored(lines(GOOD), "--against", other)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({**ENTRY, "image_id": "x"}, "results.json names no image of the data, only others: x"),
        ({**ENTRY, "phrase": "a cow"}, "results.json, annotations[0]: field 'phrase': caption 0 of image 'man' has no"),
        ({**ENTRY, "bbox": [0, 0, 122, 1]}, "annotations[0]: field 'bbox' [0, 0, 122, 1] reaches outside"),
        ({**ENTRY, "score": "high"}, "annotations[0]: field 'score' is 'high', not a number"),
        ({"image_id": "man", "category_id": 1, "bbox": [0, 0, 1, 1]}, "'category_id' 1 is in no list of the file"),
    ],
)
def test_a_bad_entry_of_coco_results_is_named(
    scored: Callable[..., str], tmp_path: Path, entry: Any, told: str
) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([entry]))
    assert told in scored(path)
