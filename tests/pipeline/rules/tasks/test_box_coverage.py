"""Box coverage: visits, their votes, and who may judge them."""

from annotation.rules.states import ChainState
from pipeline.rules.tasks.box_coverage import Answer, Verdict, decide
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, MAN, NONE_MISSING, Story, started

A, M = Answer.ALL_THERE, Answer.MORE_NEEDED
C = Task.BOX_COVERAGE


def test_more_needed_first_decides_and_otherwise_two_of_three():
    for votes, verdict in [
        ([], None),
        ([M], Verdict.MORE_NEEDED),
        ([A], None),
        ([A, A], Verdict.ALL_THERE),
        ([A, M], None),
        ([A, M, A], Verdict.ALL_THERE),
        ([A, M, M], Verdict.MORE_NEEDED),
    ]:
        assert decide(votes) is verdict, votes


def test_a_project_can_ask_one_worker_only():
    assert decide([A], needed=1) is Verdict.ALL_THERE


def visit() -> Story:
    story = started([MAN])
    story.draw_accepted(worker=1, judge=2)
    return story


def test_two_workers_who_agree_complete_the_chain():
    story = visit()
    story.judge(C, "all there", worker=3)
    assert story.question(C).barred == [1, 3], "the drawer sent it here, and worker 3 has answered"
    story.judge(C, "all there", worker=2)
    assert (story.state(), story.asked()) == (ChainState.COMPLETE, [])


def test_a_third_worker_breaks_the_tie_in_one_and_the_same_question():
    story = visit()
    number = story.question(C).number
    story.judge(C, "all there", worker=3)
    story.judge(C, "more needed", worker=4)
    assert story.question(C).number == number
    story.judge(C, "more needed", worker=5)
    assert story.asked() == [(Task.BOX_DRAWING, [0])]


def second_visit() -> Story:
    """After a visit of workers 3, 4 and 5, worker 6 said that none is missing."""
    story = visit()
    for worker, answer in ((3, "all there"), (4, "more needed"), (5, "more needed")):
        story.judge(C, answer, worker)
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=6)
    return story


def test_a_visit_starts_at_zero_without_its_sender_and_without_the_judges_of_the_same_boxes():
    story = second_visit()
    assert story.chain().coverage == []
    assert story.question(C).barred == [3, 4, 5, 6], "the drawer of the first box may judge now"


def test_a_bad_box_in_between_changes_nothing_for_the_judges():
    story = visit()
    story.judge(C, "more needed", worker=3)
    story.judge(Task.BOX_DRAWING, BOX, worker=7)
    story.judge(Task.BOX_QUALITY, "bad", worker=8)
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=9)
    assert story.question(C).barred == [3, 9]


def test_a_new_box_lets_the_judges_back_in():
    story = second_visit()
    story.judge(C, "more needed", worker=7)
    story.draw_accepted(worker=8, judge=9)
    assert story.question(C).barred == [8]
