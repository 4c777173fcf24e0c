"""Kinds of error, by what labels were and what they became."""

from annotation.rules.box import Box
from pipeline.rules.checking.kinds_of_error import ERRORS, Kind, box_changes, flag_kinds, phrase_kinds
from pipeline.rules.checking.label import Label

A, THIRD, GROWN, FAR = Box(0, 0, 60, 60), Box(20, 20, 80, 80), Box(0, 0, 75, 75), Box(200, 0, 260, 60)


def of(*chains: tuple[int, ...], flag: str = "") -> list[Label]:
    return [Label(chain, (), flag) for chain in chains]


PHRASES: list[tuple[list[tuple[int, ...]], list[tuple[int, ...]], list[Kind]]] = [
    ([(0, 1, 2)], [(0, 2), (1,)], [Kind.MERGED]),
    ([(0,), (1, 2)], [(0, 1, 2)], [Kind.SPLIT]),
    ([(0, 1, 2), (3, 4)], [(0, 1), (2, 3, 4)], [Kind.MISPLACED]),
    ([(0, 1)], [(0, 1, 7)], [Kind.PHRASE_MISSING]),
    ([(0, 1)], [(0,)], [Kind.PHRASE_EXTRA]),
    ([(0, 1)], [(0, 1)], []),
]


def test_phrases():
    found = [phrase_kinds(of(*before), of(*after)) for before, after, _ in PHRASES]
    assert found == [kinds for *_, kinds in PHRASES]


BOXES: list[tuple[list[Box], list[Box], list[tuple[Kind, Box | None, Box | None]]]] = [
    ([A], [THIRD], [(Kind.MOVED, A, THIRD)]),
    ([GROWN], [A], [(Kind.LARGE, GROWN, A)]),
    ([A], [GROWN], [(Kind.SMALL, A, GROWN)]),
    ([FAR], [A], [(Kind.ELSEWHERE, FAR, A)]),
    ([A], [A, FAR], [(Kind.MISSING, None, FAR)]),
    ([A, FAR], [FAR], [(Kind.EXTRA, A, None)]),
    ([A], [], [(Kind.NEEDLESS, A, None)]),
    ([], [A], [(Kind.FORGOTTEN, None, A)]),
    ([FAR, GROWN], [A, FAR], [(Kind.LARGE, GROWN, A)]),
]


def test_boxes():
    found = [box_changes(before, after) for before, after, _ in BOXES]
    assert [[tuple(one) for one in changes] for changes in found] == [changes for *_, changes in BOXES]
    without = [[one.iou is None for one in changes] for changes in found]
    assert without == [[None in one for one in changes] for *_, changes in BOXES]


def test_a_flag_is_wrong_only_where_the_source_gives_one():
    assert flag_kinds(of((0,), flag="scene"), of((0,), flag="no box")) == [Kind.FLAG]
    assert flag_kinds(of((0,)), of((0,), flag="no box")) == []
    assert flag_kinds(of((0,), flag="scene"), [Label((0,), (A,))]) == []


def test_every_kind_has_its_place_among_the_errors_of_the_paper():
    assert ERRORS.keys() == {*Kind}
