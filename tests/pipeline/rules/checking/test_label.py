"""Labels of an image: as a data set has them, and as they are now."""

from annotation.rules.box import Box
from pipeline.rules.checking.label import Label, labels_now, labels_of_source
from tests.pipeline.rules.image.test_checked import LEFT, MEN, RIGHT, checking

MAN = Label((0, 1), (Box(*LEFT),))


def test_a_source_has_its_chains_with_their_boxes_and_flags():
    boxes = [[0, *LEFT], [1, *LEFT], [2, *RIGHT]]
    labels = labels_of_source(boxes, [[2], [1, 0], [3]], {"3": "scene"}, range(4))
    assert labels == [MAN, Label((2,), (Box(*RIGHT),)), Label((3,), (), "scene")]


def test_mentions_that_were_removed_are_passed_over():
    assert labels_of_source([[0, *LEFT], [1, *LEFT]], [[0, 1], [2]], {}, [1]) == [Label((1,), (Box(*LEFT),))]


def test_labels_that_nobody_changed_are_those_of_the_source():
    boxes = [[0, *LEFT], [1, *LEFT]]
    story = checking(*MEN, chains=[[0, 1]], boxes=boxes)
    assert labels_now(story.progress) == labels_of_source(boxes, [[0, 1]], {}, [0, 1]) == [MAN]


def test_a_flag_that_nobody_changed_is_that_of_the_source():
    story = checking(*MEN, chains=[[0, 1]], boxes=[], flags={"0": "scene", "1": "scene"})
    assert labels_now(story.progress) == [Label((0, 1), (), "scene")]
