"""The next step of a chain, from what was heard of its boxes."""

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence, believe
from pipeline.rules.boxing.belief.next_box_question import MOST_PER_BOX, BoxRules, Offer, StepKind, next_step
from pipeline.rules.tasks.task import Task

ONE, PARK = (0.02, 0.93, 0.05), (0.6, 0.35, 0.05)
RULES = BoxRules()


def drew(box: int | None, *shown: int) -> BoxAnswer:
    return BoxAnswer(Task.BOX_DRAWING, None, 0.0, box, shown)


def judged(box: int, answer: str, *shown: int) -> BoxAnswer:
    return BoxAnswer(Task.BOX_QUALITY, answer, 0.0, box, shown)


VOTE, AGAINST = (BoxAnswer(Task.BOX_REQUIREMENT, vote) for vote in (1, 2))
COVERED = BoxAnswer(Task.BOX_COVERAGE, "all there", 0.0, None, (0,))
SETTLED = (drew(0), judged(0, "good", 0), COVERED)


def test_a_chain_whose_boxes_are_sure_is_complete_with_the_chance_that_all_is_right() -> None:
    evidence = BoxEvidence(ONE, SETTLED)
    step, belief = next_step(evidence, RULES), believe(evidence)
    assert (step.kind, step.kept) == (StepKind.COMPLETE, (0,))
    assert step.confidence == belief.p_complete > 0.9
    assert (step.p_no_box, step.p_missing, step.good) == (belief.p_no_box, belief.p_missing, {0: belief.p_good(0)})


def test_the_surer_a_chain_has_to_be_the_more_is_asked() -> None:
    (once, asks) = (next_step(BoxEvidence(ONE, (drew(0), COVERED)), BoxRules(sure=sure)) for sure in (0.8, 0.999))
    assert (once.kind, asks.kind, asks.box) == (StepKind.COMPLETE, StepKind.QUALITY, 0)


def test_a_chain_begins_with_drawing_and_one_that_may_have_no_box_with_the_question() -> None:
    assert next_step(BoxEvidence(ONE), RULES).kind is StepKind.DRAWING
    assert next_step(BoxEvidence(PARK), RULES).kind is StepKind.REQUIREMENT


def test_where_a_box_is_surely_missing_it_is_drawn_and_not_asked_about() -> None:
    two = BoxEvidence((0.01, 0.02, 0.97), (drew(0), judged(0, "good", 0)))
    assert next_step(two, RULES).kind is StepKind.DRAWING
    assert next_step(two, BoxRules(sure=0.0)).kind is StepKind.DRAWING, "however dear a second is"


def test_a_box_that_is_likely_bad_is_not_kept() -> None:
    step = next_step(BoxEvidence(ONE, (drew(0), judged(0, "bad", 0), judged(0, "bad", 0))), RULES)
    assert (step.kind, step.kept, step.good) == (StepKind.DRAWING, (), {})


@pytest.mark.parametrize("second", [AGAINST, drew(None)], ids=["a vote", "none found missing"])
def test_a_chain_is_non_visual_with_enough_votes_however_sure_the_first_makes_it(second: BoxAnswer) -> None:
    evidence = BoxEvidence((0.97, 0.03), (AGAINST,))
    assert believe(evidence).p_no_box > 0.99
    assert next_step(evidence, RULES).kind is StepKind.REQUIREMENT
    assert next_step(evidence, RULES._replace(no_box_votes=1)).kind is StepKind.NON_VISUAL
    assert next_step(evidence._replace(answers=(AGAINST, second)), RULES).kind is StepKind.NON_VISUAL


def test_a_chain_that_stays_unsure_goes_to_review_and_each_kept_box_allows_more_answers() -> None:
    unsure = (VOTE, AGAINST) * 2
    assert next_step(BoxEvidence(PARK, unsure), BoxRules(most=5)).kind is StepKind.REQUIREMENT
    assert next_step(BoxEvidence(PARK, unsure), BoxRules(most=4)).kind is StepKind.REVIEW
    rules = BoxRules(sure=0.999, most=1)
    doubted = BoxEvidence(ONE, (drew(0), *(judged(0, one, 0) for one in ("good", "bad") * 2)))
    assert len(doubted.answers) == 1 + MOST_PER_BOX and next_step(doubted, rules).kind is StepKind.REVIEW
    assert next_step(doubted, rules._replace(most=2)).kind is not StepKind.REVIEW


def test_a_program_s_box_is_taken_only_where_it_saves_work() -> None:
    good, bad = Offer(0.9), Offer(0.1)
    assert next_step(BoxEvidence(ONE), RULES, good).kind is StepKind.PROPOSAL
    assert next_step(BoxEvidence(ONE), RULES, bad).kind is StepKind.DRAWING
    perhaps_two = BoxEvidence((0.02, 0.6, 0.38), (drew(0),))
    assert next_step(perhaps_two, RULES, Offer(0.8)).kind is StepKind.COVERAGE, "one more to check, if it is bad"
    assert next_step(perhaps_two, RULES, Offer(0.95)).kind is StepKind.PROPOSAL
    assert next_step(BoxEvidence(ONE, SETTLED), RULES, good).kind is StepKind.COMPLETE
    assert next_step(BoxEvidence(PARK, (VOTE, AGAINST) * 2), BoxRules(most=4), good).kind is StepKind.REVIEW
