"""The steps of a chain under the belief policy.
The evidence of a chain, as the belief weighs it.
A box that is likely loose is drawn once more by somebody who does not see it, and is made of both drawings.
"""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from annotation.rules.box import Box, Drawing
from annotation.rules.states import BoxState, ChainState
from belief.boxes.box_answers import BoxCoverage, BoxQuality, BoxReply, BoxRequirement, BoxTask
from belief.boxes.box_belief import BoxAnswer, believe_boxes
from belief.boxes.box_prior import DEFAULT, counts_of
from belief.boxes.proposers import ProgramBox, QualityAnswer
from pipeline.policies.belief_boxes import BeliefBoxes, fused
from pipeline.policies.box_evidence import answers_of, box_evidence, finished_chains, requirement_tally, shown_boxes
from pipeline.policies.box_policy import BELIEVED, reply_of
from pipeline.policies.compose import compose
from pipeline.policies.models import trust_in
from pipeline.protocol.boxes.paper_loop import PaperLoop
from pipeline.protocol.boxes.pre_annotations import predicted_numbers
from pipeline.protocol.boxes.tallies import drawer_judged, requirement_answer
from pipeline.protocol.image.judgments import drawings_of
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import NOTHING_DRAWN, ChainAnswer
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.state.rows import question_view
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from tests.pipeline.policies.test_reference_set import noted_evidence
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, imported, started
from tests.support.settings_with import settings_with
from tests.support.table import case, row
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, VERIFY

ANSWERS = {DRAW: BOX, JUDGE: "good", COVER: "all there", ASK: 1}
MODEL = 50
BELIEF = Settings(box_policy=BoxPolicyName.BELIEF)
GUY, DOGS, THING = ("people", "a man"), ("animals", "some dogs"), ("other", "a thing")
OTHER_BOX = {"box": [60, 60, 90, 90]}
PROGRAM = 40
NUMBERS = ((100, 0, 0, 0), (0, 900, 0, 0), (0, 0, 50, 0), (0, 0, 0, 50))
"""The numbers of boxes that chains had, by the number that a program, mostly right, had proposed."""


def begun(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions), settings=settings_with(BELIEF, **changes))


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
    asked = story.question(ASK).number
    story.judge(ASK, 2, worker=1)
    assert (story.question(ASK).number, story.question(ASK).barred) == (asked, [1])
    story.judge(ASK, 2, worker=2)
    assert (story.state(), story.chain().non_visual, story.asked()) == (ChainState.NON_VISUAL, "scene", [])
    assert story.chain().box_confidence is not None


@row(BoxPolicyName.PAPER, ChainState.REQUIREMENT)
@row(BoxPolicyName.BELIEF, ChainState.DRAWING)
def test_only_under_belief_a_chain_begins_with_what_its_words_say(policy: BoxPolicyName, state: ChainState):
    story = started([GUY], settings=replace(BELIEF, box_policy=policy, drawn_at_once=()))
    assert story.state() is state
    assert begun(GUY).asked() == [(DRAW, [0])], "it surely has a box"
    assert begun(PARK).asked() == [(ASK, [0])], "it may have none"


def test_a_drawn_box_is_kept_and_shown_while_its_quality_is_not_asked():
    story = begun(DOGS).judged((DRAW, BOX, 1))
    assert story.boxes(BoxState.ACCEPTED) == [0]
    assert story.asked() == [(DRAW, [0])], "some dogs are more than one"


def test_a_box_whose_quality_is_asked_waits_and_is_accepted_again_with_its_first_place():
    story = begun(DOGS, box_sure=0.97).judged((DRAW, BOX, 1))
    accepted = story.progress.boxes[0].accepted
    while story.state() is not ChainState.QUALITY:
        (question,) = story.progress.open.values()
        story.judge(question.task, {DRAW: OTHER_BOX, COVER: "all there"}[question.task], 10 + story.progress.sequence)
    judged = story.question(JUDGE).subject[1]
    assert story.boxes(BoxState.PENDING) == [judged]
    story.judge(JUDGE, "good", worker=5)
    assert judged in story.boxes(BoxState.ACCEPTED)
    assert story.progress.boxes[0].accepted == accepted


