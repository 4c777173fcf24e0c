"""The time that pre-annotations save: all answers of the box tasks, against chains that were drawn."""

import pytest

from pipeline.settings.of_belief import BoxPolicyName
from projects.dashboard.figures import USUAL, Chains, pre_annotations_saved

SAVED_SECONDS = (8.0, 27.0, 11.0, 9.0)
NONE = Chains(0, (0, 0, 0, 0))


def chains(number: int, *answers: float) -> list[Chains]:
    """Return so many chains with one box, each with these answers of the four tasks."""
    return [NONE, Chains(number, [number * each for each in answers]), NONE]


def test_good_and_bad_judgments_and_further_questions_are_taken_off():
    drawn = chains(10_000, 0, 1, 0, 1)
    for answers, each in (((0, 0, 0, 1), 27), ((0, 0, 1, 1), 16), ((0, 1, 1, 1), -11), ((0, 0, 1, 2), 7)):
        won = pre_annotations_saved(chains(100, *answers), drawn, SAVED_SECONDS, BoxPolicyName.BELIEF)
        assert won.seconds == pytest.approx(100 * each, rel=0.01, abs=10), answers
        assert won.low < won.seconds < won.high
        assert (won.chains, won.drawn) == (100, 10_000)


def test_where_no_chain_was_drawn_the_usual_ones_stand_in_and_less_is_certain():
    tried, many = chains(100, 0, 0, 1, 1), chains(500, *USUAL[BoxPolicyName.BELIEF][1])
    alone, beside = (
        pre_annotations_saved(tried, one, SAVED_SECONDS, BoxPolicyName.BELIEF) for one in ([NONE] * 3, many)
    )
    assert alone.seconds == pytest.approx(beside.seconds)
    assert alone.high - alone.low > 2 * (beside.high - beside.low)
    assert pre_annotations_saved([NONE] * 3, [NONE] * 3, SAVED_SECONDS, BoxPolicyName.PAPER)[:4] == (0, 0, 0, 0)


def test_chains_that_end_with_more_boxes_are_held_against_such():
    two = [NONE, NONE, Chains(10, [10 * each for each in USUAL[BoxPolicyName.PAPER][2]])]
    assert pre_annotations_saved(two, [NONE] * 3, SAVED_SECONDS, BoxPolicyName.PAPER).seconds == pytest.approx(0)
