"""The evidence of a chain, as the belief weighs it."""

from annotation.rules.states import BoxState
from pipeline.rules.boxing.box_belief import BoxAnswer, believe
from pipeline.rules.boxing.box_prior import DEFAULT
from pipeline.rules.boxing.count_prior import counts_of
from pipeline.rules.image.box_evidence import box_evidence, requirement_tally, shown_boxes
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN, HeardAnswer
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, Story, started

ASK, DRAW, JUDGE, COVER = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
OTHER_BOX = {"box": [60, 60, 90, 90]}


def dogs() -> Story:
    story = started([("animals", "some dogs")], settings=ProtocolSettings(box_policy=BoxPolicy.BELIEF))
    story.judge(DRAW, BOX, worker=1)
    story.judge(DRAW, OTHER_BOX, worker=2)
    return story


def test_the_number_of_boxes_is_expected_by_the_types_and_the_phrase_that_workers_see():
    story = dogs()
    evidence = box_evidence(story.progress, story.chain(), DEFAULT, {})
    assert evidence.counts == counts_of(frozenset({"animals"}), ("some", "dogs"), "dogs", DEFAULT)


def test_each_answer_counts_with_the_boxes_that_its_worker_saw():
    story = dogs()
    assert box_evidence(story.progress, story.chain(), DEFAULT, {}).answers == (
        BoxAnswer(DRAW, None, 0.0, 0, ()),
        BoxAnswer(DRAW, None, 0.0, 1, (0,)),
    )


def test_an_answer_that_was_taken_back_does_not_count():
    story = dogs()
    chain = story.chain()
    chain.heard[1] = chain.heard[1]._replace(answer=None)
    assert len(box_evidence(story.progress, chain, DEFAULT, {}).answers) == 1


def test_a_box_that_was_dropped_is_shown_no_more_whatever_the_answers_say():
    story = dogs()
    story.progress.boxes[0].state = BoxState.DISCARDED
    evidence = box_evidence(story.progress, story.chain(), DEFAULT, {})
    assert evidence.dropped == (0,)
    assert believe(evidence).shown == (1,) == tuple(shown_boxes(story.progress, story.chain()))


def test_the_tally_holds_votes_on_requirement_and_of_those_who_found_none_missing_beside_none():
    chain = dogs().chain()
    chain.heard = [
        HeardAnswer(3, 1, ASK, 2, []),
        HeardAnswer(4, 2, DRAW, NOTHING_DRAWN, []),
        HeardAnswer(5, 3, ASK, None, []),
        HeardAnswer(6, 4, DRAW, NOTHING_DRAWN, [0]),
        HeardAnswer(7, 5, DRAW, 1, []),
    ]
    assert [(vote.entry, vote.worker, vote.answer) for vote in requirement_tally(chain)] == [(3, 1, 2), (4, 2, 0)]
