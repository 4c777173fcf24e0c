"""A sheet from outside is read only if it is one whole annotation of the image."""

from typing import Any

from annotation.rules.box import Box
from pipeline.rules.known.gold_sheet import SheetChain, SheetError, blank_sheet, read_sheet, renewed, undecided

MENTIONS = [0, 1, 5, 3]  # in reading order: an expert added mention 5 to the first caption


def chain(*mentions: int, **more: Any) -> dict[str, Any]:
    return {"mentions": list(mentions), **more}


def read(*chains: Any) -> list[SheetChain]:
    return read_sheet(list(chains), MENTIONS, 100, 50)


def test_chains_and_their_mentions_come_in_reading_order() -> None:
    read_back = read(chain(3, non_visual="scene"), chain(5, 0, boxes=[[0, 0, 9, 9]]), chain(1))
    assert read_back == [SheetChain((0, 5), "", (Box(0, 0, 9, 9),)), SheetChain((1,)), SheetChain((3,), "scene")]
    assert undecided(read_back) == [SheetChain((1,))]


def test_a_blank_sheet_is_read_back_as_it_is() -> None:
    blank = blank_sheet(MENTIONS)
    assert read(*(one.to_json() for one in blank)) == blank and undecided(blank) == blank


def test_a_sheet_follows_phrases_that_were_taken_away_or_added() -> None:
    old = [SheetChain((0, 9), "scene"), SheetChain((8,)), SheetChain((3, 1), "", (Box(0, 0, 9, 9),))]
    new = renewed(old, MENTIONS)
    assert [one.mentions for one in new] == [(0,), (5,), (3, 1)]
    assert new[0].non_visual == "scene" and not new[1].is_decided and new[2].boxes


def test_a_box_drawn_twice_counts_once() -> None:
    (first, *_) = read(chain(0, 1, 3, 5, boxes=[[0, 0, 9, 9], [0, 0, 9, 9]]))
    assert first.boxes == (Box(0, 0, 9, 9),)


def refusal(chains: Any) -> str:
    """Return why the sheet is refused, or nothing if it is read."""
    try:
        read_sheet(chains, MENTIONS, 100, 50)
    except SheetError as error:
        return str(error)
    return ""


def test_anything_else_is_refused_in_words() -> None:
    sheets: list[tuple[Any, str]] = [
        ("text", "list of objects"),
        ([1], "list of objects"),
        ([chain(0, 1, 3)], "exactly one chain"),
        ([chain(0, 1, 3, 5, 5)], "exactly one chain"),
        ([chain(0, 1), chain(1, 3, 5)], "exactly one chain"),
        ([chain(0, 1, 3, 4, 5)], "does not have"),
        ([chain(), chain(0, 1, 3, 5)], "numbers of its phrases"),
        ([chain(0, 1, 3, True)], "numbers of its phrases"),
        ([chain(0, 1, 3, 5, boxes={})], "must be a list"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, 101, 9]])], "inside the image"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, 0, 9]])], "inside the image"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, 9.0, 9]])], "whole numbers"),
        ([chain(0, 1, 3, 5, non_visual="odd")], "scene or no box"),
        ([chain(0, 1, 3, 5, non_visual="scene", boxes=[[0, 0, 9, 9]])], "not both"),
        ([chain(0, 1, 3, 5, boxes=[[0, 0, n % 99 + 1, n // 99 + 1] for n in range(201)])], "at most 200"),
    ]
    for chains, why in sheets:
        assert why in refusal(chains), chains
