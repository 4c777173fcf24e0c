"""Points are read from their names, and other names are refused."""

import pytest

from evaluation.errors import InputError
from evaluation.oracle.point import Point, read_accuracies, read_points


def test_points_are_read_and_named() -> None:
    points = read_points("NA, ALL:50,ENT:200")
    assert points == [Point("NA"), Point("ALL", 50), Point("ENT", 200)]
    assert [point.name for point in points] == ["NA", "ALL:50", "ENT:200"]
    assert Point("ALL", 200, 0.7).name == "ALL:200@0.7"
    assert [len(point.categories) for point in points] == [0, 3, 1]


@pytest.mark.parametrize("text", ["", "ALL", "ALL:0", "ALL:-5", "ALL:ten", "XYZ:50", "NA:5", "all:50", "ALL:²", "A:5,"])
def test_other_points_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a point: give NA, or one of ENT, ACT, ATT, ALL with k"):
        read_points(text)


def test_a_doubled_point_is_refused() -> None:
    with pytest.raises(InputError, match="ALL:50 stands twice"):
        read_points("ALL:50,ALL:50")


def test_accuracies_are_shares() -> None:
    assert read_accuracies("1,0.7") == [1, 0.7]
    for text in ("1.5", "-0.1", "most", "nan", ""):
        with pytest.raises(InputError, match="is not an accuracy"):
            read_accuracies(text)
    with pytest.raises(InputError, match=r"0\.7 stands twice"):
        read_accuracies("0.7,0.70")
