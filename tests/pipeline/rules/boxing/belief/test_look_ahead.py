"""The worth of the next question, against a slow calculation over every way it could have been."""

import pytest

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence, believe
from pipeline.rules.boxing.belief.look_ahead import Question, look_ahead, value_of
from pipeline.rules.boxing.prior.box_prior import DEFAULT
from pipeline.rules.tasks.task import Task
from tests.support.brute_force_boxes import all_ways, plain_ends, plain_worth

PRICE = 0.005
ONE_DRAWN = (BoxAnswer(Task.BOX_DRAWING, None, 0.0, 0),)
DRAW, COVER, JUDGE = Question(Task.BOX_DRAWING), Question(Task.BOX_COVERAGE), Question(Task.BOX_QUALITY, 0)


@pytest.mark.parametrize(
    ("counts", "answers", "price"),
    [((0.3, 0.45, 0.25), (), 0.005), ((0.02, 0.5, 0.48), ONE_DRAWN, 0.001)],
    ids=["no box yet", "one box"],
)
def test_questions_are_worth_what_the_slow_calculation_says(
    counts: tuple[float, ...], answers: tuple[BoxAnswer, ...], price: float
) -> None:
    belief, ways = believe(BoxEvidence(counts, answers)), all_ways(counts, answers)
    ends = plain_ends(ways, belief.shown, price)
    slow = plain_worth(ways, belief.shown, price, requirement=belief.p_no_box > 0.02)
    assert value_of(belief, DEFAULT, price) == pytest.approx(max(*ends, *slow.values()))
    slow[DRAW] = max(slow[DRAW], ends[-1])
    assert look_ahead(belief, DEFAULT, price) == pytest.approx(slow)


def worth(counts: tuple[float, ...], answers: tuple[BoxAnswer, ...]) -> dict[Question, float]:
    return look_ahead(believe(BoxEvidence(counts, answers)), DEFAULT, PRICE)


def test_drawing_is_worth_most_where_a_box_is_surely_missing_and_a_vote_where_one_is_hardly_needed() -> None:
    needed, hardly = worth((0.01, 0.99), ()), worth((0.7, 0.3), ())
    assert max(needed, key=lambda one: needed[one]) == DRAW
    assert max(hardly, key=lambda one: hardly[one]) == Question(Task.BOX_REQUIREMENT)
    missing, there = worth((0.01, 0.02, 0.97), ONE_DRAWN), worth((0.01, 0.97, 0.02), ONE_DRAWN)
    assert missing[DRAW] - missing[COVER] > there[DRAW] - there[COVER]


def test_a_question_is_worth_less_the_dearer_a_second_is() -> None:
    belief = believe(BoxEvidence((0.05, 0.8, 0.15), ONE_DRAWN))
    free, cheap, dear = (look_ahead(belief, DEFAULT, price) for price in (0.0, 0.005, 0.02))
    for question in free:
        assert free[question] > cheap[question] > dear[question]
    assert max(cheap[COVER], cheap[JUDGE]) > belief.p_complete > max(dear[COVER], dear[JUDGE])
