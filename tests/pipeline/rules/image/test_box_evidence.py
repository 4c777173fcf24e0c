"""The evidence of a chain, as the belief weighs it."""

from dataclasses import replace
from functools import cache

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.boxing.belief.box_belief import BoxAnswer, believe
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.boxing.prior.count_prior import counts_of
from pipeline.rules.boxing.prior.program_trust import Judged, ProgramBox
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.box_evidence import box_evidence, finished_chains, requirement_tally, shown_boxes
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN, HeardAnswer
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, Story, imported, started

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


MODEL = 50
ANSWERS = {Task.BOX_DRAWING: BOX, Task.BOX_QUALITY: "good", Task.BOX_COVERAGE: "all there", Task.BOX_REQUIREMENT: 1}


def proposed(policy: BoxPolicy, *score: int) -> Story:
    """A man whose box a program has drawn, badly."""
    story = imported([MAN], settings=ProtocolSettings(box_policy=policy, proposals=True, coverage_votes=1))
    story.add(EntryKind.PROPOSE, {"worker": MODEL, "boxes": [[0, 60, 60, 90, 90, *score]], "lent": []})
    story.add(EntryKind.START)
    return story


def finish(story: Story) -> None:
    while story.progress.open:
        answer_next(story)


def answer_next(story: Story) -> None:
    (question,) = story.progress.open.values()
    bad = question.task is Task.BOX_QUALITY and question.subject[1] == 0
    story.judge(question.task, "bad" if bad else ANSWERS[question.task], 10 + story.progress.sequence)


@cache
def finished(policy: BoxPolicy, *score: int) -> Story:
    """The story of `proposed` at its end, to read only."""
    story = proposed(policy, *score)
    finish(story)
    return story


def test_a_chain_that_is_not_finished_tells_nothing():
    assert finished_chains(started([MAN], [DOG]).progress) == []


def test_a_finished_chain_tells_its_phrase_and_how_many_boxes_it_has():
    story = finished(BoxPolicy.BELIEF)
    assert story.state() is ChainState.COMPLETE
    (chain,) = finished_chains(story.progress)
    assert (chain.types, chain.words, chain.head) == (frozenset({"people"}), ("a", "man"), "man")
    assert len(chain.kept) == 1
    assert chain.proposed == {str(MODEL): 1}


def test_a_box_of_a_program_comes_with_all_that_was_said_of_it_under_belief():
    story = finished(BoxPolicy.BELIEF)
    ((box,),) = [chain.programs for chain in finished_chains(story.progress)]
    said = [one for one in story.chain().heard if one.task is Task.BOX_QUALITY and one.boxes == [0]]
    assert box == ProgramBox(str(MODEL), None, (Judged(False),) * len(said)) and said


def test_all_answers_about_a_chain_come_in_their_order_under_belief():
    story = finished(BoxPolicy.BELIEF)
    (chain,) = finished_chains(story.progress)
    assert [one.task for one in chain.heard] == [one.task for one in story.chain().heard]
    assert chain.heard[0].trust is not None


def test_a_chain_that_the_paper_s_loop_has_begun_comes_without_answers_as_its_bad_boxes_were_forgotten():
    story = proposed(BoxPolicy.PAPER)
    while story.state() is not ChainState.COVERAGE:
        answer_next(story)
    story.settings = replace(story.settings, box_policy=BoxPolicy.BELIEF)
    finish(story)
    (chain,) = finished_chains(story.progress)
    assert story.chain().heard and chain.heard == ()


def test_a_score_comes_as_a_share():
    for policy in BoxPolicy:
        chains = finished_chains(finished(policy, 85).progress)
        assert [box.score for chain in chains for box in chain.programs] == [0.85], policy


def test_under_the_paper_s_loop_one_worker_has_settled_it():
    assert [chain.programs for chain in finished_chains(finished(BoxPolicy.PAPER).progress)] == [
        (ProgramBox(str(MODEL), None, (Judged(False),)),)
    ]


def test_a_chain_that_was_finished_before_any_box_question_is_left_out():
    story = proposed(BoxPolicy.BELIEF)
    finish(story)
    story.chain().representative = -1
    assert finished_chains(story.progress) == []
