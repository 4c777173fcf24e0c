"""A change of the box policy reaches a chain in each state that it can be in."""

from dataclasses import replace
from itertools import permutations
from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.image.change_box_policy import given_by_expert, to_belief, to_paper
from pipeline.rules.image.who_may_answer import barred_from
from pipeline.rules.progress.heard_answer import EXPERT_SHIFT, EXPERT_TRUST, NOTHING_DRAWN, HeardAnswer
from pipeline.rules.progress.progress import Vote
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, started
from tests.support.legal import assert_legal

ASK, DRAW, JUDGE, COVER = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
OTHER_BOX = {"box": [60, 60, 90, 90]}
DOGS = ("animals", "some dogs")


def begun(mention: tuple[str, str], policy: BoxPolicy, **changes: Any) -> Story:
    return started([mention], settings=ProtocolSettings(box_policy=policy, **changes))


def changed(story: Story, policy: BoxPolicy) -> Story:
    story.settings = replace(story.settings, box_policy=policy)
    return story


def heard(story: Story) -> list[tuple[Task, Any, int | None, list[int]]]:
    return [(one.task, one.answer, one.worker, one.boxes) for one in story.chain().heard]


def finished(story: Story) -> Story:
    """Answer as if every box were good and none missing once there is one, each time as another worker."""
    answers: dict[Task, Any] = {ASK: 1, JUDGE: "good", COVER: "all there"}
    for worker in range(50, 70):
        for question in list(story.progress.open.values()):
            drawing = NONE_MISSING if story.progress.accepted(0) else OTHER_BOX
            story.judge(question.task, answers.get(question.task, drawing), worker)
            assert_legal(story.progress)
    assert not story.progress.open
    return story


# --- From paper to belief ---


def test_until_the_next_answer_nothing_changes():
    story = begun(DOG, BoxPolicy.PAPER)
    story.judge(ASK, 3, worker=1)
    before = story.asked()
    changed(story, BoxPolicy.BELIEF)
    story.report("mention", 0, worker=2)
    assert story.asked() == before and not story.chain().heard and story.chain().requirement


def test_in_requirement_the_votes_of_the_tally_count_on():
    story = begun(PARK, BoxPolicy.PAPER)
    story.judge(ASK, 3, worker=1)
    changed(story, BoxPolicy.BELIEF).judge(ASK, 2, worker=2)
    assert heard(story) == [(ASK, 3, 1, []), (ASK, 2, 2, [])]
    assert story.chain().requirement == []
    assert story.state() is ChainState.NON_VISUAL


def test_in_drawing_who_found_none_missing_before_has_voted():
    story = begun(MAN, BoxPolicy.PAPER, no_box_votes=3)
    story.judge(DRAW, NONE_MISSING, worker=1)
    changed(story, BoxPolicy.BELIEF).judge(ASK, 3, worker=2)
    assert heard(story) == [(DRAW, NOTHING_DRAWN, 1, []), (ASK, 3, 2, [])]
    (question,) = story.progress.open.values()
    assert {1, 2} <= set(question.barred)


def test_in_quality_the_box_that_waits_is_judged_as_it_was_drawn():
    story = begun(MAN, BoxPolicy.PAPER)
    story.judge(DRAW, BOX, worker=1)
    changed(story, BoxPolicy.BELIEF).judge(JUDGE, "good", worker=2)
    assert heard(story) == [(DRAW, 0, 1, []), (JUDGE, "good", 2, [0])]
    assert story.boxes(BoxState.ACCEPTED) == [0]
    finished(story)


def test_in_coverage_the_accepted_box_counts_as_drawn_and_judged_good_and_the_votes_of_the_visit_count():
    story = begun(MAN, BoxPolicy.PAPER)
    story.draw_accepted(worker=1, judge=2)
    story.judge(COVER, "all there", worker=3)
    changed(story, BoxPolicy.BELIEF).judge(COVER, "all there", worker=4)
    assert heard(story) == [
        (DRAW, 0, 1, []),
        (JUDGE, "good", None, [0]),
        (COVER, "all there", 3, [0]),
        (COVER, "all there", 4, [0]),
    ]
    assert story.state() is ChainState.COMPLETE


def test_in_drawing_again_judges_of_the_same_boxes_stay_barred_and_their_votes_count():
    story = begun(DOGS, BoxPolicy.PAPER, drawn_at_once=("animals",), box_sure=0.999)
    story.draw_accepted(worker=1, judge=2)
    story.judge(COVER, "more needed", worker=3)
    story.judge(DRAW, NONE_MISSING, worker=4)
    story.judge(COVER, "more needed", worker=5)
    changed(story, BoxPolicy.BELIEF).judge(DRAW, NONE_MISSING, worker=6)
    assert (COVER, "more needed", 5, [0]) in heard(story)
    assert (COVER, None, 3, [0]) in heard(story), "what worker 3 said is forgotten, that they said it is not"
    assert {3, 4, 5, 6} <= set(barred_from(story.progress, COVER, [0]))


def test_an_experts_box_counts_as_surely_good():
    story = begun(MAN, BoxPolicy.PAPER)
    story.expert("draw", chain=0, box=[10, 10, 50, 50])
    story.expert("send", chain=0, to="coverage")
    changed(story, BoxPolicy.BELIEF).judge(COVER, "all there", worker=1)
    assert story.state() is ChainState.COMPLETE
    assert (story.progress.boxes[0].confidence or 0) > 0.99


# --- From belief to paper ---


