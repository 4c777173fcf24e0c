"""What a worker is told of a submission."""

import pytest

from labelling.api.words import receipt_in_words
from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment


def receipt(*, stored: tuple[int, ...], late: tuple[int, ...], verdict: str = "") -> str:
    assignment = Assignment(questions=[1, 2, 3], verdict=verdict)
    return receipt_in_words(Receipt(assignment, stored=stored, too_late=late))


@pytest.mark.parametrize(
    ("stored", "late", "says"),
    [
        ((1, 2, 3), (), ""),
        ((1, 2), (3,), "1 answer came after those of others. The rest was still needed"),
        ((1,), (2, 3), "2 answers came after those of others"),
        ((), (1, 2, 3), "others have answered these questions meanwhile. Your work is paid all the same"),
    ],
)
def test_answers_that_came_too_late_are_told(stored: tuple[int, ...], late: tuple[int, ...], says: str) -> None:
    said = receipt(stored=stored, late=late)
    assert says in said and bool(said) == bool(says)


def test_who_lost_trust_in_the_middle_is_told_that_the_work_is_paid_and_not_used() -> None:
    said = receipt(stored=(), late=(1, 2, 3), verdict="refused")
    assert "paid" in said and "not used" in said and "time" not in said
