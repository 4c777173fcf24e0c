"""Priors that a data set teaches of its own labels."""

import pytest

from annotation.rules.box import Box
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.checking.label import Label
from pipeline.rules.checking.prior_of_labels import LabelledImage, box_prior_of, link_prior_of
from tests.support.images import started

BOX = Box(0, 0, 9, 9)


def image(*labels: Label) -> LabelledImage:
    story = started([("people", "a man")], [("people", "a runner")])
    return list(story.progress.mentions.values()), labels


ONE, TWO = image(Label((0, 1), (BOX,))), image(Label((0,), (BOX,)), Label((1,), ()))


def test_phrases_that_are_one_thing_in_the_labels_are_likelier_so():
    joined, apart = (link_prior_of([labels] * 20) for labels in (ONE, TWO))
    assert joined.pairs["any pair"] > apart.pairs["any pair"]


def test_chains_without_boxes_in_the_labels_make_them_likelier():
    assert box_prior_of([TWO] * 60).none_of("people") > 5 * DEFAULT.none_of("people")
    assert box_prior_of([ONE] * 60).none_of("people") < DEFAULT.none_of("people")


def test_labels_without_a_pair_teach_nothing_of_links():
    with pytest.raises(ValueError, match="nothing to learn"):
        link_prior_of([(ONE[0][:1], [Label((0,), (BOX,))])])