def test_in_requirement_the_votes_are_a_tally_again():
    story = begun(PARK, BoxPolicy.BELIEF, no_box_votes=3)
    story.judge(ASK, 3, worker=1)
    changed(story, BoxPolicy.PAPER).judge(ASK, 3, worker=2)
    assert [vote.worker for vote in story.chain().requirement] == [1, 2]
    assert story.chain().heard == []
    assert (story.state(), story.question(ASK).barred) == (ChainState.REQUIREMENT, [1, 2])


def test_in_drawing_the_boxes_that_are_shown_stay_accepted():
    story = begun(DOGS, BoxPolicy.BELIEF)
    story.judge(DRAW, BOX, worker=1)
    assert story.state() is ChainState.DRAWING
    changed(story, BoxPolicy.PAPER).judge(DRAW, OTHER_BOX, worker=2)
    assert (story.boxes(BoxState.ACCEPTED), story.boxes(BoxState.PENDING)) == ([0], [1])
    assert story.state() is ChainState.QUALITY
    finished(story)


def test_in_quality_the_answer_settles_a_box_that_was_shown_before():
    story = begun(DOGS, BoxPolicy.BELIEF, box_sure=0.97)
    worker = 0
    while story.state() is not ChainState.QUALITY:
        worker += 1
        (question,) = story.progress.open.values()
        story.judge(question.task, {ASK: 1, DRAW: BOX, COVER: "all there"}[question.task], worker)
    number = story.question(JUDGE).subject[1]
    changed(story, BoxPolicy.PAPER).judge(JUDGE, "bad", worker=30)
    assert number in story.boxes(BoxState.DISCARDED)
    assert story.state() is ChainState.DRAWING
    assert_legal(story.progress)


def test_in_coverage_votes_on_the_same_boxes_are_the_visits():
    story = begun(MAN, BoxPolicy.BELIEF, box_sure=0.99)
    story.judge(DRAW, BOX, worker=1)
    worker = 1
    while [one.task for one in story.chain().heard].count(COVER) < 1:
        worker += 1
        (question,) = story.progress.open.values()
        story.judge(question.task, {JUDGE: "good", COVER: "all there"}[question.task], worker)
    while story.state() is not ChainState.COVERAGE:
        worker += 1
        (question,) = story.progress.open.values()
        story.judge(question.task, {JUDGE: "good"}[question.task], worker)
    changed(story, BoxPolicy.PAPER).judge(COVER, "all there", worker=30)
    assert [vote.answer for vote in story.chain().coverage] == ["all there"] * 2
    assert story.state() is ChainState.COMPLETE


def test_a_chain_ends_whenever_the_policy_changes():
    given: dict[Task, Any] = {ASK: 1, DRAW: BOX, JUDGE: "good", COVER: "more needed"}
    for policy, other in permutations(BoxPolicy):
        story = begun(DOGS, policy)
        for answers in range(8):
            ended = finished(changed(replace(story, record=[*story.record]), other)).state()
            assert ended in (ChainState.COMPLETE, ChainState.REVIEW), f"{policy}, {answers} answers"
            for question in list(story.progress.open.values()):
                story.judge(question.task, given[question.task], answers + 1)


def test_a_finished_chain_stays_finished_under_the_other_policy():
    story = finished(begun(MAN, BoxPolicy.BELIEF))
    sure = story.chain().box_confidence
    changed(story, BoxPolicy.PAPER).report("mention", 0, worker=2)
    assert (story.state(), story.chain().box_confidence) == (ChainState.COMPLETE, sure)


# --- There and back ---


def test_what_the_paper_keeps_of_a_chain_comes_back_from_belief_as_it_was():
    story = begun(MAN, BoxPolicy.PAPER)
    story.draw_accepted(worker=1, judge=2)
    story.judge(COVER, "all there", worker=3)
    progress, chain = story.progress, story.chain()
    to_belief(progress, chain, DEFAULT)
    assert chain.coverage == [] and len(chain.heard) == 3
    before = list(chain.heard)
    to_belief(progress, chain, DEFAULT)
    assert chain.heard == before, "what is belief's already stays"
    to_paper(progress, chain)
    assert (chain.heard, chain.coverage) == ([], [Vote(4, 3, "all there")])
    assert (chain.visit_drawer, chain.fruitless, chain.found_none) == (1, 0, [])


def test_an_expert_s_word_is_that_of_a_sure_drawer_and_a_sure_judge_of_each_accepted_box():
    story = begun(DOGS, BoxPolicy.BELIEF)
    story.judge(DRAW, BOX, worker=1)
    story.judge(DRAW, OTHER_BOX, worker=2)
    assert given_by_expert(story.progress, story.chain(), 9) == [
        HeardAnswer(9, None, DRAW, 0, [], trust=EXPERT_TRUST),
        HeardAnswer(9, None, JUDGE, "good", [0], EXPERT_SHIFT),
        HeardAnswer(9, None, DRAW, 1, [0], trust=EXPERT_TRUST),
        HeardAnswer(9, None, JUDGE, "good", [1], EXPERT_SHIFT),
    ]


def test_a_juror_has_no_vote_in_the_tallies_of_the_papers_loop():
    story = begun(DOG, BoxPolicy.BELIEF, jurors=(70,))
    story.judge(ASK, 1, 70)
    story.judge(DRAW, BOX, 1)
    story.judge(JUDGE, "good", 70)
    story.judge(COVER, "all there", 70)
    story.expert("send", chain=0, to="coverage")
    to_paper(story.progress, story.chain())
    assert (story.chain().requirement, story.chain().coverage) == ([], [])