def test_a_finished_chain_keeps_how_sure_its_boxes_are_and_a_higher_limit_asks_more():
    story, hasty, careful = (
        answered(begun(GUY, **sure), ANSWERS) for sure in ({}, {"box_sure": 0.6}, {"box_sure": 0.99})
    )
    chain = story.chain()
    assert story.state() is ChainState.COMPLETE
    assert chain.box_confidence is not None and 0.9 <= chain.box_confidence <= 1
    (box,) = story.progress.accepted(0)
    assert box.confidence is not None and chain.box_confidence <= box.confidence <= 1
    assert hasty.progress.sequence < careful.progress.sequence


def test_no_worker_alone_makes_a_chain_non_visual_however_likely_it_is():
    story = begun(PARK, box_sure=0.5).judged((ASK, 2, 1))
    assert story.state() is ChainState.REQUIREMENT, "the prior and one vote are beyond the limit"
    assert story.question(ASK).barred == [1]
    assert story.judged((ASK, 2, 2)).state() is ChainState.NON_VISUAL


def test_a_chain_whose_answers_never_settle_goes_to_review_and_keeps_its_boxes():
    story = begun(GUY, box_sure=0.99).judged((DRAW, BOX, 1))
    for worker in range(2, 30):
        if story.progress.open:
            (question,) = story.progress.open.values()
            judged, covers = ("good", "bad")[worker % 2], ("more needed", "all there")[worker % 3 == 1]
            story.judge(question.task, {DRAW: NONE_MISSING, JUDGE: judged, COVER: covers}[question.task], worker)
    assert (story.state(), story.chain().review) == (ChainState.REVIEW, "cycling")
    assert story.boxes(BoxState.ACCEPTED) and not story.boxes(BoxState.PENDING)


IN_DOUBT = [(DRAW, BOX, 1), (COVER, "more needed", 2), (DRAW, NONE_MISSING, 3)]


def test_the_record_says_which_box_nobody_was_left_to_judge():
    story = begun(GUY, box_sure=0.99).judged(*IN_DOUBT)
    said = ("bad", "good") * 5
    story.chain().answers += [ChainAnswer(0, 10 + place, JUDGE, one, [0]) for place, one in enumerate(said)]
    story.judge(COVER, "all there", worker=4)
    assert story.reasons("box") == ["judged once more", "kept as likely good"]
    assert (story.state(), story.boxes(BoxState.ACCEPTED)) == (ChainState.REVIEW, [0])


def test_a_box_in_doubt_that_labels_taken_back_do_not_have_is_discarded_and_who_judged_it_has_answered():
    story, other = (begun(GUY, box_sure=0.99).judged(*IN_DOUBT, (COVER, "all there", 4)) for _ in range(2))
    assert story.boxes(BoxState.PENDING) == [0]
    story.expert("take back", labels=[[[0], [[60, 60, 90, 90]], ""]], was=[[[0], [BOX["box"]], ""]])
    assert (story.boxes(BoxState.DISCARDED), story.boxes(BoxState.ACCEPTED)) == ([0], [1])
    other.judged((JUDGE, "good", 5)).expert("ask others", chain=0, to="coverage")
    assert other.question(COVER).barred == [1, 2, 3, 4, 5]


def test_the_word_of_an_expert_is_weighed_once_by_the_trust_in_a_box_and_by_its_judgment():
    story = begun(GUY).judged((DRAW, BOX, 1)).by_expert("send", chain=0, to="coverage")
    drawn, judged = box_evidence(story.progress, story.chain(), DEFAULT, {}).answers
    assert (drawn.trust, drawn.skill, judged.trust, judged.skill) == (0.99, 0.0, None, -6.0)


def test_who_drew_last_does_not_judge_coverage_unless_the_crew_is_small():
    story = begun(GUY, box_sure=0.95).judged((DRAW, BOX, 1))
    assert story.question(COVER).barred == [1]
    small = begun(GUY, box_sure=0.99, drawer_judges_coverage=True).judged((DRAW, BOX, 1))
    assert small.question(COVER).barred == []
    small.judge(COVER, "all there", worker=1)
    assert small.question(COVER).barred == [1], "once"
    assert drawer_judged(small.chain()) and not drawer_judged(story.chain())


