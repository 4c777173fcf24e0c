"""The steps of a chain under the belief policy."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.belief_steps import follows_belief, go_on, to_boxes
from pipeline.rules.image.chain_steps import Act
from pipeline.rules.image.who_may_answer import drawer_judged
from pipeline.rules.progress.heard_answer import HeardAnswer
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks import coreference_link
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, NONE_MISSING, PARK, Story, imported, started

ASK, DRAW, JUDGE, COVER = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE
BELIEF = ProtocolSettings(box_policy=BoxPolicy.BELIEF)
GUY, DOGS, THING = ("people", "a man"), ("animals", "some dogs"), ("other", "a thing")
OTHER_BOX = {"box": [60, 60, 90, 90]}
PROGRAM = 40


def begun(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions), settings=replace(BELIEF, **changes))


def answered(story: Story, answers: dict[Task, Any], most: int = 30) -> Story:
    """Answer the one open question over and over, each time by another worker, until none is open."""
    for worker in range(1, most):
        if not story.progress.open:
            return story
        (question,) = story.progress.open.values()
        story.judge(question.task, answers[question.task], worker)
    raise AssertionError(f"it does not end: {story.asked()}")


def test_a_chain_goes_where_its_answers_lead_and_keeps_a_question_that_is_asked_again():
    story = begun(PARK)
    act, chain, asked = Act(story.progress, story.settings, 9), story.chain(), story.question(ASK).number
    chain.heard = [HeardAnswer(8, 1, ASK, 2, [])]
    go_on(act, chain)
    assert (story.question(ASK).number, story.question(ASK).barred) == (asked, [1])
    chain.heard.append(HeardAnswer(9, 2, ASK, 2, []))
    go_on(act, chain)
    assert (story.state(), chain.non_visual, story.asked()) == (ChainState.NON_VISUAL, "scene", [])


@pytest.mark.parametrize(
    ("policy", "state"), [(BoxPolicy.PAPER, ChainState.REQUIREMENT), (BoxPolicy.BELIEF, ChainState.DRAWING)]
)
def test_only_under_belief_a_chain_begins_with_what_its_words_say(policy: BoxPolicy, state: ChainState):
    story = started([GUY], [GUY], settings=replace(BELIEF, box_policy=policy))
    act = Act(story.progress, story.settings, 9)
    assert follows_belief(act) == (policy is BoxPolicy.BELIEF)
    to_boxes(act, story.chain(), coreference_link.Verdict.ASK)
    assert story.state() is state


def test_a_chain_that_surely_has_a_box_begins_with_drawing_and_one_that_may_have_none_with_the_question():
    assert begun(GUY).asked() == [(DRAW, [0])]
    assert begun(PARK).asked() == [(ASK, [0])]


def test_a_drawn_box_is_kept_and_shown_while_its_quality_is_not_asked():
    story = begun(DOGS)
    story.judge(DRAW, BOX, worker=1)
    assert story.boxes(BoxState.ACCEPTED) == [0]
    assert story.asked() == [(DRAW, [0])], "some dogs are more than one"


def test_a_box_whose_quality_is_asked_waits_and_is_accepted_again_with_its_first_place():
    story = begun(DOGS, box_sure=0.97)
    story.judge(DRAW, BOX, worker=1)
    accepted = story.progress.boxes[0].accepted
    while story.state() is not ChainState.QUALITY:
        (question,) = story.progress.open.values()
        story.judge(question.task, {DRAW: OTHER_BOX, COVER: "all there"}[question.task], 10 + story.progress.sequence)
    judged = story.question(JUDGE).subject[1]
    assert story.boxes(BoxState.PENDING) == [judged]
    story.judge(JUDGE, "good", worker=5)
    assert judged in story.boxes(BoxState.ACCEPTED)
    assert story.progress.boxes[0].accepted == accepted


def test_a_box_that_is_likely_bad_is_dropped_for_good():
    story = begun(GUY, box_sure=0.99)
    story.judge(DRAW, BOX, worker=1)
    worker = 2
    while 0 not in story.boxes(BoxState.DISCARDED):
        (question,) = story.progress.open.values()
        story.judge(question.task, {DRAW: OTHER_BOX, JUDGE: "bad", COVER: "more needed"}[question.task], worker)
        worker += 1
    answered(story, {DRAW: OTHER_BOX, JUDGE: "good", COVER: "all there", ASK: 1})
    assert 0 in story.boxes(BoxState.DISCARDED)


def test_a_finished_chain_keeps_how_sure_its_boxes_are():
    story = answered(begun(GUY), {DRAW: BOX, JUDGE: "good", COVER: "all there"})
    chain = story.chain()
    assert story.state() is ChainState.COMPLETE
    assert chain.box_confidence is not None and 0.9 <= chain.box_confidence <= 1
    (box,) = story.progress.accepted(0)
    assert box.confidence is not None and chain.box_confidence <= box.confidence <= 1


def test_a_chain_without_a_box_is_non_visual_with_its_kind_and_its_chance():
    story = answered(begun(PARK), {ASK: 2, DRAW: NONE_MISSING})
    assert (story.state(), story.chain().non_visual) == (ChainState.NON_VISUAL, "scene")
    assert story.chain().box_confidence is not None


def test_no_worker_alone_makes_a_chain_non_visual_however_likely_it_is():
    story = begun(PARK, box_sure=0.5)
    story.judge(ASK, 2, worker=1)
    assert story.state() is ChainState.REQUIREMENT, "the prior and one vote are beyond the limit"
    assert story.question(ASK).barred == [1]
    story.judge(ASK, 2, worker=2)
    assert story.state() is ChainState.NON_VISUAL


def test_a_higher_limit_asks_more():
    def judgments(sure: float) -> int:
        return answered(begun(GUY, box_sure=sure), {DRAW: BOX, JUDGE: "good", COVER: "all there"}).progress.sequence

    assert judgments(0.6) < judgments(0.99)


def test_a_chain_whose_answers_never_settle_goes_to_review_and_keeps_its_boxes():
    story = begun(GUY, box_sure=0.99)
    story.judge(DRAW, BOX, worker=1)
    for worker in range(2, 30):
        if story.progress.open:
            (question,) = story.progress.open.values()
            judged, covers = ("good", "bad")[worker % 2], ("more needed", "all there")[worker % 3 == 1]
            story.judge(question.task, {DRAW: NONE_MISSING, JUDGE: judged, COVER: covers}[question.task], worker)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "cycling")
    assert story.boxes(BoxState.ACCEPTED) and not story.boxes(BoxState.PENDING)


def test_a_question_that_is_asked_once_more_stays_open_and_bars_who_has_answered():
    story = begun(PARK)
    number = story.question(ASK).number
    story.judge(ASK, 3, worker=3)
    assert (story.question(ASK).number, story.question(ASK).barred) == (number, [3])


def test_who_drew_last_does_not_judge_coverage_unless_the_crew_is_small():
    story = begun(GUY, box_sure=0.95)
    story.judge(DRAW, BOX, worker=1)
    assert story.question(COVER).barred == [1]
    small = begun(GUY, box_sure=0.99, drawer_judges_coverage=True)
    small.judge(DRAW, BOX, worker=1)
    assert small.question(COVER).barred == []
    small.judge(COVER, "all there", worker=1)
    assert small.question(COVER).barred == [1], "once"
    assert drawer_judged(small.chain()) and not drawer_judged(story.chain())


def test_a_programs_box_is_taken_where_it_saves_work_and_no_chain_is_complete_without_a_persons_word():
    story = begun(GUY, proposals=True, box_sure=0.5)
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
    assert story.asked() == [(JUDGE, [0, 0])]
    assert story.progress.boxes[0].proposed
    story.judge(JUDGE, "good", worker=1)
    assert story.state() is ChainState.COMPLETE


def known(program: int, good: float, bad: float) -> dict[str, Any]:
    record = {"good": [0.0] * 5 + [good], "bad": [0.0] * 5 + [bad]}
    return {"programs": {str(program): record}}


def test_the_box_of_the_most_trusted_program_is_taken_and_a_bad_program_is_set_aside():
    story = begun(GUY, proposals=True, box_prior=known(PROGRAM, 1.0, 30.0))
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[0, 60, 60, 90, 90]], "lent": []})
    assert story.asked() == [(DRAW, [0])]
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM + 1, "boxes": [[0, 10, 10, 50, 50]], "lent": []})
    assert [box.worker for box in story.progress.boxes.values()] == [PROGRAM + 1]
    assert [one.worker for one in story.progress.proposals] == [PROGRAM]


def test_a_chain_without_a_box_of_a_program_that_is_mostly_right_is_asked_whether_it_needs_one():
    """Programs that find what there is tell by silence; with proposals off their silence is not heard."""
    numbers = ((100, 0, 0, 0), (0, 900, 0, 0), (0, 0, 50, 0), (0, 0, 0, 50))
    record = {"good": [0.0] * 6, "bad": [0.0] * 6, "numbers": numbers}
    asked = []
    for on in (True, False):
        settings = replace(BELIEF, proposals=on, box_prior={"programs": {str(PROGRAM): record}})
        story = imported([GUY, THING], settings=settings)
        story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[1, 10, 10, 50, 50]], "lent": []})
        story.add(EntryKind.START)
        asked.append(story.asked()[0])
    assert asked == [(ASK, [0]), (DRAW, [0])]


def test_a_proposal_waits_while_the_drawing_question_is_on_loan():
    story = begun(GUY, proposals=True)
    number = story.question(DRAW).number
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[0, 10, 10, 50, 50]], "lent": [number]})
    assert story.question(DRAW).number == number


@pytest.mark.parametrize("shift", [-3.0, 3.0])
def test_the_word_of_a_careful_worker_weighs_more(shift: float):
    story = begun(GUY, box_sure=0.9)
    number = story.question(DRAW).number
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": 1, "answer": BOX, "shift": shift})
    assert (story.state() is ChainState.COMPLETE) == (shift < 0)
    assert story.chain().heard[0].shift == shift
