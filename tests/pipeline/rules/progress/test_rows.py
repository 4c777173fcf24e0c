"""The table rows of an image."""

from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.progress.rows import difference, rows_of
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, imported, started


def test_rows_say_what_the_progress_says():
    story = started([MAN, DOG])
    story.judge(Task.BOX_DRAWING, BOX, worker=3, subject=[0])
    rows = rows_of(story.progress)
    assert rows.state == "boxing"
    assert rows.mentions == {0: (0, 0, 2, ["people"], "a man", 0), 1: (0, 3, 5, ["animals"], "a dog", 1)}
    assert rows.chains == {0: ("quality", 0, "", "", "", None), 1: ("requirement", 1, "", "", "", None)}
    assert rows.boxes == {0: (0, 10, 10, 50, 50, "pending", 3, False)}
    dog = {"mentions": [[1, 0, 3, 5]], "boxes": [], "new_box": None}
    man = {"mentions": [[0, 0, 0, 2]], "boxes": [], "new_box": [10, 10, 50, 50]}
    assert rows.questions == {
        1: ("box_requirement", [1], [], 0.0, None, dog),
        2: ("box_quality", [0, 0], [3], 0.0, None, man),
    }
    assert rows.merged == {}


def test_an_image_that_has_not_begun_has_mentions_without_chains():
    rows = rows_of(imported([MAN]).progress)
    assert (rows.mentions[0][5], rows.chains) == (None, {})


def test_merged_boxes_and_chains_are_shown():
    story = started([MAN], [("people", "a guy")]).link()
    story.complete(0).complete(1).add(EntryKind.MERGE)
    rows = rows_of(story.progress)
    assert (rows.merged, rows.chains[1][5]) == ({0: (10, 10, 50, 50, [0, 1])}, 0)


def test_a_difference_is_what_is_new_or_changed_and_what_is_gone():
    assert difference({1: ("a",), 2: ("b",), 3: ("c",)}, {2: ("b",), 3: ("x",), 4: ("d",)}) == ([3, 4], [1])
