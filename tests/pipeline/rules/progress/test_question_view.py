"""The part of a question that a worker is shown."""

from annotation.rules.box import Box
from pipeline.rules.progress.question_view import question_view
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, started


def shown_of(story, task: Task) -> dict:
    return question_view(story.progress, story.question(task))


def test_a_link_shows_its_two_mentions_where_they_stand():
    story = started([DOG, MAN], [("people", "a tall guy")])
    assert shown_of(story, Task.COREFERENCE_LINK) == {
        "mentions": [[1, 0, 3, 5], [2, 1, 0, 3]],
        "boxes": [],
        "new_box": None,
    }


def test_a_chain_to_verify_shows_all_its_mentions():
    story = started([MAN], [("people", "a guy")]).link((0, 1))
    assert [row[0] for row in shown_of(story, Task.CHAIN_VERIFICATION)["mentions"]] == [0, 1]


def test_a_box_task_shows_the_representative_mention_and_the_boxes_accepted_so_far():
    story = started([MAN])
    assert shown_of(story, Task.BOX_DRAWING)["boxes"] == []
    story.judge(Task.BOX_DRAWING, BOX)
    assert shown_of(story, Task.BOX_QUALITY)["boxes"] == []
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    story.judge(Task.BOX_COVERAGE, "more needed", worker=2)
    assert shown_of(story, Task.BOX_DRAWING) == {
        "mentions": [[0, 0, 0, 2]],
        "boxes": [list(Box(10, 10, 50, 50))],
        "new_box": None,
    }


def test_box_quality_shows_the_new_box_apart_from_the_others():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX)
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    story.judge(Task.BOX_COVERAGE, "more needed", worker=2)
    story.judge(Task.BOX_DRAWING, {"box": [60, 10, 90, 50]}, worker=3)
    values = shown_of(story, Task.BOX_QUALITY)
    assert (values["boxes"], values["new_box"]) == ([[10, 10, 50, 50]], [60, 10, 90, 50])
