"""Everything that known chains teach of links."""

from pipeline.rules.linking.fits.fit_known import fit_known, known_groups
from tests.pipeline.rules.linking.fits.test_fit_joins import AGAIN, WHOLE
from tests.pipeline.rules.linking.fits.test_fit_rule_keeping import OTHER_TYPES


def test_each_group_of_an_image_is_known_by_itself() -> None:
    assert [len(mentions) for mentions, _ in known_groups([WHOLE, OTHER_TYPES])] == [2, 1, 1]


def test_one_fit_learns_words_rules_and_joins() -> None:
    prior = fit_known([WHOLE] * 10 + [AGAIN] * 10)
    other = fit_known([WHOLE] * 20)
    assert prior.fitted_on == 10
    assert prior.keeps_captions["other"] < other.keeps_captions["other"]
    assert prior.joins["any same head"] > other.joins["any same head"]
