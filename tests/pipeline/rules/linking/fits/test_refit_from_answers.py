"""A prior and error rates that are learned from few answers, or from none."""

from dataclasses import replace

import numpy as np
import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, CrowdErrors, Heard
from pipeline.rules.linking.fits.fit_link_prior import Example, maximise
from pipeline.rules.linking.fits.refit_from_answers import refit_from_answers
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.prior.partitions import SIZES
from tests.support.link_groups import PLANTED, drawn


def test_few_answers_change_little():
    few = refit_from_answers(drawn(5, PLANTED, CrowdErrors(0.3, 0.3), 3), DEFAULT)
    assert few.groups == 5
    assert few.errors == pytest.approx(OF_PAPER, abs=0.01)
    assert max(abs(few.prior.pairs[name] - weight) for name, weight in DEFAULT.pairs.items()) < 0.35


def test_a_pair_that_divides_people_does_not_make_the_crowd_look_worse():
    calm = drawn(20, PLANTED, OF_PAPER, 5)
    heard = calm[0].heard
    first = {pair: said[:1] for pair, said in heard.items()}
    torn = {pair: [*said, *[Heard(number % 2 == 0) for number in range(8)]] for pair, said in first.items()}
    before, after = (
        refit_from_answers([*calm[1:], calm[0]._replace(heard=own)], PLANTED).errors for own in (first, torn)
    )
    assert after == pytest.approx(before, abs=0.003)


def test_without_answers_the_prior_stays_the_given_one():
    silent = [group._replace(heard={}) for group in drawn(3, PLANTED, OF_PAPER, 6)]
    assert refit_from_answers(silent, PLANTED) == (PLANTED, OF_PAPER, 0)
    assert refit_from_answers([], DEFAULT) == (DEFAULT, OF_PAPER, 0)


def test_a_refit_keeps_the_share_of_the_evidence_that_counts():
    given = replace(PLANTED, temper=0.6)
    assert refit_from_answers(drawn(5, PLANTED, OF_PAPER, 3), given).prior.temper == 0.6


def test_types_without_answers_keep_the_sizes_they_were_given():
    learned = refit_from_answers(drawn(20, PLANTED, OF_PAPER, 7), DEFAULT).prior
    moved = np.array(learned.sizes[""]) - np.array(DEFAULT.sizes[""])
    assert learned.sizes["scene"] == pytest.approx(tuple(np.array(DEFAULT.sizes["scene"]) + moved), abs=0.001)
    assert len(learned.sizes["people"]) == SIZES


def test_a_fit_leaves_a_valley_between_two_explanations_of_the_answers():
    counts = np.array([[-1], [0], [1]], dtype=np.float32)
    either = Example(np.array([0]), counts, np.arange(3), np.array([5.0, 0.0, 5.0]))
    (weight,) = maximise([either], np.array([0.1]), 0.01)
    assert weight > 1
