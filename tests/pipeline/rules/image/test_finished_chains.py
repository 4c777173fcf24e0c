"""A finished chain tells how many boxes it needed, and how good those of programs were."""

from dataclasses import replace
from functools import cache

from annotation.rules.states import ChainState
from pipeline.rules.boxing.program_trust import Judged, ProgramBox
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.finished_chains import finished_chains
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, Story, imported, started

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
