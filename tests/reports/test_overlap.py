from annotation.rules.box import Box
from reports.overlap import closest, enclosed


def test_it_finds_the_closest_other_box():
    assert closest([Box(0, 0, 10, 10), Box(0, 0, 10, 5), Box(50, 0, 60, 10)]) == [0.5, 0.5, 0.0]
    assert closest([Box(0, 0, 10, 10)]) == [0.0]


def test_it_counts_boxes_inside_another():
    outer, touching, crossing = Box(0, 0, 10, 10), Box(0, 5, 5, 10), Box(8, 8, 12, 12)
    assert enclosed([outer, touching, crossing]) == 1
    assert enclosed([outer]) == 0


def test_two_equal_boxes_enclose_each_other():
    assert enclosed([Box(0, 0, 4, 4), Box(0, 0, 4, 4)]) == 2
