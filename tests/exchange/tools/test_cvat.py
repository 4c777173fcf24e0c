"""Exports of CVAT: groups are chains, attributes are captions, and what is read otherwise is said."""

from pathlib import Path

import pytest

from exchange.detect import count_images, detect_format
from exchange.problems import SourceError
from exchange.tools.xml_rows import xml_rows
from tests.exchange.tools.exports import CVAT, phrases, read, written_cvat


def test_boxes_of_a_group_are_the_boxes_of_its_captions_and_others_have_their_label(tmp_path: Path) -> None:
    written_cvat(tmp_path)
    assert (detect_format(tmp_path), count_images(tmp_path, "cvat")) == ("cvat", 1)
    (image,), problems, remarks = read(tmp_path, "cvat")

    assert (image.path, image.width, image.height, image.source) == ("a/one.jpg", 200, 80, "annotations.xml:5")
    assert [one.text for one in image.captions] == ["A man and his dog .", "two friends"]
    assert phrases(image) == [("two friends", [(0, 0, 21, 60), (30, 20, 50, 40)])]
    assert [(tuple(one.box), one.category) for one in image.boxes if not one.chains] == [((100, 0, 120, 41), "tree")]
    assert (problems, remarks) == ([], ["annotations.xml: Polygons, read as the smallest boxes around them: 1"])


def test_group_0_is_no_group_and_a_group_with_the_same_caption_twice_has_it_once(tmp_path: Path) -> None:
    second = (
        'group_id="1">\n    </box>',
        'group_id="1"><attribute name="Caption">two friends</attribute></box>',
    )
    (image,), *_ = read(written_cvat(tmp_path, second), "cvat")
    assert [one.text for one in image.captions] == ["A man and his dog .", "two friends"]
    alone = written_cvat(tmp_path, second, ('group_id="1"', 'group_id="0"'), ('group_id="1"', 'group_id="0"'))
    (image,), *_ = read(alone, "cvat")
    assert phrases(image) == [("two friends", [(0, 0, 21, 60)]), ("two friends", [(30, 20, 50, 40)])]


def test_turned_boxes_and_boxes_outside_and_other_shapes_are_counted(tmp_path: Path) -> None:
    turned = ('ybr="40.00"', 'ybr="40.00" rotation="45"')
    outside = ("<polygon label", '<polygon outside="1" label')
    line = ("<tag label", '<polyline label="road" points="1,2;3,4"/><tag label')
    (image,), problems, remarks = read(written_cvat(tmp_path, turned, outside, line), "cvat")
    # 20 x 20 pixels around 40, 30: their corners are 14.1 pixels away
    assert (25, 15, 55, 45) in [tuple(one.box) for one in image.boxes]
    assert problems == []
    assert remarks == [
        "annotations.xml: Turned boxes, read as the smallest upright ones around them: 1",
        "annotations.xml: Boxes marked as outside the picture, passed over: 1",
        "annotations.xml: Shapes of the kind polyline, passed over: 1",
    ]


def test_tracks_of_a_video_are_refused_with_what_to_export(tmp_path: Path) -> None:
    written_cvat(tmp_path, ("  <image id", '  <track id="0" label="dog"></track>\n  <image id'))
    with pytest.raises(SourceError, match=r"annotations.xml:5: has tracks of a video: export .*CVAT for images 1.1"):
        read(tmp_path, "cvat")


def test_a_large_file_is_read_row_by_row(tmp_path: Path) -> None:
    file = tmp_path / "many.xml"
    row = CVAT[CVAT.index("  <image") : CVAT.index("</annotations>")]
    with file.open("w") as target:
        target.write("<annotations>")
        target.writelines(row for _ in range(1000))
        target.write("<broken")
    rows = xml_rows(file, "annotations", ("image",))
    lines = [next(rows).line for _ in range(3)]
    assert lines == [1, 14, 27], "given before the end of the file, which is broken, was read"