def test_a_programs_box_is_taken_where_it_saves_work_and_no_chain_is_complete_without_a_persons_word():
    story = begun(GUY, pre_annotations=True, box_sure=0.5)
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[0, 10, 10, 50, 50]]})
    assert story.asked() == [(JUDGE, [0, 0])] and story.progress.boxes[0].pre_annotated
    story.judge(JUDGE, "good", worker=1)
    assert story.state() is ChainState.COMPLETE


def test_what_a_program_proposes_is_counted_before_its_boxes_are_shown(monkeypatch: pytest.MonkeyPatch):
    weighed = noted_evidence(monkeypatch)
    left, right, both = [0, 0, 0, 30, 40], [0, 20, 0, 50, 40], [0, 8, 0, 42, 40]
    record = {"good": [0.0, 0.0, 0.0, 0.0, 30.0, 0.0], "bad": [9.0, 0.0, 0.0, 0.0, 0.0, 0.0], "numbers": NUMBERS}
    prior = {"programs": {str(PROGRAM): record}}
    story = imported([DOGS], settings=settings_with(BELIEF, pre_annotations=True, box_prior=prior))
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[*left, 10], [*both, 99], [*right, 10]]})
    story.start()
    first, second = weighed[:2]
    assert not first.answers and [one.box for one in second.answers] == [0], "the best is shown, and covers the others"
    assert first.counts == second.counts
    assert predicted_numbers(story.progress, story.chain()) == {str(PROGRAM): 1}


def known(program: int, good: float, bad: float) -> dict[str, Any]:
    return {"programs": {str(program): {"good": [0.0] * 5 + [good], "bad": [0.0] * 5 + [bad]}}}


def test_the_box_of_the_most_trusted_program_is_taken_and_a_bad_program_is_set_aside():
    story = begun(GUY, pre_annotations=True, box_prior=known(PROGRAM, 1.0, 30.0))
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[0, 60, 60, 90, 90]]})
    assert story.asked() == [(DRAW, [0])]
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM + 1, "boxes": [[0, 10, 10, 50, 50]]})
    assert [box.worker for box in story.progress.boxes.values()] == [PROGRAM + 1]
    assert [one.worker for one in story.progress.pre_annotations] == [PROGRAM]


def test_a_chain_without_a_box_of_a_program_that_is_mostly_right_is_asked_whether_it_needs_one():
    """Programs that find what there is tell by silence; with pre-annotations off their silence is not heard."""
    record = {"good": [0.0] * 6, "bad": [0.0] * 6, "numbers": NUMBERS}
    asked = []
    for on in (True, False):
        settings = settings_with(BELIEF, pre_annotations=on, box_prior={"programs": {str(PROGRAM): record}})
        story = imported([GUY, THING], settings=settings)
        story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[1, 10, 10, 50, 50]]})
        story.start()
        asked.append(story.asked()[0])
    assert asked == [(ASK, [0]), (DRAW, [0])]


def test_a_pre_annotation_waits_while_the_drawing_question_is_on_loan():
    story = begun(GUY, pre_annotations=True)
    number = story.question(DRAW).number
    story.add(EntryKind.PROPOSE, {"worker": PROGRAM, "boxes": [[0, 10, 10, 50, 50]]}, EntryContext(on_loan=(number,)))
    assert story.question(DRAW).number == number


@pytest.mark.parametrize("skill", [-3.0, 3.0])
def test_the_word_of_a_careful_worker_weighs_more(skill: float):
    story = begun(GUY, box_sure=0.9)
    number = story.question(DRAW).number
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": 1, "answer": BOX}, EntryContext(skill=skill))
    assert (story.state() is ChainState.COMPLETE) == (skill < 0) and story.chain().answers[0].skill == skill


