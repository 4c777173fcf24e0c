"""An answer about a link weighs as much as its program was right."""

import math

import pytest

from pipeline.rules.jurors.tally import LEARNED
from pipeline.rules.linking.prior.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.prior.link_record import NOBODY_KNOWS, LinkRecord


def test_a_program_that_nobody_knows_says_nothing():
    assert not NOBODY_KNOWS.is_known and NOBODY_KNOWS.ratio(same=True) == NOBODY_KNOWS.ratio(same=False) == 0
    assert LinkRecord(same=(LEARNED, 0.0)).is_known


def test_an_answer_speaks_for_what_it_says_and_more_if_the_program_errs_less():
    worse, better = (LinkRecord((100.0 - wrong, wrong), (100.0 - wrong, wrong)) for wrong in (20.0, 5.0))
    assert 0 < worse.ratio(same=True) < better.ratio(same=True)
    assert 0 > worse.ratio(same=False) > better.ratio(same=False)


def test_both_kinds_of_error_weigh_in_their_own_answers():
    lumps = LinkRecord(same=(1000.0, 0.0), different=(700.0, 300.0))
    assert lumps.of_pairs().passed == pytest.approx(0.3, abs=0.01)
    assert lumps.ratio(same=True) == pytest.approx(math.log(0.99 / 0.3), abs=0.05)
    assert lumps.ratio(same=False) < -4


def test_records_are_stored_with_the_prior():
    prior = LinkPrior.from_json(DEFAULT.to_json() | {"jurors": {"7": {"same": [3.0, 1.0]}}})
    assert prior.jurors == {"7": LinkRecord(same=(3.0, 1.0))}
    assert LinkPrior.from_json(prior.to_json()) == prior and "jurors" not in DEFAULT.to_json()
    with pytest.raises(ValueError, match="jurors"):
        LinkPrior.from_json(DEFAULT.to_json() | {"jurors": {"7": {"same": [-3.0, 1.0]}}})
