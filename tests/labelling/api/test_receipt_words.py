"""The words of a receipt for the worker."""

import pytest

from labelling.api.payload import receipt_in_words
from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment


def words(*, stored: tuple[int, ...], late: tuple[int, ...], acceptance: str = "", earned: int = 20) -> str:
    assignment = Assignment(questions=[1, 2, 3], acceptance=acceptance)
    receipt = Receipt(assignment, stored, too_late=late, late_places=late, answered=len(stored), earned_cents=earned)
    return receipt_in_words(receipt)


@pytest.mark.parametrize(
    ("stored", "late", "expected"),
    [
        ((1, 2, 3), (), ""),
        (
            (1, 2),
            (3,),
            "1 answer came too late: others had answered first. The rest is stored. You are paid for all of them.",
        ),
        ((1,), (2, 3), "2 answers came too late"),
        ((), (1, 2, 3), "others have answered these questions in the meantime. You are paid for all of them."),
    ],
)
def test_a_worker_reads_which_answers_came_too_late(
    stored: tuple[int, ...], late: tuple[int, ...], expected: str
) -> None:
    message = words(stored=stored, late=late)
    assert expected in message and bool(message) == bool(expected)


def test_a_worker_who_lost_trust_midway_reads_that_the_work_is_paid_and_not_used() -> None:
    message = words(stored=(), late=(1, 2, 3), acceptance="refused")
    assert "paid" in message and "not used" in message and "time" not in message


@pytest.mark.parametrize("acceptance", ["", "refused"])
def test_no_pay_is_promised_where_nothing_was_earned(acceptance: str) -> None:
    assert "paid" not in words(stored=(1,), late=(2, 3), acceptance=acceptance, earned=0)