def dogs() -> Story:
    story = started([("animals", "some dogs")], settings=Settings(box_policy=BoxPolicyName.BELIEF))
    story.judge(DRAW, BOX, worker=1)
    story.judge(DRAW, OTHER_BOX, worker=2)
    return story


def test_answers_count_with_the_boxes_that_were_seen_and_the_boxes_are_expected_by_the_phrase():
    story = dogs()
    said = BoxAnswer(BoxTask.DRAWING, None, 0.0, 0, ()), BoxAnswer(BoxTask.DRAWING, None, 0.0, 1, (0,))
    evidence = box_evidence(story.progress, story.chain(), DEFAULT, {})
    assert evidence.answers == said
    assert evidence.counts == counts_of(frozenset({"animals"}), ("some", "dogs"), "dogs", DEFAULT)


@row(ASK, RequirementAnswer.BOX, BoxRequirement.BOX)
@row(ASK, RequirementAnswer.SCENE, BoxRequirement.NO_BOX)
@row(ASK, RequirementAnswer.NO_BOX, BoxRequirement.NO_BOX)
@row(JUDGE, BoxQualityAnswer.GOOD, BoxQuality.GOOD)
@row(JUDGE, BoxQualityAnswer.BAD, BoxQuality.BAD)
@row(COVER, CoverageAnswer.ALL_THERE, BoxCoverage.ALL_THERE)
@row(COVER, CoverageAnswer.MORE_NEEDED, BoxCoverage.MORE_NEEDED)
def test_answers_are_handed_to_belief_in_its_own_words(task: Task, answer: int | str, reply: BoxReply):
    assert reply_of(task, answer) is reply


@row(DRAW)
@row(JUDGE)
@row(VERIFY)
def test_what_is_no_answer_to_a_box_task_is_refused(task: Task):
    with pytest.raises(ValueError):
        reply_of(task, "yes")


def test_a_box_that_was_dropped_is_shown_no_more_whatever_the_answers_say():
    story = dogs()
    story.progress.boxes[0].state = BoxState.DISCARDED
    evidence = box_evidence(story.progress, story.chain(), DEFAULT, {})
    assert evidence.dropped == (0,)
    assert believe_boxes(evidence).shown == (1,) == tuple(shown_boxes(story.progress, story.chain()))


def test_the_tally_holds_votes_on_requirement_and_of_those_who_found_none_missing_beside_none():
    chain = dogs().chain()
    said: Any = (ASK, 2, []), (DRAW, NOTHING_DRAWN, []), (ASK, None, []), (DRAW, NOTHING_DRAWN, [0]), (DRAW, 1, [])
    chain.answers = [ChainAnswer(entry, entry - 2, *answer) for entry, answer in enumerate(said, 3)]
    tally = [(vote.entry, vote.worker, requirement_answer(vote)) for vote in requirement_tally(chain)]
    assert tally == [(3, 1, 2), (4, 2, 0)]


def pre_annotated(policy: BoxPolicyName, *score: int) -> Story:
    """A man whose box a program has drawn, badly."""
    story = imported([MAN], settings=Settings(box_policy=policy, pre_annotations=True, coverage_votes=1))
    story.add(EntryKind.PROPOSE, {"worker": MODEL, "boxes": [[0, 60, 60, 90, 90, *score]]})
    story.start()
    return story


def finish(story: Story) -> None:
    while story.progress.open:
        answer_next(story)


def answer_next(story: Story) -> None:
    (question,) = story.progress.open.values()
    bad = question.task is JUDGE and question.subject[1] == 0
    story.judge(question.task, "bad" if bad else ANSWERS[question.task], 10 + story.progress.sequence)


@cache
def finished(policy: BoxPolicyName, *score: int) -> Story:
    """The story of `pre_annotated` at its end, to read only."""
    story = pre_annotated(policy, *score)
    finish(story)
    return story


