"""The terms of a recruitment, and what is said about a term that does not fit."""

import math
from typing import Any

import pytest

from platforms.contract.terms import LIMITS, BadTermsError, Terms


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"most_places": 0}, "most_places is 0: it goes from 1 to 10000."),
        ({"days": math.nan}, "days is nan: it goes from 0.01 to 365."),
        ({"minutes": "an hour"}, "minutes is 'an hour': "),
        ({"minutes": 5.5}, "minutes is 5.5: "),
        ({"least": 2}, "quota is 1, less than least, 2."),
        ({"description": "x" * 2001}, "the description 2,000"),
    ],
)
def test_a_term_that_does_not_fit_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(BadTermsError) as raised:
        Terms(**values)
    assert message in str(raised.value)


def test_terms_come_back_from_a_row_without_names_that_are_no_longer_in_use() -> None:
    terms = Terms(title="Boxes", quota=3)
    assert Terms.read(terms.as_dict() | {"gone": 1}) == terms


def test_every_number_has_limits() -> None:
    numbers = {name for name, value in Terms().as_dict().items() if type(value) in (int, float)}
    assert {name for name, _, _ in LIMITS} == numbers
