"""The number of boxes that a chain is expected to need."""

import pytest

from pipeline.rules.boxing.prior.box_prior import DEFAULT, MOST, BoxPrior
from pipeline.rules.boxing.prior.count_prior import TAIL, counts_of, listed_counts
from pipeline.rules.boxing.prior.phrase_class import PhraseClass, Reading


def counts(phrase: str, *types: str, prior: BoxPrior = DEFAULT) -> tuple[float, ...]:
    words = tuple(phrase.split())
    return counts_of(frozenset(types), words, words[-1], prior)


def test_the_chances_of_all_numbers_add_up_to_one() -> None:
    for phrase in ("a dog", "two dogs", "twenty dogs", "20 dogs", "some dogs", "blue jeans", "a crowd", "snow"):
        found = counts(phrase, "animals")
        assert len(found) == MOST + 1 and min(found) > 0
        assert sum(found) == pytest.approx(1)


def test_a_named_number_is_the_likeliest() -> None:
    for phrase, likeliest in {"a dog": 1, "two dogs": 2, "3 dogs": 3, "20 dogs": MOST}.items():
        found = counts(phrase, "animals")
        assert found.index(max(found)) == likeliest


def test_the_weights_are_those_of_the_class() -> None:
    prior = BoxPrior(none={"animals": 0.2}, counts={"plural": (2.0, 4.0, 1.0, 1.0, 1.0, 1.0)})
    found = counts("some dogs", "animals", prior=prior)
    assert found[:6] == pytest.approx((0.2, 0.16, 0.32, 0.08, 0.08, 0.08))
    assert sum(found[6:]) == pytest.approx(0.08)
    assert found[7] / found[6] == pytest.approx(TAIL)


def test_a_scene_has_often_no_box_and_a_chain_of_two_types_the_mean_of_both() -> None:
    assert counts("the park", "scene")[0] == 0.5
    assert counts("the park", "scene", "people")[0] == pytest.approx((0.5 + 0.02) / 2)
    assert counts("the park")[0] == DEFAULT.none_of("other")


def test_the_weights_of_a_number_stand_for_it_and_its_neighbours() -> None:
    assert listed_counts(Reading(PhraseClass.NUMBER, 3)) == [3, 1, 2, 4, 5]
    assert listed_counts(Reading(PhraseClass.NUMBER, 20)) == [12, 1, 11, 12, 12]
    assert listed_counts(Reading(PhraseClass.PLURAL)) == [1, 2, 3, 4, 5]
