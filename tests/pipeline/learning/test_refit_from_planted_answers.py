"""Weights and errors are learned from answers alone, in worlds where they are known."""

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, CrowdErrors
from pipeline.rules.linking.fits.refit_from_answers import refit_from_answers
from pipeline.rules.linking.prior.link_prior import DEFAULT, LinkPrior
from tests.support.link_groups import ALIKE, OTHER, PLANTED, drawn, odds


def test_what_tells_in_the_world_gets_its_weight_without_any_gold():
    learned = refit_from_answers(drawn(400, PLANTED, OF_PAPER, 1), DEFAULT, l2=0.3).prior
    for pair in (ALIKE, OTHER):
        assert odds(learned, pair) == pytest.approx(odds(PLANTED, pair), abs=0.5)
    assert odds(DEFAULT, ALIKE) - odds(DEFAULT, OTHER) < odds(PLANTED, ALIKE) - odds(PLANTED, OTHER)


@pytest.mark.slow
@pytest.mark.parametrize("errors", [CrowdErrors(0.12, 0.1), CrowdErrors(0.04, 0.15), CrowdErrors(0.015, 0.01)], ids=str)
def test_the_crowds_errors_are_found_without_any_gold(errors: CrowdErrors):
    found = refit_from_answers(drawn(1000, PLANTED, errors, 2), PLANTED, imagined=1).errors
    assert found == pytest.approx(errors, abs=0.02)


def test_words_that_say_nothing_lose_their_weight():
    plain = LinkPrior({"": (0.0, -0.5, -0.5, -0.5, 0.0)})
    learned = refit_from_answers(drawn(400, plain, OF_PAPER, 4), DEFAULT).prior
    before, after = (odds(prior, ALIKE) - odds(prior, OTHER) for prior in (DEFAULT, learned))
    assert abs(after) < before / 3
