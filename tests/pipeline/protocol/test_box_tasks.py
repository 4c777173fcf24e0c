"""The tally of box requirement, and how judgments and fruitless drawings act on it; test_paper_loop.py has the rest.
The policies of the box tasks, and the steps that belief may take.
"""

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState, NonVisual
from pipeline.policies import box_policy
from pipeline.policies.box_policy import AFTER, TRANSITIONS
from pipeline.protocol.tasks.box_requirement import (
    RequirementAnswer,
    RequirementVerdict,
    decide_requirement,
    kind_of_non_visual,
    unresolved,
)
from pipeline.protocol.tasks.flow import BOXING, TASK_OF_STATE, IllegalStepError, step
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, started
from tests.support.table import row
from tests.support.tasks import ASK, COVER, DRAW, JUDGE

B, N = RequirementVerdict.BOX, RequirementVerdict.NO_BOX


@row(None, ["", "2", "3", "0", "31", "10", "1010"])
@row(B, ["1", "311", "101"])
@row(N, ["23", "22", "03", "312", "10103"])
def test_box_wins_when_it_outnumbers_and_no_box_with_two_that_outnumber(
    verdict: RequirementVerdict | None, tallies: list[str]
):
    assert {
        votes: decide_requirement([RequirementAnswer(int(vote)) for vote in votes], no_box_votes=2) for votes in tallies
    } == dict.fromkeys(tallies, verdict)


@row(NonVisual.SCENE, ["22", "002", "3122"], ["23", "00"])
@row(NonVisual.NO_BOX, ["23", "00"], ["33", "003"])
def test_a_non_visual_chain_is_a_scene_by_votes_then_by_type(kind: NonVisual, others: list[str], scenes: list[str]):
    for voted in (others, scenes):
        for votes in voted:
            answers = [RequirementAnswer(int(vote)) for vote in votes]
            assert kind_of_non_visual(answers, has_scene_mention=voted is scenes) is kind, votes


def test_votes_since_the_last_fruitless_drawing_are_unresolved():
    expected = {(): [], (3,): [0], (3, 1): [0, 1], (1, 0): [], (0, 1): [1], (1, 0, 3, 1): [2, 3], (0, 3, 0, 1): [3]}
    assert {votes: list(unresolved([RequirementAnswer(vote) for vote in votes])) for votes in expected} == expected


def test_a_tie_of_two_and_three_is_broken_by_a_mention_of_type_scene():
    assert started([PARK]).no_box(answers=(3, 2)).chain().non_visual == "scene"


def test_the_tally_is_read_before_a_question_is_opened():
    story = started([DOG], settings=Settings(no_box_votes=1)).judged((ASK, 1, 1), (DRAW, NONE_MISSING, 2))
    assert story.state() is ChainState.REQUIREMENT
    story = started([MAN], settings=Settings(no_box_votes=1)).judged((DRAW, NONE_MISSING, 2))
    assert (story.state(), story.asked()) == (ChainState.NON_VISUAL, [])


def test_a_box_goes_to_quality_as_it_was_drawn():
    story = started([MAN])
    entry, box = story.judge(DRAW, BOX, worker=3), story.progress.boxes[0]
    assert (box.box, box.state, box.worker, box.entry) == (Box(10, 10, 50, 50), BoxState.PENDING, 3, entry)
    assert story.asked() == [(JUDGE, [0, 0])]


def test_a_voided_box_is_no_fruitless_drawing():
    story = started([MAN], settings=Settings(fruitless_drawings=1))
    story.void(story.judge(DRAW, BOX, worker=1))
    assert story.state() is ChainState.DRAWING


def test_a_good_box_is_accepted_and_its_drawer_does_not_judge_the_visit():
    story = started([MAN]).judged((DRAW, BOX, 3))
    entry = story.judge(JUDGE, "good", worker=4)
    assert (story.progress.boxes[0].state, story.progress.boxes[0].accepted) == (BoxState.ACCEPTED, entry)
    assert story.asked() == [(COVER, [0])]
    assert story.question(COVER).barred == [3], "who judged the quality may judge the coverage"


ENDS = (ChainState.COMPLETE, ChainState.NON_VISUAL, ChainState.REVIEW)


def test_belief_goes_from_any_box_task_to_any_other_and_to_every_end():
    assert {new for state, _ in TRANSITIONS for new in AFTER.values()} == {*BOXING, *ENDS}
    assert all(step(state, verdict, TRANSITIONS) is after for state in BOXING for verdict, after in AFTER.items())


def test_the_box_tasks_are_those_of_the_paper():
    assert [TASK_OF_STATE[state] for state in BOXING] == [ASK, DRAW, JUDGE, COVER]


@pytest.mark.parametrize("state", ENDS)
def test_belief_moves_no_chain_that_rests(state: ChainState):
    with pytest.raises(IllegalStepError):
        step(state, box_policy.BoxVerdict.DRAW, TRANSITIONS)