def test_a_finished_chain_tells_its_phrase_its_boxes_and_all_that_was_said_of_them_in_order():
    story = finished(BoxPolicyName.BELIEF)
    assert story.state() is ChainState.COMPLETE
    (chain,) = finished_chains(story.progress)
    assert (chain.types, chain.words, chain.head) == (frozenset({"people"}), ("a", "man"), "man")
    assert len(chain.boxes) == 1
    assert chain.pre_annotated == {str(MODEL): 1}
    said = [one for one in story.chain().answers if one.task is JUDGE and one.boxes == [0]]
    assert said and chain.programs == (ProgramBox(str(MODEL), None, (QualityAnswer(False),) * len(said)),)
    assert [one.task for one in chain.answers] == [BELIEVED[one.task] for one in story.chain().answers]
    assert chain.answers[0].trust is not None


def test_a_chain_that_the_paper_s_loop_has_begun_comes_with_all_its_answers():
    story = pre_annotated(BoxPolicyName.PAPER)
    while story.state() is not ChainState.COVERAGE:
        answer_next(story)
    story.settings = replace(story.settings, box_policy=BoxPolicyName.BELIEF)
    finish(story)
    (chain,) = finished_chains(story.progress)
    assert [one.task for one in chain.answers] == [BELIEVED[one.task] for one in story.chain().answers]
    assert chain.answers[0].trust == trust_in(MODEL, None, DEFAULT), (
        "a box that the paper's loop showed is weighed later"
    )


def test_a_score_comes_as_a_share_and_under_the_paper_s_loop_one_worker_has_settled_it():
    for policy in BoxPolicyName:
        chains = finished_chains(finished(policy, 85).progress)
        assert [box.score for chain in chains for box in chain.programs] == [0.85], policy
    (chain,) = finished_chains(finished(BoxPolicyName.PAPER).progress)
    assert chain.programs == (ProgramBox(str(MODEL), None, (QualityAnswer(False),)),)


def test_a_chain_that_is_not_finished_or_was_so_before_any_box_question_tells_nothing():
    assert finished_chains(started([MAN], [DOG]).progress) == []
    story = pre_annotated(BoxPolicyName.BELIEF)
    finish(story)
    story.chain().representative = -1
    assert finished_chains(story.progress) == []


NEAR, FAR = {"box": [14, 10, 54, 50]}, {"box": [60, 60, 90, 90]}
MIDDLE = Box(12, 10, 52, 50)
FUSING = Settings(box_policy=BoxPolicyName.BELIEF, fuse_boxes=True, redraw_below=0.99)


def begun_redraw(*mentions: tuple[str, str], **changes: Any) -> Story:
    return started(list(mentions or [GUY]), settings=settings_with(FUSING, **changes))


def hidden(**changes: Any) -> Story:
    """Worker 1 has drawn, 2 found all there, and the box is to be drawn once more."""
    story = begun_redraw(**changes).judged((DRAW, BOX, 1))
    while story.asked() != [(DRAW, [0, 0])]:
        story.judge(story.asked()[0][0], "all there" if story.asked()[0][0] is COVER else "good", worker=2)
    return story


def assert_replayed(story: Story) -> None:
    assert to_json(apply_record(story.record)) == to_json(story.progress)


def test_a_box_is_drawn_once_more_before_its_chain_is_complete_by_who_has_not_seen_it():
    story = hidden()
    question = story.question(DRAW)
    assert question.barred == [1, 2]
    assert question_view(story.progress, question)["boxes"] == [], "nobody sees what is to be drawn"
    assert story.progress.boxes[0].state is BoxState.ACCEPTED


def test_the_box_is_made_of_both_drawings_though_little_of_them_overlaps_and_the_chain_goes_on():
    assert hidden().judged((DRAW, {"box": [30, 10, 70, 50]}, 3)).progress.boxes[0].box == Box(20, 10, 60, 50)
    story = hidden().judged((DRAW, NEAR, 3))
    box = story.progress.boxes[0]
    assert (box.box, box.worker, story.state()) == (MIDDLE, 1, ChainState.COMPLETE)
    assert [(one.worker, one.box) for one in drawings_of(box)] == [(1, Box(*BOX["box"])), (3, Box(*NEAR["box"]))]
    assert "drawn again" in story.reasons("box")
    assert_replayed(story)
    assert json.loads(json.dumps(to_json(story.progress))) == to_json(story.progress)


