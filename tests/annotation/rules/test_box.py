from annotation.rules.box import Box, iou


def test_iou_counts_pixels():
    assert iou(Box(0, 0, 4, 4), Box(2, 2, 6, 6)) == 4 / 28
    assert iou(Box(0, 0, 4, 4), Box(1, 1, 3, 3)) == 4 / 16


def test_a_box_ends_before_its_last_coordinates():
    assert Box(2, 3, 4, 7).area == 8
    assert iou(Box(0, 0, 2, 2), Box(2, 0, 4, 2)) == 0.0


def test_it_fits_only_whole_inside_the_image():
    assert Box(0, 0, 10, 5).fits(10, 5)
    assert not Box(0, 0, 11, 5).fits(10, 5)
    assert not Box(-1, 0, 10, 5).fits(10, 5)
    assert not Box(3, 0, 3, 5).fits(10, 5)
