"""The traces that a judgment leaves besides its step."""

import pytest

from pipeline.rules.entries import judgments
from pipeline.rules.entries.image_machine import JUDGE, EntryKind
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from tests.support.images import BOX, DOG, MAN, started


def test_every_task_has_its_judge():
    assert set(JUDGE) == set(Task)
    assert {JUDGE[t] for t in PROTOCOL_TASKS if t is not Task.COREFERENCE_LINK} == {
        getattr(judgments, f"judge_{name}")
        for name in ("verification", "requirement", "drawing", "quality", "coverage")
    }


def test_a_late_judgment_is_kept_and_acts_no_more():
    story = started([MAN])
    number = story.question(Task.BOX_DRAWING).number
    story.judge(Task.BOX_DRAWING, BOX, worker=1)
    before = (story.chain().state, dict(story.progress.open), dict(story.progress.boxes))
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": 2, "answer": BOX})
    assert (story.chain().state, story.progress.open, story.progress.boxes) == before
    assert story.reasons("question") == ["late judgment"]


@pytest.mark.parametrize(
    ("task", "answer"), [(Task.BOX_REQUIREMENT, 4), (Task.BOX_REQUIREMENT, "yes"), (Task.BOX_REQUIREMENT, None)]
)
def test_an_answer_that_the_task_does_not_know_is_refused(task: Task, answer: object):
    story = started([DOG])
    with pytest.raises(ValueError, match="not a valid Answer"):
        story.judge(task, answer)


def test_a_question_is_closed_with_what_was_said():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX, worker=1)
    story.judge(Task.BOX_QUALITY, "bad", worker=2)
    assert story.reasons("question") == ["bad"]
    assert story.reasons("box") == ["judged bad"]
