"""Answers under the belief policy: what they leave in the chain, and when they can be taken back."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.entries.belief_judgments import hear, take_heard
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.image.chain_steps import Act
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN, HeardAnswer
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import BOX_TASKS, SURVEY_TASKS, Task
from tests.support.images import BOX, NONE_MISSING, PARK, Story, started

ASK, DRAW, JUDGE, COVER = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
GUY, DOGS = ("people", "a man"), ("animals", "some dogs")
OTHER_BOX = {"box": [60, 60, 90, 90]}


def begun(mention: tuple[str, str], **changes: Any) -> Story:
    return started([mention], settings=ProtocolSettings(box_policy=BoxPolicy.BELIEF, **changes))


def waiting(**changes: Any) -> Story:
    """Make a chain whose only box, drawn by worker 1, waits for its quality judgment."""
    story = started([GUY], settings=ProtocolSettings(**changes))
    story.judge(DRAW, BOX, worker=1)
    story.settings = replace(story.settings, box_policy=BoxPolicy.BELIEF)
    return story


def test_an_answer_is_heard_with_its_worker_s_shift_and_opens_the_next_question():
    story = begun(DOGS)
    act, asked = Act(story.progress, story.settings, 9), story.question(DRAW)
    hear(act, asked, 4, BOX, 0.25)
    assert story.chain().heard == [HeardAnswer(9, 4, DRAW, 0, [], 0.25)]
    following = story.question(DRAW)
    assert following.number != asked.number, "it shows the box"
    hear(act, following, 5, NONE_MISSING)
    assert story.chain().heard[1] == HeardAnswer(9, 5, DRAW, NOTHING_DRAWN, [0], 0.0)


def test_only_answers_to_box_tasks_of_chains_in_work_can_be_taken_back():
    assert set(Task) - BOX_TASKS == {Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION, *SURVEY_TASKS}
    story = begun(PARK)
    entry = story.judge(ASK, 2, worker=1)
    act = Act(story.progress, story.settings, 9)
    assert take_heard(act, entry + 1) is None
    assert take_heard(act, entry) is not None and story.chain().heard[0].answer is None
    assert take_heard(act, entry) is None, "it was taken back before"


def test_a_question_is_closed_with_what_was_said():
    story = begun(GUY)
    story.judge(DRAW, BOX, worker=1)
    assert story.reasons("question") == ["box"]
    story = waiting()
    story.judge(JUDGE, "good", worker=2)
    assert story.reasons("question") == ["good"]


def test_a_judged_box_counts_for_its_drawer_and_one_that_nobody_judged_does_not():
    story, other = waiting(), begun(DOGS)
    story.judge(JUDGE, "good", worker=3)
    assert story.reasons("box") == ["judged good"]
    other.judge(DRAW, BOX, worker=1)
    assert other.reasons("box") == ["drawn", "kept as likely good"]


def test_an_answer_is_taken_back_and_its_voter_is_not_asked_again():
    story = begun(PARK, no_box_votes=3)
    first = story.judge(ASK, 3, worker=1)
    story.judge(ASK, 2, worker=2)
    number = story.question(ASK).number
    story.void(first)
    assert [one.answer for one in story.chain().heard] == [None, 2]
    assert (story.question(ASK).number, story.question(ASK).barred) == (number, [1, 2])


def test_a_drawing_is_taken_back_with_its_box_as_long_as_nobody_has_seen_it():
    story = begun(DOGS)
    drawing = story.judge(DRAW, BOX, worker=1)
    shown = story.question(DRAW).number
    story.void(drawing)
    assert story.boxes(BoxState.DISCARDED) == [0]
    assert shown not in story.progress.open, "it showed the box"
    assert 1 in story.question(DRAW).barred


def test_a_drawing_that_others_have_answered_about_stays():
    story = begun(DOGS)
    drawing = story.judge(DRAW, BOX, worker=1)
    story.judge(DRAW, OTHER_BOX, worker=2)
    with pytest.raises(CannotVoidError, match="something has followed"):
        story.void(drawing)


def test_an_answer_of_a_finished_chain_stays():
    story = begun(PARK)
    story.judge(ASK, 2, worker=1)
    last = story.judge(ASK, 2, worker=2)
    assert story.state() is ChainState.NON_VISUAL
    with pytest.raises(CannotVoidError):
        story.void(last)


def test_a_judgment_that_dropped_a_box_stays():
    story = waiting()
    question = story.question(JUDGE)
    data = {"question": question.number, "worker": 2, "answer": "bad", "shift": -3.0}
    judgment = story.add(EntryKind.JUDGMENT, data)
    assert story.boxes(BoxState.DISCARDED) == [0] and story.reasons("box") == ["judged bad"]
    with pytest.raises(CannotVoidError):
        story.void(judgment)


def test_an_answer_that_is_taken_back_weighs_nothing():
    story, other = begun(PARK), begun(PARK)
    story.void(story.judge(ASK, 3, worker=1))
    for one in (story, other):
        one.judge(ASK, 3, worker=2)
        one.judge(ASK, 3, worker=3)
    assert story.chain().box_confidence == other.chain().box_confidence


def test_an_expert_who_sends_a_chain_on_vouches_for_its_boxes_and_clears_the_rest():
    story = begun(DOGS)
    story.judge(DRAW, BOX, worker=1)
    story.expert("review", chain=0)
    story.expert("send", chain=0, to="coverage")
    assert {one.worker for one in story.chain().heard} == {None}
    story.judge(COVER, "all there", worker=2)
    story.judge(COVER, "all there", worker=3)
    assert story.state() is ChainState.COMPLETE
    assert (story.progress.boxes[0].confidence or 0) > 0.99


def test_an_expert_takes_the_chances_of_a_finished_chain_away():
    story = begun(PARK)
    story.judge(ASK, 2, worker=1)
    story.judge(ASK, 2, worker=2)
    story.expert("review", chain=0)
    assert story.chain().box_confidence is None
