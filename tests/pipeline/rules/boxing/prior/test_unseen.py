"""People who agree can be wrong together; known questions tell how often."""

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence
from pipeline.rules.boxing.belief.next_box_question import BoxRules, next_step
from pipeline.rules.boxing.prior.box_prior import BoxPrior
from pipeline.rules.boxing.prior.unseen import BASE, IMAGINED, KnownAnswers, chance_seen, fit_unseen
from pipeline.rules.tasks.task import Task

DREW = BoxAnswer(Task.BOX_DRAWING, None, 0.0, 0)
COVERED = BoxAnswer(Task.BOX_COVERAGE, "all there", 0.0, None, (0,))


def test_without_known_questions_the_share_is_the_base():
    assert fit_unseen([]) == BASE
    assert fit_unseen([], 0.2) == 0.2


def test_a_known_question_that_most_workers_answered_wrongly_raises_the_share():
    known = [KnownAnswers(1, 3)] * 10 + [KnownAnswers(4, 1)] * 65
    assert fit_unseen(known) == pytest.approx((10 + IMAGINED * BASE) / (75 + IMAGINED), abs=1e-4)


@pytest.mark.parametrize("few", [KnownAnswers(0, 2), KnownAnswers(2, 2)], ids=["two answers", "a tie"])
def test_answers_that_have_no_majority_do_not_count(few: KnownAnswers):
    assert fit_unseen([few] * 50) == BASE


def test_each_box_is_one_more_thing_to_be_wrong_about():
    assert [chance_seen(0.1, boxes) for boxes in (0, 1)] == pytest.approx([0.81, 0.729])
    assert chance_seen(0.0, 5) == 1


def test_the_share_lowers_the_confidence_and_changes_no_question():
    heard = BoxEvidence((0.02, 0.93, 0.05), (DREW, COVERED))
    sure, humble = (next_step(heard, BoxRules(prior=BoxPrior(unseen=share))) for share in (0.0, 0.05))
    assert (humble.kind, humble.kept) == (sure.kind, sure.kept)
    assert humble.confidence == pytest.approx(sure.confidence * chance_seen(0.05, 1))
    assert humble.good[0] == pytest.approx(sure.good[0] * 0.95)
