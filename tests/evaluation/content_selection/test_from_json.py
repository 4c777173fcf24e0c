"""Plain files of boxes and descriptions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.content_selection.from_json import read_scenes_file
from evaluation.errors import InputError

Lines = Callable[..., Path]
GOOD: dict[str, Any] = {
    "image": "a", "width": 100, "height": 50,
    "boxes": [{"id": 3, "box": [0, 0, 9, 9], "concept": "Car"}, {"id": 2, "box": [5, 0, 9, 9], "concept": "woman"}],
    "descriptions": ["A [woman]2 by a [car]3 .", [3, "2"], "Nothing ."],
}  # fmt: skip


def test_descriptions_are_sentences_or_lists_of_ids(lines: Lines) -> None:
    (scene,) = read_scenes_file(lines(GOOD))
    assert scene.references == (("2", "3"), ("3", "2"), ())
    assert [(one.id, one.concept) for one in scene.boxes] == [("2", "woman"), ("3", "car")]
    assert scene.gold == [{"2", "3"}, {"2", "3"}]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (GOOD, "line 2: the image 'a' stands twice"),
        ({**GOOD, "image": "b", "descriptions": [[4]]}, "line 2, description 1: there is no box '4'"),
        ({**GOOD, "image": "b", "descriptions": ["A [car] ."]}, "line 2, description 1: '[car]' is no [word]"),
        ({**GOOD, "image": "b", "boxes": GOOD["boxes"] * 2}, "line 2, box 3: the id '3' stands twice"),
        ({**GOOD, "image": "b", "boxes": [{"id": 1, "box": [0, 0, 0, 1], "concept": "x"}]}, "line 2, box 1: the box"),
        ({**GOOD, "image": "b", "width": "wide"}, "line 2: the field 'width' is 'wide'"),
    ],
)
def test_a_bad_line_is_named(lines: Lines, row: Any, told: str) -> None:
    with pytest.raises(InputError) as refused:
        read_scenes_file(lines(GOOD, row))
    assert told in str(refused.value)
