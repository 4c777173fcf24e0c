"""A sheet from outside is read only if it is one whole annotation of the image."""

from typing import Any

from annotation.rules.box import Box
from pipeline.rules.known.gold_sheet import (
    About,
    SheetChain,
    SheetError,
    blank_sheet,
    compare,
    read_sheet,
    renewed,
    to_gold,
    undecided,
)

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


LEFT, RIGHT = Box(0, 0, 50, 90), Box(100, 0, 150, 90)
NEAR = Box(2, 0, 53, 90)


def own(*mentions: int, boxes: tuple[Box, ...] = (), non_visual: str = "") -> SheetChain:
    return SheetChain(mentions, non_visual, boxes)


def test_boxes_that_overlap_enough_are_one_box_in_the_mean() -> None:
    found = compare([own(0, 1, boxes=(LEFT, RIGHT))], [own(0, 1, boxes=(RIGHT, NEAR))])
    assert found.disputes == ()
    assert found.chains == (own(0, 1, boxes=(Box(1, 0, 52, 90), RIGHT)),)


def test_a_missing_box_another_box_and_another_reason_are_disputed() -> None:
    for other in (own(0), own(0, boxes=(LEFT, RIGHT)), own(0, boxes=(RIGHT,)), own(0, non_visual="scene")):
        found = compare([own(0, boxes=(LEFT,))], [other])
        assert found.chains == () and [one.about for one in found.disputes] == [About.BOXES], other
    scene, nothing = own(0, non_visual="scene"), own(0, non_visual="no box")
    assert compare([scene], [nothing]).disputes[0].about is About.BOXES
    assert compare([scene], [scene]).chains == (scene,)


def test_two_boxes_are_not_the_same_box_of_the_other_side() -> None:
    found = compare([own(0, boxes=(LEFT, NEAR))], [own(0, boxes=(LEFT, RIGHT))])
    assert len(found.disputes) == 1


def test_chains_that_nobody_decided_are_not_agreed_on() -> None:
    assert compare([own(0)], [own(0)]).chains == ()


def test_phrases_that_were_put_together_differently_are_one_dispute_and_the_rest_stands() -> None:
    mine = [own(0, 1), own(2, 3), own(4), own(5, boxes=(LEFT,))]
    theirs = [own(0), own(1, 2), own(3), own(4), own(5, boxes=(LEFT,))]
    found = compare(mine, theirs)
    assert found.chains == (own(5, boxes=(LEFT,)),)
    tangle, undecided = found.disputes
    assert (tangle.about, tangle.mentions) == (About.PHRASES, (0, 1, 2, 3))
    assert (tangle.first, tangle.second) == (tuple(mine[:2]), tuple(theirs[:3]))
    assert (undecided.about, undecided.mentions) == (About.BOXES, (4,))


def test_gold_has_the_agreed_part_and_leaves_open_what_is_disputed() -> None:
    mine = [own(0, 1, boxes=(LEFT,)), own(2, non_visual="scene"), own(3), own(4, 5)]
    theirs = [own(0, 1, boxes=(LEFT,)), own(2, non_visual="scene"), own(3, boxes=(LEFT,)), own(4), own(5)]
    gold = to_gold(compare(mine, theirs))
    assert [(one["mentions"], one["scene"], one["open"], one["boxes"]) for one in gold] == [
        ([0, 1], False, False, [list(LEFT)]),
        ([2], True, False, []),
        ([3], False, True, []),
    ]
    assert [one["name"] for one in gold] == ["1", "2", "3"]
