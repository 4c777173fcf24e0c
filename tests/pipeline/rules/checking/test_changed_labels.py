"""Labels of an image that a check has changed."""

from annotation.rules.box import Box
from pipeline.rules.checking.changed_labels import TypeChange, compared
from pipeline.rules.checking.kinds_of_error import Kind
from pipeline.rules.checking.label import Label, labels_of_source
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.image.test_checked import LEFT, RIGHT, checking
from tests.support.images import Story

BOXES = [[0, *LEFT], [1, *RIGHT]]
SOURCE = labels_of_source(BOXES, [[0], [1]], {}, range(2))


def two() -> Story:
    """An image with a man and his dog, both in a label of their own that stands."""
    return checking([("people", "a man")], [("animals", "a dog")], chains=[[0], [1]], boxes=BOXES)


def test_labels_that_stand_are_no_change():
    assert compared(SOURCE, two().progress, {0: ["people"]}) == ([], 2, 0)


def test_a_label_is_changed_once_it_is_settled_and_in_question_before():
    story = two()
    story.expert("delete box", box=next(iter(story.progress.boxes)))
    assert compared(SOURCE, story.progress, {}) == ([], 1, 1)
    story.expert("send", chain=0, to="non-visual", kind="no box")
    (change,), same, left = compared(SOURCE, story.progress, {})
    assert (change.before, change.after) == ((SOURCE[0],), (Label((0,), (), "no box"),))
    assert (change.kinds, same, left) == ((Kind.NEEDLESS,), 1, 0)


def test_labels_that_shared_phrases_connect_are_one_change_without_errors_of_their_boxes():
    source = [Label((0, 1), (Box(*LEFT), Box(*RIGHT)))]
    (change,), *_ = compared(source, two().progress, {})
    assert change.after == tuple(SOURCE)
    assert change.kinds == (Kind.MERGED,)
    assert change.mentions == {0, 1}


def test_an_image_that_has_not_begun_is_in_question():
    story = two()
    story.progress.started = False
    assert compared(SOURCE, story.progress, {}) == ([], 0, 2)


def test_types_and_phrases_change_by_experts_alone():
    story = two()
    story.expert("retype", mention=0, types=["other"])
    story.expert("rechunk", remove=[1], add=[])
    retyped, removed = compared(SOURCE, story.progress, {0: ["people"], 1: ["animals"]}).changes
    assert (retyped.kinds, retyped.types) == ((Kind.TYPE,), (TypeChange(0, ("people",), ("other",)),))
    assert (removed.kinds, removed.after) == ((Kind.PHRASE_EXTRA,), ())


def test_a_question_about_a_label_leaves_the_others_settled():
    story = two()
    story.expert("ask others", chain=1, to="coverage")
    assert [task for task, _ in story.asked()] == [Task.BOX_COVERAGE]
    assert compared(SOURCE, story.progress, {}) == ([], 1, 1)
