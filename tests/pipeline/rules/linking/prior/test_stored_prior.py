"""Settings with equal weights share one prior."""

from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.linking.prior.stored_prior import prior_of, prior_text


def test_equal_weights_share_one_prior():
    first, second = DEFAULT.to_json(), DEFAULT.to_json()
    assert prior_of(first) is prior_of(second) and prior_of(first) == DEFAULT
    assert prior_text(first) == prior_text(second)
