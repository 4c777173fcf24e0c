"""Files of items are read as they were written, and a bad line is named."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from evaluation.errors import InputError
from evaluation.foil.item import Item, items_text, read_items
from evaluation.foil.making.lexicon import Lexicon

ITEM = Item("a#0", "a", "A dog sits .", "A cat sits .", 1, "dog", "cat", "animal", "test")


def test_items_read_as_they_were_written(coco_words: Lexicon, tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(items_text([ITEM]))
    assert read_items(path, coco_words) == [ITEM]
    assert {"image", "caption", "foil", "place", "target", "foil_word", "super_category"} <= set(
        json.loads(path.read_text())
    )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"super_category": "plants"}, "line 2: the super-category 'plants' is unknown; the lexicon has accessory,"),
        ({"foil_word": "bus"}, "line 2: the lexicon has no word 'bus' in animal"),
        ({"target": "wolf"}, "line 2: the lexicon has no word 'wolf' in animal"),
        ({"place": 2}, "line 2: caption and foil must differ in the word at place 2 alone"),
        ({"foil": "A cat lies ."}, "must differ in the word at place 1 alone"),
        ({"foil": "A cat sits here ."}, "must differ in the word at place 1 alone"),
        ({"part": "dev"}, "line 2: the part is 'dev', not 'train' or 'test'"),
        ({"item": "a#0"}, "line 2: the item 'a#0' stands twice"),
        ({"caption": 3}, "line 2: the field 'caption' is not text"),
    ],
)
def test_a_bad_line_is_named(coco_words: Lexicon, lines: Callable[..., Path], changes: Any, told: str) -> None:
    path = lines(asdict(ITEM), {**asdict(ITEM), "item": "a#1", **changes})
    with pytest.raises(InputError) as refused:
        read_items(path, coco_words)
    assert told in str(refused.value)
