"""The prior of boxes as settings hold it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.mention_type import NOUN_TYPES
from pipeline.rules.boxing.prior.box_prior import COUNTS, DEFAULT, ERRORS, BoxPrior, ProgramRecord
from pipeline.rules.boxing.prior.phrase_class import PhraseClass
from pipeline.rules.jurors.shared_errors import SharedErrors


def test_a_prior_survives_being_written_as_json() -> None:
    record = ProgramRecord((0.0, 1.5, 0.0, 0.0, 0.0, 2.0), (1.0,) * 6)
    prior = BoxPrior(
        {"scene": 0.75}, {"plural": (1.0, 2.0, 0.0, 0.0, 0.0, 1.0)}, {"quality": 0.2}, {"7": record}, 40, 2, 0.05
    )
    prior = replace(prior, pairs={"7 12": SharedErrors(40.0, (3.0, 2.5), 1.0, 0.2, -1.5)})
    assert BoxPrior.from_json(json.loads(json.dumps(prior.to_json()))) == prior


def test_nothing_is_the_default_and_what_is_left_out_has_its_values() -> None:
    assert BoxPrior.from_json({}) is DEFAULT
    prior = BoxPrior.from_json({"none": {"scene": 0.75}})
    assert (prior.none_of("scene"), prior.none_of("people")) == (0.75, DEFAULT.none["people"])
    assert prior.counts_of("pair") == DEFAULT.counts["pair"]
    assert prior.error_of("coverage") == DEFAULT.errors["coverage"]


def test_the_default_knows_every_type_every_class_and_every_task() -> None:
    assert set(DEFAULT.none) == set(NOUN_TYPES) and set(DEFAULT.errors) == set(ERRORS)
    assert set(DEFAULT.counts) == set(PhraseClass)
    for weights in DEFAULT.counts.values():
        assert len(weights) == COUNTS and sum(weights) == pytest.approx(1, abs=0.021)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"none": {"scene": 1}}, "none['scene']=1 should be a number between 0 and 1"),
        ({"none": {"scenes": 0.5}}, "none: the name 'scenes' should be one of: \"people\""),
        ({"counts": {"plural": [1.0] * 5}}, "should be 6 numbers, not all 0"),
        ({"counts": {"plural": [0.0] * 6}}, "should be 6 numbers, not all 0"),
        ({"counts": {"plural": [-1.0] * 6}}, "counts['plural'][0]=-1.0 should be a number from 0"),
        ({"counts": {"many": [1.0] * 6}}, "counts: the name 'many' should be one of: \"one\""),
        ({"errors": {"quality": 0.0}}, "errors['quality']=0.0 should be a number between 0 and 1"),
        (
            {"programs": {"7": {"good": [], "bad": [], "numbers": [[1]]}}},
            "programs['7']['numbers']=[[1]] should be 4 rows of 4 numbers",
        ),
        ({"programs": {"7": {"good": [1.0]}}}, "programs['7']['bad'] is missing"),
        ({"jurors": {"boxer": {}}}, "jurors: the name 'boxer' should be the number of a program"),
        ({"jurors": {"07": {}}}, "jurors: the name '07' should be the number of a program"),
        ({"jurors": {"1" + "0" * 18: {}}}, "should be the number of a program"),
        (
            {"jurors": {"7": {"bad": {"boxer": [1.0, 4.0]}}}},
            "jurors['7']['bad']: the name 'boxer' should be \"person\" or the number of a program",
        ),
        ({"pairs": {"7": {}}}, "pairs: the name '7' should be the numbers of two programs"),
        ({"fitted_on": -1}, "fitted_on=-1 should be a whole number from 0"),
        ({"scores": {}}, "scores is unknown"),
    ],
)
def test_a_wrong_value_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        BoxPrior.from_json(values)
    assert message in str(caught.value)
