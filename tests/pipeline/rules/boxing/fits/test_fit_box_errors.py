"""The crowd's errors follow from how workers contradict one another."""

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence
from pipeline.rules.boxing.fits.fit_box_errors import fit_box_errors
from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior
from pipeline.rules.tasks.task import Task

HALF = (0.5, 0.5)
"""The chances of a chain with no box, and with one."""


def votes(*said: int) -> BoxEvidence:
    return BoxEvidence(HALF, tuple(BoxAnswer(Task.BOX_REQUIREMENT, one) for one in said))


def test_without_chains_the_errors_stay():
    assert fit_box_errors([], DEFAULT) == DEFAULT.errors


@pytest.mark.parametrize(
    ("chains", "rises"),
    [([votes(1, 1, 1, 1), votes(2, 2, 2, 2)], False), ([votes(1, 2, 1, 1), votes(2, 1, 2, 2)], True)],
    ids=["they agree", "one of four disagrees"],
)
def test_the_error_of_a_task_follows_its_contradictions(chains: list[BoxEvidence], *, rises: bool):
    fitted = fit_box_errors(chains * 2, DEFAULT)
    assert (fitted["requirement"] > DEFAULT.error_of("requirement")) == rises
    assert all(fitted[task] == pytest.approx(DEFAULT.error_of(task), abs=1e-3) for task in ("quality", "coverage"))


def test_what_was_given_pulls():
    given = BoxPrior(errors={"requirement": 0.3})
    fitted = fit_box_errors([votes(1, 1, 1, 1)], given)["requirement"]
    assert 0.25 < fitted < 0.3