def test_who_draws_a_box_again_makes_it_surer_and_who_misses_nothing_less_sure():
    again, none = hidden(), hidden()
    again.judge(DRAW, NEAR, worker=3)
    none.judge(DRAW, NONE_MISSING, worker=3)
    said = [answers_of(story.progress, story.chain(), DEFAULT)[-1] for story in (again, none)]
    opinion = [(one.task, one.answer, one.box) for one in said]
    assert opinion == [(BoxTask.QUALITY, BoxQuality.GOOD, 0), (BoxTask.QUALITY, BoxQuality.BAD, 0)]
    assert none.state() is not ChainState.COMPLETE
    assert none.chain().answers[-1].boxes == [] and none.chain().answers[-1].value == NOTHING_DRAWN
    assert none.progress.boxes[0].box == Box(*BOX["box"])


def test_something_else_that_is_drawn_is_another_box_and_the_first_is_asked_about_once():
    story = hidden().judged((DRAW, FAR, 3))
    assert [box.box for box in story.progress.boxes.values()] == [Box(*BOX["box"]), Box(*FAR["box"])]
    assert story.asked()[0][1][1:] in ([], [1]), "not the first once more"


def test_who_draws_a_shown_box_again_where_another_is_hidden_says_that_the_shown_box_is_good():
    story = begun_redraw(DOGS).judged((DRAW, BOX, 1), (DRAW, FAR, 2))
    answers = {COVER: "all there", JUDGE: "good", DRAW: NONE_MISSING}
    while (asked := story.asked()[0]) != (DRAW, [0, 0]):
        story.judge(asked[0], answers[asked[0]], worker=3 + story.progress.sequence)
    story.judge(DRAW, FAR, worker=99)
    said = answers_of(story.progress, story.chain(), DEFAULT)[-1]
    assert (said.task, said.answer, said.box) == (BoxTask.QUALITY, BoxQuality.GOOD, 1)
    assert believe_boxes(box_evidence(story.progress, story.chain(), DEFAULT, {})).shown == (0, 1)


@case("off", {"redraw_below": 0.0})
@case("alone", {"fuse_boxes": False})
@case("exact", {"redraw_below": 0.5})
def test_nobody_is_asked_where_the_settings_do_not_say_so(changes: dict[str, Any]):
    story = begun_redraw(**changes).judged((DRAW, BOX, 1))
    while story.progress.open:
        assert len(story.asked()[0][1]) == 1 or story.asked()[0][0] is JUDGE
        story.judge(story.asked()[0][0], "all there" if story.asked()[0][0] is COVER else "good", worker=2)
    assert story.progress.boxes[0].box == Box(*BOX["box"])


def test_a_box_that_nobody_may_draw_again_stays_and_its_chain_needs_no_expert():
    story = hidden()
    story.add(EntryKind.STARVE, {"question": story.question(DRAW).number})
    assert story.state() is ChainState.COMPLETE and story.progress.boxes[0].box == Box(*BOX["box"])
    assert story.reasons("question") == ["starved"] and story.chain().answers[-1].boxes == [], "the box was hidden"
    assert_replayed(story)
    story = begun_redraw(("animals", "two dogs")).judged((DRAW, BOX, 1))
    story.settings = replace(story.settings, box_sure=0.5)
    story.judge(DRAW, FAR, worker=11)
    story.add(EntryKind.STARVE, {"question": story.question(DRAW, [0, 1]).number})
    assert story.chain().answers[-1].boxes == [0], "the other one was shown"


def twice_drawn() -> tuple[Story, int, int]:
    """Return a chain whose second box workers 11 and 12 have drawn, and the entries of both; the first one waits."""
    story = begun_redraw(("animals", "two dogs")).judged((DRAW, BOX, 1))
    story.settings = replace(story.settings, box_sure=0.5)
    first = story.judge(DRAW, FAR, worker=11)
    assert story.asked() == [(DRAW, [0, 1])], "the smaller box is likely looser"
    second = story.judge(DRAW, {"box": [64, 60, 94, 90]}, worker=12)
    assert story.asked() == [(DRAW, [0, 0])]
    return story, first, second


