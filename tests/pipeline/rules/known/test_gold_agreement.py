"""Both sides must have the same chain, with the same boxes; whatever else differs is a dispute of its own."""

from annotation.rules.box import Box
from pipeline.rules.known.gold_agreement import About, compare, to_gold
from pipeline.rules.known.gold_sheet import SheetChain

LEFT, RIGHT = Box(0, 0, 50, 90), Box(100, 0, 150, 90)
NEAR = Box(2, 0, 53, 90)


def chain(*mentions: int, boxes: tuple[Box, ...] = (), non_visual: str = "") -> SheetChain:
    return SheetChain(mentions, non_visual, boxes)


def test_boxes_that_overlap_enough_are_one_box_in_the_mean() -> None:
    found = compare([chain(0, 1, boxes=(LEFT, RIGHT))], [chain(0, 1, boxes=(RIGHT, NEAR))])
    assert found.disputes == ()
    assert found.chains == (chain(0, 1, boxes=(Box(1, 0, 52, 90), RIGHT)),)


def test_a_missing_box_another_box_and_another_reason_are_disputed() -> None:
    for other in (chain(0), chain(0, boxes=(LEFT, RIGHT)), chain(0, boxes=(RIGHT,)), chain(0, non_visual="scene")):
        found = compare([chain(0, boxes=(LEFT,))], [other])
        assert found.chains == () and [one.about for one in found.disputes] == [About.BOXES], other
    scene, nothing = chain(0, non_visual="scene"), chain(0, non_visual="no box")
    assert compare([scene], [nothing]).disputes[0].about is About.BOXES
    assert compare([scene], [scene]).chains == (scene,)


def test_two_boxes_are_not_the_same_box_of_the_other_side() -> None:
    found = compare([chain(0, boxes=(LEFT, NEAR))], [chain(0, boxes=(LEFT, RIGHT))])
    assert len(found.disputes) == 1


def test_chains_that_nobody_decided_are_not_agreed_on() -> None:
    assert compare([chain(0)], [chain(0)]).chains == ()


def test_phrases_that_were_put_together_differently_are_one_dispute_and_the_rest_stands() -> None:
    mine = [chain(0, 1), chain(2, 3), chain(4), chain(5, boxes=(LEFT,))]
    theirs = [chain(0), chain(1, 2), chain(3), chain(4), chain(5, boxes=(LEFT,))]
    found = compare(mine, theirs)
    assert found.chains == (chain(5, boxes=(LEFT,)),)
    tangle, undecided = found.disputes
    assert (tangle.about, tangle.mentions) == (About.PHRASES, (0, 1, 2, 3))
    assert (tangle.first, tangle.second) == (tuple(mine[:2]), tuple(theirs[:3]))
    assert (undecided.about, undecided.mentions) == (About.BOXES, (4,))


def test_gold_has_the_agreed_part_and_leaves_open_what_is_disputed() -> None:
    mine = [chain(0, 1, boxes=(LEFT,)), chain(2, non_visual="scene"), chain(3), chain(4, 5)]
    theirs = [chain(0, 1, boxes=(LEFT,)), chain(2, non_visual="scene"), chain(3, boxes=(LEFT,)), chain(4), chain(5)]
    gold = to_gold(compare(mine, theirs))
    assert [(one["mentions"], one["scene"], one["open"], one["boxes"]) for one in gold] == [
        ([0, 1], False, False, [list(LEFT)]),
        ([2], True, False, []),
        ([3], False, True, []),
    ]
    assert [one["name"] for one in gold] == ["1", "2", "3"]
