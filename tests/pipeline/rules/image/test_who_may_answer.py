"""Workers who are barred from a question, by what they answered before."""

from pipeline.rules.image.who_may_answer import barred_from, drawer_judged
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, Story, started

LINK, ASK, DRAW = Task.COREFERENCE_LINK, Task.BOX_REQUIREMENT, Task.BOX_DRAWING
JUDGE, COVER = Task.BOX_QUALITY, Task.BOX_COVERAGE
MORE, ALL = "more needed", "all there"


def drawn_and_judged() -> Story:
    """A chain in coverage: worker 1 drew its box, and worker 2 judged the box."""
    story = started([MAN])
    story.draw_accepted(worker=1, judge=2)
    return story


def test_a_new_question_is_for_everybody() -> None:
    story = started([MAN, DOG], [("people", "a guy")])
    assert [question.barred for question in story.progress.open.values()] == [[], []]


def test_voters_of_a_link_and_workers_whose_vote_was_voided_do_not_answer_it_again() -> None:
    story = started([MAN], [("people", "a guy")], [("people", "a boy")])
    story.void(story.judge(LINK, "same", worker=4, subject=[0, 1]))
    assert story.question(LINK, [0, 1]).barred == [4]
    story.judge(LINK, "same", worker=5, subject=[0, 1])
    assert barred_from(story.progress, LINK, [0, 1]) == [4, 5]


def test_nobody_votes_twice_on_whether_a_chain_needs_a_box() -> None:
    story = started([DOG])
    story.judge(ASK, 3, worker=5)
    assert story.question(ASK).barred == [5], "while the question stays open"
    story.judge(ASK, 1, worker=6)
    story.judge(ASK, 1, worker=7)
    story.judge(DRAW, NONE_MISSING, worker=8)
    assert story.question(ASK).barred == [5, 6, 7, 8], (
        "in the next question, too; the drawer has voted by drawing nothing"
    )


def test_no_worker_alone_makes_a_chain_non_visual() -> None:
    story = started([MAN])
    story.judge(DRAW, NONE_MISSING, worker=1)
    assert story.question(ASK).barred == [1], "a second vote of theirs would have decided"


def test_nobody_who_voted_on_the_requirement_draws_before_the_first_accepted_box() -> None:
    story = started([DOG])
    story.judge(ASK, 1, worker=1)
    assert story.question(DRAW).barred == [1]
    story.draw_accepted(worker=2, judge=3)
    story.judge(COVER, MORE, worker=4)
    assert story.question(DRAW).barred == [], "from the first accepted box on everybody may draw"


def test_no_worker_alone_sends_a_chain_to_review_by_finding_none_missing() -> None:
    story = drawn_and_judged()
    story.judge(COVER, MORE, worker=4)
    story.judge(DRAW, NONE_MISSING, worker=5)
    story.judge(COVER, MORE, worker=6)
    assert story.question(DRAW).barred == [5], "until a box is added"
    story.draw_accepted(worker=7, judge=8, box={"box": [60, 60, 90, 90]})
    story.judge(COVER, MORE, worker=9)
    assert story.question(DRAW).barred == []


def test_nobody_judges_a_box_of_their_own() -> None:
    story = started([MAN])
    story.judge(DRAW, BOX, worker=3)
    assert story.question(JUDGE).barred == [3]


def test_the_drawer_of_a_good_box_does_not_judge_the_coverage_that_follows() -> None:
    assert drawn_and_judged().question(COVER).barred == [1], "the judge of the box may"


def test_in_a_small_crew_the_drawer_may_judge_the_coverage_and_is_marked_then() -> None:
    story = started([MAN], settings=ProtocolSettings(drawer_judges_coverage=True))
    story.draw_accepted(worker=1, judge=2)
    assert story.question(COVER).barred == []
    story.judge(COVER, ALL, worker=2)
    assert not drawer_judged(story.chain())
    story.judge(COVER, ALL, worker=1)
    assert drawer_judged(story.chain())


def test_a_worker_who_found_none_missing_does_not_judge_the_coverage_that_follows() -> None:
    story = drawn_and_judged()
    story.judge(COVER, MORE, worker=4)
    story.judge(DRAW, NONE_MISSING, worker=5)
    assert story.question(COVER).barred == [4, 5]


def test_judges_of_a_visit_without_a_new_box_are_barred_until_there_is_one() -> None:
    story = drawn_and_judged()
    story.judge(COVER, ALL, worker=3)
    assert story.question(COVER).barred == [1, 3], "nobody votes twice in one visit"
    for worker in (4, 5):
        story.judge(COVER, MORE, worker=worker)
    story.judge(DRAW, NONE_MISSING, worker=6)
    assert story.question(COVER).barred == [3, 4, 5, 6]
    story.judge(COVER, MORE, worker=7)
    story.draw_accepted(worker=8, judge=9, box={"box": [60, 60, 90, 90]})
    assert story.question(COVER).barred == [8]


def test_a_drawer_may_draw_again_and_anybody_may_verify() -> None:
    story = started([MAN], [("people", "a guy")]).link((0, 1))
    assert story.question(Task.CHAIN_VERIFICATION).barred == []
    story.judge(Task.CHAIN_VERIFICATION, "true", worker=1)
    story.draw_accepted(worker=1)
    story.judge(COVER, MORE, worker=2)
    assert story.question(DRAW).barred == []
