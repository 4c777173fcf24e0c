"""Trust that is learned: the prior takes the shares of wrong labels that a check has found."""

import pytest

from pipeline.rules.boxing.prior.box_prior import DEFAULT, BoxPrior
from pipeline.rules.checking.label_evidence import LabelEvidence, Told
from pipeline.rules.checking.learn_trust import with_wrong
from pipeline.rules.jurors.source import Source


def test_the_prior_knows_mentions_and_boxes_apart_for_each_type_that_has_labels():
    sure = Told(0.05, -5.0, asked=True)
    label = LabelEvidence(frozenset({"people"}), sure, Told(0.05, 5.0, asked=True))
    prior = with_wrong(DEFAULT, [([label], [])] * 30)
    assert set(prior.wrong) == {"", "people"}
    mentions, boxes = prior.wrong["people"]
    assert mentions < 0.05 < 0.8 < boxes
    assert BoxPrior.from_json(prior.to_json()) == prior


def test_without_labels_nothing_is_learned():
    assert with_wrong(DEFAULT, [([], [])]) is DEFAULT


def test_a_source_counts_for_less_where_it_errs():
    source = Source(50, 0.95, (("", 0.05, 0.1), ("people", 0.4, 0.02)))
    assert source.of_links({"people"}).trust == pytest.approx(0.6)
    assert source.of_boxes({"people"}).trust > 0.97
    assert source.of_links({"animals"}).trust == pytest.approx(0.95), "as all others"
    assert Source(50, 0.95).of_links({"people"}) == Source(50, 0.95), "nothing was learned"
