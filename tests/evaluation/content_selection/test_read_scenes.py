"""Scenes of exports and of plain files, and the concepts of their boxes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.content_selection.read_scenes import concept, head, read_scenes_file, scene_of
from evaluation.errors import InputError
from evaluation.reading.entities import read_entities
from evaluation.reading.picture import Picture

Lines = Callable[..., Path]
GOOD: dict[str, Any] = {
    "image": "a", "width": 100, "height": 50,
    "boxes": [{"id": 3, "box": [0, 0, 9, 9], "concept": "Car"}, {"id": 2, "box": [5, 0, 9, 9], "concept": "woman"}],
    "descriptions": ["A [woman]2 by a [car]3 .", [3, "2"], "Nothing ."],
}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "expected"), [("a red Hat", "hat"), ("the hat .", "hat"), ("...", "..."), ("size 10", "10")]
)
def test_the_head_is_the_last_word_with_a_letter_or_digit(words: str, expected: str) -> None:
    assert head(words.split()) == expected


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("men", "man"), ("children", "child"), ("dogs", "dog"), ("dress", "dress"), ("bikes", "bike")],
)
def test_nouns_lose_their_plural(noun: str, expected: str) -> None:
    assert concept([[noun]]) == expected


def test_the_most_frequent_lemma_wins_and_ties_go_to_the_first() -> None:
    assert concept([["two", "dogs"], ["pets"], ["the", "dog"]]) == "dog"
    assert concept([["animals"], ["dogs"]]) == "animal"


def test_boxes_are_chains_with_a_box_and_descriptions_refer_to_them_in_order(export: Path) -> None:
    _, man = read_entities(export)
    scene = scene_of(man)
    assert [(one.id, one.concept) for one in scene.boxes] == [("1", "man"), ("2", "hat"), ("3", "dog")]
    assert scene.references == (("1", "2", "3"), ("1",))
    assert scene.members.tolist() == [[True, True, True], [True, False, False]]


def test_loose_boxes_distract(export: Path) -> None:
    _, man = read_entities(export)
    loose = Picture("man", 120, 100, man.captions, man.boxes, (("umbrella", (0, 0, 5, 5)),))
    assert [(one.id, one.concept) for one in scene_of(loose).boxes][3:] == [("box 1", "umbrella")]


def test_ids_are_sorted_by_their_number(export: Path) -> None:
    text = (export / "Sentences" / "cat.txt").read_text()
    (export / "Sentences" / "cat.txt").write_text(text.replace("[", "[/EN#10/other Fur] of [", 1))
    file = export / "Annotations" / "cat.xml"
    file.write_text(file.read_text().replace("</name>", "</name><name>10</name>"))
    assert [one.id for one in scene_of(read_entities(export)[0]).boxes] == ["9", "10"]


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