def test_neither_drawer_judges_the_box_or_the_coverage_that_it_led_to():
    story, *_ = twice_drawn()
    boxes, progress = compose(story.settings).boxes, story.progress
    assert {11, 12} <= boxes.barred(progress, JUDGE, [0, 1]) & boxes.barred(progress, COVER, [0])


@pytest.mark.parametrize("which", [0, 1], ids=["the first", "the second"])
def test_each_of_two_drawings_is_taken_back_alone(which: int):
    story, *entries = twice_drawn()
    assert story.progress.boxes[1].box == Box(62, 60, 92, 90)
    story.void(entries[which])
    box = story.progress.boxes[1]
    assert (box.worker, box.box) == ((12, Box(64, 60, 94, 90)), (11, Box(60, 60, 90, 90)))[which]
    assert [one.answer for one in answers_of(story.progress, story.chain(), DEFAULT)] == [None, None]
    assert box.state is BoxState.ACCEPTED and len(story.progress.open) == 1
    assert story.reasons("box") == ["voided"]
    assert_replayed(story)


def test_a_drawing_on_a_shown_box_is_one_more_drawing_of_it_if_they_would_merge():
    story = begun_redraw(("animals", "some dogs")).judged((DRAW, BOX, 1), (DRAW, NEAR, 2))
    assert story.progress.boxes[0].box == MIDDLE
    assert [answer.redraw_of for answer in story.chain().answers] == [None, 0]
    assert 2 in story.question(DRAW).barred, "whether something is missing is asked of each worker once"
    other = begun_redraw(("animals", "some dogs"), merge_iou=0.9).judged((DRAW, BOX, 1), (DRAW, NEAR, 2))
    assert len(other.progress.boxes) == 2


def test_a_box_is_also_made_of_what_was_dropped_there_but_not_of_what_was_voided():
    story = begun_redraw().judged((DRAW, BOX, 1))
    story.progress.boxes[0].state = BoxState.DISCARDED
    boxes, drawing = compose(story.settings).boxes, Drawing(9, 5, Box(*NEAR["box"]))
    assert boxes.box_of(boxes.drawings_of(story.progress, story.chain(), drawing)) == MIDDLE
    story = begun_redraw()
    story.void(story.judge(DRAW, BOX, worker=1))
    story.judge(DRAW, NEAR, worker=2)
    assert story.progress.boxes[1].box == Box(*NEAR["box"])


def test_of_two_drawings_of_one_worker_the_later_counts_where_the_settings_choose_belief():
    first, later = Box(0, 0, 10, 10), Box(4, 0, 14, 10)
    assert fused([Drawing(1, 7, first), Drawing(2, 7, later)], {}) == later
    assert isinstance(compose(BELIEF).boxes, BeliefBoxes) and isinstance(compose(Settings()).boxes, PaperLoop)


def test_the_margin_that_a_worker_usually_leaves_is_taken_off_at_once():
    habits = {"1": {"edges": [0.1, 0.0, -0.1, 0.0], "spread": 0.03}}
    story = begun_redraw(box_prior={"habits": habits}).judged((DRAW, BOX, 1))
    assert story.progress.boxes[0].box == Box(14, 10, 46, 50)
    assert story.progress.boxes[0].drawings == [Drawing(2, 1, Box(*BOX["box"]))]


def test_the_paper_s_loop_takes_a_second_drawing_that_was_asked_for():
    story = hidden()
    story.settings = Settings()
    story.judge(DRAW, NEAR, worker=3)
    assert (story.progress.boxes[0].box, story.state()) == (MIDDLE, ChainState.COVERAGE)
    assert 3 in story.question(COVER).barred
    story = hidden()
    story.settings = Settings()
    story.judge(DRAW, OTHER_BOX, worker=3)
    assert story.asked() == [(JUDGE, [0, 1])], "what is drawn elsewhere is missing, as any new box may be"
    story = hidden()
    story.settings = Settings()
    story.add(EntryKind.STARVE, {"question": story.question(DRAW).number})
    assert story.state() is ChainState.COVERAGE
