"""The labels that a corrected set has in place of its source's."""

from annotation.rules.box import Box
from pipeline.rules.checking.corrected_labels import corrected_labels
from pipeline.rules.checking.label import Label, labels_of_source
from tests.pipeline.rules.image.test_checked import LEFT, RIGHT, checking
from tests.support.images import Story

BOXES = [[0, *LEFT], [1, *RIGHT]]
MAN, DOG = SOURCE = labels_of_source(BOXES, [[0], [1]], {}, range(2))


def two() -> Story:
    """An image with a man and his dog, both in a label of their own that stands."""
    return checking([("people", "a man")], [("animals", "a dog")], chains=[[0], [1]], boxes=BOXES)


def test_labels_that_stand_are_not_written():
    assert corrected_labels(SOURCE, two().progress, {0: ["people"]}) == ([], [], 0)


def test_a_label_is_written_once_it_is_settled():
    story = two()
    story.expert("delete box", box=next(iter(story.progress.boxes)))
    assert corrected_labels(SOURCE, story.progress, {}) == ([], [], 1)
    story.expert("send", chain=0, to="non-visual", kind="no box")
    assert corrected_labels(SOURCE, story.progress, {}) == ([MAN], [Label((0,), (), "no box")], 0)


def test_labels_that_share_mentions_wait_for_each_other():
    story = two()
    source = [Label((0, 1), (Box(*LEFT), Box(*RIGHT)))]
    assert corrected_labels(source, story.progress, {}) == (source, [MAN, DOG], 0)
    story.expert("ask others", chain=1, to="coverage")
    assert corrected_labels(source, story.progress, {}) == ([], [], 1)


def test_nothing_is_settled_before_linking():
    story = two()
    story.progress.started = False
    assert corrected_labels(SOURCE, story.progress, {}) == ([], [], 2)


def test_types_that_an_expert_changed_are_written():
    story = two()
    story.expert("retype", mention=0, types=["other"])
    assert corrected_labels(SOURCE, story.progress, {0: ["people"], 1: ["animals"]}) == ([MAN], [MAN], 0)
