"""Box quality: one judgment decides, and never the drawer's."""

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.tasks.box_quality import Answer, Verdict, decide
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, MAN, started


def test_one_judgment_decides():
    expected = {
        (Answer.GOOD, 0): Verdict.GOOD,
        (Answer.BAD, 1): Verdict.BAD,
        (Answer.BAD, 3): Verdict.BAD,
        (Answer.BAD, 4): Verdict.CYCLING,
    }
    assert {(answer, tries): decide(answer, fruitless=tries) for answer, tries in expected} == expected


def test_nobody_judges_the_quality_of_a_box_they_drew():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX, worker=3)
    assert story.question(Task.BOX_QUALITY).barred == [3]


def test_a_good_box_is_accepted_and_its_drawer_does_not_judge_the_visit():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX, worker=3)
    entry = story.judge(Task.BOX_QUALITY, "good", worker=4)
    assert (story.progress.boxes[0].state, story.progress.boxes[0].accepted) == (BoxState.ACCEPTED, entry)
    assert story.asked() == [(Task.BOX_COVERAGE, [0])]
    assert story.question(Task.BOX_COVERAGE).barred == [3], "who judged the quality may judge the coverage"


def test_a_bad_box_is_discarded_and_kept_in_the_record():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX, worker=3)
    story.judge(Task.BOX_QUALITY, "bad", worker=4)
    assert (story.state(), story.boxes(BoxState.DISCARDED)) == (ChainState.DRAWING, [0])
    assert story.question(Task.BOX_DRAWING).barred == []
