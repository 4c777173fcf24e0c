"""The tally of box requirement, and how judgments and fruitless drawings act on it."""

from annotation.rules.states import ChainState, NonVisual
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_requirement import Answer, Verdict, decide, kind_of_non_visual, unresolved
from pipeline.rules.tasks.task import Task
from tests.support.images import DOG, MAN, NONE_MISSING, PARK, started

ASK, B, N = None, Verdict.BOX, Verdict.NO_BOX
R = Task.BOX_REQUIREMENT


def test_box_wins_when_it_outnumbers_and_no_box_with_two_that_outnumber():
    for votes, verdict in [
        ([], ASK),
        ([1], B),
        ([2], ASK),
        ([3], ASK),
        ([0], ASK),
        ([2, 3], N),
        ([2, 2], N),
        ([0, 3], N),
        ([3, 1], ASK),
        ([1, 0], ASK),
        ([3, 1, 1], B),
        ([3, 1, 2], N),
        ([1, 0, 1], B),
        ([1, 0, 1, 0], ASK),
        ([1, 0, 1, 0, 3], N),
    ]:
        assert decide([Answer(vote) for vote in votes]) is verdict, votes


def test_a_project_can_want_more_votes_for_no_box():
    assert decide([Answer.NO_BOX] * 2, no_box_votes=3) is None
    assert decide([Answer.NO_BOX] * 3, no_box_votes=3) is N


def test_a_non_visual_chain_is_a_scene_by_votes_then_by_type():
    for votes, scene, kind in [
        ([2, 2], False, NonVisual.SCENE),
        ([3, 3], True, NonVisual.NO_BOX),
        ([2, 3], True, NonVisual.SCENE),
        ([2, 3], False, NonVisual.NO_BOX),
        ([0, 0], True, NonVisual.SCENE),
        ([0, 0], False, NonVisual.NO_BOX),
        ([0, 0, 2], False, NonVisual.SCENE),
        ([0, 0, 3], True, NonVisual.NO_BOX),
        ([3, 1, 2, 2], False, NonVisual.SCENE),
    ]:
        answers = [Answer(vote) for vote in votes]
        assert kind_of_non_visual(answers, has_scene_mention=scene) is kind, (votes, scene)


def test_votes_since_the_last_fruitless_drawing_are_unresolved():
    expected = {(): [], (3,): [0], (3, 1): [0, 1], (1, 0): [], (0, 1): [1], (1, 0, 3, 1): [2, 3]}
    assert {votes: list(unresolved([Answer(vote) for vote in votes])) for votes in expected} == expected


def test_a_first_vote_for_a_box_goes_straight_to_drawing():
    story = started([DOG])
    assert story.asked() == [(R, [0])]
    story.judge(R, 1, worker=5)
    assert story.asked() == [(Task.BOX_DRAWING, [0])]


def test_two_votes_for_no_box_make_a_scene_chain():
    story = started([DOG])
    story.judge(R, 2, worker=5)
    assert story.question(R).barred == [5]
    story.judge(R, 2, worker=6)
    assert (story.state(), story.chain().non_visual, story.asked()) == (ChainState.NON_VISUAL, "scene", [])


def test_a_tie_of_two_and_three_is_broken_by_a_mention_of_type_scene():
    story = started([PARK]).no_box(answers=(3, 2))
    assert story.chain().non_visual == "scene"


def test_one_tally_serves_the_whole_life_and_its_voters_are_not_asked_again():
    story = started([DOG])
    story.judge(R, 1, worker=5)
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=6)
    assert [(vote.worker, vote.answer) for vote in story.chain().requirement] == [(5, 1), (6, 0)]
    assert story.question(R).barred == [5, 6], "each gave the tally a vote"
    story.judge(R, 3, worker=7)
    assert (story.state(), story.chain().non_visual) == (ChainState.NON_VISUAL, "no box")


def test_a_chain_of_people_begins_in_drawing_with_an_empty_tally():
    story = started([MAN])
    assert story.asked() == [(Task.BOX_DRAWING, [0])]
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=6)
    assert (story.state(), story.question(R).barred) == (ChainState.REQUIREMENT, [6])


def test_none_missing_evens_the_tally_and_a_further_vote_decides():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=1)
    story.judge(R, 1, worker=2)
    assert story.state() is ChainState.REQUIREMENT, "1 : 1"
    story.judge(R, 1, worker=3)
    assert story.state() is ChainState.DRAWING, "2 : 1"
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=4)
    assert story.question(R).barred == [1, 2, 3, 4]


def test_the_tally_is_read_before_a_question_is_opened():
    story = started([DOG], settings=ProtocolSettings(no_box_votes=1))
    story.judge(R, 1, worker=1)
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=2)
    assert story.state() is ChainState.REQUIREMENT
    story = started([MAN], settings=ProtocolSettings(no_box_votes=1))
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=2)
    assert (story.state(), story.asked()) == (ChainState.NON_VISUAL, [])
