"""The record of a project, read as pictures: its chains and boxes as they are in the end, and broken lines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.reading.picture import NOT_VISUAL, Picture
from evaluation.reading.pictures import read_pictures

Lines = Callable[..., Path]
MENTIONS = [(0, 0, 2, "people", 0), (0, 3, 6, "clothing", 1), (1, 0, 1, "people", 0), (1, 2, 4, "body parts", 2)]


def image(**other: Any) -> dict[str, Any]:
    """Return the line of an image with two captions, whose last chain was merged into the second one."""
    mentions = [
        {"number": place, "caption": caption, "start": start, "end": end, "types": [kind], "chain": chain}
        for place, (caption, start, end, kind, chain) in enumerate(MENTIONS)
    ]
    boxes = [
        {"chain": 2, "box": [20, 10, 40, 30], "state": "accepted"},
        {"chain": 1, "box": [0, 0, 5, 5], "state": "discarded"},
    ]
    return {
        "kind": "image",
        "name": "man",
        "width": 120,
        "height": 100,
        "captions": [
            {"words": ["A", "man", "in", "a", "red", "hat", "."], "non_visual": []},
            {"words": ["He", "has", "it", "on", "there"], "non_visual": [[4, 5]]},
        ],
        "mentions": mentions,
        "chains": [
            {"name": 0, "merged_into": None, "non_visual": "no box"},
            {"name": 1, "merged_into": None, "non_visual": ""},
            {"name": 2, "merged_into": 1, "non_visual": ""},
        ],
        "boxes": boxes,
        "merged_boxes": [],
        **other,
    }


def read(lines: Lines, **other: Any) -> Picture:
    """Return the picture of the line."""
    return read_pictures(lines({"kind": "project"}, image(**other), name="project.jsonl"))[0]


def test_phrases_have_the_chains_that_merging_left_and_types_as_other_formats_name_them(lines: Lines) -> None:
    phrases = [phrase for caption in read(lines).captions for phrase in caption.phrases]

    assert [(one.text, one.chain, one.types) for one in phrases] == [
        ("A man", "1", ("people",)),
        ("a red hat", "2", ("clothing",)),
        ("He", "1", ("people",)),
        ("it on", "2", ("bodyparts",)),
        ("there", NOT_VISUAL, ("notvisual",)),
    ]


def test_a_chain_has_its_accepted_boxes_or_those_that_merging_made_and_its_flag(lines: Lines) -> None:
    accepted, merged = read(lines), read(lines, merged_boxes=[{"box": [21, 11, 41, 31], "chains": [1]}])

    assert accepted.boxes == {"2": [(20, 10, 40, 30)]}
    assert merged.boxes == {"2": [(21, 11, 41, 31)]}
    assert accepted.flags == {"1": {"no box"}}


def test_an_image_without_chains_is_left_out(lines: Lines) -> None:
    mention = {"number": 0, "caption": 0, "start": 0, "end": 2, "types": [], "chain": None}

    assert read_pictures(lines(image(mentions=[mention], chains=[]), name="project.jsonl")) == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"captions": []}, "line 2: a mention is in caption 0, of 0 captions"),
        ({"captions": [{"words": ["A"], "non_visual": []}] * 2}, "line 2: a phrase of caption 0 has no words of it"),
        ({"merged_boxes": [{"box": [1, 2, 3], "chains": [1]}]}, "line 2: a box has 3 edges, not 4"),
        ({"merged_boxes": [{"box": [1, 2, 3, "x"], "chains": [1]}]}, "line 2: a box is 'x', not a number"),
        ({"width": "wide"}, "line 2: the width is 'wide', not a whole number"),
        ({"chains": [{"name": 0, "merged_into": 0}]}, "line 2: chain 0 was merged into itself"),
    ],
    ids=["captions", "words", "three edges", "an edge", "width", "a circle"],
)
def test_a_broken_line_is_told_by_its_number(other: dict[str, Any], said: str, lines: Lines) -> None:
    with pytest.raises(InputError, match=f"project.jsonl, {said}"):
        read(lines, **other)
